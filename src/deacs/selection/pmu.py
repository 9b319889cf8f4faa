r"""PMU: pairwise multi-label utility, with pairs of labels (Lee & Kim, 2013).

.. math:: J(F) = \sum_i I(F; y_i) - \sum_{s \in S} \sum_i I(F; s; y_i)
          - \sum_{i < j} I(F; y_i; y_j), \qquad I(F; a; b) = I(F; a) - I(F; a | b)

J. Lee, D.-W. Kim, "Feature selection for multi-label classification using multivariate mutual
information", Pattern Recognition Letters 34(3) (2013) 349-357.
"""

from __future__ import annotations

import numpy as np

from deacs.coding import CodedTable
from deacs.greedy.criteria import Criterion
from deacs.greedy.labelwise import given_other_labels
from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import LabelFilter

__all__ = ["PMU"]


class PMU(LabelFilter):
    """Select by information about each label, minus what S or another label also provides.

    This is `D2F` with one more term: information about two labels at once counts once.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from deacs import PMU
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> PMU(n_features_to_select=3).fit(X, Y).ranking_.tolist()
    [12, 13, 18]
    """

    def _formula(self) -> Formula:
        return Formula(
            term=lambda pair: pair.relevance - pair.conditional,
            score=lambda relevance, total, n_selected: relevance - total,
        )

    def _criterion(self, data: CodedTable) -> Criterion:
        given = given_other_labels(data, self.n_jobs)
        alone = self._counts(data).label_scores(np.arange(data.n_features))
        # Half of the sum, which has both orders of each pair.
        shared = ((data.n_outputs - 1) * alone - given) / 2
        return self._summed_over_labels(data, alone - shared)
