r"""MDMR: max-dependency and min-redundancy, for multiple labels (Lin et al., 2015).

.. math:: J(F) = \sum_i I(F; y_i) - \frac{1}{|S|} \sum_{s \in S}
          \left( I(F; s) - \sum_i I(F; s | y_i) \right)

Y. Lin, Q. Hu, J. Liu, J. Duan, "Multi-label feature selection based on max-dependency and
min-redundancy", Neurocomputing 168 (2015) 92-103.
"""

from __future__ import annotations

from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import LabelFilter

__all__ = ["MDMR"]


class MDMR(LabelFilter):
    """Select by information about all labels, minus mean redundancy with S beyond the labels.

    Redundancy counts once, but redundancy given a label once for each label, so that with many
    labels a feature redundant with S is favoured rather than penalised.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from deacs import MDMR
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> MDMR(n_features_to_select=3).fit(X, Y).ranking_.tolist()
    [12, 13, 18]
    """

    def _formula(self) -> Formula:
        return Formula(
            # The sum over labels counts I(F; s) once.
            term=lambda pair: pair.redundancy / pair.n_labels - pair.class_redundancy,
            score=lambda relevance, total, n_selected: relevance - total / max(n_selected, 1),
        )
