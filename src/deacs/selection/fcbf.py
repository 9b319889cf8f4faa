r"""FCBF: the fast correlation-based filter (Yu & Liu, 2003).

Features are visited in descending order of :math:`SU(F, C)`; one is selected if it is more strongly
correlated with the class than with any feature selected before:

.. math:: SU(F, s) < SU(F, C) \text{ for all } s \in S

L. Yu, H. Liu, "Feature selection for high-dimensional data: a fast correlation-based filter
solution", ICML 2003, 856-863; "Efficient feature selection via analysis of relevance and
redundancy", Journal of Machine Learning Research 5 (2004) 1205-1224.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Unpack

import numpy as np
from sklearn.utils._param_validation import Interval

from deacs.greedy.criteria import Criterion, Floats, Integers
from deacs.greedy.ties import TIE_BITS
from deacs.selection._filter import FilterOptions, InformationFilter
from deacs.selection.result import Source
from deacs.selection.symmetrical_uncertainty import Uncertainties

__all__ = ["FCBF"]


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
