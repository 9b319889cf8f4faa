r"""Slacks: programs that maximise them, second phases, and which slacks count as nonzero.

.. math:: \max \sum_i w^-_i s^-_i + \sum_r w^+_r s^+_r \quad \text{s.t.} \quad
          \sum_j λ_j x_j + s^- = \bar x, \quad \sum_j λ_j y_j - s^+ = \bar y, \quad
          λ, s \ge 0, \quad s \le \text{ceiling}.

A slack counts if it is at least 1e-9 of the unit's own value, however small that is relative to the
column. If that value is zero, a slack counts if the peers that have it provide more than 1e-9 of an
input or of Σ λ.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Columns, Floats
from deacs.dea.program import Program
from deacs.dea.result import EFFICIENCY_TOLERANCE, Multipliers
from deacs.dea.solver import solve_programs
from deacs.dea.technology import Technology

__all__ = [
    "Peers",
    "label_efficient",
    "label_weakly",
    "multipliers",
    "own_steps",
    "second_phase",
    "slack_marks",
    "slack_programs",
]

PRICELESS = 1e-9
"""A price below this share of the unit's worth may leave a slack."""


@dataclass(frozen=True, slots=True)
class Peers:
    """The peers of all units, their intensities, and units without a certain answer."""

    units: list[NDArray[np.intp]]
    weights: list[Floats]
    unsure: NDArray[np.bool_]

    @classmethod
    def of(cls, units: Iterable[NDArray[np.intp]], weights: Iterable[Floats]) -> "Peers":
        """Copy the lists; all units are certain."""
        listed = list(units)
        return cls(listed, list(weights), np.zeros(len(listed), dtype=np.bool_))


def slack_programs(
    technology: Technology,
    units: NDArray[np.intp],
    goals: Floats,
    weights: Floats,
    *,
    steps: Floats | None = None,
    ceiling: Floats | None = None,
    start: NDArray[np.intp] | None = None,
    itself: bool = False,
) -> Program:
    """Return the programs of n units.

    `goals` are x̄, ȳ, then undesirable outputs, which are treated as inputs, all scaled as the
    technology is; `weights` the worth of a step of slack, `steps` the units of slacks (None: 1),
    (n, n_columns) each. `ceiling` are the largest slacks, in steps. `start` are references that
    attain the goals, and -1 (None: each unit itself); `itself` excludes units from their own
    references.
    """
    n, n_columns = goals.shape
    m, s = technology.inputs.shape[1], technology.outputs.shape[1]
    own = np.zeros((n, n_columns, technology.matrix.shape[1]))
    at = np.arange(n_columns)
    own[:, at, at] = 1.0 if steps is None else steps
    own[:, m : m + s] *= -1.0
    limit = technology.limit(units)
    limit[:, :m] = np.maximum(limit[:, :m], goals[:, :m])
    none = np.zeros((n, len(technology.least)))
    return Program(
        cost=-weights,
        own=own,
        floor=np.zeros((n, n_columns)),
        ceiling=np.zeros((n, n_columns)) + (np.inf if ceiling is None else ceiling),
        lower=np.hstack([goals, none + technology.least]),
        upper=np.hstack([goals, none + technology.most]),
        start=units[:, None] if start is None else start,
        itself=itself,
        unit=1.0,
        limit=limit,
    )


def second_phase(
    technology: Technology,
    aims: Columns,
    first: Peers,
    *,
    itself: bool,
    n_jobs: int | None,
    efficient: NDArray[np.bool_] | None = None,
    priced: Floats | None = None,
    only: NDArray[np.bool_] | None = None,
    fixed: NDArray[np.bool_] | None = None,
) -> Peers:
    """Among the peers that attain the aims, as `first` do, find those with the largest slacks.

    `efficient` marks units that are their own projection; if they have small numbers, slacks are
    measured by these. `priced` are the prices of the rows; if all are positive, there is no slack,
    and the first phase stands. `only` marks the units to consider, `fixed` the columns that must
    have no slack.
    """
    peers, weights, n_columns = first.units, first.weights, len(technology.scale)
    points, aim = technology.matrix[:, :n_columns], np.hstack(aims) / technology.scale
    highest = np.abs(points).max(axis=0)
    ones = np.divide(1.0, highest, out=np.zeros(n_columns), where=highest > 0)
    m, s = technology.inputs.shape[1], technology.outputs.shape[1]
    makes = np.zeros(n_columns, dtype=np.bool_)
    makes[m : m + s] = True
    ceiling = np.full(n_columns, np.inf)
    if fixed is not None:
        ceiling[fixed] = 0.0
    settled = np.zeros(len(points), dtype=np.bool_) if efficient is None else efficient

    small = settled & technology.has_small
    steps = np.where(small[:, None], own_steps(points), 1.0)
    weight = np.where(small[:, None], np.sign(ones), ones)

    def build(units: NDArray[np.intp]) -> Program:
        goals = points[units]
        start = units[:, None]
        if not settled[units[0]]:
            start = np.full((len(units), max(len(peers[p]) for p in units.tolist())), -1)
            reached = np.empty(goals.shape)
            for k, p in enumerate(units.tolist()):
                start[k, : len(peers[p])] = peers[p]
                reached[k] = weights[p] @ points[peers[p]]
            # A rounding error must not make the goal infeasible for the known peers.
            least, most = np.minimum(aim[units], reached), np.maximum(aim[units], reached)
            goals = np.where(makes, least, most)
        return slack_programs(
            technology,
            units,
            goals,
            weight[units],
            steps=steps[units],
            ceiling=ceiling,
            start=start,
            itself=itself and not settled[units[0]],
        )

    open_ = np.array([len(one) > 0 for one in peers])
    if only is not None:
        open_ &= only
    if priced is not None:
        with np.errstate(over="ignore"):
            worth = np.abs(priced[:, :n_columns] * points)
        open_ &= (worth <= PRICELESS * worth.max(axis=1, keepdims=True)).any(axis=1)
    found = Peers.of(peers, weights)
    for chosen in (open_ & ~settled, open_ & settled):
        units = np.flatnonzero(chosen)
        solved = solve_programs(technology, build, units, n_jobs)
        for p, solution in zip(units.tolist(), solved, strict=True):
            if solution.status == "optimal" and solution.gap <= EFFICIENCY_TOLERANCE:
                found.units[p], found.weights[p] = solution.peers, solution.weights
            else:
                found.unsure[p] = True
    return found


def own_steps(points: Floats) -> Floats:
    """Return the numbers of each unit, and the largest of the column where it has none."""
    highest = np.abs(points).max(axis=0)
    return np.where(points != 0, np.abs(points), np.where(highest > 0, highest, 1.0))


def slack_marks(technology: Technology, aims: Columns, found: Peers) -> NDArray[np.bool_]:
    """Mark (n_units, n_columns) the slacks that count."""
    table = technology.table
    unit = np.repeat(np.arange(table.n_units), [len(one) for one in found.units])
    peer = np.concatenate([*found.units, np.empty(0, dtype=np.intp)])
    weight = np.concatenate([*found.weights, np.empty(0)])
    with np.errstate(all="ignore"):
        used = weight[:, None] * (table.inputs[peer] / table.inputs[unit])
        share = np.where(table.inputs[unit] > 0, used, 0.0).max(axis=1, initial=0.0)
    if len(technology.least):
        share = np.maximum(share, weight)
    marks = []
    for kind, (own, aim) in enumerate(zip(table.groups, aims, strict=True)):
        kept = share > EFFICIENCY_TOLERANCE if kind == 1 else slice(None)
        reached, size = np.zeros(own.shape), np.abs(aim)
        with np.errstate(all="ignore"):
            parts = weight[kept, None] * own[peer[kept]]
            np.add.at(reached, unit[kept], parts)
            sizes = np.zeros(own.shape)
            np.add.at(sizes, unit[kept], np.abs(parts))
            gained = reached - aim if kind == 1 else aim - reached
            marks.append(gained > EFFICIENCY_TOLERANCE * np.maximum(size, sizes))
    return np.hstack(marks)


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
