r"""MDLP: supervised discretisation by recursive entropy cuts (Fayyad & Irani, 1993).

A segment of :math:`n` sorted values with :math:`k` classes is cut where the class entropy left,
:math:`(n_1 H_1 + n_2 H_2) / n`, is least, if

.. math:: n \cdot gain > \log_2(n - 1) + \log_2(3^k - 2) - (k H - k_1 H_1 - k_2 H_2),

and both parts are cut again. U. M. Fayyad, K. B. Irani, "Multi-interval discretization of
continuous-valued attributes for classification learning", IJCAI 1993, 1022-1027.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from deacs.discretize._base import BaseDiscretizer, Output
from deacs.discretize.cuts import mdlp_cut_points

__all__ = ["MDLP"]


class MDLP(BaseDiscretizer):
    """Cut numeric columns where the class entropy falls by more than the cut costs.

    Parameters
    ----------
    max_cuts : int or None, default=None
        The most cuts in a column; None: no limit. Segments are cut in the order of their gain, the
        reduction of n H, largest first.
    min_samples : int, default=1
        The least number of rows (or weight) on each side of a cut; 1 is the published rule.
    output : {"codes", "labels"}, default="codes"
        Whether `transform` returns the number of the interval or its name, such as `(2.5, 7.1]`.
    n_jobs : int or None, default=None
        Number of threads; None is 1, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    cut_points_ : list of ndarray of float
        The cut points of each column, ascending; empty if no cut passes the rule.
    n_bins_ : ndarray of int of shape (n_features_in_,)
        The number of intervals of each column.
    n_features_in_, feature_names_in_
        As in all scikit-learn estimators.

    Notes
    -----
    The result equals that of Weka's supervised `Discretize` with default options. Class entropies
    are compared in fixed point, so equal counts tie exactly, and the lowest of equal cuts wins.
    Missing values are ignored in the search and stay NaN. Intervals are closed above: with cuts 1
    and 2, the value 1 is in interval 0. Values outside the range of `fit` fall in the outer
    intervals. Sorting takes O(n log n), and each level of cuts one pass, O(n).

    Integer weights are equivalent to repeating the rows. With other weights, n in the rule is the
    sum of the weights, so multiplying all of them changes which cuts pass.

    Examples
    --------
    >>> from deacs import MDLP
    >>> X = [[0.1], [0.2], [0.3], [0.4], [5.1], [5.2], [5.3], [5.4]]
    >>> y = ["low"] * 4 + ["high"] * 4
    >>> MDLP().fit(X, y).cut_points_
    [array([2.75])]
    >>> MDLP(output="labels").fit(X, y).transform([[3.0]]).tolist()
    [['(2.75, inf)']]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseDiscretizer._parameter_constraints,
        "max_cuts": [Interval(Integral, 0, None, closed="left"), None],
        "min_samples": [Interval(Integral, 1, None, closed="left")],
    }
    _needs_labels = True
    _cut_points = staticmethod(mdlp_cut_points)

    def __init__(
        self,
        max_cuts: int | None = None,
        min_samples: int = 1,
        *,
        output: Output = "codes",
        n_jobs: int | None = None,
    ) -> None:
        self.max_cuts = max_cuts
        self.min_samples = min_samples
        self.output = output
        self.n_jobs = n_jobs
