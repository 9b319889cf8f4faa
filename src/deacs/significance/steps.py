"""Tests of the candidates of each step: is one more informative about the class than by chance?

The level of a step bounds the probability that any candidate passes that is independent of the
class given S. Features are selected until none passes, so the same level bounds the probability
that a selection has any false feature. Alternatively, a share of all steps may be false
(`deacs.significance.levels`). docs/papers/stopping.md states the assumptions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, CodedTable
from deacs.counts import groups_given
from deacs.exceptions import InputError, Parameter
from deacs.significance.conditional_test import (
    TEST_SHARE,
    ConditionalTest,
    GroupedRows,
    PValue,
)
from deacs.significance.levels import LEVELS
from deacs.significance.rank_test import RankTest

__all__ = ["Significance", "StepTest"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Significance:
    """Tests of candidates, step by step, at one level.

    Parameters
    ----------
    data : CodedTable
        The table. If its rows are elsewhere, they are read here: the largest score of all
        candidates in each shuffle needs them. Columns that were cut using the classes need the
        `recoder`.
    alpha : float, default=0.05
        The level of each step's test, for all candidates together.
    n_permutations : int or None, default=None
        The number of shuffles. None: as many as a decision needs, at most 10 / alpha, and 3 / alpha
        if no shuffle comes near; the smallest p-values follow from it.
    random_state : int, RandomState, Generator or None, default=None
        The seed of the shuffles.
    n_jobs : int or None, default=None
        Threads; the answer does not depend on it.
    rate : {"any", "fdr"}, default="any"
        What alpha bounds over all steps; see `deacs.significance.levels`.
    by_rank : bool, default=False
        Whether candidates are also tested by rank: each of both tests has half of the level.
    """

    def __init__(
        self,
        data: Any,
        alpha: float = 0.05,
        n_permutations: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        rate: str = "any",
        *,
        by_rank: bool = False,
    ) -> None:
        self._data = _testable(data)
        self._n_tests = 2 if by_rank else 1
        is_number = isinstance(alpha, Real)
        if not (is_number and 0 < alpha < 1):
            raise InputError(
                Parameter("alpha"), f" must lie between 0 and 1 (0.05 is usual), got {alpha!r}"
            )
        fewest = math.ceil(self._n_tests / (alpha * TEST_SHARE)) - 1
        is_whole = isinstance(n_permutations, Integral)
        if n_permutations is not None and not (is_whole and n_permutations >= fewest):
            raise InputError(
                Parameter("n_permutations"),
                f" must be a whole number, at least {fewest} for ",
                Parameter("alpha", alpha),
                f", or no counts could ever be significant, got {n_permutations!r}",
            )
        self.levels = LEVELS[rate](alpha)
        self._n_shuffles = n_permutations
        self._entropy = _entropy(random_state)
        self._n_jobs = n_jobs
        # The p-values up to the level, by feature, that steps found given the same features. They
        # hold at later steps: those tests were for more candidates at once.
        self._passed: dict[tuple[int, ...], dict[int, PValue]] = {}
        self._rows: dict[tuple[int, ...], GroupedRows] = {}

    @property
    def level(self) -> float:
        """The level of the next step's test, for all candidates together."""
        return self.levels.level

    def given(
        self,
        conditions: Sequence[Sequence[int]],
        candidates: Integers,
        n_dropped: int = 0,
        ranks: RankTest | None = None,
    ) -> StepTest:
        """Test candidates given each of some sets of features.

        Parameters
        ----------
        conditions : sequence of sequences of int
            Sets of selected features, each taken jointly: S itself, or its blocks. A candidate
            must be significant given each of them (an intersection-union test: no correction).
        candidates : ndarray of int of shape (n,)
            The features that are left.
        n_dropped : int, default=0
            Features that earlier tests ruled out, for which p-values are adjusted too.
        ranks : RankTest, optional
            The test by rank, if candidates are tested so too: one that is significant in either
            is significant.
        """
        n_selected = len({j for condition in conditions for j in condition})
        wanted = [tuple(condition) for condition in conditions or [[]]]
        # Closed blocks of S stay as they are from step to step.
        self._rows = {condition: self._grouped(condition) for condition in wanted}
        finest, level = self.levels.finest / self._n_tests, self.level / self._n_tests
        tests = []
        for k, condition in enumerate(wanted):
            seed = np.random.SeedSequence(self._entropy, spawn_key=(n_selected, k))
            how = finest, self._n_shuffles, seed, level, n_dropped
            test = ConditionalTest(self._rows[condition], candidates, *how)
            tests.append((test, self._passed.setdefault(condition, {})))
        # The newest block first: given the others, candidates were tested before.
        return StepTest(candidates, self.level, tests[::-1], ranks)

    def _grouped(self, condition: tuple[int, ...]) -> GroupedRows:
        """Group the rows by some features, unless the step before did."""
        known = self._rows.get(condition)
        return known or GroupedRows(
            self._data, groups_given(self._data, condition)[0], self._n_jobs
        )


class StepTest:
    """The candidates of one step, tested given one or more sets of selected features.

    Parameters
    ----------
    candidates : ndarray of int of shape (n,)
        The features that are left.
    alpha : float
        The level.
    tests : sequence of (ConditionalTest, dict of int to PValue)
        One for each set, and the p-values known given the same set, to be added to.
    ranks : RankTest, optional
        The test by rank; both tests then have half of the level.
    """

    def __init__(
        self,
        candidates: Integers,
        alpha: float,
        tests: Sequence[tuple[ConditionalTest, dict[int, PValue]]],
        ranks: RankTest | None = None,
    ) -> None:
        self._candidates = candidates
        self._ranks = ranks
        self._alpha = alpha if ranks is None else alpha / 2
        self._tests = tests

    def measured(self, candidate: int) -> PValue:
        """Return the p-value of one candidate (by place), adjusted for all of them.

        It may be an upper bound only.
        """
        by_rank = self._by_rank(candidate)
        if by_rank <= self._alpha:
            return PValue(2 * by_rank, is_bound=True)  # counts might say even less
        return self._of_both(self._largest(candidate, PValue(0.0), self._tests), by_rank)

    @property
    def approximate(self) -> Floats:
        """Unadjusted p-values of all candidates by chi-square, given the newest set."""
        return self._tests[0][0].approximate

    @cached_property
    def p_values(self) -> Floats:
        """The p-values of all candidates, each adjusted for all of them."""
        p = self._tests[0][0].p_values.copy()
        for k in np.flatnonzero(p <= self._alpha).tolist():
            p[k] = self._largest(k, PValue(p[k]), self._tests[1:]).value
        for k, counted in enumerate(p.tolist()):
            p[k] = self._of_both(PValue(counted), self._by_rank(k)).value
        return p

    def _by_rank(self, candidate: int) -> float:
        return 1.0 if self._ranks is None else self._ranks.p_value(candidate, self._alpha)

    def _of_both(self, counted: PValue, by_rank: float) -> PValue:
        """Adjust the smaller p-value for two tests, if there are two."""
        if self._ranks is None:
            return counted
        least = counted if counted.value <= by_rank else PValue(by_rank)
        return PValue(min(2 * least.value, 1.0), least.is_bound)

    def _largest(
        self,
        candidate: int,
        p: PValue,
        tests: Sequence[tuple[ConditionalTest, dict[int, PValue]]],
    ) -> PValue:
        """Return the largest p-value given any set, or the first beyond the level."""
        feature = int(self._candidates[candidate])
        for test, passed in tests:
            if feature not in passed:
                found = test.measured(candidate)
                if found.value > self._alpha:
                    return found
                passed[feature] = found
            p = max(p, passed[feature])
        return p


def _testable(given: Any) -> CodedData:
    """Refuse tables whose labels cannot be shuffled."""
    what = Parameter("n_features_to_select", "auto")
    if not isinstance(given, CodedTable):
        raise InputError(what, f" needs a coded table, got {type(given).__name__}")
    if given.is_weighted:
        raise InputError(
            what,
            " tests rows that count once, got ",
            Parameter("sample_weight"),
            "; leave it out, or repeat rows",
            parameter="sample_weight",
        )
    data = given.rows_here
    recoder = data.recoder
    # Some of the rows of coded data may come with the order of all of them.
    is_mine = recoder is not None and recoder.targets.codes is data.labels
    recut = set(recoder.features.tolist()) if is_mine else set()  # type: ignore[union-attr]
    lost = [j for j, f in enumerate(data.features) if f.by_classes and j not in recut]
    if lost:
        raise InputError(
            what,
            " must place cut points again that were placed with the help of the classes, "
            f"as those of {data.feature_names[lost[0]]!r}, but their values are not there; give "
            "the table itself to fit, or encode(..., recodable=True), or use ",
            Parameter("discretizer", "mdlp"),
            " or one that does not look at the classes, such as ",
            Parameter("discretizer", "equal-frequency"),
            columns=[data.feature_names[j] for j in lost],
        )
    return data


def _entropy(random_state: Any) -> int:
    """Return a seed from whatever scikit-learn accepts as one, or from a Generator."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    try:
        entropy = np.random.SeedSequence(random_state).entropy
        return int(entropy)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise InputError(
            Parameter("random_state"),
            " must be a whole number from 0 on, a RandomState, a Generator or None, got "
            f"{random_state!r}",
        ) from None
