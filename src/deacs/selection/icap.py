r"""ICAP: interaction capping, which ignores synergy (Jakulin, 2005).

.. math:: J(F) = I(F; C) - \sum_{s \in S} \max \big( 0, I(F; s) - I(F; s \mid C) \big)

A. Jakulin, "Machine learning based on attribute interactions", PhD thesis, University of Ljubljana,
2005.
"""

from __future__ import annotations

from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import PairFilter

__all__ = ["ICAP"]


class ICAP(PairFilter):
    """Select by information about the class, minus what each selected feature already provides.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import ICAP
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> ICAP(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'alcohol', 'hue']
    """

    def _formula(self) -> Formula:
        return Formula.relevance_less("overlap")
