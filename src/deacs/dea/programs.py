r"""The linear programs of all units under one model, with the references behind them.

.. math:: \min c z \quad \text{s.t.} \quad
          l \le \sum_j λ_j a_j + \sum_k z_k b_k \le u, \quad λ \ge 0.

Rows a_j are the references: inputs, outputs and, where returns to scale are not constant, a 1. From
unit to unit only the own part of the program changes (c, b, l, u, who may be a peer), so one HiGHS
model serves a chunk of units, each program starting from the last basis. Most units are never
anyone's peer: the model begins with a few and takes in others when the prices ask for them (column
generation), or when a proof of infeasibility does not hold against them. Chunks are fixed, so that
the number of threads does not change a bit of any answer.

An answer of HiGHS counts if a table whose positive numbers differ by a relative 1e-9 has it for
certain: the rows are met relative to their own terms, and the prices bound the objective from the
other side against every reference. Where they do not, the program is solved in whole numbers, as
far as the budget of the chunk goes; beyond it the answer stays open.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats
from deacs.dea.exact import minimise
from deacs.kernels.threads import map_blocks

if TYPE_CHECKING:
    from deacs.dea.highs import Master

__all__ = ["RETRY_GAP", "Program", "References", "Solution", "solve_programs"]

CHUNK = 128
"""Units that share a model."""

CHUNK_NS = 1e8
"""About what a chunk takes; it is always worth a thread."""

BATCH = 16
"""How many references may join at once."""

PROFIT = 1e-12
"""What a reference must be worth to join, relative to the terms of the sum."""

NOISE = 1e-13
"""An intensity below this share of all is rounding of the solver, not a peer."""

RETRY_GAP = 1e-10
"""A gap above which a program is solved once more, alone and in its own scale."""

MAGNIFY = 128.0

ENOUGH = 1e-9
"""A gap above which whole numbers are asked."""

EXACT_BUDGET = 2_000_000
"""Products of whole numbers, a few seconds, that a chunk may spend on exact answers."""


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The part of a linear program that belongs to one unit.

    Attributes
    ----------
    cost, floor, ceiling : (k,) arrays
        Cost and bounds of the own columns z.
    own : (k, n_rows) array
        Coefficients b of the own columns.
    lower, upper : (n_rows,) arrays
        Bounds of the rows.
    magnitude : (n_rows,) array
        Positive; what counts as large in a row from where the unit stands.
    barred : (n_references,) bool array or None
        The references that must not be peers.
    start : int array
        References with which the program is, as a rule, feasible.
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
    magnitude: Floats
    start: NDArray[np.intp]
    barred: NDArray[np.bool_] | None = None
    unit: float = 0.0
    limit: Floats | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """An answer and how far it can be trusted.

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
        What the objective gains when a row's bound rises.
    gap : float
        By how much primal and dual objective and all constraints are missed, relative.
    """

    status: str
    objective: float = np.nan
    own: Floats = field(default_factory=lambda: np.empty(0))
    peers: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    weights: Floats = field(default_factory=lambda: np.empty(0))
    prices: Floats = field(default_factory=lambda: np.empty(0))
    gap: float = np.inf


class References:
    """The units as columns of the programs.

    Parameters
    ----------
    matrix : (n_units, n_rows) array
        Columns of comparable magnitude.
    pool : int array or None
        The units that can be peers at all; None for all.
    exposed : callable
        For a unit that is barred from its own program: units outside the pool which that exposes.
    usable : bool
        Whether the matrix holds what the table does; if not, every program fails.
    in_doubles : bool
        Whether products of its numbers stay in range; if not, only whole numbers will do.
    """

    def __init__(
        self,
        matrix: Floats,
        pool: NDArray[np.intp] | None = None,
        exposed: Callable[[int], NDArray[np.intp]] | None = None,
        *,
        usable: bool = True,
        in_doubles: bool = True,
    ) -> None:
        self.matrix = matrix
        self.usable, self.in_doubles = usable, in_doubles
        self.pool = np.arange(len(matrix)) if pool is None else pool
        self.columns = np.ascontiguousarray(matrix[self.pool])
        self.exposed = exposed

    def candidates(self, p: int, program: Program) -> tuple[NDArray[np.intp], Floats]:
        """Return who may be a peer of unit p, with their columns."""
        pool, columns = self.pool, self.columns
        if program.barred is None:
            return pool, columns
        if self.exposed is not None and program.barred[p]:
            extra = self.exposed(p)
            if len(extra):
                pool, columns = np.r_[pool, extra], np.vstack([columns, self.matrix[extra]])
        kept = ~program.barred[pool]
        return pool[kept], columns[kept]


def solve_programs(
    references: References,
    build: Callable[[int], Program],
    units: NDArray[np.intp],
    n_jobs: int | None = None,
    *,
    exactly: bool = False,
    at_any_price: bool = True,
) -> list[Solution]:
    """Solve the programs of some units, in the order given.

    Parameters
    ----------
    references : References
    build : callable
        Returns the program of a unit; all have the same number of own columns.
    units : int array
    n_jobs : int or None
        Threads.
    exactly : bool
        Whether to ask for whole numbers at once.
    at_any_price : bool
        Whether to ask for them where HiGHS has no certain answer.

    Returns
    -------
    list of Solution
    """
    solutions: list[Solution] = [Solution("failed")] * len(units)
    n_chunks = -(-len(units) // CHUNK) if references.usable else 0
    exactly |= not references.in_doubles

    def work(chunks: slice) -> None:
        with np.errstate(all="ignore"):  # an overflow ends in a gap that is not a number
            for chunk in range(chunks.start, chunks.stop):
                solve(slice(chunk * CHUNK, min((chunk + 1) * CHUNK, len(units))))

    def solve(chunk: slice) -> None:
        shared: _Shared | None = None
        budget = EXACT_BUDGET if exactly or at_any_price else 0
        for k in range(chunk.start, chunk.stop):
            p = int(units[k])
            program = build(p)
            if not exactly:
                if shared is None:
                    shared = _Shared(references, len(program.cost))
                solutions[k] = shared.solve(p, program)
                if solutions[k].gap <= RETRY_GAP:
                    continue
                again = _solve_alone(references, p, program)
                if not solutions[k].gap <= again.gap:
                    solutions[k] = again
                if solutions[k].gap <= ENOUGH:
                    continue
            if budget > 0:
                pool, columns = references.candidates(p, program)
                first = np.isin(pool, solutions[k].peers)
                exact, n_products = _solve_exactly(pool, columns, program, first, budget)
                budget -= n_products
                solutions[k] = exact if exact.gap == 0 else solutions[k]

    if n_chunks:
        map_blocks(work, n_chunks, n_jobs, CHUNK_NS)
    return solutions


class _Shared:
    """One model for the programs of a chunk."""

    def __init__(self, references: References, n_own: int) -> None:
        self._references = references
        self._master = _master(references.matrix.shape[1], n_own, magnify=MAGNIFY)
        self._members = np.empty(0, dtype=np.intp)
        self._joined = np.zeros(len(references.matrix), dtype=np.bool_)

    def solve(self, p: int, program: Program) -> Solution:
        """Solve the program of unit p; take in references until none is worth it."""
        master, barred = self._master, program.barred
        pool, columns = self._references.candidates(p, program)
        self._join(program.start[~self._joined[program.start]])
        master.state(program, self._allowed(barred))
        while True:
            status = master.run()
            found = None
            if status == "optimal":
                found = master.solution()
                prices = found[2]
            else:
                ray = master.ray() if status == "infeasible" else None
                if ray is None:
                    master.forget()
                    return Solution("failed")
                prices = ray
            worth = columns @ prices
            joins = worth > PROFIT * (np.abs(prices).max() + 1.0)
            joins &= ~self._joined[pool]
            wanted = np.flatnonzero(joins)
            if not len(wanted):
                break
            wanted = wanted[np.argsort(-worth[wanted], kind="stable")[:BATCH]]
            self._join(pool[wanted])
            master.open(self._allowed(barred))
        if found is None:
            if _proves(prices, program, columns):
                return Solution("infeasible", gap=0.0)
            master.forget()
            return Solution("failed")
        own, weights, prices = found
        return _checked(self._references, program, own, self._members, weights, prices, columns)

    def _allowed(self, barred: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
        if barred is None:
            return np.ones(len(self._members), dtype=np.bool_)
        return ~barred[self._members]

    def _join(self, units: NDArray[np.intp]) -> None:
        if len(units):
            self._master.add(self._references.matrix[units])
            self._members = np.concatenate([self._members, units])
            self._joined[units] = True


def _master(n_rows: int, n_own: int, *, magnify: float) -> "Master":
    from deacs.dea.highs import Master  # most tables of selection never need HiGHS

    return Master(n_rows, n_own, magnify=magnify)


def _solve_alone(references: References, p: int, program: Program) -> Solution:
    """Solve in a fresh model whose rows have the unit's own scale."""
    pool, columns = references.candidates(p, program)
    scale = np.exp2(-np.round(np.log2(program.magnitude)))
    # A reference far larger than the unit is measured in its own size.
    sizes = np.exp2(np.round(np.log2(np.abs(columns * scale).max(axis=1))))
    scaled = Program(
        program.cost,
        program.own * scale,
        program.floor,
        program.ceiling,
        program.lower * scale,
        program.upper * scale,
        program.magnitude,
        program.start,
    )
    coefficients = columns * scale / sizes[:, None]
    if not (np.isfinite(coefficients).all() and np.isfinite(scaled.own).all()):
        return Solution("failed")
    master = _master(len(scale), len(program.cost), magnify=1.0)
    master.add(coefficients)
    master.state(scaled, np.ones(len(pool), dtype=np.bool_))
    if master.run() != "optimal":
        return Solution("failed")
    own, weights, prices = master.solution()
    return _checked(references, program, own, pool, weights / sizes, prices * scale, columns)


def _checked(
    references: References,
    program: Program,
    own: Floats,
    members: NDArray[np.intp],
    weights: Floats,
    prices: Floats,
    columns: Floats,
) -> Solution:
    """Find out how far the solver's answer misses the constraints and the other bound."""
    used = np.flatnonzero(weights > NOISE * weights.sum())
    peers, weights = members[used], weights[used]
    own = np.clip(own, program.floor, program.ceiling)
    lower, upper = program.lower, program.upper
    terms = np.vstack([weights[:, None] * references.matrix[peers], own[:, None] * program.own])
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


def _proves(ray: Floats, program: Program, columns: Floats) -> bool:
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


def _solve_exactly(
    pool: NDArray[np.intp],
    columns: Floats,
    program: Program,
    first: NDArray[np.bool_],
    budget: float,
) -> tuple[Solution, int]:
    """Solve in whole numbers; `first` marks likely peers. Say how many products it took."""
    lower, upper, n_rows = program.lower, program.upper, len(program.lower)
    numbers = np.r_[program.own.ravel(), program.cost]
    if not (np.isfinite(numbers).all() and (lower < np.inf).all() and (upper > -np.inf).all()):
        return Solution("failed"), 0  # beyond the range of doubles before it began
    fixed = lower == upper
    least = np.flatnonzero(np.isfinite(lower))
    most = np.flatnonzero(np.isfinite(upper) & ~fixed)
    capped = np.flatnonzero(np.isfinite(program.ceiling) & (program.ceiling > 0))
    free = np.flatnonzero(~np.isfinite(program.floor))
    own = np.where((program.ceiling > 0)[:, None], program.own, 0.0)
    k = len(own)
    left = np.hstack([own.T, -own[free].T, columns.T])
    caps = np.eye(len(own))[capped]
    caps = np.hstack([caps, -caps[:, free], np.zeros((len(capped), len(columns)))])
    cost = np.where(program.ceiling > 0, program.cost, 0.0)
    found = minimise(
        np.r_[cost, -cost[free], np.zeros(len(columns))],
        np.vstack([left[least], left[most], caps]),
        np.r_[np.where(fixed[least], 0, 1), -np.ones(len(most) + len(capped))].astype(np.int8),
        np.r_[lower[least], upper[most], program.ceiling[capped]],
        first=np.r_[np.arange(k), k + len(free) + np.flatnonzero(first)],
        budget=budget,
    )
    if found.status != "optimal":
        known = found.status == "infeasible"
        failed = Solution(found.status if known else "failed", gap=0.0 if known else np.inf)
        return failed, found.n_products
    values = found.values[:k].copy()
    values[free] -= found.values[k : k + len(free)]
    weights = found.values[k + len(free) :]
    used = np.flatnonzero(weights)
    prices = np.zeros(n_rows)
    prices[least] = found.prices[: len(least)]
    prices[most] += found.prices[len(least) : len(least) + len(most)]
    solution = Solution("optimal", found.objective, values, pool[used], weights[used], prices, 0.0)
    return solution, found.n_products
