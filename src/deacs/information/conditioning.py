"""Scores of features given S, from rows grouped by the joint value of S."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock
from deacs.information.bias import (
    Estimator,
    ScoreSums,
    chance_of,
    check_corrected,
    counts_per_row,
    mixed_cells,
)
from deacs.information.counting import (
    Given,
    ScoreKind,
    Whole,
    count_by_rows,
    count_gathered,
    count_in_place,
    count_overlapping,
    count_present,
    counts_by_masks,
    members_of,
)
from deacs.information.grouped_rows import GroupedRows
from deacs.information.grouping import arranged
from deacs.information.plan import counts_in_place, rounding, sum_tells_zero
from deacs.kernels.bias import Chance
from deacs.kernels.grouped import MAX_VALUES

__all__ = ["Conditioning"]

Integers = NDArray[np.int64]


class Conditioning(GroupedRows):
    """The remaining rows by group of S and label; features are only added to S.

    Parameters
    ----------
    labels : ndarray of int32 of shape (n_rows,)
        The label of each row, from 0.
    n_labels : int
        The number of labels.
    weights : ndarray of int64 of shape (n_rows,), optional
        The count of each row, at least 1. Weighted tables are counted row by row.
    total : int, optional
        The total count of the whole table if these rows are a part of it: sums of parts
        then have a common scale and add up. None: these are all rows.
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
    in place, this holds about 24 bytes for each remaining row and, in each thread, one
    column.
    """

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
        corrects = estimator != "plug-in" and not self._weights_are_counts
        per_row = counts_per_row(self._weights) if corrects else None
        sums = self.sums(blocks, features, kind, n_jobs, estimator)
        units = sums.corrected(self._fixed, estimator, per_row)
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
        estimator: Estimator = "plug-in",
    ) -> ScoreSums:
        """Return the sums behind `scores`, for tables in parts; sums of disjoint groups add up."""
        are_rows = self._weights is None or self._weights_are_counts
        if estimator == "excess" and are_rows:
            chance = self._chance(blocks, features) if self.n_left else None
            units, dependent = self._sums(blocks, features, kind, n_jobs, chance)
            return ScoreSums(units, dependent, None, int(self._run_sizes().sum()))
        units, dependent = self._sums(blocks, features, kind, n_jobs)
        if estimator == "plug-in":
            return ScoreSums(units, dependent, None, 0)
        mixed = np.zeros_like(units)
        if self.n_left:
            mixed = mixed_cells(self._given(kind), blocks, features, n_jobs)
        # By weight, so that weights are equivalent to repeated rows.
        n_left = int(self._run_sizes().sum()) if are_rows else self.n_left
        return ScoreSums(units, dependent, mixed, n_left)

    def _sums(
        self,
        blocks: tuple[CodeBlock, ...],
        features: Integers,
        kind: ScoreKind,
        n_jobs: int | None = None,
        chance: Chance | None = None,
    ) -> tuple[Integers, NDArray[np.bool_]]:
        """Return sums in fixed point, and whether F and the label depend on each other.

        With `chance`, the expectation is subtracted from sums, and `dependent` is meaningless.
        """
        n_outputs = 1 if kind == "joint" else self.n_outputs
        units = np.zeros((len(features), n_outputs), dtype=np.int64)
        dependent = np.zeros(units.shape, dtype=np.bool_)
        if self.n_left == 0:
            return units, dependent
        for block in blocks:
            members, places = members_of(block, features)
            if len(members) == 0:
                continue
            n_values = block.n_values[members]
            wide = (block.ignored[members] >= 0) | (n_values > MAX_VALUES)
            wide |= self._weights is not None or not self._by_masks(block, kind)
            if self._is_whole and chance is None and (self._members is None or kind == "joint"):
                wide |= not self._in_place(n_values)
            varies = n_values > 1  # constants are uninformative
            for mine, score in (
                (wide & varies, self._score_wide),
                (~wide & varies, self._score_narrow),
            ):
                if not mine.any():
                    continue
                if members is features and mine.all():  # nothing to reorder
                    units, dependent = score(block, members, kind, n_jobs, chance)
                else:
                    found = score(block, members[mine], kind, n_jobs, chance)
                    units[places[mine]], dependent[places[mine]] = found
        return units, dependent

    def _chance(self, blocks: tuple[CodeBlock, ...], features: Integers) -> Chance:
        """Return the expectation of sums under shuffled labels, to be subtracted while counting.

        If F and the label are independent, the rest is at most zero, up to rounding.
        """
        self._groups = arranged(self._groups)
        n_values = sum(int(b.n_values[members_of(b, features)[0]].sum()) for b in blocks)
        return chance_of(self._counted("one-vs-rest"), n_values, self._fixed)

    def _by_masks(self, block: CodeBlock, kind: ScoreKind) -> bool:
        overlap = self._members is not None
        return counts_by_masks(block.codes.size, kind, self.n_outputs, overlap)

    def _given(self, kind: ScoreKind, chance: Chance | None = None) -> Given:
        parts = self._counted(kind).parts
        whole = None
        if self._is_whole:
            whole = Whole(self._labels, self._label_counts, self._weights, self._fixed)
        how = self.n_rows, self.n_outputs, self._fixed, chance, whole
        return Given(self._groups, parts, self._weights, *how)

    def _score_wide(
        self,
        block: CodeBlock,
        members: Integers,
        kind: ScoreKind,
        n_jobs: int | None,
        chance: Chance | None,
    ) -> tuple[Integers, NDArray[np.bool_]]:
        """Count row by row, and decide in integers which scores are zero."""
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
        """Count by masks; decide zeros in integers only if the sums are inconclusive."""
        if self._members is not None and kind != "joint":
            self._groups = arranged(self._groups)
            sums = count_overlapping(self._given(kind, chance), block, members, kind, n_jobs)
        elif self._in_place(block.n_values[members]):
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

    def _in_place(self, n_values: Integers) -> bool:
        n_runs, mean_values = len(self._groups.run_labels), float(n_values.mean())
        return counts_in_place(self.n_rows, self.n_left, n_runs, mean_values, self._is_whole)

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
