r"""mRMR: minimal redundancy, maximal relevance (Peng, Long & Ding, 2005).

.. math:: J(F) = I(F; C) - \frac{1}{|S|} \sum_{s \in S} I(F; s)
          \quad\text{or}\quad I(F; C) \Big/ \frac{1}{|S|} \sum_{s \in S} I(F; s)

H. Peng, F. Long, C. Ding, "Feature selection based on mutual information: criteria of
max-dependency, max-relevance, and min-redundancy", IEEE Transactions on Pattern Analysis and
Machine Intelligence 27(8) (2005) 1226-1238. The quotient: C. Ding, H. Peng, "Minimum redundancy
feature selection from microarray gene expression data", CSB 2003.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Unpack

import numpy as np
from sklearn.utils._param_validation import StrOptions

from deacs.greedy.criteria import Floats
from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import PairFilter, PairOptions

__all__ = ["MRMR"]

LEAST_REDUNDANCY = 1e-12
"""In bits: one unit of the fixed-point numbers in which counts are summed."""


class MRMR(PairFilter):
    """Select by information about the class, minus (or divided by) mean redundancy with S.

    Parameters
    ----------
    scheme : {"difference", "quotient"}, default="difference"
        MID or MIQ. A redundancy below 1e-12 bits counts as 1e-12, so that among features
        independent of S the most relevant wins.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import MRMR
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> MRMR(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'alcohol', 'proline']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **PairFilter._parameter_constraints,
        "scheme": [StrOptions({"difference", "quotient"})],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        scheme: Literal["difference", "quotient"] = "difference",
        **options: Unpack[PairOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.scheme = scheme

    def _formula(self) -> Formula:
        if self.scheme == "difference":
            return Formula.relevance_less("redundancy", mean=True)
        return Formula(term=lambda pair: pair.redundancy, score=_quotient, needs_class=False)


def _quotient(relevance: Floats, total: Floats, n_selected: int) -> Floats:
    if n_selected == 0:
        return relevance
    return relevance / np.maximum(total / n_selected, LEAST_REDUNDANCY)
