r"""The simplex method in exact integer arithmetic, for programs that floating point cannot decide.

.. math:: \min c z \quad \text{s.t.} \quad A z = b, \quad z \ge 0.

A double is an integer times a power of two, so rows and columns can be scaled to integers. The
basis inverse is kept as :math:`D B^{-1}` with :math:`D = |\det B|`, which is an integer matrix, and
every division of a pivot is exact (Edmonds). The answer is exact for any range of numbers.

Edmonds, J. (1967). Systems of distinct representatives and linear algebra. Journal of Research of
the National Bureau of Standards 71B(4), 241-245. Bland, R. G. (1977). New finite pivoting rules for
the simplex method. Mathematics of Operations Research 2(2), 103-107.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats
from deacs.dea.program import Program, Solution

__all__ = ["Exact", "minimise", "solve_exactly"]

ZERO = 1 << 20
"""Exponent of a zero, which does not affect the scale of a column or row."""

SAFE = 1e-150
"""Products with a price below this may underflow."""

DOUBT = 1e-11
"""The relative rounding error of sums of doubles is below this."""

SMALLEST = 5e-324
"""The smallest positive double, so that nonzero numbers stay nonzero."""


@dataclass(frozen=True, slots=True)
class Exact:
    """The optimum, rounded once at the end.

    Attributes
    ----------
    status : {"optimal", "infeasible", "unbounded", "unfinished"}
    objective : float
    values : (n_columns,) array
        z.
    prices : (n_rows,) array
        The derivative of the objective by b.
    n_products : int
        The number of integer multiplications.
    """

    status: str
    objective: float
    values: Floats
    prices: Floats
    n_products: int


def solve_exactly(
    pool: NDArray[np.intp],
    columns: Floats,
    program: Program,
    first: NDArray[np.bool_],
    budget: float,
) -> tuple[Solution, int]:
    """Solve the program of a unit; return the answer and the number of multiplications.

    `columns` are those of the units in `pool`; `first` marks likely peers.
    """
    lower, upper, n_rows = program.lower, program.upper, len(program.lower)
    numbers = np.r_[program.own.ravel(), program.cost]
    if not (np.isfinite(numbers).all() and (lower < np.inf).all() and (upper > -np.inf).all()):
        return Solution("failed"), 0  # the program is out of the range of doubles
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


def minimise(
    cost: Floats,
    matrix: Floats,
    senses: NDArray[np.int8],
    bounds: Floats,
    *,
    first: NDArray[np.intp] | None = None,
    budget: float = np.inf,
) -> Exact:
    """Solve a linear program over z ≥ 0.

    `senses` is 1 where a row is at least its bound, -1 where it is at most, 0 where it equals it.
    Columns `first` are likely in the optimal basis and tried first. `budget` is the largest number
    of integer multiplications.
    """
    n_rows, n_columns = matrix.shape
    table, row_powers, column_powers = _whole(np.block([[matrix, bounds[:, None]], [cost, 0.0]]))
    signs = np.where(bounds < 0, -1, 1)
    rows = [[int(sign) * v for v in row] for sign, row in zip(signs, table[:-1], strict=True)]
    costs = table[-1][:-1]
    columns = [list(column) for column in zip(*rows, strict=True)]
    demand = columns.pop()
    method = _Simplex(columns, costs, (-senses * signs).tolist(), demand)
    method.budget = budget
    status = method.run([] if first is None else first.tolist())
    values, prices = np.zeros(n_columns), np.zeros(n_rows)
    if status != "optimal":
        return Exact(status, np.nan, values, prices, method.n_products)
    scale = int(column_powers[-1])
    for place, j in enumerate(method.basis):
        if j < n_columns:
            power = scale - int(column_powers[j])
            values[j] = _double(method.amounts[place], method.size, power)
    for r in range(n_rows):
        power = int(row_powers[-1]) - int(row_powers[r])
        prices[r] = _double(int(signs[r]) * method.prices[r], method.size, power)
    worth = sum(price * b for price, b in zip(method.prices, demand, strict=True))
    objective = _double(worth, method.size, scale + int(row_powers[-1]))
    return Exact(status, objective, values, prices, method.n_products)


class _Simplex:
    """The revised simplex method; column n + r is the slack of row r, n_all + r its artificial."""

    def __init__(
        self,
        columns: list[list[int]],
        costs: list[int],
        slack_signs: list[int],
        demand: list[int],
    ) -> None:
        m = len(demand)
        for r, sign in enumerate(slack_signs):
            columns.append([sign if i == r else 0 for i in range(m)])
        self._columns = columns
        self._costs = costs + [0] * m
        self._can_enter = [True] * len(costs) + [sign != 0 for sign in slack_signs]
        n = len(columns)
        self.basis = [n - m + r if sign > 0 else n + r for r, sign in enumerate(slack_signs)]
        self.size = 1
        self._inverse = [[int(i == r) for i in range(m)] for r in range(m)]
        self.amounts = list(demand)
        self.prices = [0] * m
        self._shortfall_prices = [int(sign <= 0) for sign in slack_signs]  # of the first phase
        self.n_products, self.budget = 0, np.inf
        try:
            self._doubles: Floats | None = np.array(columns, dtype=np.float64)
        except OverflowError:
            self._doubles = None

    def run(self, first: list[int]) -> str:
        """Find a feasible basis, then an optimal one."""
        n = len(self._columns)
        if any(self._shortfall_prices):
            ended = self._descend(self._shortfall_prices, [0] * n, first)
            if ended == "optimal" and any(
                a for a, j in zip(self.amounts, self.basis, strict=True) if j >= n
            ):
                return "infeasible"
            if ended != "optimal":
                return ended
        return self._descend(self.prices, self._costs, first)

    def _descend(self, prices: list[int], costs: list[int], first: list[int]) -> str:
        """Pivot until no column has a negative reduced cost, or the program is unbounded."""
        idle = 0
        while self.n_products <= self.budget:
            # The steepest column; Bland's rule (the first) after degenerate steps, to avoid cycles.
            circling = idle > 2 * len(prices)
            entering = -1 if circling else self._steepest(first, prices, costs, circling)
            if entering < 0:
                entering = self._steepest(
                    self._worth_pricing(prices, costs), prices, costs, circling
                )
            if entering < 0:
                return "optimal"
            alpha = [sum(map(int.__mul__, row, self._columns[entering])) for row in self._inverse]
            leaving = self._leaves(alpha)
            if leaving < 0:
                return "unbounded"
            idle = 0 if self.amounts[leaving] else idle + 1
            self._pivot(entering, leaving, alpha)
            self.n_products += 3 * len(prices) * (len(prices) + 2)
        return "unfinished"

    def _worth_pricing(self, prices: list[int], costs: list[int]) -> list[int]:
        """Drop columns whose reduced cost is positive beyond the rounding errors of doubles."""
        every = [j for j, can in enumerate(self._can_enter) if can]
        if self._doubles is None:
            return every
        try:
            price = np.array([value / self.size for value in prices])
            cost = np.array(costs, dtype=np.float64)
        except OverflowError:
            return every
        if ((price != 0) != np.array([value != 0 for value in prices])).any():
            return every
        if np.abs(price[price != 0]).min(initial=1.0) < SAFE:
            return every
        with np.errstate(over="ignore", invalid="ignore"):
            gain = self._doubles @ price - cost
            size = np.abs(self._doubles) @ np.abs(price) + np.abs(cost)
            doubtful = ~(gain < -DOUBT * size)
        return [j for j in np.flatnonzero(doubtful).tolist() if self._can_enter[j]]

    def _steepest(self, some: list[int], prices: list[int], costs: list[int], first: bool) -> int:
        """Return the column with the largest gain, or the first with a gain; -1 if none has."""
        entering, most = -1, 0
        for j in some:
            self.n_products += len(prices)
            gain = sum(map(int.__mul__, prices, self._columns[j])) - self.size * costs[j]
            if gain > most:
                entering, most = j, gain
                if first:
                    break
        return entering

    def _leaves(self, alpha: list[int]) -> int:
        """Return the row of the leaving variable; artificial variables at zero stay at zero."""
        n, leaving = len(self._columns), -1
        for i, a in enumerate(alpha):
            if a and self.basis[i] >= n and not self.amounts[i]:
                return i
            if a <= 0:
                continue
            if leaving >= 0:
                here = self.amounts[i] * alpha[leaving]
                there = self.amounts[leaving] * a
                if here > there or (here == there and self.basis[i] > self.basis[leaving]):
                    continue
            leaving = i
        return leaving

    def _pivot(self, entering: int, leaving: int, alpha: list[int]) -> None:
        pivot, size, column = alpha[leaving], self.size, self._columns[entering]
        row, amount = self._inverse[leaving], self.amounts[leaving]
        sign = 1 if pivot > 0 else -1
        divisor = sign * size
        of_shortfall = sum(map(int.__mul__, self._shortfall_prices, column))
        of_prices = sum(map(int.__mul__, self.prices, column)) - size * self._costs[entering]
        for i, a in enumerate(alpha):
            if i != leaving:
                other = self._inverse[i]
                other[:] = [(pivot * v - a * w) // divisor for v, w in zip(other, row, strict=True)]
                self.amounts[i] = (pivot * self.amounts[i] - a * amount) // divisor
        for prices, gain in ((self._shortfall_prices, of_shortfall), (self.prices, of_prices)):
            prices[:] = [
                (pivot * v - gain * w) // divisor for v, w in zip(prices, row, strict=True)
            ]
        if sign < 0:
            row[:] = [-v for v in row]
            self.amounts[leaving] = -amount
        self.size = abs(pivot)
        self.basis[leaving] = entering


def _whole(table: Floats) -> tuple[list[list[int]], NDArray[np.int64], NDArray[np.int64]]:
    """Scale rows and columns by powers of two to integers.

    Return the table, and the powers of rows and columns.
    """
    fractions, exponents = np.frexp(table)
    digits = np.ldexp(fractions, 53).astype(np.int64)
    lowest = digits & -digits
    trailing = np.where(digits == 0, 0, np.frexp(lowest.astype(np.float64))[1] - 1)
    powers = np.where(digits == 0, ZERO, exponents.astype(np.int64) - 53 + trailing)
    digits >>= trailing
    of_columns = _least(powers, axis=0)
    powers = powers - of_columns
    of_rows = _least(powers, axis=1)
    shifts = np.where(digits == 0, 0, powers - of_rows[:, None])
    whole = [
        [d << s for d, s in zip(row, by, strict=True)]
        for row, by in zip(digits.tolist(), shifts.tolist(), strict=True)
    ]
    return whole, of_rows, of_columns


def _least(powers: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
    least = powers.min(axis=axis)
    return np.asarray(np.where(least > ZERO // 2, 0, least))


def _double(numerator: int, denominator: int, power: int) -> float:
    """Round to the nearest nonzero double; infinite on overflow."""
    if power >= 0:
        numerator <<= power
    else:
        denominator <<= -power
    try:
        double = numerator / denominator
    except OverflowError:
        return np.inf if numerator > 0 else -np.inf
    return double or (SMALLEST if numerator > 0 else -SMALLEST if numerator else 0.0)
