"""SQL expressions as syntax trees; SQLGlot renders them and quotes every name.

Queries are not built from text, and values are passed as parameters. The few statements that
adapters write as text (`COPY`, `ANALYZE`) contain only names that are quoted here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from sqlglot import exp

from deacs.exceptions import InputError, Parameter

__all__ = [
    "Expression",
    "case",
    "cast",
    "column",
    "is_nan",
    "literal",
    "name",
    "staircase",
    "table_named",
    "total",
    "union_all",
    "value",
    "value_of",
    "values_table",
]

Expression = exp.Expr

VALUE = "value"
"""The key of a node's metadata under which `value` stores the value."""


@cache
def _type(word: str) -> exp.DataType:
    return exp.DataType.build(word)


def cast(seen: Expression, word: str) -> Expression:
    """Return an expression, which is not copied, as one of a type, whose name is parsed once."""
    return exp.cast(seen, _type(word).copy(), copy=False)


NAN = cast(exp.Literal.string("NaN"), "double")


def name(text: str) -> exp.Identifier:
    """Return a quoted name."""
    return exp.to_identifier(text, quoted=True)


def column(text: str, of: str | None = None) -> exp.Column:
    """Return a column by its name, and optionally the alias of its table."""
    return exp.column(name(text), table=None if of is None else name(of))


def table_named(table: Any, dialect: str) -> exp.Table:
    """Return a table from what the user passed: `"visits"`, `"shop.visits"`, or a tuple of parts.

    The parts of a tuple are taken literally; text is split at dots that are not within quotes.
    """
    if isinstance(table, str):
        try:
            found = exp.to_table(table, dialect=dialect)
            parts = [part.name for part in found.parts]
        except Exception:  # any of SQLGlot's, for text that is no name
            parts = []
    else:
        is_names = isinstance(table, tuple | list) and all(isinstance(p, str) for p in table)
        parts = list(table) if is_names else []
    if not 1 <= len(parts) <= 3 or not all(parts):
        raise InputError(
            Parameter("table"),
            " must be the name of a table or view, such as 'visits' or 'shop.visits', or a tuple "
            f"of its parts, such as ('shop', 'my visits'), got {table!r}; for a query make a view",
        )
    last, *before = [name(part) for part in reversed(parts)]
    return exp.Table(this=last, **dict(zip(("db", "catalog"), before, strict=False)))


def literal(value: Any) -> Expression:
    """Return a literal: text, a boolean, an integer of any size, or a float with all digits."""
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int):
        number = exp.Literal.number(abs(value))
        return exp.Neg(this=number) if value < 0 else number
    words = repr(float(value)) if math.isfinite(value) else ("-" * (value < 0)) + "Infinity"
    return cast(exp.Literal.string(words), "double")


def value(given: Any) -> Expression:
    """Return a value of the user's data, such as a category or a cut point.

    It is a literal in a statement that is shown, a parameter in one that runs (`Database.bound`).
    """
    found = literal(given)
    found.meta[VALUE] = given
    return found


def value_of(node: Expression) -> Any:
    """Return the value that a node stands for; None if it is not from the user's data."""
    return node.meta_get(VALUE)


def is_nan(number: Expression) -> Expression:
    """Return the condition that a float is NaN, which is equal to itself in databases."""
    return number.copy().eq(NAN.copy())


def total(weight: Expression | None) -> Expression:
    """Return the total weight of the rows of a group."""
    if weight is None:
        return exp.Count(this=exp.Star())
    return cast(exp.Sum(this=weight.copy()), "bigint")


def case(seen: Expression, outcomes: Iterable[tuple[Any, int]], otherwise: int) -> Expression:
    """Return the outcome of the value that equals `seen`; `otherwise` if none does."""
    found = exp.Case(default=literal(otherwise))
    for known, number in outcomes:
        is_it = exp.EQ(this=seen.copy(), expression=value(known))
        found = found.when(is_it, literal(number), copy=False)
    return found if found.args.get("ifs") else literal(otherwise)


def staircase(seen: Expression, cuts: Sequence[Any], outcomes: Sequence[int]) -> Expression:
    """Return the outcome of a value's interval, by bisection; one more outcome than cuts."""
    if len(cuts) == 0:
        return literal(outcomes[0])
    middle = len(cuts) // 2
    lower = staircase(seen, cuts[:middle], outcomes[: middle + 1])
    upper = staircase(seen, cuts[middle + 1 :], outcomes[middle + 1 :])
    is_lower = exp.LTE(this=seen.copy(), expression=value(cuts[middle]))
    return exp.Case(default=upper).when(is_lower, lower, copy=False)


def union_all(selects: Sequence[exp.Select]) -> exp.Query:
    """Return the rows of all queries."""
    found: exp.Query = selects[0]
    for select in selects[1:]:
        found = exp.union(found, select, distinct=False, copy=False)
    return found


def values_table(rows: Iterable[Sequence[Any]], alias: str, names: Sequence[str]) -> Expression:
    """Return rows of values, each with its number in the last place, as a table with an alias."""
    tuples = [exp.Tuple(expressions=[*map(value, row[:-1]), literal(row[-1])]) for row in rows]
    called = exp.TableAlias(this=name(alias), columns=[name(each) for each in names])
    return exp.Values(expressions=tuples, alias=called)
