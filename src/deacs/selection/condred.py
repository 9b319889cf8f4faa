r"""CondRed: relevance and class-conditional redundancy (Brown et al., 2012).

.. math:: J(F) = I(F; C) + \sum_{s \in S} I(F; s \mid C)

G. Brown, A. Pocock, M.-J. Zhao, M. Luján, "Conditional likelihood maximisation: a unifying
framework for information theoretic feature selection", Journal of Machine Learning Research 13
(2012) 27-66, where it is the point (beta, gamma) = (0, 1).
"""

from __future__ import annotations

from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import PairFilter

__all__ = ["CondRed"]


class CondRed(PairFilter):
    """Select by information about the class, plus redundancy with S within classes.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import CondRed
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> CondRed(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'proline', 'od280/od315_of_diluted_wines']
    """

    def _formula(self) -> Formula:
        return Formula(
            term=lambda pair: pair.class_redundancy,
            score=lambda relevance, total, n_selected: relevance + total,
        )
