r"""An upper bound on a p-value over many small tables, valid for any counts.

Rows are split in two by the feature, and in two by one label. In group g the split has :math:`a_g`
of :math:`n_g` rows, and the label :math:`b_g`. If labels are exchangeable within groups, the number
:math:`x_g` of rows with both is hypergeometric, and

.. math:: P\Big(\sum_g x_g \ge x\Big) \le e^{-\lambda x} \prod_g E\, e^{\lambda x_g}, \qquad
    E\, e^{\lambda x_g} \le (1 - p + p e^\lambda)^{a_g}, \quad p = b_g / n_g,

since a draw without replacement is less dispersed than one with replacement (W. Hoeffding, Journal
of the American Statistical Association 58 (1963) 13-30). The same holds with a and b exchanged, and
for the rows outside of the split; the least of the four is taken in each group. Evidence adds up
over groups, as in the test of Cochran, Mantel and Haenszel, so groups may have few rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["log_stratified_bound"]

Floats = NDArray[np.float64]

STEEPNESS = (0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0, 3.0)
"""Values of lambda to try, relative to the best one for a normal sum."""
STEEPEST = 20.0
"""The largest lambda: beyond it, 1 + (exp(-lambda) - 1) is too close to 0 for a logarithm."""
MAX_CELLS = 1 << 23
"""The most cells to count; larger tables get no bound (a p-value of 1)."""


def log_stratified_bound(
    values: NDArray[np.integer[Any]],
    labels: NDArray[np.integer[Any]],
    groups: NDArray[np.integer[Any]],
    *,
    ordered: bool,
) -> float:
    """Bound the probability that some split of the values goes with a label as much as observed.

    Parameters
    ----------
    values, labels, groups : ndarray of int of shape (n,)
        Codes from 0 of each row.
    ordered : bool
        Whether splits part low values from high ones, or each value from the others.

    Returns
    -------
    float
        The natural logarithm of a p-value for "values and labels are independent in all groups".
    """
    shape = tuple(int(codes.max(initial=0)) + 1 for codes in (groups, values, labels))
    if math.prod(shape) > MAX_CELLS:
        return 0.0
    cells = np.bincount(
        (groups.astype(np.int64) * shape[1] + values) * shape[2] + labels,
        minlength=math.prod(shape),
    ).reshape(shape)
    both = (cells.cumsum(axis=1)[:, :-1] if ordered else cells).astype(np.float64)
    split, label = both.sum(axis=2), cells.sum(axis=1).astype(np.float64)
    n = np.maximum(label.sum(axis=1), 1.0)[:, np.newaxis]
    excess = both.sum(axis=0) - (split / n).T @ label
    spread = (split * (n - split) / (n**2 * np.maximum(n - 1, 1))).T @ (label * (n - label))
    score = np.abs(excess) / np.sqrt(np.where(spread > 0, spread, np.inf))
    if not score.any():  # as many as expected everywhere
        return 0.0
    t, i = np.unravel_index(score.argmax(), score.shape)
    natural = np.multiply(STEEPNESS, excess[t, i] / spread[t, i])
    steepness = np.clip(natural, -STEEPEST, STEEPEST)
    moments = _log_moments(split[:, t], label[:, i], n[:, 0], steepness)
    log_p = (moments - steepness * both[:, t, i].sum()).min()
    # For every split and label, and for too few as for too many.
    return min(float(log_p) + math.log(2 * score.size), 0.0)


def _log_moments(a: Floats, b: Floats, n: Floats, steepness: Floats) -> Floats:
    """Return, for each steepness, the sum over groups of a bound on ln E exp(steepness x)."""
    lines = steepness[:, np.newaxis]
    ascent, descent = ([[math.expm1(s)] for s in (t * steepness).tolist()] for t in (1, -1))
    by_a, by_b = a / n, b / n
    bounds = a * np.log1p(by_b * ascent)
    for bound in (
        b * np.log1p(by_a * ascent),
        lines * b + (n - a) * np.log1p(by_b * descent),
        lines * a + (n - b) * np.log1p(by_a * descent),
    ):
        np.minimum(bounds, bound, out=bounds)
    return np.asarray(bounds.sum(axis=1))
