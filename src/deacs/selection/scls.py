r"""SCLS: scalable criterion for large label sets (Lee & Kim, 2017).

.. math:: J(F) = \sum_i I(F; y_i) \left( 1 - \sum_{s \in S} \frac{I(F; s)}{H(F)} \right)

J. Lee, D.-W. Kim, "SCLS: multi-label feature selection based on scalable criterion for large label
set", Pattern Recognition 66 (2017) 342-352.
"""

from __future__ import annotations

import numpy as np

from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import LabelFilter

__all__ = ["SCLS"]


class SCLS(LabelFilter):
    """Select by information about all labels, scaled down by redundancy with S.

    Information about the labels is computed once for each feature, not again given S.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from deacs import SCLS
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> SCLS(n_features_to_select=3).fit(X, Y).ranking_.tolist()
    [12, 13, 18]
    """

    def _formula(self) -> Formula:
        return Formula(
            term=lambda pair: np.divide(
                pair.redundancy,
                pair.entropy,
                out=np.zeros_like(pair.redundancy),
                where=pair.entropy > 0,
            ),
            score=lambda relevance, total, n_selected: relevance * (1.0 - total),
        )
