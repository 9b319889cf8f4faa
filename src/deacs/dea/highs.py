"""Interface to HiGHS: one growing linear program, silent, on one thread."""

import highspy
import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats

__all__ = ["Model"]

SMALLEST = 1e-12
"""The smallest coefficient that HiGHS can keep."""

MOST_ITERATIONS = 20_000
"""The iteration limit of a program, as HiGHS may cycle if numbers span a wide range."""

DUAL, PRIMAL = 1, 4
"""The codes of the two simplex methods in HiGHS."""

OPTIONS = {
    "solver": "simplex",
    "presolve": "off",
    "parallel": "off",  # "threads" is not set, since it is global to the process
    "small_matrix_value": SMALLEST,
    "simplex_scale_strategy": 0,  # tables are scaled already
    "simplex_iteration_limit": MOST_ITERATIONS,
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}


class Model:
    """Minimise cost·z subject to lower ≤ A z ≤ upper, floor ≤ z ≤ ceiling, repeatedly.

    It begins with `n_rows` rows without coefficients. Rows and columns can be added; bounds, costs
    and the first columns change from one program to the next, which starts from the last basis.
    Values and costs are multiplied by `magnify`, for a finer tolerance than the 1e-10 of HiGHS.
    """

    def __init__(self, n_rows: int = 0, *, magnify: float = 1.0) -> None:
        self.n_columns = 0
        self._n_rows = 0
        self._magnify = magnify
        self._first = np.zeros((0, n_rows))
        self._open = np.zeros(0, dtype=np.bool_)
        self._highs = highspy.Highs()
        self._highs.silent()
        for name, value in OPTIONS.items():
            self._highs.setOptionValue(name, value)
        self.add_rows(np.zeros((n_rows, 0)))

    def add_rows(self, matrix: Floats) -> None:
        """Add a row for each row of `matrix`, with bounds 0 until `bound_rows`."""
        n, zeros = len(matrix), np.zeros(len(matrix))
        self._highs.addRows(n, zeros, zeros, *_sparse(matrix))
        self._n_rows += n

    def add_columns(self, matrix: Floats, cost: float) -> None:
        """Add a column z ≥ 0 for each row of `matrix`, all with the same cost."""
        n = len(matrix)
        costs, above = np.full(n, cost * self._magnify), np.full(n, highspy.kHighsInf)
        self._highs.addCols(n, costs, np.zeros(n), above, *_sparse(matrix))
        self._open = np.concatenate([self._open, np.ones(n, dtype=np.bool_)])
        self.n_columns += n

    def bound_rows(self, lower: Floats, upper: Floats) -> None:
        """Set the bounds of all rows."""
        size = self._magnify
        for row, (least, most) in enumerate(zip(lower.tolist(), upper.tolist(), strict=True)):
            self._highs.changeRowBounds(row, least * size, most * size)

    def set_first(self, matrix: Floats, cost: Floats, floor: Floats, ceiling: Floats) -> None:
        """Set the coefficients, costs and bounds of the first columns."""
        k, size = len(matrix), self._magnify
        if len(self._first) < k:
            self._first = np.zeros(matrix.shape)
        columns = np.arange(k, dtype=np.int32)
        self._highs.changeColsCost(k, columns, cost * size)
        self._highs.changeColsBounds(k, columns, floor * size, ceiling * size)
        for column, row in np.argwhere(matrix != self._first):
            value = matrix[column, row]
            self._highs.changeCoeff(row, column, value if abs(value) > SMALLEST else 0.0)
        self._first = matrix

    def open(self, allowed: NDArray[np.bool_]) -> None:
        """Set which columns may be positive; the first ones keep their bounds."""
        changed = allowed != self._open
        for j in np.flatnonzero(changed[len(self._first) :]) + len(self._first):
            self._highs.changeColBounds(j, 0.0, highspy.kHighsInf if allowed[j] else 0.0)
        self._open = allowed

    def run(self) -> str:
        """Solve; return "optimal", "infeasible" or "failed"."""
        status = self._attempt()
        if status == "failed":
            # The dual simplex method sometimes does not decide whether a program is feasible.
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

    def solution(self) -> tuple[Floats, Floats]:
        """Return z and the prices of the rows."""
        found, size = self._highs.getSolution(), self._magnify
        return np.array(found.col_value) / size, np.array(found.row_dual) / size

    def ray(self) -> Floats | None:
        """Return prices that prove infeasibility, if HiGHS has them."""
        _, known, values = self._highs.getDualRay()
        return np.array(values) if known else None


def _sparse(
    matrix: Floats,
) -> tuple[int, NDArray[np.int32], NDArray[np.int32], Floats]:
    """Return the coefficients in the sparse row format of HiGHS."""
    kept = np.abs(matrix) > SMALLEST
    starts = np.zeros(len(matrix), dtype=np.int32)
    np.cumsum(kept.sum(axis=1)[:-1], out=starts[1:])
    index = np.nonzero(kept)[1].astype(np.int32)
    return len(index), starts, index, matrix[kept]
