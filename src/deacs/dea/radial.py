r"""Radial scores under any returns to scale: the distance from the frontier along a ray.

Input-oriented, with L ≤ Σ λ ≤ U by returns to scale:

.. math:: θ_p = \min θ \quad \text{s.t.} \quad \sum_j λ_j x_j \le θ x_p, \quad
          \sum_j λ_j y_j \ge y_p, \quad L \le \sum_j λ_j \le U, \quad λ \ge 0.

Output-oriented, φ ≥ 1 is the largest for which the unit's inputs allow φ y_p; its score is 1/φ:

.. math:: φ_p = \max φ \quad \text{s.t.} \quad \sum_j λ_j x_j \le x_p, \quad
          \sum_j λ_j y_j \ge φ y_p, \quad L \le \sum_j λ_j \le U, \quad λ \ge 0.

For a super-efficiency, j ≠ p. A second phase keeps the score and takes, among all peers that attain
it, those with the largest slacks, each divided by the maximum of its column.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Columns, Floats, Table
from deacs.dea.program import NOBODY, NOTHING, Solution, are_unsure, prices_of
from deacs.dea.programs import solve_programs
from deacs.dea.rays import Rays
from deacs.dea.result import EFFICIENCY_TOLERANCE, ROUNDING, DEAResult, Multipliers
from deacs.dea.slacks import Peers, second_phase, slack_marks
from deacs.dea.technology import Technology

__all__ = [
    "BEYOND",
    "Orientation",
    "label_efficient",
    "multipliers",
    "radial",
    "radial_prices",
    "radial_rays",
    "radial_result",
    "solve_radial",
]

Orientation = Literal["input", "output"]

CLOSE = 1e-10
"""The largest gap at which an answer without the unit is accepted for the unit."""

BEYOND = 1e-6
"""A unit whose score without itself exceeds 1 by this has no slack, in spite of rounding."""


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
    """Score all units, by one program each; `itself` excludes a unit from its own references."""
    technology = Technology(table, returns_to_scale)
    toward_inputs = orientation == "input"
    idle = _idle(table, toward_inputs)
    found = solve_radial(
        technology, np.arange(table.n_units), orientation, itself=itself, n_jobs=n_jobs
    )
    scores = np.array([_score(solution, toward_inputs) for solution in found])
    scores[idle] = 0.0  # φ is unbounded, or makes something of nothing
    if not itself:
        scores = np.where(scores >= 1 - ROUNDING, 1.0, scores)
    for p in np.flatnonzero(idle):
        found[p] = found[p]._replace(peers=NOBODY, weights=NOTHING, gap=0.0)
    prices = prices_of(found, technology.matrix.shape[1])
    peers = Peers([one.peers for one in found], [one.weights for one in found], are_unsure(found))
    # With φ = 0 the others produce nothing of some output of the unit.
    without = [one.status == "infeasible" or one.objective == 0 for one in found]
    return radial_result(
        model,
        technology,
        scores,
        peers,
        np.isinf(scores) & without & ~peers.unsure,
        orientation=orientation,
        itself=itself,
        slacks=slacks,
        n_jobs=n_jobs,
        prices=multipliers(technology, prices, gain=toward_inputs),
        beyond=np.array([one.status == "bounded" for one in found]),
        priced=prices,
    )


def solve_radial(
    technology: Technology,
    units: NDArray[np.intp],
    orientation: str,
    *,
    itself: bool,
    n_jobs: int | None,
) -> list[Solution]:
    """Solve the radial programs of some units.

    A unit that may be its own peer attains 1, and is not needed if others attain less: if an
    optimum has θ < 1 and λ_p = a, then a < 1 (inputs: a x_p ≤ θ x_p), and the other λ over 1 - a
    attain (θ - a) / (1 - a) ≤ θ without p. So all programs are solved without p; unless `itself` is
    set, they end once a bound shows that the score exceeds 1.
    """
    rays = radial_rays(technology, orientation)
    references = technology.references
    beyond = np.inf if itself else rays.cost * (1.0 + rays.cost * BEYOND)
    found = solve_programs(
        references,
        lambda some: rays.programs(some, itself=True),
        units,
        n_jobs,
        at_any_price=itself,
        enough=beyond,
    )
    if not itself:
        again = []
        for k, (p, one) in enumerate(zip(units.tolist(), found, strict=True)):
            # Far beyond 1, prices can overflow.
            if np.isfinite(one.prices).all() and rays.cost * one.objective > 0 and one.gap <= CLOSE:
                found[k] = _with_itself(rays, p, one)
            else:
                again.append(k)
        alone = solve_programs(
            references, lambda some: rays.programs(some, itself=False), units[again], n_jobs
        )
        for k, solution in zip(again, alone, strict=True):
            found[k] = solution
    for k, (p, one) in enumerate(zip(units.tolist(), found, strict=True)):
        if one.objective == 0 and orientation == "input":  # an optimum without prices
            found[k] = one._replace(prices=rays.normalised(p, one.prices))
    return found


def _with_itself(rays: Rays, p: int, one: Solution) -> Solution:
    """Turn the answer without the unit into that with it, "bounded" if far beyond 1."""
    factor = rays.cost * one.objective  # θ, or φ, which is smaller for better units
    if (factor < 1) == (rays.cost > 0):
        return one
    # Prices over θ: p is then worth 1, and no other unit is worth more.
    prices = rays.normalised(p, one.prices) if one.status == "bounded" else one.prices
    priced = np.where(rays.directions[p] != 0, prices, prices / factor)
    status = "bounded" if abs(factor - 1) >= BEYOND else "optimal"
    one_self = np.ones(1)
    return Solution(status, rays.cost, one_self, np.array([p]), one_self, priced, one.gap)


def radial_result(
    model: str,
    technology: Technology,
    scores: Floats,
    found: Peers,
    infeasible: NDArray[np.bool_],
    *,
    orientation: str,
    itself: bool,
    slacks: bool,
    n_jobs: int | None,
    prices: Callable[[], Multipliers],
    beyond: NDArray[np.bool_] | None = None,
    priced: Floats | None = None,
) -> DEAResult:
    """Run the second phase if requested, and assign a status to each score."""
    table = technology.table
    aims = radial_aims(table, scores, orientation)
    unsure = found.unsure | np.isnan(scores)
    efficient = (scores >= 1 - EFFICIENCY_TOLERANCE) & ~unsure & ~infeasible
    # Beyond 1 the others do not reach the unit, so no slack of theirs is its own.
    reached = efficient & (scores <= 1 + EFFICIENCY_TOLERANCE) if itself else efficient
    status = np.where(efficient, "efficient", "inefficient").astype("<U16")
    if slacks:
        first = found
        found = second_phase(
            technology,
            aims,
            first,
            itself=itself,
            n_jobs=n_jobs,
            efficient=reached,
            beyond=beyond,
            priced=priced,
        )
        if itself:
            label_weakly(status, technology, aims, found, reached)
            _without_themselves(found, first, reached)
        else:
            label_efficient(status, technology, aims, found)
    status[infeasible] = "infeasible"
    status[unsure] = "uncertain"
    return DEAResult(
        model, scores, status, tuple(found.units), tuple(found.weights), table, aims, _prices=prices
    )


def label_efficient(
    status: NDArray[np.str_], technology: Technology, aims: Columns, found: Peers
) -> None:
    """Mark weakly efficient units; efficient units have only themselves as peers."""
    label_weakly(status, technology, aims, found)
    for p in np.flatnonzero(status == "efficient").tolist():
        found.units[p], found.weights[p] = np.array([p]), np.ones(1)


def label_weakly(
    status: NDArray[np.str_],
    technology: Technology,
    aims: Columns,
    found: Peers,
    reached: NDArray[np.bool_] | bool = True,
) -> None:
    """Mark weakly efficient units among those that their peers reach."""
    efficient = (status == "efficient") & reached
    weakly = slack_marks(technology, aims, found).any(axis=1)
    status[efficient & weakly] = "weakly efficient"
    status[efficient & found.unsure] = "uncertain"


def _without_themselves(found: Peers, first: Peers, reached: NDArray[np.bool_]) -> None:
    """Give units without slack, which the second phase may leave to themselves, their peers."""
    for p in np.flatnonzero(reached).tolist():
        if p in found.units[p]:
            found.units[p], found.weights[p] = first.units[p], first.weights[p]


def radial_aims(table: Table, scores: Floats, orientation: str) -> Columns:
    """Return the projections of the units: θ x_p and y_p, or x_p and y_p / θ."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        if orientation == "input":
            return table.inputs * scores[:, None], table.outputs, table.undesirable
        aims = table.outputs / scores[:, None]
    return table.inputs, np.where(table.outputs == 0, 0.0, aims), table.undesirable


def radial_rays(technology: Technology, orientation: str) -> Rays:
    """Return the rays of all units; for a unit without outputs, φ is at most 1."""
    x, y, bads = technology.inputs, technology.outputs, technology.undesirable
    toward_inputs = orientation == "input"
    directions, m = np.zeros(technology.matrix.shape), x.shape[1]
    if toward_inputs:
        directions[:, :m] = -x
        lower, upper = technology.bounds(np.zeros(x.shape), y, bads)
    else:
        directions[:, m : m + y.shape[1]] = -y
        lower, upper = technology.bounds(x, np.zeros(y.shape), bads)
    ceiling = np.where(_idle(technology.table, toward_inputs), 1.0, np.inf)
    return Rays(technology, 1.0 if toward_inputs else -1.0, directions, lower, upper, ceiling)


def _idle(table: Table, toward_inputs: bool) -> NDArray[np.bool_]:
    """Mark units without outputs in output orientation."""
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
    return -1.0 / solution.objective if solution.objective < 0 else np.inf


def radial_prices(
    table: Table, orientation: str, *, itself: bool, n_jobs: int | None
) -> Callable[[], Multipliers]:
    """Return a function that solves for the prices under constant returns to scale."""

    def solve() -> Multipliers:
        how: dict[str, Any] = {"itself": itself, "slacks": False, "n_jobs": n_jobs}
        return radial("", table, "crs", orientation, **how).multipliers

    return solve


def multipliers(technology: Technology, prices: Floats, *, gain: bool) -> Callable[[], Multipliers]:
    """Turn row prices into prices of inputs (costs) and outputs, in the given units.

    The price of Σ λ adds to the worth of the outputs (`gain`), or to the costs.
    """
    m, s = technology.inputs.shape[1], technology.outputs.shape[1]
    n_columns, total = len(technology.scale), len(technology.least)
    of_total = prices[:, n_columns : n_columns + total].sum(axis=1)
    with np.errstate(over="ignore"):
        priced = prices[:, :n_columns] / technology.scale
    found = Multipliers(
        -priced[:, :m],
        priced[:, m : m + s],
        -priced[:, m + s :],
        of_total if gain else -of_total,
    )
    return lambda: found
