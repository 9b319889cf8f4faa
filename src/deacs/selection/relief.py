r"""Relief: differences from the nearest row of the same class and of another class.

.. math::

    W(F) = \frac{1}{m} \sum_R \bigl[ \mathrm{diff}_F(R, M) - \mathrm{diff}_F(R, H) \bigr],

with :math:`H` the nearest row of R's class, and :math:`M` the nearest row of any other class.
K. Kira, L. A. Rendell, "A practical approach to feature selection", ML 1992, 249-256.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deacs.selection._instances import (
    OF_SAMPLING,
    Instances,
    InstanceSelector,
    sampled_rows,
)
from deacs.selection._neighbours import nearest_weights

__all__ = ["Relief"]


class Relief(InstanceSelector):
    """Rank features by differences from the nearest hit and the nearest miss of each row.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to select: a number, or a share in (0, 1]; None ranks them all.
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
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_, feature_names_in_
        As in all scikit-learn estimators.

    Notes
    -----
    Among rows equally near the first one counts. The original has two classes; with more, the
    nearest miss may be of any other class, and `ReliefF` is the better choice. With two classes
    Relief is `ReliefF(n_neighbors=1)`. As in all later members of the family, differences are not
    squared; missing values count as in `ReliefF`. See docs/papers/relief.md.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from deacs import Relief
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> Relief(n_features_to_select=2).fit(X, y).selected_names_
    ['worst texture', 'worst concave points']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InstanceSelector._parameter_constraints,
        **OF_SAMPLING,
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_samples: float | None = None,
        random_state: Any = None,
        include: Any = None,
        discrete_features: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_samples = n_samples
        self.random_state = random_state
        self.include = include
        self.discrete_features = discrete_features
        self.n_jobs = n_jobs

    def _weigh(self, instances: Instances) -> NDArray[np.float64]:
        rows = sampled_rows(self.n_samples, len(instances.labels), self.random_state)
        # Two groups of neighbours: 0 are the hits, 1 all misses.
        groups = 1 - np.eye(instances.n_classes, dtype=np.int64)
        gains = np.tile([-1.0, 1.0], (instances.n_classes, 1))
        return nearest_weights(instances, rows, groups, gains, 1, self.n_jobs)
