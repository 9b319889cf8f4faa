r"""The range-adjusted measure: slacks as shares of the ranges of their columns.

.. math:: Γ_p = 1 - \max \frac{1}{m + s} \Bigl( \sum_i \frac{s^-_i}{R^-_i} +
          \sum_r \frac{s^+_r}{R^+_r} \Bigr), \qquad R^-_i = \max_j x_{ji} - \min_j x_{ji},
          \quad R^+_r = \max_j y_{jr} - \min_j y_{jr},

over :math:`\sum_j λ_j x_j + s^- = x_p, \sum_j λ_j y_j - s^+ = y_p, \sum_j λ_j = 1, λ, s \ge 0`.

Cooper, W. W., Park, K. S. and Pastor, J. T. (1999). RAM: a range adjusted measure of inefficiency
for use with additive models, and relations to other models and measures in DEA. Journal of
Productivity Analysis 11(1), 5-42.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from deacs.dea.data import column_sizes, read_table
from deacs.dea.result import DEAResult
from deacs.dea.slack_model import slack_model
from deacs.dea.technology import ReturnsToScale

__all__ = ["ram"]


def ram(
    inputs: Any,
    outputs: Any,
    *,
    returns_to_scale: ReturnsToScale = "vrs",
    names: Sequence[Any] | None = None,
    n_jobs: int | None = None,
) -> DEAResult:
    """Score each unit by 1 minus the mean of its slacks as shares of the column ranges.

    Parameters
    ----------
    inputs, outputs : array-like or frame of shape (n_units, n_columns)
        Finite; negative numbers are allowed under variable returns to scale. One dimension means
        one column, inputs=None a constant input of 1.
    returns_to_scale : {"vrs", "crs", "nirs", "ndrs"}
        The measure is defined for variable returns, where it lies in [0, 1]; otherwise a slack can
        exceed the range, and the score can be negative.
    names : sequence or None
        Names of the units.
    n_jobs : int or None
        Number of threads, as in scikit-learn; the result does not depend on it.

    Returns
    -------
    DEAResult
        Scores of at most 1; 1 is efficient in the sense of Pareto and Koopmans.

    Notes
    -----
    A constant column adds 0 to the sum, but still counts in m + s. (Under variable returns its
    slack is always zero; otherwise a unit that has slacks only there is "weakly efficient".) Under
    variable returns the measure is invariant to units of measurement and translation, so units
    without inputs or outputs are allowed. A unit is efficient if none of its slacks exceeds 1e-9
    of its own value, however little they reduce the score.

    Examples
    --------
    >>> ram([2, 3, 3, 4], [1, 3, 2, 3]).scores.round(4).tolist()
    [1.0, 1.0, 0.75, 0.75]
    """
    table = read_table(inputs, outputs, names=names, signed=returns_to_scale == "vrs")
    columns = np.hstack([table.inputs, table.outputs])
    with np.errstate(over="ignore"):  # scores are then "uncertain"
        ranges = np.ptp(columns, axis=0)
    varies = ranges > 0
    steps = np.broadcast_to(np.where(varies, ranges, column_sizes(columns)), columns.shape)
    weights = np.broadcast_to(varies / columns.shape[1], columns.shape)
    return slack_model(
        "RAM",
        table,
        returns_to_scale,
        steps,
        weights,
        lambda sums: 1.0 - sums,
        best="largest",
        n_jobs=n_jobs,
    )
