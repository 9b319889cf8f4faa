r"""Scores from weighted slacks, one program for each unit: additive, range-adjusted, bounded.

.. math:: \max \sum_i \frac{w^-_i}{d^-_i} s^-_i + \sum_r \frac{w^+_r}{d^+_r} s^+_r \quad
          \text{s.t.} \quad \sum_j λ_j x_j + s^- = x_p, \quad \sum_j λ_j y_j - s^+ = y_p, \quad
          L \le \sum_j λ_j \le U, \quad λ, s \ge 0.

Models differ in the weights w and in the steps d in which slacks are measured:

- the additive model: the weighted sum of slacks. Charnes, A., Cooper, W. W., Golany, B., Seiford,
  L. and Stutz, J. (1985). Foundations of data envelopment analysis for Pareto-Koopmans efficient
  empirical production functions. Journal of Econometrics 30(1-2), 91-107.
- RAM, the range-adjusted measure: 1 minus the mean of the slacks, d the range of the column.
  Cooper, W. W., Park, K. S. and Pastor, J. T. (1999). RAM: a range adjusted measure of inefficiency
  for use with additive models, and relations to other models and measures in DEA. Journal of
  Productivity Analysis 11(1), 5-42.
- BAM, the bounded adjusted measure: 1 minus the mean of the slacks, d the distance of the unit to
  the smallest input or the largest output of the column; no slack may exceed it. Cooper, W. W.,
  Pastor, J. T., Borras, F., Aparicio, J. and Pastor, D. (2011). BAM: a bounded adjusted measure of
  efficiency for use with bounded additive models. Journal of Productivity Analysis 35(2), 85-94.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats, Table, column_sizes, read_rows, read_table
from deacs.dea.program import Program, are_unsure, prices_of
from deacs.dea.result import EFFICIENCY_TOLERANCE, ROUNDING, DEAResult, targets
from deacs.dea.slacks import (
    Peers,
    label_efficient,
    multipliers,
    own_steps,
    second_phase,
    slack_marks,
    slack_programs,
)
from deacs.dea.solver import solve_programs
from deacs.dea.technology import ReturnsToScale, Technology
from deacs.exceptions import InputError

__all__ = ["additive", "bam", "label_slacks", "ram", "slack_model"]

Weights = Literal["ones", "mip", "normalized"]

NEAR = 1e-8
"""A share of slack between the tolerance and this may be a rounding error."""

TINY = float(np.finfo(np.float64).tiny)
"""Smaller doubles are subnormal and have fewer digits."""


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
    returns_to_scale : {"vrs", "crs", "nirs", "ndrs"}
        The measure is defined for variable returns, where it lies in [0, 1]; otherwise a slack can
        exceed the range, and the score can be negative.
    inputs, outputs, names, n_jobs
        As in `additive`.

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
    returns_to_scale : {"vrs", "crs", "nirs", "ndrs"}
        Except under variable returns, targets are bounded by the smallest observed inputs and the
        largest observed outputs.
    inputs, outputs, names, n_jobs
        As in `additive`.

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
        # Under variable returns no slack can exceed it.
        bounded=returns_to_scale != "vrs",
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


def slack_model(
    model: str,
    table: Table,
    returns_to_scale: str,
    steps: Floats,
    weights: Floats,
    score: Callable[[Floats], Floats],
    *,
    best: Literal["largest", "smallest"],
    bounded: bool = False,
    n_jobs: int | None,
) -> DEAResult:
    """Score all units by their largest weighted slacks.

    `steps` and `weights` are d and w, (n_units, n_columns); slacks of weight 0 do not count.
    `score` turns the weighted sums of slacks into scores; a sum of 0 is efficient. `bounded`: no
    slack may exceed its step.
    """
    # Replacing a reference by one that dominates it may exceed the bounds of slacks.
    technology = Technology(table, returns_to_scale, strict=bounded)
    n_columns = len(technology.scale)
    with np.errstate(over="ignore"):  # scores are then "uncertain"
        scaled = steps / technology.scale
    # Costs of moderate magnitude, for weights in any units.
    largest = weights.max(axis=1)
    smallest = np.where(weights > 0, weights, np.inf).min(axis=1)
    with np.errstate(over="ignore"):
        sizes = np.where(largest > 0, np.minimum(largest, smallest / TINY), 1.0)
    ceiling = np.full(n_columns, 1.0 if bounded else np.inf)

    def build(units: NDArray[np.intp]) -> Program:
        return slack_programs(
            technology,
            units,
            technology.matrix[units, :n_columns],
            weights[units] / sizes[units, None],
            steps=scaled[units],
            ceiling=ceiling,
        )

    found = solve_programs(technology, build, np.arange(table.n_units), n_jobs)
    sums = np.array([0.0 - one.objective for one in found])
    # The error of a sum is relative to its size, or to the least weight if that is larger.
    evenness = np.where(largest > 0, np.minimum(smallest, largest) / sizes, 1.0)
    errors = np.array([one.gap for one in found]) * np.maximum(sums, 1.0)
    unsure = are_unsure(found) | (errors > EFFICIENCY_TOLERANCE * np.maximum(sums, evenness))
    efficient = sums <= EFFICIENCY_TOLERANCE
    with np.errstate(over="ignore"):
        sums = np.where(sums <= ROUNDING * evenness, 0.0, sums) * sizes
        prices = prices_of(found, technology.matrix.shape[1]) * sizes[:, None]
    peers = Peers([one.peers for one in found], [one.weights for one in found], unsure)
    free = (weights == 0) & (steps > 0)
    scores = score(sums)
    peers, status = label_slacks(technology, scores, peers, efficient, free, n_jobs)
    return DEAResult(
        model,
        scores,
        status,
        tuple(peers.units),
        tuple(peers.weights),
        table,
        table.groups,
        best=best,
        _prices=multipliers(technology, prices, gain=True),
    )


def label_slacks(
    technology: Technology,
    scores: Floats,
    found: Peers,
    efficient: NDArray[np.bool_],
    free: NDArray[np.bool_],
    n_jobs: int | None,
) -> tuple[Peers, NDArray[np.str_]]:
    """Find slacks without weight in the score (`free`), and assign a status to each score.

    The optimum may give up a large share of a small number for a small share of a larger one, and
    rounding may leave a slack where there is none. So a unit that is `efficient` by its score, but
    has small numbers or slacks, is judged by slacks relative to its own numbers.
    """
    table, n_columns = technology.table, len(technology.scale)
    found, own = Peers(list(found.units), list(found.weights), found.unsure.copy()), table.groups
    points = technology.matrix[:, :n_columns]
    steps = own_steps(points)

    def by_themselves(units: NDArray[np.intp]) -> Program:
        counted = (~free[units]).astype(np.float64)
        return slack_programs(technology, units, points[units], counted, steps=steps[units])

    efficient = efficient & ~found.unsure
    has_slack = (slack_marks(technology, own, found) & ~free).any(axis=1)
    doubtful = np.flatnonzero(efficient & (has_slack | technology.has_small))
    judged = solve_programs(technology, by_themselves, doubtful, n_jobs)
    for p, one in zip(doubtful.tolist(), judged, strict=True):
        efficient[p] = -one.objective <= EFFICIENCY_TOLERANCE
        found.unsure[p] |= not (
            one.gap <= EFFICIENCY_TOLERANCE and (efficient[p] or -one.objective > NEAR)
        )
        if efficient[p]:
            found.units[p], found.weights[p] = np.array([p]), np.ones(1)
    unsure = found.unsure
    if free.any():
        m = table.inputs.shape[1]
        inputs, outputs, _ = targets(table, found.units, found.weights)
        aims = (
            np.where(free[:, :m], table.inputs, inputs),
            np.where(free[:, m:], table.outputs, outputs),
            table.undesirable,
        )
        found = second_phase(
            technology,
            aims,
            found,
            itself=False,
            n_jobs=n_jobs,
            efficient=efficient,
            only=np.asarray(free.any(axis=1)),
        )
    status = np.where(efficient, "efficient", "inefficient").astype("<U16")
    label_efficient(status, technology, own, found)
    status[unsure | np.isnan(scores)] = "uncertain"
    return found, status
