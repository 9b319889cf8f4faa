r"""D2F: relevance minus interactions with S, for multiple labels (Lee & Kim, 2015).

.. math:: J(F) = \sum_i \left( I(F; y_i) - \sum_{s \in S} I(F; s; y_i) \right), \qquad
          I(F; s; y) = I(F; s) - I(F; s | y)

J. Lee, D.-W. Kim, "Mutual information-based multi-label feature selection using interaction
information", Expert Systems with Applications 42(4) (2015) 2013-2025.
"""

from __future__ import annotations

from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import LabelFilter

__all__ = ["D2F"]


class D2F(LabelFilter):
    """Select by information about each label, minus what S already provides about that label.

    This is `CIFE` summed over labels.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from deacs import D2F
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> D2F(n_features_to_select=3).fit(X, Y).ranking_.tolist()
    [12, 18, 13]
    """

    def _formula(self) -> Formula:
        return Formula(
            # I(F; s) - I(F; s | y) = I(F; y) - I(F; y | s).
            term=lambda pair: pair.relevance - pair.conditional,
            score=lambda relevance, total, n_selected: relevance - total,
        )
