r"""MIFS-U: MIFS under uniform information distribution (Kwak & Choi, 2002).

.. math:: J(F) = I(F; C) - \beta \sum_{s \in S} \frac{I(s; C)}{H(s)} I(F; s)

N. Kwak, C.-H. Choi, "Input feature selection for classification problems", IEEE Transactions on
Neural Networks 13(1) (2002) 143-159.
"""

from __future__ import annotations

from typing import Any

from deacs.greedy.pair_criteria import Formula, Pair
from deacs.selection.mifs import MIFS

__all__ = ["MIFSU"]


class MIFSU(MIFS):
    """Select by information about the class, minus redundancy with S that concerns the class.

    The share of I(F; s) that concerns the class is taken to be that of s itself, I(s; C) / H(s),
    which holds if information about the class is uniform over s.

    Parameters
    ----------
    beta : float, default=1.0
        The weight of redundancy; 0 is `MIM`.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import MIFSU
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> MIFSU(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'proline', 'color_intensity']
    """

    def _formula(self) -> Formula:
        return Formula(
            term=lambda pair: pair.redundancy * _share(pair),
            score=lambda relevance, total, n_selected: relevance - self.beta * total,
            needs_class=False,
        )


def _share(pair: Pair) -> Any:
    """Return I(s; C) / H(s) of a selected feature; 0 for a constant."""
    return pair.selected_relevance / pair.selected_entropy if pair.selected_entropy > 0 else 0.0
