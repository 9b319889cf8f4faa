"""Where the parts of a table come from: the client's memory, or a store."""

from __future__ import annotations

from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, CodedTable
from deacs.distributed.cluster.parts import CodedPart, part_of_columns, part_of_rows
from deacs.distributed.cluster.protocol import Cluster, Handle
from deacs.distributed.disk.store import CodedStore
from deacs.information.bias import counts_per_row
from deacs.storage import Place

__all__ = ["Counted", "MemorySource", "Source", "StoreSource", "even_slices"]

Integers = NDArray[np.int64]


class Counted(Protocol):
    """A coded table and the weight of its rows."""

    @property
    def table(self) -> CodedTable:
        """The table."""

    @property
    def total(self) -> int:
        """The total weight of all rows."""


class Source(Counted, Protocol):
    """A coded table that can be brought to workers."""

    table: CodedTable
    total: int
    weights_are_counts: bool
    """Whether weights are numbers of rows."""
    per_row: float | None
    """The weight that amounts to one row, if weights have fractions."""
    ordered: CodedData | None
    """The table with the order of its values, if the client has it."""
    ignored: Integers
    """The ignored code of each feature, or -1."""

    def column_blocks(self, cluster: Cluster) -> tuple[list[Handle], Integers]:
        """Return parts of neighbouring columns, and the first column of each."""

    def row_parts(self, cluster: Cluster) -> list[Handle]:
        """Return parts of rows."""

    def restore(self, cluster: Cluster, parts: list[Handle]) -> None:
        """Replace the parts that were lost with their workers."""


class MemorySource:
    """A table in the client's memory; parts are sent, and sent again if their worker dies.

    Parameters
    ----------
    data : CodedData
        The table.
    n_parts : int, optional
        The number of parts; None: one for each worker.
    """

    def __init__(self, data: CodedData, n_parts: int | None = None) -> None:
        self.table: CodedTable = data
        self._data = data
        self._n_parts = n_parts
        self.total = data.n_rows if data.weights is None else int(data.weights.sum())
        self.weights_are_counts = data.weights_are_counts
        self.per_row = None if data.weights_are_counts else counts_per_row(data.weights)
        # A numeric target has an order, too.
        has_order = data.order is not None or data.numbers is not None
        self.ordered = data if has_order else None
        self.ignored = ignored_codes(data)
        self._by_row = False

    def column_blocks(self, cluster: Cluster) -> tuple[list[Handle], Integers]:
        """Return parts of neighbouring columns, and the first column of each."""
        self._by_row = False
        blocks = self._sent(cluster, self._data.n_features)
        return blocks, np.array([part.start for part in self._slices])

    def row_parts(self, cluster: Cluster) -> list[Handle]:
        """Return parts of rows."""
        self._by_row = True
        return self._sent(cluster, self._data.n_rows)

    def restore(self, cluster: Cluster, parts: list[Handle]) -> None:
        """Send again the parts that were lost with their workers."""
        cluster.n_workers()
        for k, part in enumerate(parts):
            if cluster.is_lost(part):
                parts[k] = cluster.send(self._piece(k), home=k)

    def _sent(self, cluster: Cluster, n_items: int) -> list[Handle]:
        self._slices = even_slices(n_items, self._n_parts or cluster.n_workers())
        return [cluster.send(self._piece(k), home=k) for k in range(len(self._slices))]

    def _piece(self, k: int) -> CodedPart:
        take = part_of_rows if self._by_row else part_of_columns
        return take(self._data, self._slices[k])


class StoreSource:
    """A store that every worker can open; workers read the parts that they count.

    Parameters
    ----------
    store : CodedStore
        On a disk that all workers share, or behind an address that all of them can read.
    n_parts : int, optional
        The number of parts; None: one for each worker.
    """

    ordered: CodedData | None = None

    def __init__(self, store: CodedStore, n_parts: int | None = None) -> None:
        self.table: CodedTable = store
        self._path = store.path.resolve()
        self._n_parts = n_parts
        data = store.mapped  # unchecked: workers check what they read
        self.total = data.n_rows if data.weights is None else int(data.weights.sum())
        self.weights_are_counts = data.weights_are_counts
        self.per_row = None if data.weights_are_counts else counts_per_row(data.weights)
        self.ignored = ignored_codes(data)

    def column_blocks(self, cluster: Cluster) -> tuple[list[Handle], Integers]:
        """Return parts of neighbouring columns, and the first column of each."""
        slices = even_slices(self.table.n_features, self._n_parts or cluster.n_workers())
        blocks = cluster.map("open-columns", _open_columns, [self._path] * len(slices), slices)
        return blocks, np.array([part.start for part in slices])

    def row_parts(self, cluster: Cluster) -> list[Handle]:
        """Return parts of rows."""
        slices = even_slices(self.table.n_rows, self._n_parts or cluster.n_workers())
        return cluster.map("open-rows", _open_rows, [self._path] * len(slices), slices)

    def restore(self, cluster: Cluster, parts: list[Handle]) -> None:
        """Do nothing: the scheduler repeats the tasks that read lost parts."""


def _open_columns(path: Place, features: slice) -> CodedPart:
    wanted = range(features.start, features.stop)
    return part_of_columns(CodedStore.open(path).checked(wanted), features)


def _open_rows(path: Place, rows: slice) -> CodedPart:
    return part_of_rows(CodedStore.open(path).data, rows)


def ignored_codes(data: CodedData) -> Integers:
    """Return the ignored code of each feature, or -1."""
    ignored = np.empty(data.n_features, dtype=np.int64)
    for block in data.blocks:
        ignored[block.features] = block.ignored
    return ignored


def even_slices(n_items: int, n_parts: int) -> list[slice]:
    """Split items into contiguous slices of nearly equal length, none empty."""
    n_parts = max(1, min(n_parts, n_items))
    ends = np.linspace(0, n_items, n_parts + 1).astype(int).tolist()
    return [slice(begin, end) for begin, end in pairwise(ends)]
