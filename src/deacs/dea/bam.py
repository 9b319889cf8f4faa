r"""The bounded adjusted measure: slacks as shares of the distance to the best value of a column.

.. math:: Γ_p = 1 - \max \frac{1}{m + s} \Bigl( \sum_i \frac{s^-_i}{x_{pi} - \min_j x_{ji}} +
          \sum_r \frac{s^+_r}{\max_j y_{jr} - y_{pr}} \Bigr),

over :math:`\sum_j λ_j x_j + s^- = x_p, \sum_j λ_j y_j - s^+ = y_p, \sum_j λ_j = 1, λ, s \ge 0`;
under other returns to scale no slack may exceed its denominator.

Cooper, W. W., Pastor, J. T., Borras, F., Aparicio, J. and Pastor, D. (2011). BAM: a bounded
adjusted measure of efficiency for use with bounded additive models. Journal of Productivity
Analysis 35(2), 85-94.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from deacs.dea.data import read_table
from deacs.dea.result import DEAResult
from deacs.dea.slack_model import slack_model
from deacs.dea.technology import ReturnsToScale

__all__ = ["bam"]


def bam(
    inputs: Any,
    outputs: Any,
    *,
    returns_to_scale: ReturnsToScale = "vrs",
    names: Sequence[Any] | None = None,
    n_jobs: int | None = None,
) -> DEAResult:
    """Score each unit by 1 minus the mean of its slacks as shares of the largest possible ones.

    Parameters
    ----------
    inputs, outputs : array-like or frame of shape (n_units, n_columns)
        Finite; negative numbers are allowed under variable returns to scale. One dimension means
        one column, inputs=None a constant input of 1.
    returns_to_scale : {"vrs", "crs", "nirs", "ndrs"}
        Except under variable returns, targets are bounded by the smallest observed inputs and the
        largest observed outputs.
    names : sequence or None
        Names of the units.
    n_jobs : int or None
        Number of threads, as in scikit-learn; the result does not depend on it.

    Returns
    -------
    DEAResult
        Scores in [0, 1]; 1 is efficient. Under variable returns, never above `ram`, since a
        unit's distance to the best value is at most the range.

    Notes
    -----
    If a unit has the smallest input or the largest output of a column, that term is 0, but still
    counts in m + s. Units without inputs or outputs are allowed under
    variable returns; otherwise each unit needs a positive input.

    Examples
    --------
    >>> bam([2, 3, 3, 4], [1, 3, 2, 3]).scores.round(4).tolist()
    [1.0, 1.0, 0.5, 0.75]
    """
    table = read_table(inputs, outputs, names=names, signed=returns_to_scale == "vrs")
    with np.errstate(over="ignore"):  # scores are then "uncertain"
        room = np.hstack(
            [table.inputs - table.inputs.min(axis=0), table.outputs.max(axis=0) - table.outputs]
        )
    return slack_model(
        "BAM",
        table,
        returns_to_scale,
        room,
        (room > 0) / room.shape[1],
        lambda sums: 1.0 - sums,
        best="largest",
        bounded=True,
        n_jobs=n_jobs,
    )
