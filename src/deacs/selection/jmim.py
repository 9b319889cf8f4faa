r"""JMIM: joint mutual information maximisation (Bennasar et al., 2015).

.. math:: J(F) = \min_{s \in S} I(F, s; C), \qquad J(F) = I(F; C) \text{ for } S = \emptyset

M. Bennasar, Y. Hicks, R. Setchi, "Feature selection using joint mutual information maximisation",
Expert Systems with Applications 42(22) (2015) 8520-8532.
"""

from __future__ import annotations

from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import PairFilter

__all__ = ["JMIM"]


class JMIM(PairFilter):
    """Select the feature whose least informative pair with a selected one is most informative.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import JMIM
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> JMIM(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'alcohol', 'hue']
    """

    def _formula(self) -> Formula:
        return Formula.least_of("joint")
