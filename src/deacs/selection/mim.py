r"""MIM: mutual information maximisation, one feature at a time (Lewis, 1992).

.. math:: J(F) = I(F; C)

D. D. Lewis, "Feature selection and feature extraction for text categorization", Speech and Natural
Language 1992, 212-217.
"""

from __future__ import annotations

from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import PairFilter

__all__ = ["MIM"]


class MIM(PairFilter):
    """Rank features by the information of each alone about the class.

    Redundancy is ignored: a copy of the best feature comes second.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import MIM
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> MIM(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'proline', 'color_intensity']
    """

    _scores_relevance = True

    def _formula(self) -> Formula:
        return Formula(score=lambda relevance, _, n_selected: relevance)
