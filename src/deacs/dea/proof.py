"""Proofs of a solver's answer, computed apart from it.

An answer counts if a table whose positive numbers differ by a relative 1e-9 has it for certain: the
rows are met relative to their own terms, and the prices bound the objective from the other side
against every reference.
"""

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats
from deacs.dea.program import Program, Solution

__all__ = ["checked", "proves_infeasible"]

NOISE = 1e-13
"""An intensity below this share of all is rounding of the solver, not a peer."""


@np.errstate(all="ignore")  # an overflow ends in a gap that is not a number
def checked(
    matrix: Floats,
    program: Program,
    own: Floats,
    members: NDArray[np.intp],
    weights: Floats,
    prices: Floats,
    columns: Floats,
) -> Solution:
    """Find out how far a solver's answer misses the constraints and the other bound.

    Parameters
    ----------
    matrix : (n_units, n_rows) array
        All units.
    program : Program
    own : (k,) array
        z.
    members, weights : arrays
        Units with their λ.
    prices : (n_rows,) array
    columns : (n, n_rows) array
        The units that may be peers.

    Returns
    -------
    Solution
    """
    used = np.flatnonzero(weights > NOISE * weights.sum())
    peers, weights = members[used], weights[used]
    own = np.clip(own, program.floor, program.ceiling)
    lower, upper = program.lower, program.upper
    terms = np.vstack([weights[:, None] * matrix[peers], own[:, None] * program.own])
    made = terms.sum(axis=0)
    missed = np.maximum(np.maximum(lower - made, made - upper), 0.0)
    # A row misses nothing that a small relative change of its terms would not make good.
    bound = np.where(made < lower, lower, upper)
    size = np.abs(terms).sum(axis=0) + np.abs(np.where(np.isfinite(bound), bound, 0.0))
    missed = np.divide(missed, size, out=np.zeros(len(size)), where=missed > 0)
    objective = float(program.cost @ own)

    # The dual objective: each row at the bound that its price asks for, each own column likewise.
    at = np.where(prices > 0, lower, upper)
    prices = np.where(np.isfinite(at), prices, 0.0)
    at = np.where(np.isfinite(at), at, 0.0)
    reduced = program.cost - program.own @ prices
    if len(own) == 1 and own[0] > 0 and program.ceiling[0] == np.inf:
        # A ray: the prices can be scaled such that its column costs exactly what it is worth.
        prices = prices * (program.cost[0] / float(program.own[0] @ prices))
        reduced = np.zeros(1)
    at_own = np.where(reduced > 0, program.floor, program.ceiling)
    astray = np.isinf(at_own) & (reduced != 0)
    worth = columns @ prices
    gains = np.flatnonzero(worth > 0)
    # What reduced costs are worth that point at no bound is lost, and what a reference gains.
    lost = 0.0
    if len(gains) or astray.any():
        most, most_own = _largest(program, columns, abs(objective), weights)
        lost = float(np.abs(reduced[astray]) @ most_own[astray])
        lost += float((worth[gains] * most[gains]).max(initial=0.0)) * min(len(gains), len(prices))
    at_own = np.where(np.isinf(at_own), 0.0, at_own)
    dual = float(prices @ at - lost)
    dual += float(reduced @ at_own)
    apart = abs(objective - dual) / max(abs(objective), program.unit, 1e-300)
    gap = float(np.maximum(apart, missed.max()))
    return Solution("optimal", objective, own, peers, weights, prices, gap)


def _largest(
    program: Program, columns: Floats, objective: float, weights: Floats
) -> tuple[Floats, Floats]:
    """Bound λ and z at an optimum; without a limit of the program, by what was found."""
    if program.limit is None:
        return np.full(len(columns), weights.sum()), np.ones(len(program.cost))
    n_rows = columns.shape[1]
    sizes = np.abs(columns)
    limit = program.limit * max(objective, 1.0)
    most = np.where(sizes > 0, limit / sizes, np.inf).min(axis=1, initial=np.inf)
    used = {
        sign: n_rows
        * np.where(sign * columns > 0, sizes * most[:, None], 0.0).max(axis=0, initial=0)
        for sign in (1, -1)
    }
    bounds = {1: np.abs(program.upper), -1: np.abs(program.lower)}
    own, largest = program.own, program.ceiling.copy()
    for _ in range(2):  # a bound of one column can give that of another
        for k in range(len(own)):
            for sign in (1, -1):
                rows = sign * own[k] > 0
                against = np.where(sign * own < 0, np.abs(own) * largest[:, None], 0.0).sum(axis=0)
                room = bounds[sign] + used[-sign] + against
                least = (room[rows] / np.abs(own[k, rows])).min(initial=np.inf)
                largest[k] = min(largest[k], least)
    return most, largest


@np.errstate(all="ignore")
def proves_infeasible(ray: Floats, program: Program, columns: Floats) -> bool:
    """Whether no z and no λ can meet the rows, not even in a table that differs by a little."""
    at = np.where(ray > 0, program.lower, program.upper)
    ray = np.where(np.abs(ray) > 1e-12 * np.abs(ray).max(), ray, 0.0)
    needed = np.where(ray != 0, ray * at, 0.0)
    pull = program.own @ ray
    pull = np.where(np.abs(pull) > 1e-12 * (np.abs(program.own) @ np.abs(ray)), pull, 0.0)
    own = np.where(pull != 0, pull * np.where(pull > 0, program.ceiling, program.floor), 0.0)
    margin = needed.sum() - own.sum()
    size = np.abs(needed).sum() + np.abs(own).sum()
    holds = columns @ ray <= NOISE * (np.abs(columns) @ np.abs(ray))
    return bool(np.isfinite(size) and margin > 1e-9 * size and holds.all())
