r"""Scores from weighted slacks, one program for each unit: the base of the additive models.

.. math:: \max \sum_i \frac{w^-_i}{d^-_i} s^-_i + \sum_r \frac{w^+_r}{d^+_r} s^+_r \quad
          \text{s.t.} \quad \sum_j λ_j x_j + s^- = x_p, \quad \sum_j λ_j y_j - s^+ = y_p, \quad
          L \le \sum_j λ_j \le U, \quad λ, s \ge 0.

Models differ in the weights w and in the steps d in which slacks are measured.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import TINY, Floats, Table
from deacs.dea.program import Program, Solution
from deacs.dea.programs import solve_programs
from deacs.dea.radial import label_efficient, multipliers
from deacs.dea.result import EFFICIENCY_TOLERANCE, ROUNDING, DEAResult
from deacs.dea.slacks import Peers, second_phase, slack_marks, slack_programs
from deacs.dea.technology import WIDE, Technology

__all__ = ["finish", "slack_model", "solve_slacks"]

NEAR = 1e-6
"""An efficiency this close to 1 may hide a slack that is small relative to its column."""


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

    Parameters
    ----------
    model : str
    table : Table
    returns_to_scale : {"crs", "vrs", "nirs", "ndrs"}
    steps, weights : (n_units, n_inputs + n_outputs) arrays
        d and w; slacks of weight 0 do not count.
    score : callable
        Turns the weighted sums of slacks into scores; a sum of 0 is efficient.
    best : {"largest", "smallest"}
        Which score is the best.
    bounded : bool
        Whether no slack may exceed its step.
    n_jobs : int or None

    Returns
    -------
    DEAResult
    """
    # Replacing a reference by one that dominates it may exceed the bounds of slacks.
    technology = Technology(table, returns_to_scale, strict=bounded)
    scale = np.r_[technology.input_scale, technology.output_scale]
    scaled = steps / scale
    n_columns = len(scale)
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

    # HiGHS ignores costs far below the largest one, as it does small numbers in a column.
    uneven = smallest < WIDE * largest
    found = solve_slacks(technology, build, lambda one: -one.objective, n_jobs, uneven=uneven)
    sums = np.array([0.0 - one.objective for one in found])
    rounded = np.array([one.gap != 0 for one in found]) & (sums <= ROUNDING)
    with np.errstate(over="ignore"):
        sums = np.where(rounded, 0.0, sums) * sizes
    n_rows = technology.matrix.shape[1]
    prices = [one.prices if len(one.prices) else np.full(n_rows, np.nan) for one in found]
    with np.errstate(over="ignore"):
        in_units = np.array(prices) * sizes[:, None]
    result = DEAResult(
        model,
        score(sums),
        np.full(table.n_units, "inefficient", dtype="<U16"),
        tuple(one.peers for one in found),
        tuple(one.weights for one in found),
        table,
        (table.inputs, table.outputs, table.undesirable),
        best=best,
        _prices=multipliers(technology, in_units, gain=True),
    )
    efficient = sums <= EFFICIENCY_TOLERANCE * sizes
    unsure = np.array([not one.gap <= EFFICIENCY_TOLERANCE for one in found])
    free = (weights == 0) if not bounded else (weights == 0) & (steps > 0)
    return finish(result, technology, efficient, unsure, free, n_jobs)


def solve_slacks(
    technology: Technology,
    build: Callable[[NDArray[np.intp]], Program],
    distance: Callable[[Solution], float],
    n_jobs: int | None,
    *,
    uneven: NDArray[np.bool_] | bool = False,
) -> list[Solution]:
    """Solve the programs of all units; in a wide table, nearly efficient units exactly.

    `uneven` marks units whose program has a wide range of costs.
    """
    table = technology.table
    found = solve_programs(technology.references, build, np.arange(table.n_units), n_jobs)
    near = np.array([distance(one) <= NEAR for one in found]) | uneven
    if not technology.wide:
        peers = Peers([one.peers for one in found], [one.weights for one in found], ~near)
        own = (table.inputs, table.outputs, table.undesirable)
        near &= slack_marks(technology, own, peers).any(axis=1) | uneven
    units = np.flatnonzero(near)
    again = solve_programs(technology.references, build, units, n_jobs, exactly=True)
    for p, solution in zip(units.tolist(), again, strict=True):
        found[p] = solution
    return found


def _hidden_slacks(
    technology: Technology,
    efficient: NDArray[np.bool_],
    found: Peers,
    free: NDArray[np.bool_],
    n_jobs: int | None,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Mark units with slacks that the model's weights hide, and units without a certain answer.

    The optimum may give up a large share of a small number for a small share of a larger one. So if
    a unit without slacks has other units as peers, slacks are measured relative to its own numbers.
    """
    n_columns = free.shape[1]
    points = technology.matrix[:, :n_columns]
    highest = np.abs(points).max(axis=0)

    def build(units: NDArray[np.intp]) -> Program:
        own, usual = points[units], np.where(highest > 0, highest, 1.0)
        steps = np.where(own != 0, np.abs(own), usual)
        return slack_programs(
            technology, units, own, (~free[units]).astype(np.float64), steps=steps
        )

    by_others = [list(peers) != [p] for p, peers in enumerate(found.units)]
    units = np.flatnonzero(efficient & by_others)
    again = Peers(list(found.units), list(found.weights), np.zeros(len(points), dtype=np.bool_))
    solved = solve_programs(technology.references, build, units, n_jobs, exactly=True)
    for p, solution in zip(units.tolist(), solved, strict=True):
        if solution.gap == 0 and solution.status == "optimal":
            again.units[p], again.weights[p] = solution.peers, solution.weights
        else:
            again.unsure[p] = True
    table = technology.table
    own = (table.inputs, table.outputs, table.undesirable)
    hidden = np.any(slack_marks(technology, own, again) & ~free, axis=1)
    return hidden, again.unsure


def finish(
    result: DEAResult,
    technology: Technology,
    efficient: NDArray[np.bool_],
    unsure: NDArray[np.bool_],
    free: NDArray[np.bool_],
    n_jobs: int | None,
) -> DEAResult:
    """Find slacks without weight in the score (`free`), and assign a status to each score."""
    table, own = result.table, result.aims
    found = Peers(list(result.peers), list(result.weights), unsure)
    efficient = efficient & ~unsure & ~(slack_marks(technology, own, found) & ~free).any(axis=1)
    if technology.wide:
        hides, unknown = _hidden_slacks(technology, efficient, found, free, n_jobs)
        efficient, unsure = efficient & ~hides, unsure | unknown
    if free.any():
        m = table.inputs.shape[1]
        aims = (
            np.where(free[:, :m], table.inputs, result.input_targets),
            np.where(free[:, m:], table.outputs, result.output_targets),
            table.undesirable,
        )
        found = second_phase(
            technology,
            aims,
            result.peers,
            result.weights,
            itself=False,
            n_jobs=n_jobs,
            efficient=efficient,
            only=np.asarray(free.any(axis=1)),
        )
    status = np.where(efficient, "efficient", "inefficient").astype("<U16")
    label_efficient(status, technology, own, found)
    status[unsure | np.isnan(result.scores)] = "uncertain"
    return replace(result, status=status, peers=tuple(found.units), weights=tuple(found.weights))
