"""The user's table as a query: numbered columns, labels, and weights above 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from deacs.distributed.sql.codes import coded, compared, travelling
from deacs.distributed.sql.database import Database, SourceColumn
from deacs.distributed.sql.expressions import Expression, cast, column, literal, name, total
from deacs.distributed.sql.lookups import Lookups
from deacs.exceptions import InputError, Parameter
from deacs.tables import read_labels
from deacs.tables.names import unknown_name
from deacs.tables.numbers import has_fractions, is_quantity
from deacs.tables.objects import unusable

__all__ = ["Source", "source_of"]

Integers = NDArray[np.int64]

MOST_ROWS = 1 << 31
"""Total weights must stay below this, as in memory."""


@dataclass(frozen=True)
class Source:
    """A user's table: its features, its class column and its weights."""

    database: Database
    table: exp.Table
    features: list[SourceColumn]
    target: SourceColumn
    weight: SourceColumn | None
    is_sure: bool = False
    """Whether numbers in the class column are classes, as the user says."""

    @cached_property
    def labels(self) -> tuple[NDArray[Any], Integers, Integers]:
        """The classes, their weights, and their numbers of rows."""
        value = travelling(column(self.target.name, "t"), self.target.kind)
        columns = [value.as_("v")]
        if self.weight is not None:
            columns.append(self._weight.as_("w"))
        inner = self._counted(exp.select(*columns)).subquery("q")
        weight = None if self.weight is None else column("w")
        found, counts, n_rows = self.database.query(
            exp.select("v", total(weight).as_("n"), total(None).as_("m")).from_(inner).group_by("v")
        )
        classes = _values(found, self.target.kind)
        counts, n_rows = counts.astype(np.int64), n_rows.astype(np.int64)
        self._check_classes(classes, n_rows)
        read = read_labels(classes, len(classes), "classes")
        if counts.sum() >= MOST_ROWS:
            raise InputError(
                f"the total weight of the rows must be less than {MOST_ROWS:,}, got "
                f"{counts.sum():,}; select from a view with a sample of them"
            )
        order = np.argsort(read.codes)
        return read.classes, counts[order], n_rows[order]

    def rows(self) -> exp.Select:
        """Return the query of labels y, weights w, and unchanged columns c0, c1, ..."""
        classes = self.labels[0].tolist()
        if self.target.kind == "boolean":
            classes = [int(each) for each in classes]
        where = column(self.target.name, "t")
        label, joined = coded(
            compared(where, self.target.kind), classes, Lookups(self.database, False), alias="l"
        )
        selected = [cast(label, "int").as_("y")]
        if self.weight is not None:
            selected.append(cast(self._weight, "bigint").as_("w"))
        for j, feature in enumerate(self.features):
            selected.append(column(feature.name, "t").as_(f"c{j}"))
        query = self._counted(exp.select(*selected))
        return query if joined is None else query.join(joined[0], on=joined[1], join_type="left")

    @property
    def _weight(self) -> Expression:
        assert self.weight is not None
        return column(self.weight.name, "t")

    def _counted(self, query: exp.Select) -> exp.Select:
        """Complete a query with the table, and leave out rows of weight 0."""
        query = query.from_(self.table.copy().as_(name("t")))
        return query if self.weight is None else query.where(self._weight > literal(0))

    def _check_classes(self, classes: NDArray[Any], counts: Integers) -> None:
        n_rows = int(counts.sum())
        if n_rows == 0:
            raise InputError("the table must have at least one row with a weight above 0, got none")
        absent = np.array([value is None or value != value for value in classes.tolist()])
        if absent.any():
            raise InputError(
                Parameter("y"),
                f" must not have missing values, but {self.target.name!r} has "
                f"{int(counts[absent].sum())}; select from a view without these rows, or give them "
                "a class",
            )
        if len(classes) == 1:
            raise InputError(
                Parameter("y"),
                f" must have at least two classes, got 1 class: {classes.tolist()[0]!r} in all "
                f"{n_rows} rows; there is nothing to tell apart",
            )
        is_number = self.target.kind in ("integer", "float") and not self.is_sure
        if is_number and (has_fractions(classes) or is_quantity(counts)):
            raise InputError(
                Parameter("y"),
                f" must hold classes where the table is in a database, but {self.target.name!r} "
                "looks like a quantity; select from a view that cuts it into classes, or pass ",
                Parameter("target", "classes"),
            )

    def check_weights(self) -> None:
        """Raise an error unless weights are whole numbers of rows."""
        if self.weight is None:
            return
        weight = self._weight
        bad = exp.or_(
            weight.copy().is_(exp.null()),
            weight.copy() < literal(0),
            weight.copy().neq(exp.Floor(this=weight.copy())),
            weight.copy() >= literal(MOST_ROWS),
        )
        count = exp.Count(this=exp.Case().when(bad, literal(1)))
        [found] = self.database.query(
            exp.select(count.as_("n")).from_(self.table.copy().as_(name("t")))
        )
        if int(found[0]) > 0:
            raise InputError(
                Parameter("sample_weight"),
                f" must hold whole numbers of rows, 0 or more and none missing, but "
                f"{self.weight.name!r} has {int(found[0])} others; round them, or select from a "
                "view that does",
            )


def source_of(
    database: Database,
    table: exp.Table,
    y: Any,
    sample_weight: Any,
    exclude: Sequence[str],
    is_sure: bool = False,
) -> Source:
    """Divide the columns of a table into features, the class and the weight."""
    columns = {found.name: found for found in database.columns(table)}
    names = list(columns)
    weights = [] if sample_weight is None else [("sample_weight", sample_weight)]
    for parameter, each in [("y", y), *weights, *(("exclude", other) for other in exclude)]:
        if not isinstance(each, str):
            raise InputError(
                Parameter(parameter),
                f" must name a column of the table, got {type(each).__name__}",
            )
        if each not in columns:
            raise InputError(
                Parameter(parameter),
                f" names {each!r}, {unknown_name(each, names)}",
                accepted=tuple(names),
            )
    target = columns[y]
    if target.kind not in ("boolean", "integer", "float", "text", "enum"):
        raise InputError(
            Parameter("y"),
            f" must hold text, booleans or numbers of at most 64 bits, but {y!r} has type "
            f"{target.type}; cast it in a view",
        )
    weight = None if sample_weight is None else columns[sample_weight]
    if weight is not None and weight.kind not in ("integer", "float"):
        raise InputError(
            Parameter("sample_weight"),
            f" must hold whole numbers, but {weight.name!r} has type {weight.type}; cast it in a "
            "view",
        )
    left_out = {y, sample_weight, *exclude}
    features = [found for each, found in columns.items() if each not in left_out]
    if not features:
        raise InputError("the table must have at least one column besides the class, got none")
    useless = [found for found in features if found.kind == "other"]
    if useless:
        others = ", ".join(repr(found.name) for found in useless[1:9])
        more = f"; {others} cannot be used either" if others else ""
        raise InputError(
            unusable(useless[0].name, useless[0].type), more, columns=[u.name for u in useless]
        )
    return Source(database, table, features, target, weight, is_sure)


def _values(found: NDArray[Any], kind: str) -> NDArray[Any]:
    """Return the classes as a table in memory has them."""
    if kind == "float":
        return found.astype(np.float64)  # None becomes NaN
    if kind in ("text", "enum") or found.dtype == object:
        values = np.empty(len(found), dtype=object)
        values[:] = found.tolist()
        return values
    return found
