"""Solve the programs of many units by the compiled simplex method, and verify the answers."""

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats
from deacs.dea.program import Program, Solution
from deacs.dea.proof import ROUNDING, check_all, proves_infeasible
from deacs.dea.references import References
from deacs.kernels.basis import MAX_MEMBERS, make_room
from deacs.kernels.envelopment import (
    FAILED,
    INFEASIBLE,
    LEFT_OUT,
    Found,
    Programs,
    solve_envelopment,
)
from deacs.kernels.gains import find_gains
from deacs.kernels.pivots import LANES

__all__ = ["solve_quickly"]

CLOSE = 1e-11
"""The largest gap of an accepted answer."""

PENALTY = 4.0
"""The cost of meeting the demand of one row artificially, relative to an objective of 1."""


@np.errstate(all="ignore")
def solve_quickly(
    references: References, program: Program, units: NDArray[np.intp], enough: float
) -> list[Solution | None]:
    """Solve the programs of some units; None for those that need a more robust method.

    A lower bound of at least `enough` on the objective is also accepted ("bounded").
    """
    supported, scaled, own_power, cost_power, demand_power = _scaled(
        references, program, units, enough
    )
    solutions: list[Solution | None] = [None] * len(units)
    taken = np.flatnonzero(supported)
    if not len(taken):
        return solutions
    scaled = Programs._make(part[taken] for part in scaled)
    n, n_own, n_rows = scaled.own.shape
    refs = references.prepared(itself=program.itself)
    found = Found(
        np.empty(n, dtype=np.int64),
        np.empty((n, n_own)),
        np.empty((n, n_rows), dtype=np.int64),
        np.empty((n, n_rows)),
        np.empty((n, n_rows)),
    )
    solve_envelopment(refs, make_room(n_rows, len(refs.blocks), LANES), scaled, found)
    demand, cost = demand_power[taken, None], cost_power[taken, None]
    own = np.ldexp(found.own, own_power[taken] - demand)
    weights = np.ldexp(found.weights * references.sizes[found.peers], -demand)
    prices = np.ldexp(found.prices, -cost)

    def gainers(prices: Floats) -> NDArray[np.int64]:
        gains = np.empty(n, dtype=np.int64)
        find_gains(refs, scaled.units, prices, ROUNDING, np.empty((2, LANES)), gains)
        return gains

    def columns(k: int) -> Floats:
        return references.candidates(int(scaled.units[k]), program[int(taken[k])])[1]

    proof = check_all(
        references.matrix, program[taken], own, found.peers, weights, prices, columns, gainers
    )
    for k, at in enumerate(taken.tolist()):
        if found.states[k] == INFEASIBLE:
            if proves_infeasible(prices[k], program[at], columns(k)):
                solutions[at] = Solution("infeasible", gap=0.0)
        elif found.states[k] != FAILED and proof.gap[k] <= CLOSE:
            used = np.flatnonzero(proof.weights[k])
            used = used[np.argsort(found.peers[k, used])]
            solutions[at] = Solution(
                "optimal",
                float(proof.objective[k]),
                proof.own[k],
                found.peers[k, used],
                proof.weights[k, used],
                proof.prices[k],
                float(proof.gap[k]),
            )
        elif found.states[k] != FAILED and proof.lost[k] == 0 and proof.bound[k] >= enough:
            bound = float(proof.bound[k])
            solutions[at] = Solution("bounded", bound, prices=proof.prices[k], gap=0.0)
    return solutions


def _scaled(
    references: References, program: Program, units: NDArray[np.intp], enough: float
) -> tuple[NDArray[np.bool_], Programs, NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Scale demands, own columns and costs below 1, by powers of two.

    Return the programs that the method supports, all programs, and the powers.
    """
    lower, upper = program.lower, program.upper
    is_open = program.ceiling > 0
    own = np.where(is_open[:, :, None], program.own, 0.0)
    costs = np.where(is_open, program.cost, 0.0)
    least, most, fixed = np.isfinite(lower), np.isfinite(upper), lower == upper
    signs = np.where(fixed, 0.0, np.where(least, 1.0, np.where(most, -1.0, LEFT_OUT)))
    demands = np.where(least, lower, np.where(most, upper, 0.0))
    # The sums of the references are never negative.
    idle = (signs == 1) & (demands <= 0) & ~own.any(axis=1) & (references.matrix >= 0).all(axis=0)
    signs[idle] = LEFT_OUT
    demands[signs == LEFT_OUT] = 0.0
    supported = ~(least & most & ~fixed).any(axis=1) & (program.floor == 0).all(axis=1)
    supported &= np.isin(program.ceiling, (0.0, np.inf)).all(axis=1)
    supported &= own.shape[1] + program.start.shape[1] <= MAX_MEMBERS // 2
    supported &= np.isfinite(own).all(axis=(1, 2)) & np.isfinite(costs).all(axis=1)
    supported &= (lower < np.inf).all(axis=1) & (upper > -np.inf).all(axis=1)
    if program.barred is not None:
        supported &= ~program.barred.any(axis=1)
    own_power, demand_power = _power(own), _power(demands)
    costs = np.ldexp(costs, own_power)
    cost_power = _power(costs)
    goal_power = demand_power + cost_power
    penalties = np.ldexp(np.full(len(units), PENALTY), goal_power)
    if own.shape[1] != 1:
        penalties[:] = 0.0
    scaled = Programs(
        units,
        signs,
        np.ldexp(demands, demand_power[:, None]),
        np.ldexp(own, own_power[:, :, None]),
        np.ldexp(costs, cost_power[:, None]),
        program.start.astype(np.int64),
        penalties,
        np.ldexp(np.full(len(units), enough), goal_power),
    )
    return supported, scaled, own_power, cost_power, demand_power


def _power(numbers: Floats) -> NDArray[np.int32]:
    """Return the power of two that scales the maximum along the last axis below 1."""
    return np.asarray(-np.frexp(np.abs(numbers).max(axis=-1, initial=0.0))[1])
