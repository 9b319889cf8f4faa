r"""Candidates tested for dependence on the class, given a grouping of the rows.

Null hypothesis: labels may change places within the groups. The level :math:`\alpha` is for all
candidates together: the chance that any passes which is independent of the class given the groups.
Each of m candidates has the same share of it, and there are three kinds, tested each in its way:

* *large* tables of fixed codes by the G-test, Bonferroni over m;
* *small* tables of fixed codes by shuffling labels within groups, against the largest score of all
  such candidates (P. H. Westfall, S. S. Young, "Resampling-based multiple testing", Wiley 1993);
* columns *cut* with the help of the classes likewise, the cuts being placed anew in each shuffle.

A hundredth of the level goes to a bound that holds for any counts and any cuts (see
`deacs.information.independence`): what passes it needs no shuffling.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from deacs.coding import CodedData
from deacs.information.independence import Margins, g_test, log_tail_bound, standard_score
from deacs.information.sequential import Chance, Design
from deacs.information.shuffles import (
    Candidates,
    CutColumns,
    FixedCodes,
    GroupedRows,
    largest_scores,
)

__all__ = ["BOUND_SHARE", "ConditionalTest"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]

LARGE = 100.0
"""The least expected count from which chi-square is trusted, far out in its tail too."""
BOUND_SHARE = 0.01
"""The part of the level that the bound has."""


class ConditionalTest:
    """Tests of all candidates given one grouping of the rows.

    Parameters
    ----------
    data : CodedData
        The table. Columns that were cut with the help of the classes need its `recoder`.
    groups : ndarray of int of shape (n_rows,)
        The group of each row; -1: the row takes no part.
    candidates : ndarray of int of shape (n,)
        The features to test.
    alpha : float
        The level, for all candidates together.
    n_shuffles : int or None
        How often labels are shuffled if all candidates are of one kind; a kind with half of the
        candidates is shuffled twice as often. None: as often as it takes to decide.
    seed : SeedSequence
        Of the shuffles.
    n_jobs : int or None
        Threads; the answer does not depend on it.

    Notes
    -----
    Which kind a candidate is depends on the margins of its table alone, or on how it was coded:
    nothing that a shuffle changes.
    """

    def __init__(
        self,
        data: CodedData,
        groups: Integers,
        candidates: Integers,
        alpha: float,
        n_shuffles: int | None,
        seed: np.random.SeedSequence,
        n_jobs: int | None = None,
    ) -> None:
        self._rows = GroupedRows(data, groups, n_jobs)
        self._candidates = candidates
        self._alpha = alpha
        self._n_shuffles = n_shuffles
        self._seed = seed
        by_classes = np.array([f.by_classes for f in data.features], dtype=bool)
        self._is_cut: Mask = by_classes[candidates]

    def p_value(self, candidate: int) -> float:
        """Return the p-value of one candidate (by its place), adjusted for all of them.

        Shuffles only where the bound is no proof, and then only until this one is decided.
        """
        bounded = float(self._bounds[candidate])
        if bounded <= self._alpha or self._statistics[candidate] <= 0:
            return bounded
        if self._is_large[candidate]:
            p = self._n_tested * float(self._g_tests[candidate])
        else:
            mine = self._is_cut if self._is_cut[candidate] else self._is_small
            chance = self._chance_of_cut if self._is_cut[candidate] else self._chance_of_small
            p = chance.p_value(self._scores[candidate]) * self._n_tested / int(mine.sum())
        return min(p / (1 - BOUND_SHARE), 1.0)

    @cached_property
    def p_values(self) -> Floats:
        """The p-values of all candidates, each adjusted for all of them."""
        p = self._bounds.copy()
        for k in np.flatnonzero(self._is_large).tolist():
            p[k] = self.p_value(k)
        for kind in (self._is_small, self._is_cut):
            places = np.flatnonzero(kind)
            for k in places[np.argsort(-self._scores[places], kind="stable")].tolist():
                p[k] = self.p_value(k)
                if p[k] > self._alpha:
                    break  # nor are those with lower scores, unless the bound says so
        return p

    @cached_property
    def _statistics(self) -> Floats:
        rows, data = self._rows, self._rows.data
        return rows.statistics(
            data.blocks,
            self._candidates,
            rows.n_present(self._candidates),
            rows.conditioning(data.labels),
        )

    @cached_property
    def _margins(self) -> Margins:
        data = self._rows.data
        return self._rows.margins(data.blocks, self._candidates, data.labels)

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
        """Fixed codes that could tell anything."""
        return np.asarray(~self._is_cut & (self._margins.freedom > 0))

    @cached_property
    def _n_tested(self) -> int:
        return int((self._is_free | self._is_cut).sum())

    @cached_property
    def _g_tests(self) -> Floats:
        return g_test(self._statistics, self._margins)

    @cached_property
    def _bounds(self) -> Floats:
        """P-values by the bound; cut columns pay for every way to place as many cuts."""
        log_p = log_tail_bound(self._statistics, self._margins)
        log_p += math.log(max(self._n_tested, 1)) - math.log(BOUND_SHARE)
        if self._is_cut.any():
            log_p[self._is_cut] += self._log_placements(self._candidates[self._is_cut])
        return np.exp(np.minimum(log_p, 0.0))

    def _log_placements(self, features: Integers) -> Floats:
        """Return ln of 2^(k + 1) times the ways to place the k cuts that a column has.

        Every k may occur, and gets a share of 2^-(k + 1) of the level.
        """
        data = self._rows.data
        assert data.recoder is not None
        n = data.recoder.n_distinct[data.recoder.columns_of(features)] - 1
        codings = [data.features[j] for j in features.tolist()]
        k = np.array([coding.n_values - 1 - coding.has_missing for coding in codings])
        ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        return np.asarray((k + 1) * math.log(2) + ways)

    @cached_property
    def _chance_of_small(self) -> Chance:
        features, freedom = self._candidates[self._is_small], self._margins.freedom[self._is_small]
        return self._chance(FixedCodes(self._rows, features, freedom), self._is_small)

    @cached_property
    def _chance_of_cut(self) -> Chance:
        return self._chance(CutColumns(self._rows, self._candidates[self._is_cut]), self._is_cut)

    def _chance(self, candidates: Candidates, mine: Mask) -> Chance:
        share = candidates.n / self._n_tested
        level = self._alpha * (1 - BOUND_SHARE) * share
        if self._n_shuffles is None:
            design = Design.for_level(level)
        else:
            design = Design(level, math.ceil((self._n_shuffles + 1) / share) - 1)
        best = float(self._scores[mine].max())
        return Chance(
            largest_scores(self._rows, candidates, best, self._seed, design.n_all), design
        )
