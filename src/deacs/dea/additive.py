r"""The additive model: the sum of all input and output slacks of a unit.

.. math:: \max \sum_i w^-_i s^-_i + \sum_r w^+_r s^+_r \quad \text{s.t.} \quad
          \sum_j λ_j x_j + s^- = x_p, \quad \sum_j λ_j y_j - s^+ = y_p, \quad
          \sum_j λ_j = 1, \quad λ, s \ge 0.

Charnes, A., Cooper, W. W., Golany, B., Seiford, L. and Stutz, J. (1985). Foundations of data
envelopment analysis for Pareto-Koopmans efficient empirical production functions. Journal of
Econometrics 30(1-2), 91-107.
"""

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from deacs.dea.data import Floats, Table, column_sizes, read_rows, read_table
from deacs.dea.result import DEAResult
from deacs.dea.slack_model import slack_model
from deacs.dea.technology import ReturnsToScale
from deacs.exceptions import InputError

__all__ = ["additive"]

Weights = Literal["ones", "mip", "normalized"]


def additive(
    inputs: Any,
    outputs: Any,
    *,
    weights: Weights | tuple[Any, Any] = "ones",
    returns_to_scale: ReturnsToScale = "vrs",
    names: Sequence[Any] | None = None,
    n_jobs: int | None = None,
) -> DEAResult:
    """Score each unit by the largest weighted sum of slacks; 0 is efficient.

    Parameters
    ----------
    inputs, outputs : array-like or frame of shape (n_units, n_columns)
        Finite; negative numbers are allowed under variable returns to scale, where the model is
        translation invariant (except for "mip"). One dimension means one column, inputs=None a
        constant input of 1.
    weights : {"ones", "mip", "normalized"} or a pair of arrays
        Weights of the slacks: 1; 1/x_p and 1/y_p, the measure of inefficiency proportions; the
        reciprocal standard deviation of each column; or weights of inputs and of outputs, for
        all units (one row) or for each.
    returns_to_scale : {"vrs", "crs", "nirs", "ndrs"}
    names : sequence or None
        Names of the units.
    n_jobs : int or None
        Number of threads, as in scikit-learn; the result does not depend on it.

    Returns
    -------
    DEAResult
        Scores are sums of slacks, 0 and above: the smallest is the best.

    Notes
    -----
    With weights of 1 the score depends on the units of measurement; with "mip" and "normalized" it
    does not. A column without weight (a zero under "mip", no variation under "normalized") does
    not count; a unit that has slacks only there is "weakly efficient". A unit is efficient if none
    of its slacks exceeds 1e-9 of its own value, however little they add to the score. Units without
    outputs are allowed, and so are units without inputs if negative numbers are.

    Examples
    --------
    >>> result = additive([2, 3, 3, 4], [1, 3, 2, 3])
    >>> result.scores.round(9).tolist(), result.status.tolist()
    ([0.0, 0.0, 1.0, 1.0], ['efficient', 'efficient', 'inefficient', 'inefficient'])
    """
    signed = returns_to_scale == "vrs" and not (isinstance(weights, str) and weights == "mip")
    table = read_table(inputs, outputs, names=names, signed=signed)
    values = _weights(table, weights)
    # Slacks in units of the column maxima have weights of moderate magnitudes.
    steps = np.broadcast_to(column_sizes(np.hstack([table.inputs, table.outputs])), values.shape)
    return slack_model(
        "additive",
        table,
        returns_to_scale,
        steps,
        values * steps,
        lambda sums: sums,
        best="smallest",
        n_jobs=n_jobs,
    )


def _weights(table: Table, weights: Any) -> Floats:
    columns = np.hstack([table.inputs, table.outputs])
    if isinstance(weights, (tuple, list)) and len(weights) == 2:
        accepted = "a number for each input, and one for each output, here"
        parts = zip(weights, (table.inputs, table.outputs), strict=True)
        return np.hstack([read_rows(*part, "weights", accepted) for part in parts])
    if not isinstance(weights, str) or weights not in get_args(Weights):
        message = "weights must be 'ones', 'mip', 'normalized' or a pair of arrays"
        raise InputError(f"{message} (input weights, output weights), got {weights!r}")
    zeros = np.zeros(columns.shape)
    if weights == "mip":
        return np.divide(1.0, columns, out=zeros, where=columns > 0)
    if weights == "normalized" and len(columns) > 1:
        # Squares of scaled numbers do not overflow; scaling by powers of two is exact.
        power = -np.frexp(column_sizes(columns))[1]
        scaled = np.ldexp(columns, power)
        varies = np.ptp(scaled, axis=0) > 0
        weight = np.divide(1.0, scaled.std(axis=0, ddof=1), out=zeros, where=varies)
        return np.asarray(np.ldexp(weight, power))
    return zeros + float(weights == "ones")
