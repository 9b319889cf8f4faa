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
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from deacs.selection._instances import Instances, SampledOptions, SampledSelector
from deacs.selection._neighbours import nearest_differences
from deacs.tables import TargetOption

__all__ = ["RReliefF"]


class RReliefF(SampledSelector):
    """Rank features by how well they separate neighbouring rows whose numeric targets differ.

    Parameters
    ----------
    n_neighbors : int, default=50
        k, the neighbours of a row; a smaller table contributes all its rows.
    influence : float, default=0.2
        The total weight of a row's neighbours: 0.2 is Orange's choice, 1.0 the paper's. The smaller
        it is, the less a feature is penalised for differing if the target does not; columns
        spread evenly over their range then rank high, informative or not.
    n_samples, random_state
        The rows whose neighbours are sought, and the seed for drawing them; see `ReliefF`.

    Parameters and attributes of the whole family: see `deacs.selection.InstanceSelector`.
    `weights_` lie between -1 and 1.

    Notes
    -----
    Equals Orange's `RReliefF` if all rows are used, no value is missing and no two rows are equal;
    as there, among rows equally far away the later ones count as nearer. Differences of features
    are those of `ReliefF`; the difference of two targets is a share of their range. See
    docs/papers/relief.md.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from deacs import RReliefF
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> RReliefF(n_features_to_select=3, influence=1.0).fit(X, y).selected_names_
    ['bmi', 's5', 'bp']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SampledSelector._parameter_constraints,
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
        **options: Unpack[SampledOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.n_neighbors = n_neighbors
        self.influence = influence

    def _weigh(self, instances: Instances) -> NDArray[np.float64]:
        rows = self._sampled(len(instances.labels))
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
