r"""CMI: greedy conditional mutual information, given all selected features jointly.

.. math:: J(F) = I(F; C \mid S)

DEA-CS without DEA: the same conditioning on the joint value of S, but one score for all classes. In
the survey of G. Brown, A. Pocock, M.-J. Zhao, M. Luján, Journal of Machine Learning Research 13
(2012) 27-66, the other criteria approximate it.
"""

from __future__ import annotations

from typing import Any, ClassVar, Unpack

from deacs.coding import CodedTable
from deacs.greedy.criteria import Criterion, LabelCriterion
from deacs.selection._coded import OF_THE_TEST
from deacs.selection._filter import FilterOptions, InformationFilter

__all__ = ["CMI"]


class CMI(InformationFilter):
    """Select the feature that adds most to the information of S about the class.

    It ends when no feature adds any, which is soon on small tables: after about log N features
    every joint value of S has one row.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        How many to select; "auto" stops when no candidate depends significantly on the class given
        S, None when no candidate adds information.
    stop : {"significant"} or Significant, optional
        The test that ends the selection; "auto" means `Significant()`.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`; with
    "auto" also `p_values_` and `next_p_value_`, as in `DEACS`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import CMI
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> CMI().fit(X, y).selected_names_
    ['flavanoids', 'alcohol', 'hue', 'ash', 'alcalinity_of_ash']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InformationFilter._parameter_constraints,
        **OF_THE_TEST,
    }

    _scores_relevance = True

    def __init__(
        self,
        n_features_to_select: float | str | None = None,
        *,
        stop: Any = None,
        **options: Unpack[FilterOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.stop = stop

    def _criterion(self, data: CodedTable) -> Criterion:
        return LabelCriterion(self._counts(data, "joint"))
