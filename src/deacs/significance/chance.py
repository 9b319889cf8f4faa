"""Whether a column's score is more than a column with the same counts reaches by chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, normal_scores, order_view
from deacs.coding.order import SCORE_SCALE
from deacs.information import joint_codes
from deacs.information.inner_products import MAX_LEVELS
from deacs.significance.stratified import log_stratified_bound
from deacs.significance.tails import log_tail_of_counts, log_tail_of_order

__all__ = ["ColumnByChance"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NOTHING_LEFT = 1e-9
"""A direction of S with less than this share of the longest one's square adds nothing."""


class ColumnByChance:
    """One column of a table, against chance.

    Parameters
    ----------
    data : CodedData
        The table. Weights count as numbers of rows if they are; else each row counts once.
    feature : int
        The column.
    """

    def __init__(self, data: CodedData, feature: int) -> None:
        self._data, self._feature = data, feature
        counts = data.weights is not None and data.weights_are_counts
        weights = data.weights if counts else np.ones(data.n_rows, dtype=np.int64)
        self._weights: Integers = weights  # type: ignore[assignment]

    def log_tail_of_a_split(self, given: Sequence[int]) -> float:
        """Bound, as a logarithm, the chance that any split goes as much with any class.

        This takes one pass over the rows, and mostly settles columns that are far from chance.
        """
        if self._data.weights is not None:
            return 0.0
        there, groups, values = self._given(given)
        return log_stratified_bound(values, self._data.labels[there], groups, ordered=False)

    def log_tail_of_counts(self, given: Sequence[int], output: int) -> float:
        """Bound, as a logarithm, the chance of as much information about an output given features.

        Rows in which one of them has the code that it ignores do not count.
        """
        there, groups, values = self._given(given)
        cells, n_cells = joint_codes([groups.astype(np.uint32), values], len(groups))
        weights = self._weights[there]
        has = self._data.about.rows_of(output, self._data.labels[there])
        n, k = (np.bincount(cells, w, n_cells).astype(np.int64) for w in (weights, weights * has))
        group_of = np.zeros(n_cells, dtype=np.int64)
        group_of[cells] = groups
        return log_tail_of_counts(group_of, n, k)

    def _given(self, given: Sequence[int]) -> tuple[NDArray[np.bool_], Integers, NDArray[Any]]:
        """Return which rows count, and their groups and values."""
        data, features = self._data, [*given, self._feature]
        there = np.ones(data.n_rows, dtype=bool)
        for j in features:
            if data.ignored(j) >= 0:
                there &= data.column(j) != data.ignored(j)
        *columns, values = (data.column(j)[there] for j in features)
        return there, joint_codes(columns, len(values))[0], values

    def log_tail_of_order(self, given: Sequence[int], output: int) -> float:
        """Bound, as a logarithm, the chance of as large a projection of an output on the column.

        The order of the given features is projected out of both.
        """
        own, label = self._left(given, self._target([output]))
        if own.shape[1] == 0:
            return 0.0
        return self._log_tail(own, label[:, 0], own.shape[1])

    def peak_and_log_tail_of_ranks(
        self, given: Sequence[int], freedom: float
    ) -> tuple[float, float]:
        """Return the kurtosis of the scores that a rank test explains, and the tail without it.

        That is a number as target, given the column, or an ordered column, given all outputs.
        """
        own, target = self._left(given, self._target(range(self._data.n_outputs)))
        if self._data.numbers is None:
            own, target = target, own
        scores, weights = target[:, 0], self._counted
        peak = (
            weights.sum()
            * float(weights @ scores**4)
            / max(float(weights @ scores**2), 1e-300) ** 2
        )
        return peak, self._log_tail(own, scores, freedom)

    def _log_tail(self, columns: Floats, target: Floats, freedom: float) -> float:
        nearest = columns @ _coefficients(columns, target, self._counted)
        return log_tail_of_order(nearest, target, self._counted, freedom)

    @property
    def _counted(self) -> Floats:
        return self._weights.astype(np.float64)

    def _target(self, outputs: Iterable[int]) -> Floats:
        """Return the normal scores of a number, or the indicators of some outputs, in columns."""
        data = self._data
        if data.numbers is not None:
            ranks = np.unique(data.numbers, return_inverse=True)[1]
            return normal_scores(ranks, data.weights)[:, np.newaxis] / SCORE_SCALE
        rows = [data.about.rows_of(i, data.labels) for i in outputs]
        return np.column_stack(rows).astype(np.float64)

    def _left(self, given: Sequence[int], target: Floats) -> tuple[Floats, Floats]:
        """Return what is left of the column and of the target."""
        own = self._coordinates(self._feature)
        S = np.hstack([np.ones((len(own), 1)), *(self._coordinates(j) for j in given)])
        both = np.hstack((own, target))
        both -= S @ _coefficients(S, both, self._counted)
        return both[:, : own.shape[1]], both[:, own.shape[1] :]

    def _coordinates(self, feature: int) -> Floats:
        """Return a column as the order view has it: scores, or an indicator for each value."""
        data, view = self._data, order_view(self._data)
        place = int(np.searchsorted(view.features, feature))
        if place < len(view.features) and view.features[place] == feature:
            return view.scores[place, :, np.newaxis] / SCORE_SCALE
        n_values = int(data.n_values[feature])
        if n_values > MAX_LEVELS:
            return np.empty((data.n_rows, 0))
        # The last one follows from the others.
        return np.asarray(data.column(feature)[:, np.newaxis] == np.arange(n_values - 1), float)


def _coefficients(columns: Floats, target: Floats, weights: Floats) -> Floats:
    """Return the coefficients of weighted least squares."""
    weighted = columns.T * weights
    return np.asarray(
        np.linalg.pinv(weighted @ columns, rcond=NOTHING_LEFT, hermitian=True) @ (weighted @ target)
    )
