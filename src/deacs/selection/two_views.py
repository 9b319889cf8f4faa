"""Two views: information about a label given S, estimated from counts and from ranks.

Each estimate is in bits and at most the uncertainty of the label; the score is their mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedTable
from deacs.counts import OrderConditioning
from deacs.counts.counts import Counts
from deacs.selection.criteria import Criterion, Floats, Integers

if TYPE_CHECKING:
    from deacs.significance.rank_test import RankTest

__all__ = ["TwoViewCriterion"]

CHANCE = 0.05
"""The probability that any uninformative feature of a table passes for an informative one."""


class TwoViewCriterion(Criterion):
    """The mean of the label scores from counts and from ranks, in bits."""

    ends_at_zero = True
    knows_order = True
    can_exchange = True

    def __init__(
        self, counted: Criterion, order: OrderConditioning, counts: Counts, table: CodedTable
    ) -> None:
        self._counted = counted
        self._order = order
        self._counts = counts
        self._table = table
        # The latest scores of every feature in each view, and those of the selected ones.
        self._views = np.zeros((self.n_features, 2, len(counted.residual())))
        self._x = float(np.log(self._views[:, 0].size / CHANCE))
        self.selected_views = []

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._counted.n_features

    def scores(self, candidates: Integers) -> Floats:
        """Return label scores in bits, shape (n_candidates, n_labels)."""
        self._views[candidates, 0] = self._counted.scores(candidates)
        self._views[candidates, 1] = self._order.scores(candidates)
        return np.asarray(self._views[candidates].mean(axis=1))

    def without(self, feature: int) -> Callable[[Integers], Floats]:
        """Return scores given the rest of S."""
        counted, order = self._counted.without(feature), self._order.without(feature)
        return lambda candidates: (counted(candidates) + order.scores(candidates)) / 2

    def beyond_chance(self, candidates: Integers) -> NDArray[np.bool_]:
        """Return which candidates outscore the best of as many uninformative ones in large cells.

        Counted scores are the least over the blocks of S: a column that is redundant given one of
        them is not needed. Under independence 2 N ln 2 times such a score, before correction, is
        about chi-squared with at most (groups of S) (values - 1) degrees of freedom, and the order
        view's with the rank of the column. It lies beyond its mean by more than 2 sqrt(df x) + 2 x
        with probability exp(-x) at most (B. Laurent, P. Massart, Annals of Statistics 28 (2000)
        1302-1338, lemma 1); x is chosen for all features and labels together.
        """
        return np.asarray(self._beyond(candidates).any(axis=(1, 2)))

    def _beyond(self, candidates: Integers) -> NDArray[np.bool_]:
        """Return which candidates pass, by view and label, (n_candidates, 2, n_labels)."""
        counted, ordered = self._counted.least_scores(candidates), self._views[candidates, 1]
        n_rows, block = self._order.n_rows, self._counted.conditions()[-1]
        n_groups = n_rows / self._counts.mean_group_size(block) if block else 1.0
        df = np.minimum(n_groups * (self._order.n_values[candidates] - 1.0), n_rows)
        most = (2.0 * np.sqrt(df * self._x) + 2.0 * self._x) / (2.0 * np.log(2.0) * n_rows)
        passes = counted > most[:, np.newaxis], ordered > self._order.by_chance(candidates, self._x)
        return np.stack(passes, axis=1)

    def outscores_its_like(self, feature: int) -> bool:
        """Whether a candidate that is `beyond_chance` is also beyond what its own counts allow.

        Chi-square is too light where cells are rare. The rows are read, of this column and of S.
        """
        from deacs.significance.chance import ColumnByChance, OrderByChance

        rows, block = self._table.rows_here, self._counted.conditions()[-1]
        column = ColumnByChance(rows, feature)
        if column.log_tail_of_a_split(block) <= np.log(CHANCE / self.n_features):
            return True
        by_view = self._beyond(np.array([feature]))[0]
        counted, ordered = (np.flatnonzero(passes).tolist() for passes in by_view)
        if any(column.log_tail_of_counts(block, i) <= -self._x for i in counted):
            return True
        if not ordered:
            return False
        order = OrderByChance(rows, self._selected)
        return any(order.log_tail(feature, i) <= -self._x for i in ordered)

    def rank_test(self, candidates: Integers) -> RankTest:
        """Return the test by rank given S."""
        from deacs.significance.rank_test import RankTest

        return RankTest(self._order, self._table.rows_here, self._selected, candidates)

    @property
    def _selected(self) -> list[int]:
        return [feature for block in self._counted.conditions() for feature in block]

    def add(self, feature: int) -> None:
        """Take a feature into S."""
        self.selected_views = [*self.selected_views, self._views[feature].copy()]
        self._counted.add(feature)
        self._order.add(feature)

    def conditions(self) -> list[list[int]]:
        """Return the sets of selected features that counts are given."""
        return self._counted.conditions()

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits, counted."""
        return self._counted.residual()
