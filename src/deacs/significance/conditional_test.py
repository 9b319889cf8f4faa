r"""Test candidates for dependence on the class, given a grouping of the rows.

Null hypothesis: labels are exchangeable within groups. The level :math:`\alpha` is for all
candidates together: it bounds the probability that any candidate that is independent of the class
given the groups passes. Each of m candidates has an equal share of it. There are three kinds:

* *large* tables of fixed codes by the G-test, Bonferroni over m;
* *small* tables of fixed codes by shuffling labels within groups, against the largest score of all
  such candidates (P. H. Westfall, S. S. Young, "Resampling-based multiple testing", Wiley 1993);
* columns *cut* using the classes likewise, with new cut points in each shuffle.

Half of the level goes to these tests. A hundredth goes to a bound that holds for any counts (see
`deacs.significance.stratified`), by values or, of cut columns, by ranks: what passes it needs no
shuffling. The rest is a reserve: chi-square is an approximation, and the groups were chosen by
looking at the same rows.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.significance.independence import Margins, g_test, standard_score
from deacs.significance.sequential import EARLY, Design, NullScores
from deacs.significance.shuffles import (
    Candidates,
    CutColumns,
    FixedCodes,
    GroupedRows,
    largest_scores,
)
from deacs.significance.stratified import log_stratified_bound

__all__ = ["TEST_SHARE", "ConditionalTest", "PValue"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

LARGE = 100.0
"""The least expected count at which chi-square is accurate enough, also far out in its tail."""
TEST_SHARE = 0.5
"""The share of the level that goes to the tests."""
BOUND_SHARE = 0.01
"""The share of the level that goes to the bound."""
MOST_SHUFFLES = 1_000_000
"""The most shuffles before the first look; smaller levels are left to the bound alone."""
N_BINS = 16
"""Parts of the rows between which the bound splits a cut column."""


class PValue(NamedTuple):
    """A p-value; `is_bound`: only known not to be larger, by a bound or for lack of shuffles."""

    value: float
    is_bound: bool = False


class ConditionalTest:
    """Tests of all candidates given one grouping of the rows.

    Parameters
    ----------
    rows : GroupedRows
        The rows of the table in groups. Columns that were cut with the help of the classes need
        the table's `recoder`.
    candidates : ndarray of int of shape (n,)
        The features to test.
    alpha : float
        The level, for all candidates together.
    n_shuffles : int or None
        How often labels are shuffled if all candidates are of one kind; a kind with half of the
        candidates is shuffled twice as often. None: as often as it takes to decide.
    seed : SeedSequence
        Of the shuffles.
    level : float, optional
        P-values above this are of no interest; default: alpha, which shuffles resolve.
    n_dropped : int, default=0
        Candidates that an earlier look at the same rows ruled out. They have their share of the
        level too: those that are left were chosen among all.

    Notes
    -----
    Which kind a candidate is depends on the margins of its table alone, or on how it was coded:
    nothing that a shuffle changes.
    """

    def __init__(
        self,
        rows: GroupedRows,
        candidates: Integers,
        alpha: float,
        n_shuffles: int | None,
        seed: np.random.SeedSequence,
        level: float | None = None,
        n_dropped: int = 0,
    ) -> None:
        self._level = alpha if level is None else level
        self._n_dropped = n_dropped
        self._rows = rows
        self._candidates = candidates
        self._alpha = alpha
        self._n_shuffles = n_shuffles
        self._seed = seed
        by_classes = np.array([f.by_classes for f in rows.data.features], dtype=bool)
        self._is_cut: Mask = by_classes[candidates]

    def p_value(self, candidate: int) -> float:
        """Return the p-value of one candidate (by its place), adjusted for all of them."""
        return self.measured(candidate).value

    def measured(self, candidate: int) -> PValue:
        """Return the p-value of one candidate, and whether it is only an upper bound.

        Labels are shuffled only if the bound is too large, and only until this one is decided.
        """
        if self._statistics[candidate] <= 0:
            return PValue(1.0)
        is_bound = False
        if self._is_large[candidate]:
            p = self._n_tested * float(self._g_tests[candidate])
        else:
            bounded = self._bound(candidate)
            if bounded <= self._alpha:
                return PValue(bounded, is_bound=True)
            mine = self._is_cut if self._is_cut[candidate] else self._is_small
            if self._is_out_of_reach(int(mine.sum())):
                return PValue(bounded, is_bound=True)
            chance = self._chance_of_cut if self._is_cut[candidate] else self._chance_of_small
            p = chance.p_value(self._scores[candidate]) * self._n_tested / int(mine.sum())
            is_bound = chance.is_unreached(self._scores[candidate])
        return PValue(min(p / TEST_SHARE, 1.0), is_bound)

    @cached_property
    def p_values(self) -> Floats:
        """The adjusted p-values of all candidates; 1 for those ranked below one that fails."""
        p = np.ones(len(self._candidates))
        for k in np.flatnonzero(self._is_large).tolist():
            p[k] = self.p_value(k)
        for kind in (self._is_small, self._is_cut):
            places = np.flatnonzero(kind)
            for k in places[np.argsort(-self._scores[places], kind="stable")].tolist():
                p[k] = self.p_value(k)
                if p[k] > self._level:
                    break  # nor are those with lower scores
        return p

    @property
    def approximate(self) -> Floats:
        """Unadjusted p-values by chi-square; too small for columns cut using the classes."""
        return self._g_tests

    @cached_property
    def _observed(self) -> tuple[Floats, Margins]:
        return self._rows.observed(self._candidates)

    @property
    def _statistics(self) -> Floats:
        return self._observed[0]

    @property
    def _margins(self) -> Margins:
        return self._observed[1]

    @cached_property
    def _scores(self) -> Floats:
        return standard_score(self._statistics, self._margins.freedom)

    @cached_property
    def _is_large(self) -> Mask:
        return np.asarray(self._is_free & (self._margins.least >= LARGE))

    @cached_property
    def _is_small(self) -> Mask:
        return np.asarray(self._is_free & (self._margins.least < LARGE))

    @cached_property
    def _is_free(self) -> Mask:
        """Whether a candidate has fixed codes and at least one degree of freedom."""
        return np.asarray(~self._is_cut & (self._margins.freedom > 0))

    @cached_property
    def _n_tested(self) -> int:
        return int((self._is_free | self._is_cut).sum()) + self._n_dropped

    @cached_property
    def _g_tests(self) -> Floats:
        return g_test(self._statistics, self._margins)

    def _bound(self, candidate: int) -> float:
        """Return the p-value of one candidate by the bound."""
        feature, ordered = int(self._candidates[candidate]), bool(self._is_cut[candidate])
        rows, data = self._rows, self._rows.data
        values = data.recoder.bins(feature, N_BINS) if ordered else data.column(feature)  # type: ignore[union-attr]
        there = rows.strata.rows
        if data.ignored(feature) >= 0:
            there = there[data.column(feature)[there] != data.ignored(feature)]
        log_p = log_stratified_bound(
            values[there], data.labels[there], rows.groups[there], ordered=ordered
        )
        return min(math.exp(log_p) * self._n_tested / BOUND_SHARE, 1.0)

    def _level_of(self, n_candidates: int) -> float:
        """Return the level of the shuffles of some candidates."""
        return self._alpha * TEST_SHARE * n_candidates / self._n_tested

    def _is_out_of_reach(self, n_candidates: int) -> bool:
        """Whether the shuffles of some candidates would be too many."""
        return self._n_shuffles is None and self._level_of(n_candidates) * MOST_SHUFFLES < EARLY

    @cached_property
    def _chance_of_small(self) -> NullScores:
        return self._chance(
            FixedCodes(self._rows, self._candidates[self._is_small]), self._is_small
        )

    @cached_property
    def _chance_of_cut(self) -> NullScores:
        return self._chance(CutColumns(self._rows, self._candidates[self._is_cut]), self._is_cut)

    def _chance(self, candidates: Candidates, mine: Mask) -> NullScores:
        share = candidates.n / self._n_tested
        level = self._level_of(candidates.n)
        if self._n_shuffles is None:
            design = Design.for_level(level)
        else:
            design = Design(level, math.ceil((self._n_shuffles + 1) / share) - 1)
        best = float(self._scores[mine].max())
        return NullScores(
            largest_scores(self._rows, candidates, best, self._seed, design.n_all), design
        )
