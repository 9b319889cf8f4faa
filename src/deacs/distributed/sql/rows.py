"""Rows of a table in a database, by group of S, and other queries of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from deacs.distributed.cluster.cells import RunTable
from deacs.distributed.sql.counting import MOST_FEATURES
from deacs.distributed.sql.expressions import (
    Expression,
    cast,
    column,
    literal,
    name,
    total,
    union_all,
)
from deacs.distributed.sql.table import SQLTable, code_name

__all__ = ["GroupedRows", "joint_values", "present_counts", "run_of_pair"]

Integers = NDArray[np.int64]

MOST_PENDING = 6
"""The most features from which scans compute the group of a row, before it becomes a column."""

LARGEST_NUMBER = 1 << 62


class GroupedRows:
    """Unsettled rows with the numbers of their groups: a column, or computed from codes.

    Groups become a column of a new table without settled rows once half of the rows are settled,
    or after several features were added to S; without temporary tables, only if the numbers of
    groups would overflow.
    """

    def __init__(self, table: SQLTable) -> None:
        self._table = table
        self.relation = table.relation
        self._kept: str | None = None
        self._has_groups = False
        self._pending: list[int] = []
        self._selected: list[int] = []
        self._n_groups = 1
        self._n_rows = table.total
        self.is_renumbered = False
        """Whether the newest feature had groups renumbered from 0, in the same order."""

    def run(self) -> Expression:
        """Return the number of a row's run, from its group and its label."""
        return self._group() * literal(self._table.n_classes) + column("y")

    def condition_on(self, feature: int, runs: RunTable) -> None:
        """Add a feature to S; `runs` are those that result."""
        self._pending.append(feature)
        self._selected.append(feature)
        n_left = int(runs.sizes.sum())
        self.is_renumbered = False
        if n_left == 0:
            return
        overflows = self._largest() * int(self._table.n_values.max()) > LARGEST_NUMBER
        pays = 2 * n_left <= self._n_rows or len(self._pending) > MOST_PENDING
        if overflows or (pays and self._table.is_temporary):
            self._rewrite()
            self._n_groups, self._n_rows = len(runs.group_runs) - 1, n_left

    def _group(self) -> Expression:
        number: Expression = column("g") if self._has_groups else literal(0)
        number = cast(number, "bigint")
        for feature in self._pending:
            number = number * literal(int(self._table.n_values[feature])) + column(
                code_name(feature)
            )
        return exp.paren(number) if self._pending else number

    def _largest(self) -> int:
        largest = self._n_groups * self._table.n_classes
        for feature in self._pending:
            largest *= int(self._table.n_values[feature])
        return largest

    def _rewrite(self) -> None:
        """Keep only rows of groups with several labels, and number these groups from 0."""
        table = self._table
        codes = [code_name(j) for j in range(table.n_features) if j not in self._selected]
        kept = ["y", *(["w"] if table.weight is not None else []), *codes]
        numbered = (
            exp.select(self._group().as_("k"), *[column(each) for each in kept])
            .from_(exp.table_(name(self.relation)))
            .where(*_present(table, self._pending))
        )
        several = exp.Min(this=column("y")) < exp.Max(this=column("y"))
        groups = exp.select("k").from_(numbered.copy().subquery("q")).group_by("k").having(several)
        place = exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=[column("k")]))
        numbers = exp.select("k", (place - literal(1)).as_("g")).from_(groups.subquery("q"))
        rows = (
            exp.select(column("g", "b"), *[column(each, "a") for each in kept])
            .from_(numbered.subquery("a"))
            .join(numbers.subquery("b"), on=column("k", "a").eq(column("k", "b")))
        )
        former, self._kept = self._kept, table.keep(rows)
        self.relation = self._kept
        self._has_groups, self._pending, self.is_renumbered = True, [], True
        if former is not None:
            table.abandon(former)

    def __del__(self) -> None:
        if self._kept is not None:
            self._table.abandon(self._kept)


def _present(table: SQLTable, features: Sequence[int]) -> list[Expression]:
    """Return the conditions that no value of these features is ignored."""
    return [
        column(code_name(j)).neq(literal(int(table.ignored[j])))
        for j in features
        if table.ignored[j] >= 0
    ]


def present_counts(table: SQLTable, selected: Sequence[int], features: Sequence[int]) -> Integers:
    """Return the weight of each label where S and a feature are present.

    Shape (len(features), n_labels); without features, one row for S alone.
    """
    asked = [[*selected, int(feature)] for feature in features] or [list(selected)]
    counts = np.zeros((len(asked), table.n_classes), dtype=np.int64)
    selects = [
        exp.select(literal(k).as_("j"), "y", total(table.weight).as_("n"))
        .from_(exp.table_(name(table.relation)))
        .where(*_present(table, together))
        .group_by("y")
        for k, together in enumerate(asked)
    ]
    for begin in range(0, len(selects), MOST_FEATURES):
        j, y, n = table.ask(union_all(selects[begin : begin + MOST_FEATURES]))
        counts[j.astype(np.int64), y.astype(np.int64)] = n
    return counts


def joint_values(table: SQLTable, features: Sequence[int]) -> tuple[int, int]:
    """Return the weight of rows in which all features are present, and how many joint values."""
    codes = [column(code_name(int(j))) for j in features]
    groups = (
        exp.select(total(table.weight).as_("n"))
        .from_(exp.table_(name(table.relation)))
        .where(*_present(table, [int(j) for j in features]))
        .group_by(*codes)
    )
    weight, n_values = table.ask(
        exp.select(total(column("n")).as_("w"), exp.Count(this=exp.Star()).as_("n")).from_(
            groups.subquery("q")
        )
    )
    return int(weight[0] or 0), int(n_values[0])


def run_of_pair(table: SQLTable, selected: int, by_class: bool) -> Expression:
    """Return the number of a row's run, from its value of a feature and perhaps its label."""
    value = cast(column(code_name(selected)), "bigint")
    if not by_class:
        return value
    return value * literal(table.n_classes) + column("y")
