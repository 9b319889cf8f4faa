"""Information of all pairs of features, several targets at a time if they have enough values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.information.pair_information import PairInformation
from deacs.information.pair_planes import in_parts
from deacs.information.pairs import Pairs
from deacs.kernels.fixed_point import fixed_point
from deacs.kernels.lanes import LANES, ROWS_AT_ONCE, lane_pair_sums, lane_scratch
from deacs.kernels.threads import map_blocks

__all__ = ["all_pairs"]

NS_ROW = 0.5
"""Approximate cost of a row of a feature."""

FEW_VALUES = 4
"""Features with fewer values on average are counted faster by planes."""

Integers = NDArray[np.int64]


def all_pairs(pairs: Pairs) -> Iterator[PairInformation]:
    """Yield, for each feature but the last, its information with all following features."""
    data, n = pairs.data, pairs.data.n_features
    if not _suits(data):
        for j in range(n - 1):
            yield pairs.information(j, np.arange(j + 1, n))
        return
    counted = _Lanes(data, pairs)
    first = 0
    while first < n - 1:
        ends = np.cumsum(data.n_values[first : n - 1])
        targets = np.arange(first, first + int((ends <= LANES).sum()))
        features = np.arange(first + 1, n)
        sums = counted.sums(targets, features)
        for j, found in zip(targets.tolist(), sums, strict=True):
            behind = slice(j - first, None)
            yield pairs.of_cells(j, features[behind], found[behind])
        first += len(targets)


def _suits(data: CodedData) -> bool:
    """Whether every row counts once, and the values of two features fit a vector of bytes."""
    block = data.blocks[0]
    return (
        len(data.blocks) == 1
        and data.weights is None
        and data.n_rows < len(fixed_point(data.n_rows, 1).table)
        and block.codes.dtype == np.uint8
        and not (block.ignored >= 0).any()
        and 2 * int(block.n_values.max()) <= LANES
        and float(block.n_values.mean()) > FEW_VALUES
        and block.is_prefix
    )


class _Lanes:
    """The codes of a table sorted by class, and their counts."""

    def __init__(self, data: CodedData, pairs: Pairs) -> None:
        self._pairs, self._n_values = pairs, data.blocks[0].n_values
        order = np.argsort(data.labels, kind="stable")
        self._codes = np.ascontiguousarray(data.blocks[0].codes[:, order])
        ends = np.cumsum(np.bincount(data.labels, minlength=data.n_classes))
        self._parts = in_parts(ends, ROWS_AT_ONCE)
        self._n_labels = data.n_classes

    def sums(self, targets: Integers, features: Integers) -> Integers:
        """Return A and B of each target and feature, (n_targets, n_features, 2)."""
        n_rows = self._codes.shape[1]
        bounds = np.concatenate(([0], np.cumsum(self._n_values[targets])))
        vectors = np.zeros((n_rows, LANES), dtype=np.uint8)
        for target, begin in zip(targets.tolist(), bounds, strict=False):
            vectors[np.arange(n_rows), begin + self._codes[target].astype(np.int64)] = 1
        found = np.empty((len(targets), len(features), 2), dtype=np.int64)
        flat, table = vectors.ravel(), self._pairs.fixed.table

        def work(part: slice) -> None:
            scratch = lane_scratch(self._n_labels, int(self._n_values.max()))
            how = flat, bounds, self._parts, table, scratch, found[:, part]
            lane_pair_sums(self._codes, features[part], self._n_values, *how)

        map_blocks(work, len(features), self._pairs.n_jobs, NS_ROW * n_rows)
        return found
