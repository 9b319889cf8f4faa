r"""Scores from weighted slacks, one program for each unit: the base of the additive models.

.. math:: \max \sum_i \frac{w^-_i}{d^-_i} s^-_i + \sum_r \frac{w^+_r}{d^+_r} s^+_r \quad
          \text{s.t.} \quad \sum_j λ_j x_j + s^- = x_p, \quad \sum_j λ_j y_j - s^+ = y_p, \quad
          L \le \sum_j λ_j \le U, \quad λ, s \ge 0.

Models differ in the weights w and in the steps d in which slacks are measured.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import TINY, Floats, Table, column_sizes
from deacs.dea.program import Program, Solution, are_unsure, prices_of
from deacs.dea.programs import solve_programs
from deacs.dea.radial import label_efficient, multipliers
from deacs.dea.result import EFFICIENCY_TOLERANCE, ROUNDING, DEAResult, targets
from deacs.dea.slacks import Peers, second_phase, slack_marks, slack_programs
from deacs.dea.technology import WIDE, Technology

__all__ = ["label_slacks", "slack_model", "solve_slacks"]

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

    `steps` and `weights` are d and w, (n_units, n_columns); slacks of weight 0 do not count.
    `score` turns the weighted sums of slacks into scores; a sum of 0 is efficient. `bounded`: no
    slack may exceed its step.
    """
    # Replacing a reference by one that dominates it may exceed the bounds of slacks.
    technology = Technology(table, returns_to_scale, strict=bounded)
    scaled, n_columns = steps / technology.scale, len(technology.scale)
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
        prices = prices_of(found, technology.matrix.shape[1]) * sizes[:, None]
    peers = Peers([one.peers for one in found], [one.weights for one in found], are_unsure(found))
    free = (weights == 0) if not bounded else (weights == 0) & (steps > 0)
    efficient = sums <= EFFICIENCY_TOLERANCE * sizes
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
        near &= slack_marks(technology, table.groups, peers).any(axis=1) | uneven
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
    usual = column_sizes(points)

    def build(units: NDArray[np.intp]) -> Program:
        own = points[units]
        steps = np.where(own != 0, np.abs(own), usual)
        return slack_programs(
            technology, units, own, (~free[units]).astype(np.float64), steps=steps
        )

    by_others = [list(peers) != [p] for p, peers in enumerate(found.units)]
    units = np.flatnonzero(efficient & by_others)
    again = Peers.of(found.units, found.weights)
    solved = solve_programs(technology.references, build, units, n_jobs, exactly=True)
    for p, solution in zip(units.tolist(), solved, strict=True):
        if solution.gap == 0 and solution.status == "optimal":
            again.units[p], again.weights[p] = solution.peers, solution.weights
        else:
            again.unsure[p] = True
    marks = slack_marks(technology, technology.table.groups, again)
    hidden = np.any(marks & ~free, axis=1)
    return hidden, again.unsure


def label_slacks(
    technology: Technology,
    scores: Floats,
    found: Peers,
    efficient: NDArray[np.bool_],
    free: NDArray[np.bool_],
    n_jobs: int | None,
) -> tuple[Peers, NDArray[np.str_]]:
    """Find slacks without weight in the score (`free`), and assign a status to each score."""
    table, unsure = technology.table, found.unsure
    own = table.groups
    efficient = efficient & ~unsure & ~(slack_marks(technology, own, found) & ~free).any(axis=1)
    if technology.wide:
        hides, unknown = _hidden_slacks(technology, efficient, found, free, n_jobs)
        efficient, unsure = efficient & ~hides, unsure | unknown
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
