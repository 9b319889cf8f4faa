"""Rows by the value of one feature, alone or with the class, against which pairs are counted."""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.information.pair_planes import RowsByClass
from deacs.kernels.fixed_point import FixedPoint, xlogx_of
from deacs.kernels.groups import Groups
from deacs.kernels.pairs import Keys, count_keys, rows_by_run
from deacs.kernels.stored_planes import TargetPlanes, target_planes

__all__ = ["Runs", "Target"]


class Target(NamedTuple):
    """One column to count all others against: the codes, how many, and which does not count."""

    codes: NDArray[np.unsignedinteger[Any]]
    n_values: int
    ignored: int = -1


class Runs:
    """The rows by joint value of a target and the class, or by the target alone (`n_labels` 1)."""

    def __init__(
        self,
        target: Target,
        labels: NDArray[np.int32],
        n_labels: int,
        fixed: FixedPoint,
        weights: NDArray[np.int64] | None = None,
    ) -> None:
        counts = np.zeros(target.n_values * n_labels, dtype=np.int64)
        self.by_class = n_labels > 1
        self.n_labels = n_labels
        self.n_keys = target.n_values * n_labels
        self.n_values = target.n_values
        self._keys = Keys(target.codes, labels, n_labels)
        count_keys(self._keys, counts)
        self._by_value = counts.reshape(-1, n_labels)
        self._planes: TargetPlanes | None = None
        self.is_partial = target.ignored >= 0 and bool(self._by_value[target.ignored].any())
        if self.is_partial:
            self._by_value[target.ignored] = 0
        self._sizes = self._by_value
        if weights is not None:
            weighted = np.bincount(self.keys, weights, self.n_keys).astype(np.int64)
            self._sizes = np.where(self._by_value > 0, weighted.reshape(-1, n_labels), 0)
        self.by_run = self.by_group = int(xlogx_of(self._sizes, fixed).sum())
        if self.by_class:
            self.by_group = int(xlogx_of(self._sizes.sum(axis=1), fixed).sum())

    def planes_in(self, rows: RowsByClass) -> TargetPlanes:
        """Return one bit-plane for each value but the last, the rows being in this order."""
        if self._planes is None:
            planes = np.zeros((self.n_values - 1, rows.n_words), dtype=np.uint64)
            target_planes(self._keys.codes, rows.places, planes)
            parts = rows.parts if self.by_class else rows.all_parts
            sizes = np.ascontiguousarray(self._sizes.T)
            bounds = np.array([0, self.n_values])
            values = np.arange(self.n_values - 1, dtype=np.uint64)
            self._planes = TargetPlanes(planes, values, bounds, sizes, parts)
        return self._planes

    @cached_property
    def keys(self) -> NDArray[np.uint32]:
        """The joint value of each row."""
        keys = self._keys.codes.astype(np.uint32) * np.uint32(self.n_labels)
        return keys + self._keys.labels.astype(np.uint32) if self.by_class else keys

    @cached_property
    def groups(self) -> Groups:
        """The rows in the order of the runs."""
        counts = self._by_value.ravel()
        present = np.flatnonzero(counts)
        run_of = np.full(len(counts), -1)
        run_of[present] = np.arange(len(present))
        starts = np.concatenate(([0], np.cumsum(counts[present])))
        rows = np.empty(starts[-1], dtype=np.int32)
        rows_by_run(self._keys, run_of, starts[:-1].copy(), rows)
        first = np.flatnonzero(np.diff(present // self.n_labels, prepend=-1))
        labels = (present % self.n_labels).astype(np.int32)
        return Groups(rows, starts, labels, np.append(first, len(present)))
