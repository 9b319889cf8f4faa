r"""RReliefF: features that differ between neighbours whose targets differ, for regression.

With :math:`N_C` the mean difference of the target between a row and its :math:`k` nearest rows,
:math:`N_F` that of feature :math:`F`, and :math:`N_{CF}` the mean of their product,

.. math:: W(F) = \frac{N_{CF}}{N_C} - \frac{a\,(N_F - N_{CF})}{1 - a\,N_C},

where :math:`a` is the total influence of a row's neighbours: 1 in the paper, 1/5 in Orange.

M. Robnik-Šikonja, I. Kononenko, "An adaptation of Relief for attribute estimation in regression",
ICML 1997, 296-304; "Theoretical and empirical analysis of ReliefF and RReliefF", Machine Learning
53 (2003) 23-69.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from deacs.selection._instances import (
    OF_SAMPLING,
    Instances,
    InstanceSelector,
    sampled_rows,
)
from deacs.selection._neighbours import nearest_differences
from deacs.tables import TargetOption

__all__ = ["RReliefF"]


class RReliefF(InstanceSelector):
    """Rank features by how well they separate neighbouring rows whose numeric targets differ.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to select: a number, or a share in (0, 1]; None ranks them all.
    n_neighbors : int, default=50
        k, the neighbours of a row; a smaller table contributes all its rows.
    influence : float, default=0.2
        The total weight of a row's neighbours: 0.2 is Orange's choice, 1.0 the paper's. The smaller
        it is, the less a feature is penalised for differing if the target does not; columns
        spread evenly over their range then rank high, informative or not.
    n_samples : int, float or None, default=None
        m, the rows whose neighbours are sought: a number, or a share in (0, 1]; None: all of them.
        They are drawn without replacement; the neighbours may be any rows.
    random_state : int, RandomState or None, default=None
        The seed for drawing rows if `n_samples` is given.
    include : list of names or indices, optional
        Features to rank first, in this order.
    discrete_features : "auto", bool, mask, names or indices, default="auto"
        Which columns are discrete; see `deacs.encode`. Discrete values are equal or not, numbers
        differ by their distance as a share of the column's range.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        W(F) of every column, between -1 and 1.
    ranking_ : ndarray of int of shape (n_selected,)
        Column indices, the largest weight first; weights within 1e-12 are equal, and the lower
        column comes first.
    scores_ : ndarray of shape (n_selected,)
        The weights of the ranked columns.
    stop_reason_ : {"n_features_to_select", "exhausted"}
        Why the ranking ended; "exhausted" if all features are ranked.
    n_features_in_, feature_names_in_
        As in all scikit-learn estimators.

    Notes
    -----
    Equals Orange's `RReliefF` if all rows are used, no value is missing and no two rows are equal;
    as there, among rows equally far away the later ones count as nearer. Differences of features
    are those of `ReliefF`; the difference of two targets is a share of their range. See
    docs/papers/rrelieff.md.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from deacs import RReliefF
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> RReliefF(n_features_to_select=3, influence=1.0).fit(X, y).selected_names_
    ['bmi', 's5', 'bp']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InstanceSelector._parameter_constraints,
        **OF_SAMPLING,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "influence": [Interval(Real, 0, 1, closed="right")],
    }
    target: ClassVar[TargetOption] = "numbers"

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_neighbors: int = 50,
        influence: float = 0.2,
        n_samples: float | None = None,
        random_state: Any = None,
        include: Any = None,
        discrete_features: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_neighbors = n_neighbors
        self.influence = influence
        self.n_samples = n_samples
        self.random_state = random_state
        self.include = include
        self.discrete_features = discrete_features
        self.n_jobs = n_jobs

    def _weigh(self, instances: Instances) -> NDArray[np.float64]:
        rows = sampled_rows(self.n_samples, len(instances.labels), self.random_state)
        of_target, of_features, of_both = nearest_differences(
            instances, rows, self.n_neighbors, self.n_jobs
        )
        # Where no neighbour's target differs, or all of them do by the whole range, one side is
        # a mean over nothing.
        a = self.influence
        here = of_both / of_target if of_target > 0 else np.zeros_like(of_both)
        rest = 1.0 - a * of_target
        elsewhere = a * (of_features - of_both) / rest if rest > 0 else np.zeros_like(of_both)
        return np.asarray(here - elsewhere)
