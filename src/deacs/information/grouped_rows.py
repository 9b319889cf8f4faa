"""Rows grouped by the joint value of S, split as S grows, and H(C_i | S)."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.coding.blocks import read_only
from deacs.information.counting import KINDS, ScoreKind
from deacs.information.grouping import base_sums, one_group, split
from deacs.information.parts import Sizes, members_of_runs, of_outputs, of_runs
from deacs.kernels.fixed_point import fixed_point
from deacs.kernels.groups import Groups

__all__ = ["GroupedRows"]

Integers = NDArray[np.int64]


class GroupedRows:
    """The remaining rows by group of S and label. Parameters: see `Conditioning`."""

    def __init__(
        self,
        labels: NDArray[np.int32],
        n_labels: int,
        weights: Integers | None = None,
        total: int | None = None,
        *,
        weights_are_counts: bool = True,
        membership: NDArray[np.bool_] | None = None,
    ) -> None:
        self.n_rows = len(labels)
        self._weights = None if weights is None else read_only(weights)
        self._weights_are_counts = weights_are_counts
        self._labels = labels
        self._label_counts = self._count_labels(n_labels)
        total = int(self._label_counts.sum()) if total is None else total
        self._membership = membership
        self._members = None if membership is None else members_of_runs(membership)
        self.n_outputs = n_labels if membership is None else membership.shape[1]
        self._fixed = fixed_point(total, self.n_outputs)
        self._bases: dict[ScoreKind, Integers] = {}
        self._groups = one_group(labels, n_labels)
        self._is_whole = True
        self._sizes: dict[bool, tuple[Groups, Sizes]] = {}

    @classmethod
    def of(cls, data: CodedData) -> Self:
        """Begin with the rows of a coded table and S empty."""
        return cls(
            data.labels,
            data.n_classes,
            data.weights,
            weights_are_counts=data.weights_are_counts,
            membership=data.membership,
        )

    @property
    def n_left(self) -> int:
        """The number of rows in groups with more than one label."""
        return len(self._groups.rows)

    @property
    def label_counts(self) -> Integers:
        """The count of each run label among the rows in which S is present, (n_labels,)."""
        return self._label_counts

    def __sizeof__(self) -> int:
        # Cluster schedulers use this to decide whether to move it.
        return 24 * self.n_left + 4 * self.n_rows

    def add(
        self,
        column: NDArray[np.unsignedinteger[Any]],
        n_values: int,
        ignored: int = -1,
        n_jobs: int | None = None,
    ) -> None:
        """Condition on one more column of codes; rows with the code `ignored` are dropped."""
        self._bases = {}
        self._is_whole = False
        self._groups = split(self._groups, column, n_values, ignored, n_jobs)
        if ignored >= 0:
            self._labels = np.where(column == ignored, np.int32(-1), self._labels)
            self._label_counts = self._count_labels(len(self._label_counts))

    def refined(
        self,
        column: NDArray[np.unsignedinteger[Any]],
        n_values: int,
        ignored: int = -1,
        n_jobs: int | None = None,
    ) -> Self:
        """Return a copy with one more column added; this object is unchanged."""
        other = copy(self)  # `add` replaces what it changes
        other.add(column, n_values, ignored, n_jobs)
        return other

    def relabelled(self, labels: NDArray[np.int32]) -> Self:
        """Return a copy under labels shuffled within groups, which leaves all sizes as they are."""
        other = copy(self)
        other._labels = np.where(self._labels < 0, np.int32(-1), labels)
        rows, n_labels = self._groups.rows, len(self._label_counts)
        sizes = np.diff(self._groups.run_starts[self._groups.group_runs])
        runs = np.arange(len(sizes)).repeat(sizes) * n_labels + labels[rows]
        if len(sizes) * n_labels <= 1 << 16:  # narrow numbers are sorted by radix
            runs = runs.astype(np.uint16)
        other._groups = self._groups._replace(rows=rows[np.argsort(runs, kind="stable")])
        return other

    def forget_settled(self) -> NDArray[np.int32]:
        """Drop rows whose class S determines, and renumber the rest; return their old numbers.

        Scores do not change: sums run over the remaining rows, and their divisors were counted
        before. Not for tables that ignore missing values, in which such rows still count where a
        feature is present.
        """
        rows = np.sort(self._groups.rows)
        place = np.empty(self.n_rows, dtype=np.int32)
        place[rows] = np.arange(len(rows), dtype=np.int32)
        self._groups = self._groups._replace(rows=place[self._groups.rows])
        self._labels = self._labels[rows]
        if self._weights is not None:
            self._weights = read_only(self._weights[rows])
        self.n_rows = len(rows)
        return rows

    def entropy(self) -> float:
        """Return H(C | S) in bits."""
        return float(
            self._bits(np.maximum(-self.base_sums("joint"), 0), self._label_counts.sum())[0]
        )

    def label_entropies(self) -> NDArray[np.float64]:
        """Return H(C_i | S) in bits for every label i, shape (n_labels,)."""
        return self._bits(np.maximum(-self.base_sums("one-vs-rest"), 0), self._label_counts.sum())

    def base_sums(self, kind: ScoreKind) -> Integers:
        """Return the part of sums that does not depend on the feature, in fixed point.

        That is -N H(C_i | S) for every label i, or -N H(C | S) for "joint"; kept until `add`.
        """
        if kind not in self._bases:
            n_outputs = 1 if kind == "joint" else self.n_outputs
            self._bases[kind] = base_sums(self._counted(kind), KINDS[kind], self._fixed, n_outputs)
        return self._bases[kind]

    def _counted(self, kind: ScoreKind) -> Sizes:
        """Return the parts of groups that a kind of score counts."""
        are_runs = self._members is None or kind == "joint"
        known = self._sizes.get(are_runs)
        if known is None or known[0] is not self._groups:
            known = self._groups, self._count_parts(are_runs)
            self._sizes = {**self._sizes, are_runs: known}
        return known[1]

    def _count_parts(self, are_runs: bool) -> Sizes:
        if are_runs or self._members is None:
            return of_runs(self._groups, self._run_sizes())
        return of_outputs(self._groups, self._run_sizes(), self._members, self.n_outputs)

    def _run_sizes(self) -> Integers:
        starts = self._groups.run_starts
        if self._weights is None or self.n_left == 0:
            return np.diff(starts)
        return np.add.reduceat(self._weights[self._groups.rows], starts[:-1])

    def _count_labels(self, n_labels: int) -> Integers:
        """The count of each label among the rows in which S is present."""
        counted = self._labels >= 0
        weights = None if self._weights is None else self._weights[counted]
        # Sums of integers below 2**53 are exact in floats.
        return np.bincount(self._labels[counted], weights, n_labels).astype(np.int64)

    def _bits(self, units: Integers, weight: Any) -> NDArray[np.float64]:
        # A label without rows has no score. In column order: later steps test and add a few
        # labels of many features, and those are then vector operations.
        per_row = np.asfortranarray(units) / np.maximum(weight, 1)
        return np.asarray(per_row * 2.0**-self._fixed.scale_bits)

    def _largest_group(self) -> int:
        return int(np.diff(self._groups.run_starts[self._groups.group_runs]).max())

    def _outputs_left(self, kind: ScoreKind) -> NDArray[np.intp]:
        """The outputs that can be positive: labels that still occur."""
        if kind == "joint":
            return np.zeros(1, np.intp)
        return np.flatnonzero(np.bincount(self._counted(kind).parts.outputs))
