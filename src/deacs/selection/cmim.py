r"""CMIM: conditional mutual information maximisation (Fleuret, 2004).

.. math:: J(F) = \min \big( I(F; C), \min_{s \in S} I(F; C \mid s) \big)

F. Fleuret, "Fast binary feature selection with conditional mutual information", Journal of Machine
Learning Research 5 (2004) 1531-1555.
"""

from __future__ import annotations

from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import PairFilter

__all__ = ["CMIM"]


class CMIM(PairFilter):
    """Select by information about the class given the selected feature that leaves least of it.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import CMIM
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> CMIM(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'alcohol', 'proline']
    """

    def _formula(self) -> Formula:
        return Formula.least_of("conditional", at_most_relevance=True)
