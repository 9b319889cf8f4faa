"""Rows grouped by the joint value of S, split as S grows: H(C_i | S), and scores given S."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deacs._kernels.arrays import Parts
from deacs._kernels.fixed_point import fixed_point
from deacs.coding import CodeBlock, CodedData
from deacs.counts.bias import (
    Estimator,
    chance_of,
    check_corrected,
    corrected,
    counts_per_row,
)
from deacs.counts.counting import (
    Given,
    ScoreKind,
    Sums,
    base_sums,
    count,
    count_present,
    members_of,
)
from deacs.counts.groups import one_group, parts_by_output, split

__all__ = ["Conditioning"]

Integers = NDArray[np.int64]


class Conditioning:
    """The remaining rows by group of S and label; features are only added to S.

    Parameters
    ----------
    labels : ndarray of int32 of shape (n_rows,)
        The label of each row, from 0.
    n_labels : int
        The number of labels.
    weights : ndarray of int64 of shape (n_rows,), optional
        The count of each row, at least 1. Weighted tables are counted row by row.
    weights_are_counts : bool, default=True
        Whether weights are numbers of rows; else only their proportions matter.
    membership : ndarray of bool of shape (n_labels, n_outputs), optional
        Which outputs each label belongs to, if outputs overlap. None: each to its own.

    Notes
    -----
    Rows in which a column has an ignored code (missing, with `missing="ignore"`) do not count:
    every score is estimated on the rows in which S and the feature are present.

    `add` takes one pass over the remaining rows, for any size of S. Rows of groups with
    one label are dropped: they add zero to every later score. Besides the codes, which are read
    in place, this holds about 24 bytes for each remaining row and, in each thread, one column.
    """

    def __init__(
        self,
        labels: NDArray[np.int32],
        n_labels: int,
        weights: Integers | None = None,
        *,
        weights_are_counts: bool = True,
        membership: NDArray[np.bool_] | None = None,
    ) -> None:
        self.n_rows = len(labels)
        self._weights = weights
        self._weights_are_counts = weights_are_counts
        self._labels = labels
        self._label_counts = self._count_labels(n_labels)
        self._membership = membership
        self.n_outputs = n_labels if membership is None else membership.shape[1]
        self._fixed = fixed_point(int(self._label_counts.sum()), self.n_outputs)
        self._groups = one_group(labels, n_labels)
        self._is_whole = True
        # Kept until `add`: shuffling labels changes no sizes.
        self._bases: dict[ScoreKind, Integers] = {}
        self._parts: dict[bool, Parts] = {}

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

    def add(
        self,
        column: NDArray[np.unsignedinteger[Any]],
        n_values: int,
        ignored: int = -1,
        n_jobs: int | None = None,
    ) -> None:
        """Condition on one more column of codes; rows with the code `ignored` are dropped."""
        self._bases, self._parts, self._is_whole = {}, {}, False
        self._groups = split(self._groups, column, n_values, ignored, n_jobs)
        if ignored >= 0:
            self._labels = np.where(column == ignored, np.int32(-1), self._labels)
            self._label_counts = self._count_labels(len(self._label_counts))

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

    def entropy(self) -> float:
        """Return H(C | S) in bits."""
        return float(
            self._bits(np.maximum(-self.base_sums("joint"), 0), self._label_counts.sum())[0]
        )

    def label_entropies(self) -> NDArray[np.float64]:
        """Return H(C_i | S) in bits for every label i, shape (n_labels,)."""
        return self._bits(np.maximum(-self.base_sums("one-vs-rest"), 0), self._label_counts.sum())

    def base_sums(self, kind: ScoreKind) -> Integers:
        """Return the part of sums that does not depend on the feature, in fixed point."""
        if kind not in self._bases:
            parts = self._parts_of(kind)
            self._bases[kind] = base_sums(parts, kind, self._fixed, self.n_outputs)
        return self._bases[kind]

    def scores(
        self,
        blocks: tuple[CodeBlock, ...],
        features: Integers,
        kind: ScoreKind,
        n_jobs: int | None = None,
        estimator: Estimator = "plug-in",
    ) -> NDArray[np.float64]:
        """Score features given S, in bits.

        Parameters
        ----------
        blocks : tuple of CodeBlock
            The codes of the features.
        features : ndarray of int of shape (n,)
            Which features to score.
        kind : {"one-vs-rest", "divergence", "joint"}
            I(F; C_i | S) for every label i, Div(F; c_i | S) for every label i, or I(F; C | S).
        n_jobs : int or None
            Threads over features.
        estimator : {"plug-in", "miller-madow", "excess"}
            Which correction for chance is subtracted; all but the first need one-vs-rest.

        Returns
        -------
        ndarray of shape (n, n_labels), or (n, 1) for "joint"
            Exactly zero if F and the label are independent in every group, else positive;
            also zero if a correction exceeds the score.
        """
        check_corrected(kind, estimator)
        are_rows = self._weights is None or self._weights_are_counts
        per_row, n_left = None, self.n_left
        if estimator != "plug-in" and are_rows:  # by weight: weights are repeated rows
            n_left = int(self._run_sizes().sum())
        elif estimator != "plug-in":
            per_row = counts_per_row(self._weights)
        sums = self._sums(blocks, features, kind, n_jobs, estimator)
        units = corrected(sums, self._fixed, estimator, n_left, per_row)
        counts = self.present_counts(blocks, features, n_jobs)
        if counts.strides[0] == 0:  # one row for all
            counts = counts[:1]
        if kind != "divergence":
            return self._bits(units, counts.sum(1, keepdims=True))
        return self._bits(units, counts if self._membership is None else counts @ self._membership)

    def _sums(
        self,
        blocks: tuple[CodeBlock, ...],
        features: Integers,
        kind: ScoreKind,
        n_jobs: int | None,
        estimator: Estimator,
    ) -> Sums:
        are_rows = self._weights is None or self._weights_are_counts
        by_chance = estimator == "excess" and are_rows
        with_cells = estimator != "plug-in" and not by_chance
        units = np.zeros((len(features), 1 if kind == "joint" else self.n_outputs), dtype=np.int64)
        dependent, mixed = np.zeros(units.shape, dtype=np.bool_), np.zeros_like(units)
        if self.n_left:
            found = [(block, *members_of(block, features)) for block in blocks]
            parts, chance = self._parts_of(kind), None
            if by_chance:
                n_values = sum(int(block.n_values[members].sum()) for block, members, _ in found)
                chance = chance_of(parts, n_values, self._fixed)
            labels = self._labels if self._is_whole and parts.positions is None else None
            how = self._weights, self.base_sums(kind), self._fixed, chance, labels
            given = Given(self._groups, parts, *how)
            for block, members, places in found:
                if len(members):
                    sums = count(given, block, members, kind, n_jobs, with_cells=with_cells)
                    units[places], dependent[places] = sums.units, sums.dependent
                    if sums.mixed is not None:
                        mixed[places] = sums.mixed
        return Sums(units, dependent, mixed if with_cells else None)

    def present_counts(
        self, blocks: tuple[CodeBlock, ...], features: Integers, n_jobs: int | None = None
    ) -> Integers:
        """Return the count of each label where S and a feature are present, (n, n_labels).

        If no feature ignores a code, all rows of the result share memory.
        """
        counts = np.broadcast_to(self._label_counts, (len(features), len(self._label_counts)))
        for block in blocks:
            if not (block.ignored >= 0).any():
                continue
            members, places = members_of(block, features)
            partial = block.ignored[members] >= 0
            if partial.any():
                counts = counts.copy() if counts.base is not None else counts
                counts[places[partial]] = count_present(
                    block, members[partial], self._labels, counts.shape[1], self._weights, n_jobs
                )
        return counts

    def _parts_of(self, kind: ScoreKind) -> Parts:
        """Return the parts of groups that a kind of score counts."""
        are_runs = self._membership is None or kind == "joint"
        if are_runs not in self._parts:
            membership = None if are_runs else self._membership
            self._parts[are_runs] = parts_by_output(self._groups, self._run_sizes(), membership)
        return self._parts[are_runs]

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
