"""Rows grouped by the joint value of S, and scores given S."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData
from deacs.exceptions import InputError, Parameter
from deacs.information.bias import Estimator, chance_of, counts_per_row, miller_madow
from deacs.information.counting import (
    KINDS,
    Given,
    ScoreKind,
    count_by_rows,
    count_gathered,
    count_in_place,
    count_overlapping,
    count_present,
    members_of,
)
from deacs.information.grouping import arranged, base_sums, one_group, split
from deacs.information.parts import Sizes, members_of_runs, of_outputs, of_runs
from deacs.information.plan import TINY, counts_in_place, rounding, sum_tells_zero
from deacs.kernels.bias import Chance
from deacs.kernels.fixed_point import fixed_point
from deacs.kernels.grouped import MAX_VALUES
from deacs.kernels.groups import Groups

__all__ = ["Conditioning"]

Integers = NDArray[np.int64]


class Conditioning:
    """The rows that are left, by group of S and label; S only grows.

    Parameters
    ----------
    labels : ndarray of int32 of shape (n_rows,)
        The label of each row, from 0.
    n_labels : int
        The number of labels.
    weights : ndarray of int64 of shape (n_rows,), optional
        How often each row counts, at least once. Weighted tables are counted row by row.
    total : int, optional
        How often the rows of the whole table count, where these are part of it: sums of parts
        then have one scale, and add up. None: these are all rows.
    weights_are_counts : bool, default=True
        Whether weights are numbers of rows; else only their proportions mean something.
    membership : ndarray of bool of shape (n_labels, n_outputs), optional
        Which outputs each label belongs to, where a row has several. None: to one of its own.

    Notes
    -----
    A code that a column ignores (missing values, with `missing="ignore"`) takes its rows out:
    every score is estimated on the rows in which S and the feature are present.

    `add` costs one pass over the rows that are left, whatever the size of S. Rows of groups with
    one label are dropped: they add zero to every score for ever. Beside the codes, which are read
    where they are, this holds about 20 bytes for each row that is left and, in each thread, one
    column.
    """

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
        self._weights = weights
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
        self._overlapping: tuple[Groups, Sizes] | None = None

    @classmethod
    def of(cls, data: CodedData) -> Conditioning:
        """Begin with the rows of a coded table, S being empty."""
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
        """How much each run label counts among the rows in which S is present, (n_labels,)."""
        return self._label_counts

    def __sizeof__(self) -> int:
        # A cluster weighs by this whether to move it.
        return 24 * self.n_left + 4 * self.n_rows

    def add(
        self,
        column: NDArray[np.unsignedinteger[Any]],
        n_values: int,
        ignored: int = -1,
        n_jobs: int | None = None,
    ) -> None:
        """Condition on one more column of codes; rows with the code `ignored` leave."""
        self._bases = {}
        self._groups = split(self._groups, column, n_values, ignored, n_jobs)
        if ignored >= 0:
            self._labels = np.where(column == ignored, np.int32(-1), self._labels)
            self._label_counts = self._count_labels(len(self._label_counts))

    def refined(
        self, column: NDArray[np.unsignedinteger[Any]], n_values: int, ignored: int = -1
    ) -> Conditioning:
        """Return what `add` makes of this; this one stays as it is."""
        other = copy(self)  # `add` replaces what it changes
        other.add(column, n_values, ignored)
        return other

    def forget_settled(self) -> NDArray[np.int32]:
        """Drop the rows whose class S settles and number the rest from 0; return which they were.

        Every score stays as it is: sums run over the rows that are left, and what they are divided
        by was counted before. Not for tables that ignore missing values, where a settled row still
        counts among those in which a feature is present.
        """
        rows = np.sort(self._groups.rows)
        place = np.empty(self.n_rows, dtype=np.int32)
        place[rows] = np.arange(len(rows), dtype=np.int32)
        self._groups = self._groups._replace(rows=place[self._groups.rows])
        self._labels = self._labels[rows]
        if self._weights is not None:
            self._weights = self._weights[rows]
        self.n_rows = len(rows)
        return rows

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
            Where the features' codes are.
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
            Exactly zero where F and the label are independent in every group, else positive;
            zero too where a correction exceeds the score.
        """
        if estimator != "plug-in" and kind != "one-vs-rest":
            raise InputError(
                Parameter("estimator", estimator),
                f" needs one-vs-rest label scores, got {kind!r}; use ",
                Parameter("estimator", "plug-in"),
            )
        per_row = None
        if estimator != "plug-in" and not self._weights_are_counts:
            per_row = counts_per_row(self._weights)
        if estimator == "excess" and per_row is None and self.n_left > 0:
            units = self._excess(blocks, features, n_jobs)
        else:
            sums, dependent = self.sums(blocks, features, kind, n_jobs)
            units = np.where(dependent, np.maximum(sums, 1), 0)
            if estimator != "plug-in" and self.n_left > 0:
                units -= miller_madow(self._given(kind), blocks, features, n_jobs, per_row or 1.0)
        if estimator != "plug-in":
            units[units <= rounding(self.n_left)] = 0
        counts = self.present_counts(blocks, features, n_jobs)
        if counts.strides[0] == 0:  # one row for all
            counts = counts[:1]
        if kind != "divergence":
            return self._bits(units, counts.sum(1, keepdims=True))
        return self._bits(units, counts if self._membership is None else counts @ self._membership)

    def sums(
        self,
        blocks: tuple[CodeBlock, ...],
        features: Integers,
        kind: ScoreKind,
        n_jobs: int | None = None,
        chance: Chance | None = None,
    ) -> tuple[Integers, NDArray[np.bool_]]:
        """Return what `scores` are made of, for tables in parts: groups apart simply add.

        Given `chance`, sums are less their expectation, and `dependent` says nothing.

        Returns
        -------
        sums : ndarray of int64 of shape (n, n_outputs)
            N times the scores in fixed point, each off by some units.
        dependent : ndarray of bool of shape (n, n_outputs)
            Whether F and the label depend on each other in some group, decided in integers.
        """
        n_outputs = 1 if kind == "joint" else self.n_outputs
        units = np.zeros((len(features), n_outputs), dtype=np.int64)
        dependent = np.zeros(units.shape, dtype=np.bool_)
        if self.n_left == 0:
            return units, dependent
        for block in blocks:
            members, places = members_of(block, features)
            n_values = block.n_values[members]
            wide = (block.ignored[members] >= 0) | (n_values > MAX_VALUES)
            wide |= (block.codes.size <= TINY) | (self._weights is not None)
            varies = n_values > 1  # constants have no information
            for mine, score in (
                (wide & varies, self._score_wide),
                (~wide & varies, self._score_narrow),
            ):
                if not mine.any():
                    continue
                if members is features and mine.all():  # nothing to put into place
                    units, dependent = score(block, members, kind, n_jobs, chance)
                else:
                    found = score(block, members[mine], kind, n_jobs, chance)
                    units[places[mine]], dependent[places[mine]] = found
        return units, dependent

    def _excess(
        self, blocks: tuple[CodeBlock, ...], features: Integers, n_jobs: int | None
    ) -> Integers:
        """Return sums less their expectation under shuffled labels, subtracted while counting.

        Where F and the label are independent this is zero or less, up to rounding.
        """
        self._groups = arranged(self._groups)
        n_values = sum(int(b.n_values[members_of(b, features)[0]].sum()) for b in blocks)
        by_masks = any(b.codes.size > TINY for b in blocks)
        chance = chance_of(self._counted("one-vs-rest"), n_values, self._fixed, by_masks)
        return self.sums(blocks, features, "one-vs-rest", n_jobs, chance)[0]

    def _given(self, kind: ScoreKind, chance: Chance | None = None) -> Given:
        parts = self._counted(kind).parts
        how = self.n_rows, self.n_outputs, self._fixed, chance
        return Given(self._groups, parts, self._weights, *how)

    def _counted(self, kind: ScoreKind) -> Sizes:
        """Return the parts of groups that a kind of score counts."""
        if self._members is None or kind == "joint":
            return of_runs(self._groups, self._run_sizes())
        if self._overlapping is None or self._overlapping[0] is not self._groups:
            found = of_outputs(self._groups, self._run_sizes(), self._members, self.n_outputs)
            self._overlapping = self._groups, found
        return self._overlapping[1]

    def _score_wide(
        self,
        block: CodeBlock,
        members: Integers,
        kind: ScoreKind,
        n_jobs: int | None,
        chance: Chance | None,
    ) -> tuple[Integers, NDArray[np.bool_]]:
        """Count row by row, and decide in integers what is zero."""
        sums, dependent = count_by_rows(self._given(kind, chance), block, members, kind, n_jobs)
        partial = block.ignored[members, np.newaxis] >= 0
        sums -= np.where(partial, 0, self.base_sums(kind))
        return sums, dependent

    def _score_narrow(
        self,
        block: CodeBlock,
        members: Integers,
        kind: ScoreKind,
        n_jobs: int | None,
        chance: Chance | None,
    ) -> tuple[Integers, NDArray[np.bool_]]:
        """Count by masks; ask integers what is zero only where the sums do not tell."""
        mean_values = float(block.n_values[members].mean())
        n_runs = len(self._groups.run_labels)
        if self._members is not None and kind != "joint":
            self._groups = arranged(self._groups)
            sums = count_overlapping(self._given(kind, chance), block, members, kind, n_jobs)
        elif counts_in_place(self.n_rows, self.n_left, n_runs, mean_values):
            sums = count_in_place(self._given(kind, chance), block, members, kind, n_jobs)
        else:
            self._groups = arranged(self._groups)
            sums = count_gathered(self._given(kind, chance), block, members, kind, n_jobs)
        units = sums - self.base_sums(kind)
        is_open = units <= rounding(self.n_left)
        dependent = ~is_open
        is_decided = sum_tells_zero(self.n_left, self._largest_group(), self._fixed.scale_bits)
        if chance is None and not is_decided:
            doubtful = is_open[:, self._outputs_left(kind)].any(axis=1)
            if doubtful.any():
                found = self._score_wide(block, members[doubtful], kind, n_jobs, None)
                units[doubtful], dependent[doubtful] = found
        return units, dependent

    def present_counts(
        self, blocks: tuple[CodeBlock, ...], features: Integers, n_jobs: int | None = None
    ) -> Integers:
        """Return how much each label counts where S and a feature are present, (n, n_labels).

        Where no feature ignores a code, all rows of the result are one.
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

    def _run_sizes(self) -> Integers:
        starts = self._groups.run_starts
        if self._weights is None or self.n_left == 0:
            return np.diff(starts)
        return np.add.reduceat(self._weights[self._groups.rows], starts[:-1])

    def _count_labels(self, n_labels: int) -> Integers:
        """How much each label counts among the rows in which S is present."""
        counted = self._labels >= 0
        weights = None if self._weights is None else self._weights[counted]
        # Floats add whole numbers exactly below 2**53.
        return np.bincount(self._labels[counted], weights, n_labels).astype(np.int64)

    def _bits(self, units: Integers, weight: Any) -> NDArray[np.float64]:
        # A label without rows has no score to divide. By columns: what follows tests and adds a few
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
