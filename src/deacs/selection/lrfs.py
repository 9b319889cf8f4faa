r"""LRFS: label redundancy, each label given the others (Zhang, Liu & Gao, 2019).

.. math:: J(F) = \sum_i \sum_{j \ne i} I(F; y_j | y_i) - \frac{1}{|S|} \sum_{s \in S} I(F; s)

P. Zhang, G. Liu, W. Gao, "Distinguishing two types of labels for multi-label feature selection",
Pattern Recognition 95 (2019) 72-82.
"""

from __future__ import annotations

from deacs.coding import CodedTable
from deacs.greedy.criteria import Criterion
from deacs.greedy.labelwise import given_other_labels
from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import LabelFilter

__all__ = ["LRFS"]


class LRFS(LabelFilter):
    """Select by information about each label given each other, minus mean redundancy with S.

    Relevance grows with the square of the number of labels but redundancy does not, so with many
    labels redundancy hardly matters.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from deacs import LRFS
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> LRFS(n_features_to_select=3).fit(X, Y).ranking_.tolist()
    [12, 13, 18]
    """

    def _formula(self) -> Formula:
        return Formula(
            # The sum over labels counts I(F; s) once.
            term=lambda pair: pair.redundancy / pair.n_labels,
            score=lambda relevance, total, n_selected: relevance - total / max(n_selected, 1),
        )

    def _criterion(self, data: CodedTable) -> Criterion:
        return self._summed_over_labels(data, given_other_labels(data, self.n_jobs))
