"""Solve the programs of all units: by the compiled simplex method, else by HiGHS, else not at all.

Each program is first solved by the compiled method, from scratch, and once more with other scales
if its unit has small numbers. Those whose answers the proof
does not confirm, or that the method does not support, go to HiGHS: one model serves a chunk of
units, and each program starts from the last basis. Most units are never peers, so that a model
begins with a few references and adds others by their reduced costs (column generation), or if they
refute a proof of infeasibility. Chunks are fixed, so that results do not depend on the number of
threads.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import dea as kernels
from deacs._kernels.threads import map_blocks
from deacs.dea.data import Floats
from deacs.dea.program import ROUNDING, Program, Solution, check_all, checked, proves_infeasible
from deacs.dea.technology import Technology

if TYPE_CHECKING:
    from deacs.dea.highs import Model

__all__ = ["ByHighs", "radial_programs", "ray_programs", "solve_programs", "solve_quickly"]

CHUNK = 128
"""The number of units that share a model."""

CHUNK_NS = 1e8
"""Approximate cost of a chunk, which is always worth a thread."""

BATCH = 16
"""The most references added at a time."""

PROFIT = 1e-12
"""The reduced cost, relative to the prices, above which a reference is added."""

MAGNIFY = 128.0

CLOSE = 1e-11
"""The largest gap of an accepted answer of the compiled method."""

PENALTY = 4.0
"""The cost of meeting the demand of one row artificially, relative to an objective of 1."""

LEFT_OUT = 2.0
"""The sign of a row without bounds."""


def solve_programs(
    technology: Technology,
    build: Callable[[NDArray[np.intp]], Program],
    units: NDArray[np.intp],
    n_jobs: int | None = None,
) -> list[Solution]:
    """Solve the programs of some units, in the order given.

    `build` returns the programs of some units; all have the same number of own columns.
    """
    solutions = [Solution("failed")] * len(units)
    n_chunks = -(-len(units) // CHUNK) if technology.usable else 0
    if n_chunks:
        technology.references(itself=True)  # prepared by one thread

    @np.errstate(all="ignore")
    def work(chunks: slice) -> None:
        for chunk in range(chunks.start, chunks.stop):
            some = units[chunk * CHUNK : (chunk + 1) * CHUNK]
            program, by_highs = build(some), ByHighs(technology)
            found = solve_quickly(technology, program, some)
            unsolved = np.array([one is None for one in found])
            again = np.flatnonzero(unsolved & technology.has_small[some])
            if len(again):
                others = solve_quickly(technology, program[again], some[again], by_own=True)
                for k, one in zip(again.tolist(), others, strict=True):
                    found[k] = one
            for k, (p, one) in enumerate(zip(some.tolist(), found, strict=True)):
                if one is None:
                    one = by_highs.solve(p, program[k])
                solutions[chunk * CHUNK + k] = one

    if n_chunks:
        map_blocks(work, n_chunks, n_jobs, CHUNK_NS)
    return solutions


def radial_programs(
    technology: Technology, orientation: str, *, itself: bool
) -> Callable[[NDArray[np.intp]], Program]:
    """Return a function that builds the programs of θ, or of φ."""
    x, y, bads = technology.inputs, technology.outputs, technology.undesirable
    directions, m = np.zeros(technology.matrix.shape), x.shape[1]
    ceiling = np.full(len(x), np.inf)
    if orientation == "input":
        directions[:, :m] = -x
        sides = technology.bounds(np.zeros(x.shape), y, bads)
    else:
        directions[:, m : m + y.shape[1]] = -y
        sides = technology.bounds(x, np.zeros(y.shape), bads)
        ceiling[~y.any(axis=1)] = 1.0  # φ is unbounded for a unit without outputs
    sign = 1.0 if orientation == "input" else -1.0
    return ray_programs(technology, sign, directions, sides, ceiling, itself=itself)


def ray_programs(
    technology: Technology,
    cost: float,
    directions: Floats,
    sides: tuple[Floats, Floats],
    ceiling: Floats,
    *,
    itself: bool,
    unit: float = 0.0,
) -> Callable[[NDArray[np.intp]], Program]:
    r"""Return a function that builds programs with one unknown τ besides the intensities.

    .. math:: \min c\,τ \quad \text{s.t.} \quad l_p \le \sum_j λ_j a_j + τ d_p \le u_p, \quad
              λ \ge 0, \quad 0 \le τ \le g_p.

    `directions` are d, `sides` l and u (equal where both are finite), (n_units, n_rows) each;
    `ceiling` is g, (n_units,); `itself` and `unit` are those of `Program`.
    """

    def build(units: NDArray[np.intp]) -> Program:
        n = len(units)
        return Program(
            cost=np.full((n, 1), cost),
            own=directions[units][:, None, :],
            floor=np.zeros((n, 1)),
            ceiling=ceiling[units][:, None],
            lower=sides[0][units],
            upper=sides[1][units],
            start=np.empty((n, 0), dtype=np.intp),  # any guess will do
            itself=itself,
            unit=unit,
            limit=technology.limit(units),
        )

    return build


class Scaled(NamedTuple):
    """Programs as the compiled method reads them: demands, own columns and costs below 1."""

    units: NDArray[np.intp]
    """(n,) the unit that must not be a peer, if the references say so"""
    signs: Floats
    """(n, r) the sense of each row: 1 for at least its demand, -1 for at most, 0 for equal, or
    `LEFT_OUT`"""
    scales: Floats
    """(n, r) by which rows are divided"""
    demands: Floats
    """(n, r)"""
    own: Floats
    """(n, k, r)"""
    costs: Floats
    """(n, k)"""
    firsts: NDArray[np.int64]
    """(n, any) likely peers, padded with -1; guessed if the array has no columns"""
    penalties: Floats
    """(n,) the penalty of meeting all demands by artificials; 0 to begin without costs"""


class Found(NamedTuple):
    """Answers of the compiled method, not yet verified; zeros where there is nothing."""

    states: NDArray[np.int64]
    """(n,) positions in `kernels.STATES`"""
    own: Floats
    peers: NDArray[np.int64]
    """(n, r) padded with 0"""
    weights: Floats
    prices: Floats
    """(n, r); for an infeasible program, a certificate of infeasibility"""


@np.errstate(all="ignore")
def solve_quickly(
    technology: Technology, program: Program, units: NDArray[np.intp], *, by_own: bool = False
) -> list[Solution | None]:
    """Solve programs by the compiled method; None where it fails or its answer is not confirmed.

    `by_own`: rows are measured by the unit's own numbers, which suits small ones.
    """
    rows = np.ones(program.lower.shape)
    if by_own:
        numbers = np.abs(technology.matrix[units])
        rows = np.ldexp(1.0, np.where(numbers > 0, np.frexp(numbers)[1] - 1, 0))
    supported, scaled, own_power, cost_power, demand_power = _scaled(
        technology, program, units, rows
    )
    solutions: list[Solution | None] = [None] * len(units)
    taken = np.flatnonzero(supported)
    if not len(taken):
        return solutions
    if len(taken) < len(units):
        scaled = Scaled._make(part[taken] for part in scaled)
        program = program[taken]
    n, n_own, n_rows = scaled.own.shape
    shape = n, n_rows
    refs = technology.references(itself=program.itself)
    found = Found(
        np.zeros(n, dtype=np.int64),
        np.zeros((n, n_own)),
        np.zeros(shape, dtype=np.int64),
        np.zeros(shape),
        np.zeros(shape),
    )
    kernels.solve_programs(refs, scaled, found)
    demand, cost = demand_power[taken, None], cost_power[taken, None]
    own = np.ldexp(found.own, own_power[taken] - demand)
    weights = np.ldexp(found.weights * technology.sizes[found.peers], -demand)
    prices = np.ldexp(found.prices, -cost)

    def columns(k: int) -> Floats:
        return technology.candidates(int(scaled.units[k]), itself=program.itself)[1]

    def gainers(prices: Floats) -> NDArray[np.int64]:
        gains = np.empty(n, dtype=np.int64)
        kernels.find_gains(refs, scaled.units, np.ascontiguousarray(prices), ROUNDING, gains)
        return gains

    proof = check_all(
        technology.matrix, program, own, found.peers, weights, prices, columns, gainers
    )
    states = [kernels.STATES[state] for state in found.states.tolist()]
    for k, (at, state) in enumerate(zip(taken.tolist(), states, strict=True)):
        if state == "infeasible":
            if proves_infeasible(prices[k], program[k], columns(k)):
                solutions[at] = Solution("infeasible", gap=0.0)
        elif state == "optimal" and proof.gap[k] <= CLOSE:
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
    return solutions


def _scaled(
    technology: Technology, program: Program, units: NDArray[np.intp], scales: Floats
) -> tuple[NDArray[np.bool_], Scaled, NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Divide rows by `scales`; scale demands, own columns and costs below 1, by powers of two.

    Return which programs the method supports, all programs, and the powers.
    """
    lower, upper = program.lower, program.upper
    is_open = program.ceiling > 0
    own = np.where(is_open[:, :, None], program.own, 0.0)
    costs = np.where(is_open, program.cost, 0.0)
    least, most, fixed = np.isfinite(lower), np.isfinite(upper), lower == upper
    signs = np.where(fixed, 0.0, np.where(least, 1.0, np.where(most, -1.0, LEFT_OUT)))
    demands = np.where(least, lower, np.where(most, upper, 0.0))
    # The sums of the references are never negative.
    idle = (signs == 1) & (demands <= 0) & ~own.any(axis=1) & (technology.matrix >= 0).all(axis=0)
    signs[idle] = LEFT_OUT
    demands[signs == LEFT_OUT] = 0.0
    supported = ~(least & most & ~fixed).any(axis=1) & (program.floor == 0).all(axis=1)
    supported &= np.isin(program.ceiling, (0.0, np.inf)).all(axis=1)
    supported &= own.shape[1] + program.start.shape[1] <= kernels.MAX_MEMBERS // 2
    supported &= np.isfinite(own).all(axis=(1, 2)) & np.isfinite(costs).all(axis=1)
    supported &= (lower < np.inf).all(axis=1) & (upper > -np.inf).all(axis=1)
    demands, own = demands / scales, own / scales[:, None, :]
    own_power, demand_power = _power(own), _power(demands)
    costs = np.ldexp(costs, own_power)
    cost_power = _power(costs)
    penalties = np.ldexp(np.full(len(units), PENALTY), demand_power + cost_power)
    if own.shape[1] != 1:
        penalties[:] = 0.0
    scaled = Scaled(
        units,
        signs,
        scales,
        np.ldexp(demands, demand_power[:, None]),
        np.ldexp(own, own_power[:, :, None]),
        np.ldexp(costs, cost_power[:, None]),
        program.start.astype(np.int64),
        penalties,
    )
    return supported, scaled, own_power, cost_power, demand_power


def _power(numbers: Floats) -> NDArray[np.int32]:
    """Return the power of two that scales the maximum along the last axis below 1."""
    return np.asarray(-np.frexp(np.abs(numbers).max(axis=-1, initial=0.0))[1])


class ByHighs:
    """One HiGHS model for the programs of some units."""

    def __init__(self, technology: Technology) -> None:
        self._technology = technology
        self._members = np.empty(0, dtype=np.intp)
        self._joined = np.zeros(len(technology.matrix), dtype=np.bool_)
        self._model: Model | None = None

    def solve(self, p: int, program: Program) -> Solution:
        """Solve the program of unit p: add references until none has a gain."""
        model = self._prepared(p, program)
        pool, columns = self._technology.candidates(p, itself=program.itself)
        k = len(program.own)
        while True:
            status = model.run()
            values, prices = np.empty(0), model.ray() if status == "infeasible" else None
            if status == "optimal":
                values, prices = model.solution()
            if prices is None:
                model.forget()
                return Solution("failed")
            worth = columns @ prices
            joins = worth > PROFIT * (np.abs(prices).max() + 1.0)
            wanted = np.flatnonzero(joins & ~self._joined[pool])
            if not len(wanted):
                break
            self._join(pool[wanted[np.argsort(-worth[wanted], kind="stable")[:BATCH]]])
            model.open(self._allowed(p, program))
        if status == "optimal":
            matrix = self._technology.matrix
            return checked(matrix, program, values[:k], self._members, values[k:], prices, columns)
        if proves_infeasible(prices, program, columns):
            return Solution("infeasible", gap=0.0)
        model.forget()
        return Solution("failed")

    def _prepared(self, p: int, program: Program) -> "Model":
        """Set the numbers of one unit's program in the model."""
        k, n_rows = program.own.shape
        if self._model is None:
            # Loaded only if needed: feature selection rarely needs HiGHS.
            from deacs.dea.highs import Model

            self._model = Model(n_rows, magnify=MAGNIFY)
            self._model.add_columns(np.zeros((k, n_rows)), 0.0)
        self._model.set_first(program.own, program.cost, program.floor, program.ceiling)
        self._model.bound_rows(program.lower, program.upper)
        self._join(program.start[~self._joined[program.start]])
        self._model.open(self._allowed(p, program))
        return self._model

    def _allowed(self, p: int, program: Program) -> NDArray[np.bool_]:
        allowed = np.ones(len(program.own) + len(self._members), dtype=np.bool_)
        if program.itself:
            allowed[len(program.own) :] = self._members != p
        return allowed

    def _join(self, units: NDArray[np.intp]) -> None:
        if len(units) and self._model is not None:
            self._model.add_columns(self._technology.matrix[units], 0.0)
            self._members = np.concatenate([self._members, units])
            self._joined[units] = True
