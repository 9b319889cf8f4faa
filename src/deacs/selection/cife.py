r"""CIFE: conditional infomax feature extraction (Lin & Tang, 2006).

.. math:: J(F) = I(F; C) - \sum_{s \in S} \big( I(F; s) - I(F; s \mid C) \big)

D. Lin, X. Tang, "Conditional infomax learning: an integrated framework for feature extraction and
fusion", ECCV 2006, 68-82.
"""

from __future__ import annotations

from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import PairFilter

__all__ = ["CIFE"]


class CIFE(PairFilter):
    """Select by information about the class, minus redundancy, plus synergy with S.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import CIFE
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> CIFE(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'alcohol', 'hue']
    """

    def _formula(self) -> Formula:
        return Formula(
            term=lambda pair: pair.redundancy - pair.class_redundancy,
            score=lambda relevance, total, n_selected: relevance - total,
        )
