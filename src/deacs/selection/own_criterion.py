"""OwnCriterion: a criterion of the user's in the same loop as all others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Unpack

from deacs.coding import CodedTable
from deacs.selection._criteria import CallableCriterion, Criterion, Floats, PairTerms
from deacs.selection._filter import FilterOptions, InformationFilter

__all__ = ["OwnCriterion"]


class OwnCriterion(InformationFilter):
    """Take the feature with the largest value of any function of pairs.

    Parameters
    ----------
    criterion : callable
        From `deacs.selection.PairTerms` to one number for each candidate: informations and
        entropies in bits, of n candidates (rows) and m selected features (columns, none at first).
    n_features_to_select : int, float or None, default=None
        How many to select; None: all, ranked.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Notes
    -----
    Terms of all pairs are kept: 32 bytes for each feature and selected feature.

    Examples
    --------
    mRMR by the largest instead of the mean redundancy:

    >>> from sklearn.datasets import load_wine
    >>> from deacs import OwnCriterion
    >>> def criterion(terms):
    ...     return terms.relevance - terms.redundancy.max(axis=1, initial=0)
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> OwnCriterion(criterion, n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'alcohol', 'proline']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InformationFilter._parameter_constraints,
        "criterion": [callable],
    }

    def __init__(
        self,
        criterion: Callable[[PairTerms], Floats],
        n_features_to_select: float | None = None,
        **options: Unpack[FilterOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.criterion = criterion

    def _criterion(self, data: CodedTable) -> Criterion:
        return CallableCriterion(self._counts(data), self.criterion)
