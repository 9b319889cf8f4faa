r"""Symmetrical uncertainty, and the filters that choose a subset by it: FCBF and CFS.

.. math:: SU(F, C) = 2 \, I(F; C) / (H(F) + H(C))

FCBF visits features in descending order of :math:`SU(F, C)` and selects one if it is more strongly
correlated with the class than with any feature selected before:

.. math:: SU(F, s) < SU(F, C) \text{ for all } s \in S

CFS seeks, best first, the subset of k features with the largest merit:

.. math:: Merit(S) = k \, \bar r_{cf} / \sqrt{k + k (k - 1) \bar r_{ff}}

with symmetrical uncertainty as the correlation.

W. H. Press, S. A. Teukolsky, W. T. Vetterling, B. P. Flannery, "Numerical Recipes in C", 2nd
edition, Cambridge University Press (1992), section 14.4; as a filter: M. A. Hall, L. A. Smith,
"Feature subset selection: a correlation based filter approach", ICONIP 1997, 855-858.
FCBF: L. Yu, H. Liu, "Feature selection for high-dimensional data: a fast correlation-based filter
solution", ICML 2003, 856-863; "Efficient feature selection via analysis of relevance and
redundancy", Journal of Machine Learning Research 5 (2004) 1205-1224. CFS: M. A. Hall,
"Correlation-based feature selection for discrete and numeric class machine learning", ICML 2000,
359-366; "Correlation-based feature selection for machine learning", PhD thesis, University of
Waikato (1999).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from deacs.counts.counts import Counts
from deacs.selection._filter import FilterOptions, InformationFilter
from deacs.selection.criteria import Criterion, FixedScores, Floats, Integers
from deacs.selection.source import Source
from deacs.selection.ties import TIE_BITS

__all__ = ["CFS", "FCBF", "SymmetricalUncertainty", "Uncertainties"]


class SymmetricalUncertainty(InformationFilter):
    """Rank features by the information shared with the class, relative to both entropies.

    Mutual information favours features with many values; dividing by the entropies corrects for
    that. 0 means independence, 1 that each determines the other. Redundancy is ignored; see
    `FCBF` and `CFS`.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import SymmetricalUncertainty
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> SymmetricalUncertainty(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'od280/od315_of_diluted_wines', 'color_intensity']
    """

    def _criterion(self, source: Source) -> Criterion:
        return FixedScores(Uncertainties(self._counts(source.data)).with_class)


class Uncertainties:
    """Symmetrical uncertainty of every feature with the class, and of pairs of features.

    If missing values are ignored, an entropy is estimated on the rows in which its variable is
    present, and information on the rows in which both are; the quotient is clipped at 1.
    """

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._class_entropy = counts.class_entropy()

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._counts.n_features

    @cached_property
    def with_class(self) -> Floats:
        """SU(F, C) of every feature."""
        return _uncertainty(self._counts.relevance(), self._counts.entropy() + self._class_entropy)

    def with_feature(self, feature: int, features: Integers) -> Floats:
        """Return SU(F, G) of features F and one feature G."""
        entropy = self._counts.entropy()
        shared = self._counts.redundancy(feature, features)
        return _uncertainty(shared, entropy[features] + entropy[feature])


def _uncertainty(shared: Floats, entropies: Floats) -> Floats:
    """Return 2 I / (H + H); 0 if both entropies are zero."""
    quotient = shared / np.where(entropies > 0, entropies / 2, np.inf)
    return np.minimum(quotient, 1.0, out=quotient)


class FCBF(InformationFilter):
    """Select the predominant features: relevant, and not redundant with a more relevant one.

    It chooses the number of features, and is fast if most features are redundant: a pair is counted
    only if one of the two was selected and the other is not yet removed.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to select at most; None: all predominant features.
    delta : float, default=0.0
        Features with SU(F, C) below it are irrelevant; so are those with SU(F, C) = 0.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    `scores_` is SU(F, C).

    Notes
    -----
    Among ties the lower column comes first, and a copy of a selected feature is always removed.
    Features in `include` are selected whatever they score, and remove others as any selected
    feature does; one that FCBF would not have selected scores zero.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import FCBF
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> FCBF().fit(X, y).selected_names_[:3]
    ['flavanoids', 'od280/od315_of_diluted_wines', 'color_intensity']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InformationFilter._parameter_constraints,
        "delta": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        delta: float = 0.0,
        **options: Unpack[FilterOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.delta = delta

    def _criterion(self, source: Source) -> Criterion:
        return _Predominance(Uncertainties(self._counts(source.data)), self.delta)


class _Predominance(Criterion):
    """SU(F, C) of the features that are still in the race, 0 of the others."""

    ends_at_zero = True

    def __init__(self, uncertainties: Uncertainties, delta: float) -> None:
        relevance = uncertainties.with_class
        self.values = np.where(relevance >= delta, relevance, 0.0)
        self._uncertainties = uncertainties
        self._not_applied: list[int] = []

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.values)

    def scores(self, candidates: Integers) -> Floats:
        """Return SU(F, C) in a column, 0 for what is irrelevant or redundant."""
        while self._not_applied:
            self._remove_peers(self._not_applied.pop(0))
        return self.values[candidates, np.newaxis]

    def add(self, feature: int) -> None:
        """Take a feature; what it makes redundant is computed when it is asked for."""
        self._not_applied.append(feature)

    def _remove_peers(self, taken: int) -> None:
        self.values[taken] = 0.0
        racing = np.flatnonzero(self.values)
        if len(racing):
            shared = self._uncertainties.with_feature(taken, racing)
            self.values[racing] *= shared < self.values[racing] - TIE_BITS


NOTHING = 1e-6
"""A symmetrical uncertainty below this is none, as in Weka."""

GRID = 2.0**32
"""Correlations are multiples of 1 / GRID: equals tie, and sums do not depend on their order."""


class CFS(InformationFilter):
    """Select the subset that correlates most with the class and least within itself.

    It chooses the number of features, and equals Weka's CfsSubsetEval with BestFirst.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many features of the subset to keep, those added first; None: all.
    max_stale : int, default=5
        The search ends after this many expansions in a row without a better subset. 1 is nearly
        greedy.
    locally_predictive : bool, default=True
        Whether to add, after the search and in descending order of SU(F, C), each feature that
        correlates with the class at least as much as with any selected one.
    independent_is_redundant : bool, default=True
        Weka counts independent features (SU below 1e-6) as copies of each other. False counts them
        as independent, by the definition; the subset may then differ from Weka's.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    `scores_[k]` is the merit of the first k + 1 features.

    Notes
    -----
    `ranking_` is the order in which features were added to the best subset; those in `include`,
    where the search begins, come first, locally predictive ones last. An expansion takes one pass
    over the rows, for the newest feature against all, and a few vector operations; pairs are cached
    for features of expanded subsets.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from deacs import CFS
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> CFS().fit(X, y).selected_names_
    ['petal width (cm)', 'petal length (cm)']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InformationFilter._parameter_constraints,
        "max_stale": [Interval(Integral, 1, None, closed="left")],
        "locally_predictive": ["boolean"],
        "independent_is_redundant": ["boolean"],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        max_stale: int = 5,
        locally_predictive: bool = True,
        independent_is_redundant: bool = True,
        **options: Unpack[FilterOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.max_stale = max_stale
        self.locally_predictive = locally_predictive
        self.independent_is_redundant = independent_is_redundant

    def _criterion(self, source: Source) -> Criterion:
        def search() -> _Subset:
            uncertainties = Uncertainties(self._counts(source.data))
            table = _Correlations(uncertainties, self.independent_is_redundant)
            start = _Subset.empty(table)
            for feature in self._included(source):
                start = start.with_feature(feature)
            found = _best_first(start, self.max_stale)
            return _with_locally_predictive(found, table) if self.locally_predictive else found

        return _Walk(source.n_units, search)


class _Correlations:
    """r_cf of every feature, and rows of r_ff, each computed when it is first needed."""

    def __init__(self, uncertainties: Uncertainties, independent_is_redundant: bool) -> None:
        self.with_class = _on_grid(uncertainties.with_class, of_nothing=0.0)
        self._of_nothing = 1.0 if independent_is_redundant else 0.0
        self._uncertainties = uncertainties
        self._rows: dict[int, Floats] = {}

    def with_feature(self, feature: int) -> Floats:
        """Return r_ff of one feature and every feature."""
        if feature not in self._rows:
            everything = np.arange(len(self.with_class))
            row = self._uncertainties.with_feature(feature, everything)
            self._rows[feature] = _on_grid(row, self._of_nothing)
        return self._rows[feature]


def _on_grid(uncertainty: Floats, of_nothing: float) -> Floats:
    return np.where(uncertainty < NOTHING, of_nothing, np.round(uncertainty * GRID) / GRID)


class _Subset:
    """Features in the order they were added, and the sums from which merits follow.

    Parameters
    ----------
    table : _Correlations
        The correlations.
    features : tuple of int
        The features.
    path : tuple of float
        The merit with the first feature, with the first two, and so on.
    relevance, spread : float
        k r_cf and k + k (k - 1) r_ff: the sums of all correlations with the class, and of all
        among the features.
    shared_before : ndarray of shape (n_features,)
        The sum of every feature's correlations with the subset without its last feature.
    """

    def __init__(
        self,
        table: _Correlations,
        features: tuple[int, ...],
        path: tuple[float, ...],
        relevance: float,
        spread: float,
        shared_before: Floats,
    ) -> None:
        self.features, self.path = features, path
        self._table, self._relevance, self._spread = table, relevance, spread
        self._shared_before = shared_before

    @classmethod
    def empty(cls, table: _Correlations) -> Self:
        """No features."""
        return cls(table, (), (), 0.0, 0.0, np.zeros(len(table.with_class)))

    @property
    def merit(self) -> float:
        """k r_cf / sqrt(k + k (k - 1) r_ff); 0 without features."""
        return self.path[-1] if self.path else 0.0

    def merits(self) -> Floats:
        """Return the merit with each feature more; -inf for those inside."""
        relevance = self._relevance + self._table.with_class
        merits = relevance / np.sqrt(self._spread_with(self._shared))
        merits[list(self.features)] = -np.inf
        return np.asarray(merits)

    def with_feature(self, feature: int) -> Self:
        """Return the subset with one feature more."""
        relevance = float(self._relevance + self._table.with_class[feature])
        spread = float(self._spread_with(self._shared[feature]))
        return type(self)(
            self._table,
            (*self.features, feature),
            (*self.path, relevance / np.sqrt(spread)),
            relevance,
            spread,
            self._shared,
        )

    @cached_property
    def _shared(self) -> Floats:
        """The sum of every feature's correlations with the subset."""
        if not self.features:
            return self._shared_before
        return self._shared_before + self._table.with_feature(self.features[-1])

    def _spread_with(self, shared: Any) -> Any:
        """`spread` with a feature more: its correlation with itself, and with the others twice."""
        return self._spread + 1.0 + 2.0 * shared


def _with_locally_predictive(subset: _Subset, table: _Correlations) -> _Subset:
    """Add, the strongest first, features that no feature inside correlates with more than C."""
    strongest = np.zeros(len(table.with_class))
    for feature in subset.features:
        strongest = np.maximum(strongest, table.with_feature(feature))
    left = np.where(np.isin(np.arange(len(strongest)), subset.features), 0.0, table.with_class)
    while (left := np.where(strongest <= left, left, 0.0)).any():
        feature = int(np.argmax(left))
        left[feature] = 0.0
        subset = subset.with_feature(feature)
        strongest = np.maximum(strongest, table.with_feature(feature))
    return subset


class _Walk(Criterion):
    """A subset that was found as a whole, one feature after another: only the next has a score."""

    ends_at_zero = True

    def __init__(self, n_features: int, search: Callable[[], _Subset]) -> None:
        self._n_features = n_features
        self._search = search
        self._n_selected = 0

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._n_features

    @cached_property
    def _found(self) -> _Subset:
        return self._search()

    def scores(self, candidates: Integers) -> Floats:
        """Return, in a column, the merit that the next feature gives; 0 for all others."""
        scores = np.zeros((len(candidates), 1))
        if self._n_selected < len(self._found.features):
            is_next = candidates == self._found.features[self._n_selected]
            scores[is_next] = self._found.path[self._n_selected]
        return scores

    def add(self, feature: int) -> None:
        """Go one feature on."""
        self._n_selected += 1


LEAST_GAIN = 1e-5
"""The least improvement over the best subset that counts, as in Weka."""


def _best_first(start: _Subset, max_stale: int) -> _Subset:
    """Search from a subset; among ties, the one found earlier wins, then the lower column.

    The best subset not yet expanded is tried with every feature that it lacks, until `max_stale`
    expansions in a row have found nothing better. The queue holds at most `max_stale` subsets, as
    the search ends after that many fruitless expansions. This is the search of R. Kohavi, G. H.
    John, "Wrappers for feature subset selection", Artificial Intelligence 97 (1997) 273-324, with
    the conventions of Weka's BestFirst.
    A subset reached again by another path is queued and expanded again, as in Weka.
    """
    best, waiting, stale = start, [start], 0
    while waiting and stale < max_stale:
        subset = waiting.pop(0)
        merits = subset.merits()
        better = _last_improvement(merits, best.merit)
        if better is None:
            stale += 1
        else:
            best, stale = subset.with_feature(better), 0
        found = [subset.with_feature(j) for j in _leaders(merits, max_stale)]
        waiting = sorted([*waiting, *found], key=lambda other: -other.merit)[:max_stale]
    return best


def _last_improvement(merits: NDArray[np.float64], best: float) -> int | None:
    """Return the last feature, in column order, that beats the best so far by `LEAST_GAIN`."""
    so_far = np.maximum.accumulate(np.append(best, merits))
    last = None
    for j in np.flatnonzero(merits > so_far[:-1]).tolist():
        if merits[j] - best > LEAST_GAIN:
            best, last = float(merits[j]), j
    return last


def _leaders(merits: NDArray[np.float64], n_leaders: int) -> list[int]:
    """Return the subsets to queue: the best ones, the lower column first among ties."""
    least = np.partition(merits, -n_leaders)[-n_leaders] if n_leaders < len(merits) else -np.inf
    contenders = np.flatnonzero((merits >= least) & (merits > -np.inf))
    order = np.argsort(-merits[contenders], kind="stable")[:n_leaders]
    return [int(j) for j in contenders[order]]
