"""Solve the linear programs of all units under one model.

Each program is first solved by the compiled simplex method, from scratch. Those whose answers
`proof` does not confirm, or that the method does not support, go to HiGHS. From unit to unit only
the own part of a program changes, so one model serves a chunk of units, and each program starts
from the last basis. Most units are never peers: the model begins with a few references and adds
others by their reduced costs (column generation), or if they refute a proof of infeasibility.
Chunks are fixed, so that results do not depend on the number of threads. Answers of HiGHS that
`proof` does not confirm are replaced by exact ones within the budget of the chunk, else they stay
uncertain.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deacs._kernels.threads import map_blocks
from deacs.dea.envelopment import solve_quickly
from deacs.dea.exact import solve_exactly
from deacs.dea.program import Program, Solution
from deacs.dea.proof import checked, proves_infeasible
from deacs.dea.references import References

if TYPE_CHECKING:
    from deacs.dea.highs import Model

__all__ = ["Solver", "solve_programs"]

CHUNK = 128
"""The number of units that share a model."""

CHUNK_NS = 1e8
"""Approximate cost of a chunk, which is always worth a thread."""

BATCH = 16
"""The most references added at a time."""

PROFIT = 1e-12
"""The reduced cost, relative to the prices, above which a reference is added."""

MAGNIFY = 128.0

ENOUGH = 1e-10
"""The gap above which a program is solved exactly."""

EXACT_BUDGET = 2_000_000
"""Integer multiplications, a few seconds, that a chunk may spend on exact solutions."""


def solve_programs(
    references: References,
    build: Callable[[NDArray[np.intp]], Program],
    units: NDArray[np.intp],
    n_jobs: int | None = None,
    *,
    exactly: bool = False,
    at_any_price: bool = True,
    enough: float = np.inf,
) -> list[Solution]:
    """Solve the programs of some units, in the order given.

    `build` returns the programs of some units; all have the same number of own columns. `exactly`
    solves them exactly at once; `at_any_price`, if HiGHS has no certain answer. A lower bound of at
    least `enough` on the objective is also accepted as an answer.
    """
    solutions: list[Solution] = [Solution("failed")] * len(units)
    n_chunks = -(-len(units) // CHUNK) if references.usable else 0
    quick = references.in_doubles and not exactly
    if quick and n_chunks:
        references.prepared(itself=True)  # by one thread

    @np.errstate(all="ignore")
    def work(chunks: slice) -> None:
        for chunk in range(chunks.start, chunks.stop):
            some = units[chunk * CHUNK : (chunk + 1) * CHUNK]
            program, solver = build(some), Solver(references)
            found: list[Solution | None] = [None] * len(some)
            if quick:
                found = solve_quickly(references, program, some, enough)
            for k, (p, one) in enumerate(zip(some.tolist(), found, strict=True)):
                if one is None and exactly:
                    one = solver.solve_exactly(p, program[k], Solution("failed"))
                elif one is None:
                    one = solver.solve(p, program[k], exact=at_any_price)
                solutions[chunk * CHUNK + k] = one

    if n_chunks:
        map_blocks(work, n_chunks, n_jobs, CHUNK_NS)
    return solutions


class Solver:
    """One HiGHS model for the programs of some units.

    `n_solved` counts the programs so far, `budget` the integer multiplications that are left.
    """

    def __init__(self, references: References) -> None:
        self._references = references
        self._members = np.empty(0, dtype=np.intp)
        self._joined = np.zeros(len(references.matrix), dtype=np.bool_)
        self._model: Model | None = None
        self.n_solved, self.budget = 0, EXACT_BUDGET

    def solve(
        self, p: int, program: Program, *, exact: bool = True, enough: float = -np.inf
    ) -> Solution:
        """Solve the program of unit p, exactly if needed.

        An upper bound on the objective below `enough` is also accepted; its gap is then 1.
        """
        if not self._references.in_doubles:
            return self.solve_exactly(p, program, Solution("failed"))
        found = self._solve(p, program, enough)
        if found.gap <= ENOUGH or found.objective < enough or not exact:
            return found
        return self.solve_exactly(p, program, found)

    def solve_exactly(self, p: int, program: Program, found: Solution) -> Solution:
        """Solve exactly, starting from the known answer, within the budget."""
        if self.budget <= 0 or not self._references.usable:
            return found
        self.n_solved += 1
        pool, columns = self._references.candidates(p, program)
        likely = np.isin(pool, found.peers)
        exact, n_products = solve_exactly(pool, columns, program, likely, self.budget)
        self.budget -= n_products
        return exact if exact.gap == 0 else found

    def _solve(self, p: int, program: Program, enough: float) -> Solution:
        """Add references until none has a gain."""
        references = self._references
        model = self._prepared(p, program)
        self.n_solved += 1
        pool, columns = references.candidates(p, program)
        k = len(program.own)
        while True:
            status = model.run()
            values, prices = np.empty(0), model.ray() if status == "infeasible" else None
            if status == "optimal":
                values, prices = model.solution()
                objective = float(program.cost @ values[:k])
                if objective < enough:
                    break
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
        if status != "optimal":
            if proves_infeasible(prices, program, columns):
                return Solution("infeasible", gap=0.0)
            model.forget()
            return Solution("failed")
        return checked(
            references.matrix, program, values[:k], self._members, values[k:], prices, columns
        )

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
        barred = self._references.barred(p, program)[self._members]
        return np.concatenate([np.ones(len(program.own), dtype=np.bool_), ~barred])

    def _join(self, units: NDArray[np.intp]) -> None:
        if len(units) and self._model is not None:
            self._model.add_columns(self._references.matrix[units], 0.0)
            self._members = np.concatenate([self._members, units])
            self._joined[units] = True
