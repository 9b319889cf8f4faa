r"""CFS: correlation-based feature selection (Hall, 2000).

A subset of k features is good if they correlate with the class but not with each other:

.. math:: Merit(S) = k \, \bar r_{cf} / \sqrt{k + k (k - 1) \bar r_{ff}}

with symmetrical uncertainty as the correlation, and best-first search for the best subset.

M. A. Hall, "Correlation-based feature selection for discrete and numeric class machine learning",
ICML 2000, 359-366; "Correlation-based feature selection for machine learning", PhD thesis,
University of Waikato (1999).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar, Self, Unpack

import numpy as np
from sklearn.utils._param_validation import Interval

from deacs.greedy.criteria import Criterion
from deacs.selection._best_first import best_first
from deacs.selection._filter import FilterOptions, InformationFilter
from deacs.selection.result import Source
from deacs.selection.symmetrical_uncertainty import Floats, Integers, Uncertainties

__all__ = ["CFS"]

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
            found = best_first(start, self.max_stale)
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
