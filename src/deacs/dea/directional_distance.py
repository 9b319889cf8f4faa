r"""The directional distance of a unit from the frontier.

.. math:: β_p = \max β \quad \text{s.t.} \quad \sum_j λ_j x_j \le x_p - β g^x, \quad
          \sum_j λ_j y_j \ge y_p + β g^y, \quad \sum_j λ_j b_j = b_p - β g^b, \quad
          L \le \sum_j λ_j \le U, \quad λ \ge 0.

The undesirable outputs b are weakly disposable: they can be reduced only together with other
outputs (an equation). If they are strongly disposable, they are treated as inputs (≤).

Chambers, R. G., Chung, Y. and Färe, R. (1996). Benefit and distance functions. Journal of Economic
Theory 70(2), 407-419. Chung, Y. H., Färe, R. and Grosskopf, S. (1997). Productivity and undesirable
outputs: a directional distance function approach. Journal of Environmental Management 51(3),
229-240.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Columns, Floats, read_rows, read_table
from deacs.dea.program import NOBODY, NOTHING, Program
from deacs.dea.result import EFFICIENCY_TOLERANCE, ROUNDING, DEAResult
from deacs.dea.slacks import Peers, label_efficient, multipliers, second_phase
from deacs.dea.solver import ray_programs, solve_programs
from deacs.dea.technology import ReturnsToScale, Technology, one_of
from deacs.exceptions import InputError, Parameter

__all__ = ["directional_distance"]

Disposability = Literal["weak", "strong"]
Direction = Literal["observed", "ones", "mean", "zeros"]


def directional_distance(
    inputs: Any,
    outputs: Any,
    *,
    undesirable: Any = None,
    input_direction: Direction | Any = None,
    output_direction: Direction | Any = "observed",
    undesirable_direction: Direction | Any = "observed",
    disposability: Disposability = "weak",
    returns_to_scale: ReturnsToScale = "crs",
    slacks: bool = True,
    names: Sequence[Any] | None = None,
    n_jobs: int | None = None,
) -> DEAResult:
    """Measure how far each unit can move in its direction; 0 is efficient.

    Parameters
    ----------
    undesirable : array-like or frame of shape (n_units, n_columns), or None
        Outputs to reduce, such as emissions.
    input_direction, output_direction, undesirable_direction : str or array-like
        g: "observed" (the unit's own numbers, so that β is a share), "ones", "mean" (of the
        column), "zeros", or non-negative numbers for all units (one row) or each. Inputs default to
        "observed", and to "zeros" if there are undesirable outputs.
    disposability : {"weak", "strong"}
        Of the undesirable outputs. Weak disposability is available for constant and non-increasing
        returns to scale; otherwise the model is not a linear program with one scale.
    returns_to_scale : {"crs", "vrs", "nirs", "ndrs"}
    slacks : bool
        Whether to run the second phase, which finds the slacks at the frontier point.
    inputs, outputs, names, n_jobs
        As in `ccr`.

    Returns
    -------
    DEAResult
        Scores β of 0 and above: the smallest is the best. +inf with status "unbounded" if the
        direction is zero, such as the outputs of a unit that has none.

    Notes
    -----
    A unit is efficient if no step changes one of its numbers by more than a relative 1e-9. A unit
    without outputs is scored along the inputs in its direction.

    Examples
    --------
    >>> directional_distance([2, 3, 3, 4], [1, 3, 2, 3]).scores.round(4).tolist()
    [0.3333, 0.0, 0.2, 0.1429]
    """
    one_of(disposability, Disposability, "disposability")
    table = read_table(inputs, outputs, undesirable=undesirable, names=names)
    has_bads = undesirable is not None
    weak = has_bads and disposability == "weak"
    if weak and returns_to_scale not in ("crs", "nirs"):
        raise InputError(
            Parameter("returns_to_scale"),
            " must be 'crs' or 'nirs' with weakly disposable undesirable outputs, got "
            f"{returns_to_scale!r}; choose disposability='strong' for others",
        )
    if input_direction is None:
        input_direction = "zeros" if has_bads else "observed"
    directions = (
        _direction(input_direction, table.inputs, "input_direction"),
        _direction(output_direction, table.outputs, "output_direction"),
        _direction(undesirable_direction, table.undesirable, "undesirable_direction"),
    )
    technology = Technology(table, returns_to_scale, strict=weak)
    return _measured(technology, directions, weak=weak, slacks=slacks, n_jobs=n_jobs)


def _measured(
    technology: Technology, directions: Columns, *, weak: bool, slacks: bool, n_jobs: int | None
) -> DEAResult:
    """Solve the programs along the directions, and assign a status to each distance."""
    table = technology.table
    steps = np.hstack(directions) / technology.scale
    longest = _longest(steps, technology.matrix[:, : steps.shape[1]])
    moving = np.flatnonzero(longest > 0)
    build = _programs(technology, steps / np.where(longest > 0, longest, 1.0)[:, None], weak=weak)
    found = solve_programs(technology, build, moving, n_jobs)
    n = table.n_units
    lengths = np.full(n, np.inf)
    lengths[moving] = [0.0 - one.objective for one in found]
    lengths[lengths <= ROUNDING] = 0.0
    scores = np.full(n, np.inf)
    scores[moving] = lengths[moving] / longest[moving]
    peers = Peers.of([NOBODY] * n, [NOTHING] * n)
    prices = np.full((n, technology.matrix.shape[1]), np.nan)
    status = np.where(lengths <= EFFICIENCY_TOLERANCE, "efficient", "inefficient").astype("<U16")
    status[longest == 0] = "unbounded"
    for p, one in zip(moving.tolist(), found, strict=True):
        peers.units[p], peers.weights[p] = one.peers, one.weights
        if len(one.prices):
            prices[p] = one.prices / longest[p]
        if not one.gap <= EFFICIENCY_TOLERANCE:
            status[p] = "uncertain"
    walked = np.where(np.isfinite(scores), scores, 0.0)[:, None]
    with np.errstate(over="ignore"):  # a double cannot hold some aims
        aims = (
            table.inputs - walked * directions[0],
            table.outputs + walked * directions[1],
            table.undesirable - walked * directions[2],
        )
    if slacks:
        fixed = np.zeros(steps.shape[1], dtype=np.bool_)
        fixed[len(fixed) - table.undesirable.shape[1] :] = weak
        peers = second_phase(
            technology,
            aims,
            peers,
            itself=False,
            n_jobs=n_jobs,
            efficient=status == "efficient",
            fixed=fixed,
        )
        label_efficient(status, technology, aims, peers)
    return DEAResult(
        "directional distance",
        scores,
        status,
        tuple(peers.units),
        tuple(peers.weights),
        table,
        aims,
        best="smallest",
        _prices=multipliers(technology, prices, gain=True),
    )


def _longest(steps: Floats, own: Floats) -> Floats:
    """Return the largest relative change of a unit's numbers along its step."""
    shares = np.divide(steps, own, out=np.zeros(steps.shape), where=own > 0)
    relative: Floats = shares.max(axis=1)
    return np.asarray(np.where(relative > 0, relative, steps.max(axis=1)))


def _programs(
    technology: Technology, steps: Floats, *, weak: bool
) -> Callable[[NDArray[np.intp]], Program]:
    x, y, bads = technology.inputs, technology.outputs, technology.undesirable
    directions = np.zeros(technology.matrix.shape)
    directions[:, : steps.shape[1]] = steps
    directions[:, x.shape[1] : x.shape[1] + y.shape[1]] *= -1.0
    sides = technology.bounds(x, y, bads, equal=weak)
    ceiling = np.full(len(x), np.inf)
    return ray_programs(technology, -1.0, directions, sides, ceiling, itself=False, unit=1.0)


def _direction(value: Any, columns: Floats, parameter: str) -> Floats:
    if not isinstance(value, str):
        accepted = "'observed', 'ones', 'mean', 'zeros' or numbers"
        return read_rows(value, columns, parameter, accepted)
    one_of(value, Direction, parameter)
    if value == "observed":
        return columns
    row = columns.mean(axis=0) if value == "mean" else float(value == "ones")
    return np.broadcast_to(row, columns.shape)
