r"""ReliefF: features that differ between neighbours of different classes, not of the same class.

With the :math:`k` nearest rows of a row :math:`R` in its own class, the hits :math:`H`, and in each
other class :math:`c`, the misses :math:`M(c)`, the weight of a feature :math:`F` is

.. math::

    W(F) = \frac{1}{m} \sum_R \Bigl[ -\frac{1}{k} \sum_{H} \mathrm{diff}_F(R, H)
    + \sum_{c \ne c(R)} \frac{P(c)}{1 - P(c(R))} \frac{1}{k} \sum_{M(c)} \mathrm{diff}_F(R, M)
    \Bigr]

I. Kononenko, "Estimating attributes: analysis and extensions of RELIEF", ECML 1994, 171-182;
M. Robnik-Šikonja, I. Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF",
Machine Learning 53 (2003) 23-69.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from deacs.selection._instances import Instances, SampledOptions, SampledSelector
from deacs.selection._neighbours import nearest_weights

__all__ = ["ReliefF"]


class ReliefF(SampledSelector):
    """Rank features by how well they separate neighbouring rows of different classes.

    Parameters
    ----------
    n_neighbors : int, default=10
        k, the neighbours of a row in each class; a smaller class contributes all its rows.
    n_samples : int, float or None, default=None
        m, the rows whose neighbours are sought: a number, or a share in (0, 1]; None: all of them.
        They are drawn without replacement; the neighbours may be any rows.
    random_state : int, RandomState or None, default=None
        The seed for drawing rows if `n_samples` is given.

    Parameters and attributes of the whole family: see `deacs.selection.InstanceSelector`.
    `weights_` lie between -1 and 1.

    Notes
    -----
    Equals Weka's `ReliefFAttributeEval` with all rows, including ties among neighbours: rows are
    visited in order, and a strictly nearer row replaces the first of the farthest of k. A missing
    number differs from a number by as much as any number can; two missing numbers by 1; a missing
    nominal value by 1 - 1 / (number of values). `CodedData` is read as nominal.

    Time grows with n_samples * n_rows * n_features, memory with n_rows * n_features. See
    docs/papers/relief.md.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import ReliefF
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = ReliefF(n_features_to_select=3).fit(X, y)
    >>> selector.selected_names_
    ['od280/od315_of_diluted_wines', 'flavanoids', 'proline']
    >>> selector.transform(X).shape
    (178, 3)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SampledSelector._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_neighbors: int = 10,
        **options: Unpack[SampledOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.n_neighbors = n_neighbors

    def _weigh(self, instances: Instances) -> NDArray[np.float64]:
        rows = self._sampled(len(instances.labels))
        # Every class is a group of neighbours.
        groups = np.tile(np.arange(instances.n_classes), (instances.n_classes, 1))
        priors = np.bincount(instances.labels) / len(instances.labels)
        gains = priors / (1.0 - priors[:, None])
        np.fill_diagonal(gains, -1.0)
        return nearest_weights(instances, rows, groups, gains, self.n_neighbors, self.n_jobs)
