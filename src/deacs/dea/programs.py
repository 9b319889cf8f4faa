r"""The linear programs of all units under one model, with the references behind them.

.. math:: \min c z \quad \text{s.t.} \quad
          l \le \sum_j λ_j a_j + \sum_k z_k b_k \le u, \quad λ \ge 0.

Rows a_j are the references: inputs, outputs and, where returns to scale are not constant, a 1. From
unit to unit only the own part of the program changes (c, b, l, u, who may be a peer), so one HiGHS
model serves a chunk of units, each program starting from the last basis. Most units are never
anyone's peer: the model begins with a few and takes in others when the prices ask for them (column
generation), or when a proof of infeasibility does not hold against them. Chunks are fixed, so that
the number of threads does not change a bit of any answer.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats
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
    """

    def __init__(
        self,
        matrix: Floats,
        pool: NDArray[np.intp] | None = None,
        exposed: Callable[[int], NDArray[np.intp]] | None = None,
    ) -> None:
        self.matrix = matrix
        self.pool = np.arange(len(matrix)) if pool is None else pool
        self.columns = np.ascontiguousarray(matrix[self.pool])
        self.exposed = exposed

    def candidates(self, p: int, program: Program) -> tuple[NDArray[np.intp], Floats]:
        """Return who may be a peer of unit p, with their columns."""
        if program.barred is None:
            return self.pool, self.columns
        pool, columns = self.pool, self.columns
        if self.exposed is not None and program.barred[p]:
            extra = self.exposed(p)
            if len(extra):
                pool, columns = np.r_[pool, extra], np.vstack([columns, self.matrix[extra]])
        return pool, columns


def solve_programs(
    references: References,
    build: Callable[[int], Program],
    units: NDArray[np.intp],
    n_jobs: int | None = None,
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

    Returns
    -------
    list of Solution
    """
    solutions: list[Solution] = [Solution("failed")] * len(units)
    n_chunks = -(-len(units) // CHUNK)

    def work(chunks: slice) -> None:
        with np.errstate(all="ignore"):  # an overflow ends in a gap that is not a number
            for chunk in range(chunks.start, chunks.stop):
                solve(slice(chunk * CHUNK, min((chunk + 1) * CHUNK, len(units))))

    def solve(chunk: slice) -> None:
        shared: _Shared | None = None
        for k in range(chunk.start, chunk.stop):
            p = int(units[k])
            program = build(p)
            if shared is None:
                shared = _Shared(references, len(program.cost))
            found = shared.solve(p, program)
            if not found.gap <= RETRY_GAP:
                again = _solve_alone(references, p, program)
                found = again if not found.gap <= again.gap else found
            solutions[k] = found

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
                if ray is None or not _proves(ray, program):
                    master.forget()
                    return Solution("failed")
                prices = ray
            worth = columns @ prices
            if barred is not None:
                worth[barred[pool]] = 0.0
            joins = worth > PROFIT * (np.abs(prices).max() + 1.0)
            joins &= ~self._joined[pool]
            wanted = np.flatnonzero(joins)
            if not len(wanted):
                break
            wanted = wanted[np.argsort(-worth[wanted], kind="stable")[:BATCH]]
            self._join(pool[wanted])
            master.open(self._allowed(barred))
        if found is None:
            return Solution("infeasible", gap=0.0)
        own, weights, prices = found
        return _checked(self._references, program, own, self._members, weights, prices, worth)

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
    if program.barred is not None:
        kept = ~program.barred[pool]
        pool, columns = pool[kept], columns[kept]
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
    master = _master(len(scale), len(program.cost), magnify=1.0)
    master.add(columns * scale / sizes[:, None])
    master.state(scaled, np.ones(len(pool), dtype=np.bool_))
    status = master.run()
    if status == "infeasible":
        return Solution("infeasible", gap=0.0)
    if status == "failed":
        return Solution("failed")
    own, weights, prices = master.solution()
    prices = prices * scale
    return _checked(references, program, own, pool, weights / sizes, prices, columns @ prices)


def _checked(
    references: References,
    program: Program,
    own: Floats,
    members: NDArray[np.intp],
    weights: Floats,
    prices: Floats,
    worth: Floats,
) -> Solution:
    """Find out how far the solver's answer misses the constraints and the other bound."""
    used = np.flatnonzero(weights > NOISE * weights.sum())
    peers, weights = members[used], weights[used]
    own = np.clip(own, program.floor, program.ceiling)
    made = weights @ references.matrix[peers] + own @ program.own
    missed = np.maximum(np.maximum(program.lower - made, made - program.upper), 0.0)
    objective = float(program.cost @ own)

    # The dual objective: each row at the bound that its price asks for, each own column likewise.
    at = np.where(prices > 0, program.lower, program.upper)
    reduced = program.cost - program.own @ prices
    at_own = np.where(reduced > 0, program.floor, program.ceiling)
    # What a price or reduced cost is worth that points at no bound is lost.
    astray, astray_own = ~np.isfinite(at), ~np.isfinite(at_own)
    lost = np.abs(prices[astray]) @ program.magnitude[astray]
    lost += np.abs(reduced[astray_own]) @ np.maximum(np.abs(own[astray_own]), 1.0)
    lost += max(0.0, float(worth.max(initial=0.0))) * weights.sum()
    dual = np.where(astray, 0.0, prices) @ np.where(astray, 0.0, at) - lost
    dual += np.where(astray_own, 0.0, reduced) @ np.where(astray_own, 0.0, at_own)
    apart = abs(objective - float(dual)) / max(abs(objective), program.unit, 1e-300)
    gap = max(apart, float((missed / program.magnitude).max()))
    return Solution("optimal", objective, own, peers, weights, prices, gap)


def _proves(ray: Floats, program: Program) -> bool:
    """Whether no z and no λ of references with a·ray ≤ 0 can meet the rows."""
    at = np.where(ray > 0, program.lower, program.upper)
    pull = program.own @ ray
    at_own = np.where(pull > 0, program.ceiling, program.floor)
    size = np.abs(ray).max()
    with np.errstate(invalid="ignore"):
        needed = np.where(np.abs(ray) > 1e-12 * size, ray * at, 0.0).sum()
        own = np.where(np.abs(pull) > 1e-12 * size, pull * at_own, 0.0).sum()
    return bool(needed - own > 0)
