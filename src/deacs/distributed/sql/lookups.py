"""Lookup tables, joined if there are too many values for a `CASE`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from typing import Any, Self
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from deacs.distributed.sql.database import Database
from deacs.distributed.sql.expressions import Expression, column, name, values_table
from deacs.exceptions import DatabaseError, InputError

__all__ = ["Join", "Lookups"]

Join = tuple[Expression, Expression]
"""A table to join, and the condition to join it on."""

MANY = 2_000
"""Up to this many values are written into a statement; more are sent as a temporary table."""

MOST_LITERALS = 200_000
"""The most values written into a statement if there are no temporary tables."""


class Lookups:
    """Lookup tables of one statement, which are dropped at the end of a `with` block.

    If temporary tables may not be created, all values are written into the statement.
    """

    def __init__(self, database: Database, is_temporary: bool) -> None:
        self._database, self._is_temporary = database, is_temporary
        self._tables: list[str] = []

    def found(
        self,
        value: Expression,
        values: list[Any] | NDArray[Any],
        outcomes: Sequence[int] | NDArray[np.int64],
        alias: str,
    ) -> tuple[Expression, Join]:
        """Return the outcome of a value (NULL if unknown), and the table to join for it."""
        sent = _sent(values)
        known: Expression
        if self._is_temporary and len(values) > MANY and sent is not None:
            table = f"deacs_{uuid4().hex[:12]}"
            self._tables.append(table)
            self._database.put(table, sent, np.array(outcomes, dtype=np.int32))
            known = exp.table_(name(table)).as_(name(alias))
        elif len(values) <= MOST_LITERALS or self._is_temporary:
            listed = values if isinstance(values, list) else values.tolist()
            pairs = zip(listed, np.asarray(outcomes).tolist(), strict=True)
            known = values_table(pairs, alias, ("v", "c"))
        else:
            raise InputError(
                f"a column has {len(values):,} distinct values, too many to be written into every "
                "statement of a connection without temporary tables; allow them (temporary=True), "
                "or set quantiles=10_000"
            )
        return column("c", alias), (known, value.copy().eq(column("v", alias)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        # After an error the connection may be lost, or the tables rolled back.
        with suppress(DatabaseError) if error[0] is not None else nullcontext():
            while self._tables:
                self._database.drop(self._tables.pop())


def _sent(values: list[Any] | NDArray[Any]) -> NDArray[Any] | None:
    """Return values as an array of numbers or text; None for integers beyond 64 bits."""
    array = np.asarray(values)
    if array.dtype.kind in "if":
        return array
    texts = np.empty(len(values), dtype=object)
    texts[:] = list(values)
    return texts if all(type(each) is str for each in texts) else None
