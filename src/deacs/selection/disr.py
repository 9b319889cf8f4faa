r"""DISR: double input symmetrical relevance (Meyer & Bontempi, 2006).

.. math:: J(F) = \sum_{s \in S} \frac{I(F, s; C)}{H(F, s, C)},
          \qquad J(F) = I(F; C) \text{ for } S = \emptyset

P. E. Meyer, G. Bontempi, "On the use of variable complementarity for feature selection in cancer
classification", EvoWorkshops 2006, 91-102.
"""

from __future__ import annotations

from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import PairFilter

__all__ = ["DISR"]


class DISR(PairFilter):
    """Select by joint information with each selected feature, relative to the joint entropy.

    `JMI` favours features with many values; dividing by the joint entropy corrects for that.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import DISR
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> DISR(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'color_intensity', 'od280/od315_of_diluted_wines']
    """

    def _formula(self) -> Formula:
        return Formula(
            term=lambda pair: pair.symmetrical_relevance,
            score=lambda relevance, total, n_selected: total if n_selected else relevance,
        )
