"""Whether a column's score is more than a column with the same counts reaches by chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, normal_scores, order_view
from deacs.coding.order import SCORE_SCALE
from deacs.information import joint_codes
from deacs.information.order import MAX_LEVELS
from deacs.significance.stratified import log_stratified_bound
from deacs.significance.tails import log_tail_of_counts, log_tail_of_order

__all__ = ["ColumnByChance", "OrderByChance"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NOTHING_LEFT = 1e-9
"""A direction of S with less than this share of the longest one's square adds nothing."""


class ColumnByChance:
    """One column of a table, against chance given groups of rows.

    Parameters
    ----------
    data : CodedData
        The table. Weights count as numbers of rows if they are; else each row counts once.
    feature : int
        The column.
    """

    def __init__(self, data: CodedData, feature: int) -> None:
        self._data, self._feature = data, feature
        self._weights = _rows_counted(data)

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


class OrderByChance:
    """The order of columns and of the target, with that of some features projected out.

    Parameters
    ----------
    data : CodedData
        The table; weights are as in `ColumnByChance`.
    given : sequence of int
        The features.
    """

    def __init__(self, data: CodedData, given: Sequence[int]) -> None:
        self._data = data
        self._weights = _rows_counted(data).astype(np.float64)
        columns = [self._coordinates(feature) for feature in given]
        self._given = np.hstack([np.ones((data.n_rows, 1)), *columns])
        self._solve = _solver(self._given, self._weights)

    def log_tail(self, feature: int, output: int) -> float:
        """Bound, as a logarithm, the chance of as large a projection of an output on a column."""
        own, label = self._left(self._coordinates(feature)), self._left(self._target([output]))
        return self._log_tail(own, label[:, 0], own.shape[1]) if own.shape[1] else 0.0

    def peak_and_log_tail(self, feature: int, freedom: float) -> tuple[float, float]:
        """Return the kurtosis of the scores that a rank test explains, and a bound without it.

        These are of a number as target, given the column, or of an ordered column, given all
        outputs.
        """
        causes, scores = self._left(self._coordinates(feature)), self._all_left
        if self._data.numbers is None:
            causes, scores = scores, causes
        scores, weights = scores[:, 0], self._weights
        square = max(float(weights @ scores**2), 1e-300)
        peak = float(weights.sum() * (weights @ scores**4)) / square**2
        return peak, self._log_tail(causes, scores, freedom)

    @cached_property
    def _all_left(self) -> Floats:
        return self._left(self._target(range(self._data.n_outputs)))

    def _left(self, columns: Floats) -> Floats:
        return columns - self._given @ self._solve(columns)

    def _log_tail(self, columns: Floats, target: Floats, freedom: float) -> float:
        nearest = columns @ _solver(columns, self._weights)(target)
        return log_tail_of_order(nearest, target, self._weights, freedom)

    def _target(self, outputs: Iterable[int]) -> Floats:
        """Return the normal scores of a number, or the indicators of some outputs, in columns."""
        data = self._data
        if data.numbers is not None:
            ranks = np.unique(data.numbers, return_inverse=True)[1]
            return normal_scores(ranks, data.weights)[:, np.newaxis] / SCORE_SCALE
        rows = [data.about.rows_of(i, data.labels) for i in outputs]
        return np.column_stack(rows).astype(np.float64)

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


def _rows_counted(data: CodedData) -> Integers:
    """Return the number of rows that each row stands for."""
    if data.weights is None or not data.weights_are_counts:
        return np.ones(data.n_rows, dtype=np.int64)
    return data.weights


def _solver(columns: Floats, weights: Floats) -> Callable[[Floats], Floats]:
    """Return a function from a target to its coefficients by weighted least squares."""
    weighted = columns.T * weights
    inverse = np.linalg.pinv(weighted @ columns, rcond=NOTHING_LEFT, hermitian=True)
    return lambda target: np.asarray(inverse @ (weighted @ target))
