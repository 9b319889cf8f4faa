"""HiGHS as the models of this package use it: silent, exact as it can be, and one thread."""

from typing import TYPE_CHECKING

import highspy
import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats

if TYPE_CHECKING:
    from deacs.dea.programs import Program

__all__ = ["SMALLEST", "Master", "silent_highs"]

SMALLEST = 1e-12
"""The smallest coefficient that HiGHS can be told to keep."""

MOST_ITERATIONS = 5000
"""Programs of few rows take some hundred at most; where numbers span too far, HiGHS can circle."""

DUAL, PRIMAL = 1, 4
"""HiGHS's numbers of the two simplex methods."""


def silent_highs() -> highspy.Highs:
    """Return a solver that prints nothing, scales nothing and keeps small coefficients."""
    highs = highspy.Highs()
    highs.silent()
    options = {
        "solver": "simplex",
        "presolve": "off",
        "parallel": "off",  # "threads" is global to the process: not ours to set
        "small_matrix_value": SMALLEST,
        "simplex_scale_strategy": 0,  # the tables are scaled; twice spoils the tolerances
        "primal_feasibility_tolerance": 1e-10,
        "dual_feasibility_tolerance": 1e-10,
    }
    for name, value in options.items():
        highs.setOptionValue(name, value)
    return highs


class Master:
    """One HiGHS model for many programs: own columns that change, members that join.

    minimise cost·z subject to lower ≤ own'z + members'λ ≤ upper, floor ≤ z ≤ ceiling, λ ≥ 0.

    HiGHS knows no tolerance below 1e-10; multiplied by `magnify`, values and costs get a finer one.
    """

    def __init__(self, n_rows: int, n_own: int, *, magnify: float) -> None:
        self.n_members = 0
        self._n_own = n_own
        self._magnify = magnify
        self._own = np.zeros((n_own, n_rows))
        self._open = np.zeros(0, dtype=np.bool_)
        self._highs = silent_highs()
        self._highs.setOptionValue("simplex_iteration_limit", MOST_ITERATIONS)
        self._rows = np.arange(n_rows, dtype=np.int32)
        self._own_columns = np.arange(n_own, dtype=np.int32)
        none = np.zeros(0, dtype=np.int32)
        self._highs.addRows(n_rows, np.zeros(n_rows), np.zeros(n_rows), 0, none, none, np.zeros(0))
        self._add(self._own)

    def add(self, columns: Floats) -> None:
        """Let references join, one a row of `columns`."""
        self._add(columns)
        self._open = np.concatenate([self._open, np.ones(len(columns), dtype=np.bool_)])
        self.n_members += len(columns)

    def _add(self, columns: Floats) -> None:
        n = len(columns)
        kept = np.abs(columns) > SMALLEST
        starts = np.zeros(n, dtype=np.int32)
        np.cumsum(kept.sum(axis=1)[:-1], out=starts[1:])
        index = np.nonzero(kept)[1].astype(np.int32)
        above = np.full(n, highspy.kHighsInf)
        self._highs.addCols(
            n, np.zeros(n), np.zeros(n), above, len(index), starts, index, columns[kept]
        )

    def state(self, program: "Program", allowed: NDArray[np.bool_]) -> None:
        """Put the numbers of one unit's program into the model."""
        highs, k, size = self._highs, self._n_own, self._magnify
        highs.changeRowsBounds(
            len(self._rows), self._rows, program.lower * size, program.upper * size
        )
        highs.changeColsCost(k, self._own_columns, program.cost * size)
        highs.changeColsBounds(k, self._own_columns, program.floor * size, program.ceiling * size)
        for column, row in np.argwhere(program.own != self._own):
            value = program.own[column, row]
            highs.changeCoeff(row, column, value if abs(value) > SMALLEST else 0.0)
        self._own = program.own
        self.open(allowed)

    def open(self, allowed: NDArray[np.bool_]) -> None:
        """Say which members may have a positive λ."""
        k = self._n_own
        for j in np.flatnonzero(allowed != self._open):
            self._highs.changeColBounds(k + j, 0.0, highspy.kHighsInf if allowed[j] else 0.0)
        self._open = allowed

    def run(self) -> str:
        """Solve; return "optimal", "infeasible" or "failed"."""
        status = self._attempt()
        if status == "failed":
            # The dual simplex method sometimes leaves it open whether a program is feasible.
            self._highs.clearSolver()
            self._highs.setOptionValue("simplex_strategy", PRIMAL)
            status = self._attempt()
            self._highs.setOptionValue("simplex_strategy", DUAL)
        return status

    def _attempt(self) -> str:
        self._highs.run()
        status = self._highs.getModelStatus()
        if status == highspy.HighsModelStatus.kOptimal:
            return "optimal"
        return "infeasible" if status == highspy.HighsModelStatus.kInfeasible else "failed"

    def forget(self) -> None:
        """Start the next program from scratch."""
        self._highs.clearSolver()

    def solution(self) -> tuple[Floats, Floats, Floats]:
        """Return z, λ of the members, and the prices of the rows."""
        found = self._highs.getSolution()
        values = np.array(found.col_value) / self._magnify
        return (
            values[: self._n_own],
            values[self._n_own :],
            np.array(found.row_dual) / self._magnify,
        )

    def ray(self) -> Floats | None:
        """Return prices that prove infeasibility, if HiGHS has them."""
        _, known, values = self._highs.getDualRay()
        return np.array(values) if known else None
