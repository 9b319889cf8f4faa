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

ROUNDING = 1e-14
"""A difference below this share of its terms is none in a table that differs by as little."""

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
    sizes = np.abs(program.cost) + np.abs(program.own) @ np.abs(prices)
    reduced[np.abs(reduced) <= ROUNDING * sizes] = 0.0
    if len(own) == 1 and own[0] > 0 and program.ceiling[0] == np.inf:
        # A ray: the prices can be scaled such that its column costs exactly what it is worth.
        prices = prices * (program.cost[0] / float(program.own[0] @ prices))
        reduced = np.zeros(1)
    at_own = np.where(reduced > 0, program.floor, program.ceiling)
    astray = np.isinf(at_own) & (reduced != 0)
    worth = columns @ prices
    gains = np.flatnonzero(worth > 0)
    if len(gains):
        gains = gains[worth[gains] > ROUNDING * (np.abs(columns[gains]) @ np.abs(prices))]
    # What reduced costs are worth that point at no bound is lost, and what a reference gains.
    lost, limit = 0.0, program.limit
    if len(gains):
        most = weights.sum() if limit is None else _most(limit, objective, columns[gains])
        lost = float((worth[gains] * most).max()) * min(len(gains), len(prices))
    if astray.any():
        largest = _largest(program, objective, columns)
        lost += float(np.abs(reduced[astray]) @ largest[astray])
    at_own = np.where(np.isinf(at_own), 0.0, at_own)
    dual = float(prices @ at - lost)
    dual += float(reduced @ at_own)
    apart = abs(objective - dual) / max(abs(objective), program.unit, 1e-300)
    gap = float(np.maximum(apart, missed.max()))
    return Solution("optimal", objective, own, peers, weights, prices, gap)


def _most(limit: Floats, objective: float, columns: Floats) -> Floats:
    """Bound the λ of some references at an optimum."""
    sizes = np.abs(columns)
    limits = limit * max(abs(objective), 1.0)
    return np.asarray(np.where(sizes > 0, limits / sizes, np.inf).min(axis=1, initial=np.inf))


def _largest(program: Program, objective: float, columns: Floats) -> Floats:
    """Bound the own columns z at an optimum; without a limit of the program, by 1."""
    if program.limit is None:
        return np.ones(len(program.cost))
    most = _most(program.limit, objective, columns)
    own, sizes, largest = program.own, np.abs(program.own), program.ceiling
    for _ in range(2):  # a bound of one column can give that of another
        for sign, bound in ((1, program.upper), (-1, program.lower)):
            used = np.where(sign * columns < 0, np.abs(columns) * most[:, None], 0.0)
            against = np.where(sign * own < 0, sizes * largest[:, None], 0.0)
            room = np.abs(bound) + len(bound) * used.max(axis=0, initial=0.0) + against.sum(axis=0)
            least = np.where(sign * own > 0, room / sizes, np.inf).min(axis=1)
            largest = np.minimum(largest, least)
    return largest


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
