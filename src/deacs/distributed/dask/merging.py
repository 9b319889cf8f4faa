"""Merge columns of a table into units, on the workers that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from dask.distributed import Future
from numpy.typing import NDArray

from deacs.coding import stack_blocks
from deacs.coding.features import uncounted_codes
from deacs.coding.merging import Joint, Unit
from deacs.distributed.cluster.parts import CodedPart
from deacs.distributed.cluster.protocol import resilient
from deacs.distributed.dask.cluster import DaskCluster
from deacs.distributed.dask.table import DaskTable, TableSource
from deacs.greedy.groups import joint_of

__all__ = ["DaskMerger"]


class DaskMerger:
    """Merges columns on workers, those of a unit on the worker of its first column."""

    def __init__(self, table: DaskTable) -> None:
        self._table = table
        self._cluster = DaskCluster(table.client)
        self._cluster.n_workers()

    def joint(self, members: Sequence[int], at_most: int) -> Joint | None:
        """Return the joint values of some columns; None if more than `at_most` occur."""
        cluster, home = self._cluster, self._block_of(members[0])

        def ask() -> tuple[Future, Any]:
            columns = [self._column(j) for j in members]
            found = cluster.submit("joint-values", joint_of, columns, at_most, home=home)
            return found, cluster.gather(cluster.submit("known-values", _values, found, home=home))

        restore = TableSource(self._table).restore
        found, values = resilient(lambda: restore(cluster, []), ask)
        return None if values is None else Joint(values, found)

    def merged(self, units: Sequence[Unit]) -> DaskTable:
        """Return the table of these units, in at most as many blocks as before."""
        table = self._table
        homes = np.array([self._block_of(unit.members[0]) for unit in units])
        # Units are in the order of their first columns, unless another represents the unit.
        homes = np.maximum.accumulate(homes)
        blocks, starts = [], []
        for home in np.unique(homes).tolist():
            first, end = np.searchsorted(homes, [home, home + 1]).tolist()
            columns = [self._rows_of(unit, home) for unit in units[first:end]]
            known = [unit._replace(joint=None) for unit in units[first:end]]
            given = table.blocks[home], columns, known, table.ignores_missing
            blocks.append(self._cluster.submit("merge-columns", _merged, *given, home=home))
            starts.append(first)
        features, names = tuple(u.feature for u in units), tuple(u.name for u in units)
        return DaskTable(table.client, blocks, np.array(starts), features, names, table.rows)

    def _rows_of(self, unit: Unit, home: int) -> Future | int:
        """Return the joint values of a unit, or its only column (its place, if in this block)."""
        if unit.joint is not None:
            joint: Future = self._cluster.submit("joint-rows", _rows, unit.joint.rows, home=home)
            return joint
        column = unit.members[0]
        if self._block_of(column) == home:
            return column - int(self._table.starts[home])
        return self._column(column)

    def _block_of(self, feature: int) -> int:
        return int(np.searchsorted(self._table.starts, feature, side="right")) - 1

    def _column(self, feature: int) -> Future:
        home = self._block_of(feature)
        place = feature - int(self._table.starts[home])
        column: Future = self._cluster.submit(
            "cut-column", CodedPart.column, self._table.blocks[home], place, home=home
        )
        return column


# Tasks that run on workers.


def _values(joint: Joint | None) -> NDArray[np.int64] | None:
    return None if joint is None else joint.values


def _rows(joint: Joint) -> NDArray[Any]:
    rows: NDArray[Any] = joint.rows
    return rows


def _merged(
    part: CodedPart, columns: list[NDArray[Any] | int], units: list[Unit], ignores_missing: bool
) -> CodedPart:
    """Return a part of the units; an int in `columns` is the place of a column in `part`."""
    given = [part.column(rows) if isinstance(rows, int) else rows for rows in columns]
    made = [unit.column(rows) for unit, rows in zip(units, given, strict=True)]
    features = [unit.feature for unit in units]
    n_values = [feature.n_values for feature in features]
    blocks = stack_blocks(made, n_values, uncounted_codes(features, ignores_missing))
    return CodedPart.of(part, blocks)
