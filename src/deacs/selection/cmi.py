r"""CMI: greedy conditional mutual information, given all selected features jointly.

.. math:: J(F) = I(F; C \mid S)

DEA-CS without DEA: the same conditioning on the joint value of S, one number for all classes. See
the survey of G. Brown, A. Pocock, M.-J. Zhao, M. Luján, Journal of Machine Learning Research 13
(2012) 27-66, where it is what the other criteria approximate.
"""

from __future__ import annotations

from deacs.coding import CodedTable
from deacs.selection._criteria import Criterion, LabelCriterion
from deacs.selection._filter import InformationFilter

__all__ = ["CMI"]


class CMI(InformationFilter):
    """Take the feature that adds most to what all selected features tell of the class together.

    Ends when no feature adds anything, which on small tables comes soon: after about log N features
    every joint value of S has one row.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import CMI
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> CMI().fit(X, y).selected_names_
    ['flavanoids', 'alcohol', 'hue', 'ash', 'alcalinity_of_ash']
    """

    def _criterion(self, data: CodedTable) -> Criterion:
        return LabelCriterion(self._counts(data, "joint"))
