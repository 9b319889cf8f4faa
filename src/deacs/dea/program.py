r"""Linear programs of one or several units, their solutions, and what proves them.

.. math:: \min c z \quad \text{s.t.} \quad
          l \le \sum_j λ_j a_j + \sum_k z_k b_k \le u, \quad λ \ge 0, \quad f \le z \le g.

Rows a_j are the references: inputs, outputs and, unless returns to scale are constant, a 1.

The bounds of a proof do not depend on the solver. An answer is accepted if it is exact for a table
whose positive numbers differ by at most a relative 1e-9: rows are satisfied relative to their own
terms, and the prices bound the objective from the other side against every reference.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats
from deacs.dea.result import EFFICIENCY_TOLERANCE

__all__ = [
    "NOBODY",
    "NOTHING",
    "ROUNDING",
    "Checked",
    "Program",
    "Solution",
    "are_unsure",
    "check_all",
    "checked",
    "prices_of",
    "proves_infeasible",
]

NOBODY = np.empty(0, dtype=np.intp)
NOTHING = np.empty(0)

ROUNDING = 1e-14
"""A difference below this share of its terms counts as zero."""

NOISE = 1e-13
"""An intensity below this share of all is a rounding error of the solver."""


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The part of a linear program that belongs to one unit.

    Programs of several units have one more axis, the first, in every array.

    Attributes
    ----------
    cost, floor, ceiling : (k,) arrays
        Cost and bounds of the own columns z; floors are 0 or -inf.
    own : (k, n_rows) array
        Coefficients b of the own columns.
    lower, upper : (n_rows,) arrays
        Bounds of the rows.
    start : int array
        References with which the program is usually feasible; -1 pads the shorter lists of several
        programs.
    itself : bool
        Whether the unit must not be its own peer.
    unit : float
        The error of the objective is relative to its size, or to this if that is larger.
    limit : (n_rows,) array or None
        At an optimum, Σ λ a is at most this in each row, times the objective if that exceeds 1.
    """

    cost: Floats
    own: Floats
    floor: Floats
    ceiling: Floats
    lower: Floats
    upper: Floats
    start: NDArray[np.intp]
    itself: bool = False
    unit: float = 0.0
    limit: Floats | None = None

    def __getitem__(self, rows: int | NDArray[np.intp] | None) -> "Program":
        """Return one or some of several programs; None adds the first axis to a single one."""
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        taken: dict[str, Any] = {
            name: part[rows] for name, part in parts.items() if isinstance(part, np.ndarray)
        }
        if isinstance(rows, int):
            taken["start"] = taken["start"][taken["start"] >= 0]
        return replace(self, **taken)

    def __len__(self) -> int:
        """Return the number of programs."""
        return len(self.lower)


class Solution(NamedTuple):
    """A solution and its error bound.

    Attributes
    ----------
    status : str
        "optimal", "infeasible" or "failed".
    objective : float
    own : (k,) array
        z.
    peers, weights : arrays
        References with a positive λ.
    prices : (n_rows,) array
        The derivative of the objective by a row's bound.
    gap : float
        The relative violation of the constraints and gap between primal and dual objectives.
    """

    status: str
    objective: float = np.nan
    own: Floats = NOTHING
    peers: NDArray[np.intp] = NOBODY
    weights: Floats = NOTHING
    prices: Floats = NOTHING
    gap: float = np.inf


def are_unsure(found: Sequence[Solution]) -> NDArray[np.bool_]:
    """Mark solutions whose bounds do not meet."""
    return np.array([not one.gap <= EFFICIENCY_TOLERANCE for one in found], dtype=np.bool_)


def prices_of(found: Sequence[Solution], n_rows: int) -> Floats:
    """Return the prices of all solutions, (n, n_rows); NaN for those without."""
    missing = np.full(n_rows, np.nan)
    return np.array([one.prices if len(one.prices) else missing for one in found])


class Checked(NamedTuple):
    """Answers to some programs, and their error bounds.

    Attributes
    ----------
    objective, gap : (n,) arrays
        The attained objective; the relative violation of the constraints, and distance from the
        bound that the prices prove.
    own, weights, prices : (n, ...) arrays
        The answers, with rounding errors removed.
    """

    objective: Floats
    gap: Floats
    own: Floats
    weights: Floats
    prices: Floats


def checked(
    matrix: Floats,
    program: Program,
    own: Floats,
    members: NDArray[np.intp],
    weights: Floats,
    prices: Floats,
    columns: Floats,
) -> Solution:
    """Check the answer to one program, with the `columns` of all possible peers."""
    found = check_all(
        matrix,
        program[None],
        own[None],
        members[None],
        weights[None],
        prices[None],
        lambda _: columns,
    )
    kept = np.flatnonzero(found.weights[0])
    return Solution(
        "optimal",
        float(found.objective[0]),
        found.own[0],
        members[kept],
        found.weights[0, kept],
        found.prices[0],
        float(found.gap[0]),
    )


@np.errstate(all="ignore")  # an overflow results in a NaN gap
def check_all(
    matrix: Floats,
    program: Program,
    own: Floats,
    peers: NDArray[np.intp],
    weights: Floats,
    prices: Floats,
    columns: Callable[[int], Floats],
    gainers: Callable[[Floats], NDArray[np.int64]] | None = None,
) -> Checked:
    """Compute the violation of the constraints and the duality gap of answers to n programs.

    `matrix` has all units; `own` are z, (n, k), `peers` and `weights` units with their λ, (n,
    n_peers), `prices` those of the rows. `columns` returns the possible peers of the k-th program,
    (n_references, n_rows). `gainers` returns for which prices a reference gains beyond rounding,
    without pricing all columns; None: all are priced.
    """
    weights = np.where(weights > NOISE * weights.sum(axis=1, keepdims=True), weights, 0.0)
    own = np.clip(own, program.floor, program.ceiling)
    lower, upper = program.lower, program.upper
    points = matrix[peers]
    made = np.einsum("np,npr->nr", weights, points) + np.einsum("nk,nkr->nr", own, program.own)
    missed = np.maximum(np.maximum(lower - made, made - upper), 0.0)
    # A violation that a small relative change of the terms would remove counts as zero.
    bound = np.where(made < lower, lower, upper)
    size = np.einsum("np,npr->nr", weights, np.abs(points))
    size += np.einsum("nk,nkr->nr", np.abs(own), np.abs(program.own))
    size += np.abs(np.where(np.isfinite(bound), bound, 0.0))
    missed = np.divide(missed, size, out=np.zeros(size.shape), where=missed > 0)
    objective = (program.cost * own).sum(axis=1)

    # The dual objective: each row and own column at the bound that the sign of its price selects.
    at = np.where(prices > 0, lower, upper)
    prices = np.where(np.isfinite(at), prices, 0.0)
    at = np.where(np.isfinite(at), at, 0.0)
    worth = np.einsum("nkr,nr->nk", program.own, prices)
    reduced = program.cost - worth
    sizes = np.abs(program.cost) + np.einsum("nkr,nr->nk", np.abs(program.own), np.abs(prices))
    reduced[np.abs(reduced) <= ROUNDING * sizes] = 0.0
    if own.shape[1] == 1:
        # A ray: the prices can be scaled so that the reduced cost of its column is zero.
        ray = (own > 0) & (program.ceiling == np.inf)
        prices = np.where(ray, prices * (program.cost / worth), prices)
        reduced[ray] = 0.0
    at_own = np.where(reduced > 0, program.floor, program.ceiling)
    astray = np.isinf(at_own) & (reduced != 0)
    # Reduced costs without a finite bound, and gains of references, weaken the dual bound.
    # Gains below the rounding of terms are not seen; where terms are large, that may be much.
    least = 1e-300
    scale = np.maximum(np.abs(objective), max(program.unit, least))
    hidden = ROUNDING * (np.abs(prices) * size).sum(axis=1)
    hides = (hidden > EFFICIENCY_TOLERANCE * scale) & (scale > least)
    lost = np.where(hides, hidden, 0.0)
    gaining = range(len(prices)) if gainers is None else np.flatnonzero(gainers(prices)).tolist()
    for k in gaining:
        lost[k] += _lost(program[k], objective[k], weights[k], prices[k], columns(k))
    for k in np.flatnonzero(astray.any(axis=1)).tolist():
        largest = _largest(program[k], objective[k], columns(k))
        lost[k] += np.abs(reduced[k, astray[k]]) @ largest[astray[k]]
    at_own = np.where(np.isinf(at_own), 0.0, at_own)
    dual = (prices * at).sum(axis=1) - lost + (reduced * at_own).sum(axis=1)
    gap = np.maximum(np.abs(objective - dual) / scale, missed.max(axis=1))
    return Checked(objective, gap, own, weights, prices)


def _lost(
    program: Program, objective: float, weights: Floats, prices: Floats, columns: Floats
) -> float:
    """Bound the gain of references at the prices, for any intensities."""
    worth = columns @ prices
    gains = np.flatnonzero(worth > 0)
    gains = gains[worth[gains] > ROUNDING * (np.abs(columns[gains]) @ np.abs(prices))]
    if not len(gains):
        return 0.0
    limit = program.limit
    most = weights.sum() if limit is None else _most(limit, objective, columns[gains])
    return float((worth[gains] * most).max()) * min(len(gains), len(prices))


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
    for _ in range(2):  # the bound of one column can imply that of another
        for sign, bound in ((1, program.upper), (-1, program.lower)):
            used = np.where(sign * columns < 0, np.abs(columns) * most[:, None], 0.0)
            against = np.where(sign * own < 0, sizes * largest[:, None], 0.0)
            room = np.abs(bound) + len(bound) * used.max(axis=0, initial=0.0) + against.sum(axis=0)
            least = np.where(sign * own > 0, room / sizes, np.inf).min(axis=1)
            largest = np.minimum(largest, least)
    return largest


@np.errstate(all="ignore")
def proves_infeasible(ray: Floats, program: Program, columns: Floats) -> bool:
    """Whether no z and λ satisfy the rows, even in a table that differs slightly."""
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
