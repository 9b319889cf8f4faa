"""Where the parts of a table come from: the client's memory, or a store."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, CodedTable
from deacs.distributed.cluster.parts import CodedPart, part_of_columns, part_of_rows
from deacs.distributed.cluster.protocol import Cluster, Handle
from deacs.distributed.disk.store import CodedStore
from deacs.information.bias import counts_per_row
from deacs.storage import Place

__all__ = ["MemorySource", "Source", "StoreSource", "even_slices"]

Integers = NDArray[np.int64]


class Source(ABC):
    """A coded table that can be brought to workers in `n_parts`, by default one for each worker."""

    total: int
    """The total weight of all rows."""
    weights_are_counts: bool
    """Whether weights are numbers of rows."""
    per_row: float | None
    """The weight that amounts to one row, if weights have fractions."""
    ignored: Integers
    """The ignored code of each feature, or -1."""
    ordered: CodedData | None = None
    """The table with the order of its values, if the client has it."""

    def __init__(self, table: CodedTable, n_parts: int | None = None) -> None:
        self.table, self._n_parts = table, n_parts

    def _describe(self, data: CodedData) -> None:
        """Set the attributes from a table that this process can read."""
        self.total = data.n_rows if data.weights is None else int(data.weights.sum())
        self.weights_are_counts = data.weights_are_counts
        self.per_row = None if data.weights_are_counts else counts_per_row(data.weights)
        self.ignored = np.empty(data.n_features, dtype=np.int64)
        for block in data.blocks:
            self.ignored[block.features] = block.ignored

    def _slices(self, cluster: Cluster, n_items: int) -> list[slice]:
        return even_slices(n_items, self._n_parts or cluster.n_workers())

    @abstractmethod
    def column_blocks(self, cluster: Cluster) -> tuple[list[Handle], Integers]:
        """Return parts of neighbouring columns, and the first column of each."""

    @abstractmethod
    def row_parts(self, cluster: Cluster) -> list[Handle]:
        """Return parts of rows."""

    @abstractmethod
    def restore(self, cluster: Cluster, parts: list[Handle]) -> None:
        """Replace the parts that were lost with their workers."""


class MemorySource(Source):
    """A table in the client's memory; parts are sent, and sent again if their worker dies."""

    def __init__(self, data: CodedData, n_parts: int | None = None) -> None:
        super().__init__(data, n_parts)
        self._describe(data)
        self._data = data
        if data.order is not None or data.numbers is not None:  # a numeric target has an order, too
            self.ordered = data
        self._pieces: list[Callable[[], CodedPart]] = []

    def column_blocks(self, cluster: Cluster) -> tuple[list[Handle], Integers]:
        """Return parts of neighbouring columns, and the first column of each."""
        slices = self._slices(cluster, self._data.n_features)
        blocks = self._sent(cluster, part_of_columns, slices)
        return blocks, np.array([part.start for part in slices])

    def row_parts(self, cluster: Cluster) -> list[Handle]:
        """Return parts of rows."""
        return self._sent(cluster, part_of_rows, self._slices(cluster, self._data.n_rows))

    def restore(self, cluster: Cluster, parts: list[Handle]) -> None:
        """Send again the parts that were lost with their workers."""
        cluster.n_workers()
        for k, part in enumerate(parts):
            if cluster.is_lost(part):
                parts[k] = cluster.send(self._pieces[k](), home=k)

    def _sent(
        self, cluster: Cluster, take: Callable[..., CodedPart], slices: list[slice]
    ) -> list[Handle]:
        self._pieces = [partial(take, self._data, part) for part in slices]
        return [cluster.send(piece(), home=k) for k, piece in enumerate(self._pieces)]


class StoreSource(Source):
    """A store that every worker can open; workers read the parts that they count.

    It is on a disk that all workers share, or behind an address that all of them can read.
    """

    def __init__(self, store: CodedStore, n_parts: int | None = None) -> None:
        super().__init__(store, n_parts)
        self._describe(store.mapped)  # unchecked: workers check what they read
        self._path = store.path.resolve()

    def column_blocks(self, cluster: Cluster) -> tuple[list[Handle], Integers]:
        """Return parts of neighbouring columns, and the first column of each."""
        slices = self._slices(cluster, self.table.n_features)
        blocks = cluster.map("open-columns", _open_columns, slices, given=[self._path])
        return blocks, np.array([part.start for part in slices])

    def row_parts(self, cluster: Cluster) -> list[Handle]:
        """Return parts of rows."""
        slices = self._slices(cluster, self.table.n_rows)
        return cluster.map("open-rows", _open_rows, slices, given=[self._path])

    def restore(self, cluster: Cluster, parts: list[Handle]) -> None:
        """Do nothing: the scheduler repeats the tasks that read lost parts."""


def _open_columns(features: slice, path: Place) -> CodedPart:
    wanted = range(features.start, features.stop)
    return part_of_columns(CodedStore.open(path).checked(wanted), features)


def _open_rows(rows: slice, path: Place) -> CodedPart:
    return part_of_rows(CodedStore.open(path).data, rows)


def even_slices(n_items: int, n_parts: int) -> list[slice]:
    """Split items into contiguous slices of nearly equal length, none empty."""
    n_parts = max(1, min(n_parts, n_items))
    ends = np.linspace(0, n_items, n_parts + 1).astype(int).tolist()
    return [slice(begin, end) for begin, end in pairwise(ends)]
