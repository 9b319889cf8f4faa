r"""A test of candidates by rank: partial F given the order of the selected features.

Normal scores of ranks are normal by construction, whatever the values, so F has its law nearly
exactly if they are the response: those of a column, explained by the indicators of all classes or
labels beyond S, or those of a number as target, explained by the column. That holds however few
rows a class has. Columns with few values, or mostly zeros, are not normal; where the tail of what
S leaves is heavy (its kurtosis), the bound of `deacs.significance.chance` takes the place of F.

The adjustment for all candidates is Bonferroni's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from deacs.coding import CodedData
from deacs.counts import OrderConditioning
from deacs.significance.chance import OrderByChance

__all__ = ["RankTest"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_PEAKED = 3.5
"""The largest kurtosis at which F is used; that of a normal variable is 3."""
FEWEST = 10
"""The least number of degrees of freedom that are left for the residual."""


class RankTest:
    """Tests of all candidates given all of S.

    Parameters
    ----------
    order : OrderConditioning
        The order view, given S.
    data : CodedData
        The table; every row counts once.
    given : sequence of int
        S.
    candidates : ndarray of int of shape (n,)
        The features to test.
    """

    def __init__(
        self,
        order: OrderConditioning,
        data: CodedData,
        given: Sequence[int],
        candidates: Integers,
    ) -> None:
        self._data, self._given, self._candidates = data, given, candidates
        of_runs = np.diag(data.run_counts.astype(np.float64))
        together = data.about.counts_of(data.about.counts_of(of_runs).T)
        shares, self._freedom, free = order.partial_shares(candidates, together)
        spare = free - self._freedom
        known = (self._freedom > 0) & (spare >= FEWEST)
        self._n_tested = int(known.sum())
        left = np.clip(1.0 - shares[known], 0.0, 1.0)
        p = betainc(spare[known] / 2, self._freedom[known] / 2, left)
        self._p_values = np.ones(len(candidates))
        self._p_values[known] = np.minimum(p * self._n_tested, 1.0)
        self._is_settled = ~known

    def p_value(self, candidate: int, level: float) -> float:
        """Return the p-value of one candidate (by its place), adjusted for all of them.

        Its rows are looked at if it is up to the level.
        """
        if not self._is_settled[candidate] and self._p_values[candidate] <= level:
            feature, freedom = int(self._candidates[candidate]), float(self._freedom[candidate])
            peak, log_tail = self._rows.peak_and_log_tail(feature, freedom)
            if peak > MOST_PEAKED:
                bound = min(math.exp(log_tail) * self._n_tested, 1.0)
                self._p_values[candidate] = max(self._p_values[candidate], bound)
            self._is_settled[candidate] = True
        return float(self._p_values[candidate])

    @cached_property
    def _rows(self) -> OrderByChance:
        return OrderByChance(self._data, self._given)
