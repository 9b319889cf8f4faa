r"""MultiSURF: Relief whose neighbours are all rows within a distance specific to each row.

A row is near :math:`R` if its distance is below :math:`\mu_R - \sigma_R / 2`, the mean and the
standard deviation of the distances of :math:`R` from all other rows. With :math:`H` the near rows
of R's class and :math:`M(c)` those of another class :math:`c`, of :math:`K` classes,

.. math::

    W(F) = \frac{1}{n} \sum_R \Bigl[ -\frac{1}{|H|} \sum_{H} \mathrm{diff}_F(R, H)
    + \sum_{c} (K - 1) \frac{|M(c)|}{|M|^2} \sum_{M(c)} \mathrm{diff}_F(R, M) \Bigr].

R. J. Urbanowicz, R. S. Olson, P. Schmitt, M. Meeker, J. H. Moore, "Benchmarking relief-based
feature selection methods for bioinformatics data mining", Journal of Biomedical Informatics 85
(2018) 168-188.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import neighbours
from deacs.kernels.threads import map_blocks
from deacs.selection._instances import Instances, InstanceSelector

__all__ = ["MultiSURF"]

BLOCK = neighbours.NEAR_ROWS
NS_A_DIFFERENCE = 0.3
"""Approximate cost per row, feature and neighbour, for dividing work among threads."""


class MultiSURF(InstanceSelector):
    """Rank features by differences from all rows closer than average; nothing to tune.

    Parameters and attributes of the whole family: see `deacs.selection.InstanceSelector`.

    Notes
    -----
    Equals skrebate's `MultiSURF` on tables without missing values, given the same kinds of
    columns. As there, a table with both kinds of columns has two rules of its own: in a distance
    the share of unequal discrete features counts as much as all features together, and in a weight
    a difference of numbers above the column's standard deviation counts as 1. Missing values count
    as in `ReliefF`. A distance within 1e-12 of the threshold is not near.

    Time grows with n_rows**2 * n_features, memory with n_rows * n_features. See
    docs/papers/relief.md.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import MultiSURF
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> MultiSURF(n_features_to_select=3).fit(X, y).selected_names_
    ['proline', 'alcohol', 'color_intensity']
    """

    def _weigh(self, instances: Instances) -> NDArray[np.float64]:
        return _weights(instances, self.n_jobs)


def _weights(instances: Instances, n_jobs: int | None) -> NDArray[np.float64]:
    n_features, n_rows = instances.columns.shape
    scales, ramps = _rules_of_mixed_tables(instances)
    points = instances.points(ramps)
    weights = np.zeros((-(-n_rows // BLOCK), n_features))

    def work(part: slice) -> None:
        how = instances.labels, instances.n_classes, instances.columns, scales, points
        neighbours.add_near(part.start, part.stop, *how, weights)

    map_blocks(work, len(weights), n_jobs, NS_A_DIFFERENCE * BLOCK * n_rows * n_features)
    return np.asarray(weights.sum(axis=0) / n_rows)


def _rules_of_mixed_tables(
    instances: Instances,
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return what a difference counts in a distance, and above what it counts as 1 in a weight."""
    numeric = instances.numeric
    if numeric.all() or not numeric.any():
        return np.ones(len(numeric)), None
    scales = np.where(numeric, 1.0, len(numeric) / (~numeric).sum())
    ramps = np.full(len(numeric), np.inf)
    for j in np.flatnonzero(numeric):
        known = instances.columns[j][~np.isnan(instances.columns[j])]
        ramps[j] = known.std() if len(known) else np.inf
    return scales, ramps
