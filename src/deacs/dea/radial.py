r"""Radial scores under any returns to scale: how far a unit is from the frontier along a ray.

Input-oriented, with L ≤ Σ λ ≤ U by returns to scale:

.. math:: θ_p = \min θ \quad \text{s.t.} \quad \sum_j λ_j x_j \le θ x_p, \quad
          \sum_j λ_j y_j \ge y_p, \quad L \le \sum_j λ_j \le U, \quad λ \ge 0.

Output-oriented, φ ≥ 1 is the largest for which the unit's inputs allow φ y_p; its score is 1/φ:

.. math:: φ_p = \max φ \quad \text{s.t.} \quad \sum_j λ_j x_j \le x_p, \quad
          \sum_j λ_j y_j \ge φ y_p, \quad L \le \sum_j λ_j \le U, \quad λ \ge 0.

For a super-efficiency, j ≠ p. A second phase keeps the score and takes, among all peers that attain
it, those with the largest slacks, each divided by the maximum of its column.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats, Table
from deacs.dea.programs import Program, Solution, solve_programs
from deacs.dea.rays import Rays, solve_rays
from deacs.dea.result import EFFICIENCY_TOLERANCE, ROUNDING, DEAResult, Multipliers
from deacs.dea.slack_programs import slack_program
from deacs.dea.technology import Technology

__all__ = [
    "Orientation",
    "has_slack",
    "multipliers",
    "radial",
    "radial_result",
    "second_phase",
    "solve_radial",
]

Orientation = Literal["input", "output"]

PRICELESS = 1e-9
"""A price below this share of what the unit is worth may leave a slack."""


def radial(
    model: str,
    table: Table,
    returns_to_scale: str,
    orientation: str,
    *,
    itself: bool,
    slacks: bool,
    n_jobs: int | None,
) -> DEAResult:
    """Score all units, by one program each.

    Parameters
    ----------
    model : str
        Name of the model.
    table : Table
    returns_to_scale : {"crs", "vrs", "nirs", "ndrs"}
    orientation : {"input", "output"}
    itself : bool
        Whether a unit is barred from its own references.
    slacks : bool
        Whether to run the second phase.
    n_jobs : int or None
        Threads.

    Returns
    -------
    DEAResult
    """
    technology = Technology(table, returns_to_scale)
    toward_inputs = orientation == "input"
    idle = _idle(table, toward_inputs)
    found = solve_radial(
        technology, np.arange(table.n_units), orientation, itself=itself, n_jobs=n_jobs
    )
    scores = np.array([_score(solution, toward_inputs) for solution in found])
    scores[idle] = 0.0  # any φ will do
    if not itself:
        scores = np.where(scores >= 1 - ROUNDING, 1.0, scores)
    prices = np.array([_row(solution.prices, technology.matrix.shape[1]) for solution in found])
    unsure = np.array([not solution.gap <= EFFICIENCY_TOLERANCE for solution in found]) & ~idle
    peers = [solution.peers for solution in found]
    weights = [solution.weights for solution in found]
    for p in np.flatnonzero(idle):
        peers[p], weights[p] = np.empty(0, dtype=np.intp), np.empty(0)
    return radial_result(
        model,
        technology,
        scores,
        unsure,
        peers,
        weights,
        orientation=orientation,
        itself=itself,
        slacks=slacks,
        n_jobs=n_jobs,
        prices=multipliers(technology, prices, gain=toward_inputs),
        priced=np.abs(prices) * np.abs(technology.matrix),
    )


def solve_radial(
    technology: Technology,
    units: NDArray[np.intp],
    orientation: str,
    *,
    itself: bool,
    n_jobs: int | None,
) -> list[Solution]:
    """Solve the radial programs of some units."""
    toward_inputs = orientation == "input"
    idle = _idle(technology.table, toward_inputs)
    rays = _rays(technology, toward_inputs=toward_inputs, idle=idle)
    found = solve_rays(rays, units, n_jobs)
    if not itself:
        return found
    # Whoever scores below 1 is no peer of its own.
    scores = np.array([_score(solution, toward_inputs) for solution in found])
    beyond = np.flatnonzero(~(scores < 1 - EFFICIENCY_TOLERANCE))
    alone = solve_programs(
        technology.references, lambda p: rays.program(p, itself=True), units[beyond], n_jobs
    )
    for k, solution in zip(beyond.tolist(), alone, strict=True):
        found[k] = solution
    return found


def radial_result(
    model: str,
    technology: Technology,
    scores: Floats,
    unsure: NDArray[np.bool_],
    peers: Sequence[NDArray[np.intp]],
    weights: Sequence[Floats],
    *,
    orientation: str,
    itself: bool,
    slacks: bool,
    n_jobs: int | None,
    prices: Any,
    priced: Floats | None = None,
) -> DEAResult:
    """Run the second phase where asked, and say what each score means."""
    table = technology.table
    aims = radial_aims(table, scores, orientation)
    if slacks:
        peers, weights = second_phase(
            technology, aims, peers, weights, itself=itself, n_jobs=n_jobs, priced=priced
        )
    status = np.where(scores >= 1 - EFFICIENCY_TOLERANCE, "efficient", "inefficient")
    status = status.astype("<U16")
    status[np.isinf(scores)] = "infeasible"
    status[unsure] = "uncertain"
    result = DEAResult(
        model, scores, status, tuple(peers), tuple(weights), table, aims, _prices=prices
    )
    if slacks and not itself:
        left = has_slack(result)
        status[left & (status == "efficient")] = "weakly efficient"
    return result


def radial_aims(table: Table, scores: Floats, orientation: str) -> tuple[Floats, Floats, Floats]:
    """Return where the scores put the units: θ x_p and y_p, or x_p and y_p / θ."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if orientation == "input":
            return table.inputs * scores[:, None], table.outputs, table.undesirable
        aims = table.outputs / scores[:, None]
    return table.inputs, np.where(table.outputs == 0, 0.0, aims), table.undesirable


def second_phase(
    technology: Technology,
    aims: tuple[Floats, Floats, Floats],
    peers: Sequence[NDArray[np.intp]],
    weights: Sequence[Floats],
    *,
    itself: bool,
    n_jobs: int | None,
    priced: Floats | None = None,
    only: NDArray[np.bool_] | None = None,
    fixed: NDArray[np.bool_] | None = None,
) -> tuple[list[NDArray[np.intp]], list[Floats]]:
    """Among the peers that attain the aims, find those with the largest slacks.

    `priced` is what each row is worth to the unit; where all rows have a price, no peers that
    attain the score leave a slack, and the first phase stands. `only` marks the units to look at,
    `fixed` the columns that must have no slack.
    """
    scale = np.r_[technology.input_scale, technology.output_scale, technology.undesirable_scale]
    n_columns = len(scale)
    points, aim = technology.matrix[:, :n_columns], np.hstack(aims) / scale
    highest = points.max(axis=0)
    ones = np.divide(1.0, highest, out=np.zeros(n_columns), where=highest > 0)
    m, s = technology.inputs.shape[1], technology.outputs.shape[1]
    makes = np.zeros(n_columns, dtype=np.bool_)
    makes[m : m + s] = True
    ceiling = np.full(n_columns, np.inf)
    if fixed is not None:
        ceiling[fixed] = 0.0

    def build(p: int) -> Program:
        reached = weights[p] @ points[peers[p]]
        # A rounding error must not make the goal unattainable for the peers that are known.
        goal = np.where(makes, np.minimum(aim[p], reached), np.maximum(aim[p], reached))
        return slack_program(
            technology, p, goal, ones, ceiling=ceiling, start=peers[p], itself=itself
        )

    open_ = np.array([len(one) > 0 for one in peers])
    if only is not None:
        open_ &= only
    if priced is not None:
        worth = priced[:, :n_columns]
        open_ &= (worth <= PRICELESS * worth.max(axis=1, keepdims=True)).any(axis=1)
    units = np.flatnonzero(open_)
    peers, weights = list(peers), list(weights)
    for p, solution in zip(
        units.tolist(), solve_programs(technology.references, build, units, n_jobs), strict=True
    ):
        if solution.status == "optimal" and solution.gap <= EFFICIENCY_TOLERANCE:
            peers[p], weights[p] = solution.peers, solution.weights
    return peers, weights


def has_slack(result: DEAResult) -> NDArray[np.bool_]:
    """Mark units that have a slack, relative to the maximum of its column."""
    table = result.table
    found = np.zeros(result.n_units, dtype=np.bool_)
    for slacks, columns in (
        (result.input_slacks, table.inputs),
        (result.output_slacks, table.outputs),
        (result.undesirable_slacks, table.undesirable),
    ):
        highest = np.abs(columns).max(axis=0, initial=0.0)
        found |= (slacks > EFFICIENCY_TOLERANCE * highest).any(axis=1)
    return found


def _rays(technology: Technology, *, toward_inputs: bool, idle: NDArray[np.bool_]) -> Rays:
    x, y = technology.inputs, technology.outputs
    n, total = len(x), len(technology.least)
    none_x, none_y, none = np.zeros(x.shape), np.zeros(y.shape), np.zeros((n, total))
    above_x, below_y = np.full(x.shape, -np.inf), np.full(y.shape, np.inf)
    least, most = none + technology.least, none + technology.most
    if toward_inputs:
        directions = np.hstack([-x, none_y, none])
        lower, upper = np.hstack([above_x, y, least]), np.hstack([none_x, below_y, most])
    else:
        directions = np.hstack([none_x, -y, none])
        lower, upper = np.hstack([above_x, none_y, least]), np.hstack([x, below_y, most])
    cost = 1.0 if toward_inputs else -1.0
    # φ can be zero: its error is absolute below this.
    unit = 0.0 if toward_inputs else 0.01
    return Rays(technology, cost, directions, lower, upper, np.where(idle, 1.0, np.inf), unit)


def _idle(table: Table, toward_inputs: bool) -> NDArray[np.bool_]:
    """Mark units without outputs, if outputs are asked for."""
    if toward_inputs:
        return np.zeros(table.n_units, dtype=np.bool_)
    return np.asarray(~table.outputs.any(axis=1))


def _score(solution: Solution, toward_inputs: bool) -> float:
    if solution.status == "infeasible":
        return np.inf
    if solution.status == "failed":
        return np.nan
    if toward_inputs:
        return solution.objective
    return 1.0 / -solution.objective if solution.objective < -ROUNDING else np.inf


def _row(prices: Floats, n_rows: int) -> Floats:
    return prices if len(prices) else np.full(n_rows, np.nan)


def multipliers(technology: Technology, prices: Floats, *, gain: bool) -> Any:
    """Turn prices of rows into prices of inputs (costs) and outputs, as those were measured.

    The price of Σ λ is what it adds to the worth of the outputs (`gain`), or to the costs.
    """
    m, s = technology.inputs.shape[1], technology.outputs.shape[1]
    b, total = technology.undesirable.shape[1], len(technology.least)
    of_total = prices[:, m + s + b : m + s + b + total].sum(axis=1)
    found = Multipliers(
        -prices[:, :m] / technology.input_scale,
        prices[:, m : m + s] / technology.output_scale,
        -prices[:, m + s : m + s + b] / technology.undesirable_scale,
        of_total if gain else -of_total,
    )
    return lambda: found
