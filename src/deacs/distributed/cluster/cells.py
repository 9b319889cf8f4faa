"""Cell counts of parts of the rows, counted on workers and added up.

A *run* is the rows of one joint value of the conditioning features and the class (or of the
features alone); a *cell* is a run and a value of another feature. Workers count cells, which are
then added over parts; `cell_scores` computes scores from the sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedTable
from deacs.distributed.cluster.parts import CodedPart

__all__ = [
    "Cells",
    "Features",
    "OrderedRows",
    "RunTable",
    "add_cells",
    "cells_of",
    "count_cells",
    "deal",
    "in_order",
    "together",
]

Integers = NDArray[np.int64]


class OrderedRows(NamedTuple):
    """The rows of a part, ordered by run."""

    rows: NDArray[np.int32]
    run_starts: Integers


@dataclass(frozen=True)
class RunTable:
    """The runs of the whole table, by group."""

    labels: NDArray[np.int32]
    """The label of each run."""
    group_runs: Integers
    """Where each group begins among the runs, and the number of runs, (n_groups + 1,)."""
    sizes: Integers
    """The weight of each run."""

    @classmethod
    def of_labels(cls, label_counts: Integers) -> RunTable:
        """Return one group of all rows; labels that do not occur are empty runs."""
        n_labels = len(label_counts)
        return cls(np.arange(n_labels, dtype=np.int32), np.array([0, n_labels]), label_counts)

    @classmethod
    def of_pairs(cls, n_runs: int, n_labels: int) -> RunTable:
        """Return a group for each value of a feature, with a run for each label; sizes unknown."""
        labels = np.tile(np.arange(n_labels, dtype=np.int32), n_runs // n_labels)
        return cls(labels, np.arange(0, n_runs + 1, n_labels), np.zeros(0, dtype=np.int64))

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return len(self.labels)

    @property
    def group_sizes(self) -> Integers:
        """The weight of each group."""
        return np.add.reduceat(self.sizes, self.group_runs[:-1]) if self.n_runs else self.sizes

    def split(
        self, keys: Integers, counts: Integers, width: int, ignored: int
    ) -> tuple[RunTable, Integers]:
        """Split groups by a feature's cells; drop those with one label and the code `ignored`.

        Returns the remaining runs, and the key of each: former run * width + value.
        """
        run, value = keys // width, keys % width
        group = np.repeat(np.arange(len(self.group_runs) - 1), np.diff(self.group_runs))[run]
        order = np.lexsort((self.labels[run], group * width + value))
        order = order[value[order] != ignored]
        _, place, n_labels = np.unique(
            (group * width + value)[order], return_inverse=True, return_counts=True
        )
        is_open = n_labels[place] > 1
        order, place = order[is_open], place[is_open]
        first = np.flatnonzero(np.diff(place, prepend=-1))
        runs = RunTable(self.labels[run[order]], np.append(first, len(order)), counts[order])
        return runs, keys[order]


class Features(NamedTuple):
    """Features counted together: indices, numbers of values, and ignored codes (or -1)."""

    numbers: Integers
    n_values: Integers
    ignored: Integers
    sparse: bool
    """Whether only cells that are not empty are listed."""


Cells = Any
"""Dense: one array, by feature, run and value. Sparse: keys and counts for each feature."""


FEW_CELLS = 4096
"""A feature with at most this many cells is dense, however many of them are empty."""


def together(
    table: CodedTable, ignored: Integers, candidates: Integers, n_runs: int, n_parts: int
) -> list[Features]:
    """Split candidates into those with dense and those with sparse cells."""
    n_values = table.n_values[candidates]
    sparse = n_runs * n_values > max(FEW_CELLS, 4 * table.n_rows // n_parts)
    return [
        Features(candidates[of], n_values[of], ignored[candidates[of]], is_sparse)
        for is_sparse, of in ((False, ~sparse), (True, sparse))
        if of.any()
    ]


def deal(
    ordered: OrderedRows, column: NDArray[np.unsignedinteger[Any]], width: int, keys: Integers
) -> OrderedRows:
    """Deal rows to new runs: run r gets the former cell keys[r] = run * width + value."""
    rows, run_starts = ordered
    n_cells = (len(run_starts) - 1) * width
    former = np.repeat(np.arange(len(run_starts) - 1), np.diff(run_starts))
    cells = former * width + column[rows]
    target = np.full(len(rows), -1, dtype=np.int32)
    if n_cells <= max(FEW_CELLS, 4 * len(rows)):
        run_of = np.full(n_cells, -1, dtype=np.int32)
        run_of[keys] = np.arange(len(keys), dtype=np.int32)
        target = run_of[cells]
    elif len(keys):
        order = np.argsort(keys)
        run = order[np.minimum(np.searchsorted(keys, cells, sorter=order), len(keys) - 1)]
        target[:] = np.where(keys[run] == cells, run, -1)
    return in_order(rows, target, len(keys))


def in_order(rows: NDArray[np.int32], target: NDArray[np.int32], n_runs: int) -> OrderedRows:
    """Order rows by run; rows without a run (-1) are dropped."""
    rows, target = rows[target >= 0], target[target >= 0]
    starts = np.append(0, np.cumsum(np.bincount(target, minlength=n_runs)))
    return OrderedRows(rows[np.argsort(target, kind="stable")], starts)


def count_cells(part: CodedPart, ordered: OrderedRows, wanted: list[Features]) -> list[Cells]:
    """Count the cells of some features in a part."""
    return [
        [_listed(part, ordered, int(j)) for j in features.numbers]
        if features.sparse
        else _array(part, ordered, features)
        for features in wanted
    ]


def _array(part: CodedPart, ordered: OrderedRows, features: Features) -> NDArray[Any]:
    rows, run_starts = ordered
    n_runs = len(run_starts) - 1
    run = np.repeat(np.arange(n_runs), np.diff(run_starts))
    weights = None if part.weights is None else part.weights[rows]
    cells = [
        np.bincount(run * width + part.column(j)[rows], weights, n_runs * width)
        for j, width in zip(features.numbers.tolist(), features.n_values.tolist(), strict=True)
    ]
    # Numbers of rows fit in 32 bits, half the bytes to send; weights may not.
    return np.concatenate(cells).astype(np.uint32 if weights is None else np.int64)


def _listed(part: CodedPart, ordered: OrderedRows, feature: int) -> tuple[Integers, Integers]:
    """Return the keys (run * n_values + value) that occur, and the weight of each."""
    rows, run_starts = ordered
    run = np.repeat(np.arange(len(run_starts) - 1), np.diff(run_starts))
    keys = run * int(part.n_values[feature]) + part.column(feature)[rows]
    distinct, place = np.unique(keys, return_inverse=True)
    weights = None if part.weights is None else part.weights[rows]
    return distinct, np.bincount(place, weights, len(distinct)).astype(np.int64)


def add_cells(parts: list[list[Cells]]) -> list[Cells]:
    """Add cells over parts."""
    return [_added(cells) for cells in zip(*parts, strict=True)]


def _added(parts: tuple[Cells, ...]) -> Cells:
    if isinstance(parts[0], list):
        return [_merged(listed) for listed in zip(*parts, strict=True)]
    total = parts[0].astype(np.int64)
    for cells in parts[1:]:
        total += cells
    return total


def _merged(listed: tuple[tuple[Integers, Integers], ...]) -> tuple[Integers, Integers]:
    keys, place = np.unique(np.concatenate([keys for keys, _ in listed]), return_inverse=True)
    counts = np.concatenate([counts for _, counts in listed])
    return keys, np.bincount(place, counts, len(keys)).astype(np.int64)


def cells_of(
    cells: Cells, features: Features, place: int, n_runs: int
) -> tuple[Integers, Integers]:
    """Return the ascending keys and the counts of one feature's nonempty cells."""
    if features.sparse:
        keys, counts = cells[place]
        return keys, counts
    begin = n_runs * int(features.n_values[:place].sum())
    cells = cells[begin : begin + n_runs * int(features.n_values[place])]
    keys = np.flatnonzero(cells)
    return keys, cells[keys]
