r"""JMI: joint mutual information with every selected feature (Yang & Moody, 1999).

.. math:: J(F) = \sum_{s \in S} I(F, s; C), \qquad J(F) = I(F; C) \text{ for } S = \emptyset

H. H. Yang, J. Moody, "Data visualization and feature selection: new algorithms for non-Gaussian
data", NIPS 12 (1999) 687-693.
"""

from __future__ import annotations

from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import PairFilter

__all__ = ["JMI"]


class JMI(PairFilter):
    """Select the feature that, paired with each selected one, is most informative about the class.

    Complementarity counts: a feature uninformative alone may be informative with another.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import JMI
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> JMI(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'alcohol', 'proline']
    """

    def _formula(self) -> Formula:
        return Formula(
            term=lambda pair: pair.joint,
            score=lambda relevance, total, n_selected: total if n_selected else relevance,
        )
