r"""Markov blanket of the class: columns given which no other is informative about the class.

*Grow*: add the column with the largest :math:`I(F; C | S)` among those significant given S, until
none is, as `CMI("auto")` does. Columns that seem independent of the class given S are dropped
early; afterwards they return for one more run (forward-backward selection with early dropping:
G. Borboudakis, I. Tsamardinos, JMLR 20 (2019) 1-39). *Shrink*: remove the column that is least
significant given all others in S, until all are significant.

If the distribution is faithful to a Bayesian network and no test errs, that is the blanket:
parents, children, and other parents of children (D. Margaritis, S. Thrun, NIPS 12 (1999) 505-511).
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from deacs.selection._filter import FilterOptions, InformationFilter
from deacs.selection.criteria import Criterion, LabelCriterion
from deacs.selection.loop import Path, Step
from deacs.selection.source import Source
from deacs.selection.stopping import Significant
from deacs.selection.ties import first_among_equals
from deacs.significance import Significance

__all__ = ["MarkovBlanket"]

Integers = NDArray[np.int64]


class MarkovBlanket(InformationFilter):
    """Select the columns given which the class is independent of all others.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        The largest number to add before shrinking; None: as many as are significant.
    alpha : float, default=0.05
        The level of the tests: when growing, for all candidates of a step together; when shrinking,
        for each member separately.
    n_reruns : int, default=1
        How often columns dropped early return. 0 is fastest, but may miss a column that is
        informative only together with another.
    n_permutations, random_state
        As in `Significant`.

    Parameters that all filters have: see `deacs.selection.InformationFilter`; columns in `include`
    are added first and never removed.

    Attributes
    ----------
    ranking_ : ndarray of int of shape (n_selected,)
        The blanket, in the order in which it grew.
    scores_ : ndarray of shape (n_selected,)
        I(F; C | the rest of the blanket), in bits.
    p_values_ : ndarray of shape (n_selected,)
        The p-value of each given the rest of the blanket; NaN for those in `include`.
    p_is_bound_ : ndarray of bool of shape (n_selected,)
        Whether a p-value is only an upper bound.

    Notes
    -----
    Tests condition on the joint value of S: N rows support about log2(N / 10) members with two
    values each. The blanket found in a small table is a part of the true one.

    Examples
    --------
    The class depends on columns 1 and 2; columns 3 and 4 are noisy copies of them:

    >>> import numpy as np
    >>> from deacs import MarkovBlanket
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (1000, 8))
    >>> y = X[:, 1] | (X[:, 2] & (rng.random(1000) < 0.9))
    >>> X[:, 3:5] = np.where(rng.random((1000, 2)) < 0.8, X[:, 1:3], X[:, 3:5])
    >>> sorted(MarkovBlanket(random_state=0).fit(X, y).ranking_.tolist())
    [1, 2]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InformationFilter._parameter_constraints,
        "alpha": [Interval(Real, 0, 1, closed="neither")],
        "n_reruns": [Interval(Integral, 0, None, closed="left")],
        "n_permutations": [Integral, None],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        alpha: float = 0.05,
        n_reruns: int = 1,
        n_permutations: int | None = None,
        random_state: Any = None,
        **options: Unpack[FilterOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.alpha = alpha
        self.n_reruns = n_reruns
        self.n_permutations = n_permutations
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
        """Find the blanket.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features), or CodedData
            Numbers, strings, categories, booleans; missing values allowed.
        y : array-like of shape (n_samples,)
            The classes; None if X is CodedData, which holds them.
        """
        return super().fit(X, y)  # every row counts once: labels are shuffled

    @property
    def _test(self) -> Significant:
        return Significant(self.alpha, self.n_permutations, self.random_state)

    def _criterion(self, source: Source) -> Criterion:
        return LabelCriterion(self._counts(source.data, "joint"))

    def _exchangeable(self, source: Source) -> None:
        return None  # membership in a blanket depends on the other members

    def _path(self, source: Source, begun: Path | None = None) -> Path:
        n_wanted, included = self._asked(source)
        search = _Search(self._test.test(source.data, self.n_jobs), self._criterion(source))
        for feature in included:
            search.add(feature)
        limit = source.n_units if n_wanted is None else n_wanted
        stop_reason = "n_features_to_select"
        for _ in range(1 + self.n_reruns):
            n_before = len(search.members)
            if search.grow(limit):
                stop_reason = "not significant"
            if len(search.members) in (n_before, limit):
                break
        steps = search.shrink(self._counts(source.data, "joint"), set(included))
        path = self._found_at_once(source, steps, stop_reason)
        path.next_p_value = search.next_p_value
        return path


class _Search:
    """A blanket that grows and shrinks."""

    def __init__(self, significance: Significance, criterion: Criterion) -> None:
        self._significance = significance
        self._criterion = criterion
        self.members: list[int] = []
        self.next_p_value = np.nan

    def add(self, feature: int) -> None:
        """Add a feature."""
        self._criterion.add(feature)
        self.members.append(feature)

    def grow(self, limit: int) -> bool:
        """Add features up to the limit, or until none is significant; return whether none is."""
        candidates = np.setdiff1d(np.arange(self._criterion.n_features), self.members)
        n_dropped = 0
        while len(candidates) and len(self.members) < limit:
            level = self._significance.level
            test = self._significance.given([self.members], candidates, n_dropped)
            scores = self._criterion.scores(candidates)[:, 0]
            best = first_among_equals(scores)
            if test.measured(best).value > level:
                passed = np.flatnonzero(test.p_values <= level)
                if len(passed) == 0:
                    self.next_p_value = float(test.p_values.min())
                    return True
                best = int(passed[first_among_equals(scores[passed])])
            stays = test.approximate <= level  # the others are dropped early
            stays[best] = False
            n_dropped += len(candidates) - 1 - int(stays.sum())
            self.add(int(candidates[best]))
            candidates = candidates[stays]
        return len(self.members) < limit

    def shrink(self, counts: Any, kept: set[int]) -> list[Step]:
        """Remove features not significant given the others, the least significant first."""
        while True:
            steps = [self._given_the_others(feature, counts, kept) for feature in self.members]
            worst = max(steps, key=lambda step: np.nan_to_num(step.p_value), default=None)
            if worst is None or not worst.p_value > self._significance.level:
                return steps
            self.members.remove(worst.feature)

    def _given_the_others(self, feature: int, counts: Any, kept: set[int]) -> Step:
        others = [other for other in self.members if other != feature]
        rest = counts.fresh()
        for other in others:
            rest.condition_on(other)
        alone = np.array([feature])
        score, nothing = float(rest.label_scores(alone)[0, 0]), np.empty(0)
        if feature in kept:
            return Step(feature, score, nothing, nothing, 1)
        p_value, is_bound = self._significance.given([others], alone).measured(0)
        return Step(feature, score, nothing, nothing, 1, p_value, is_bound)
