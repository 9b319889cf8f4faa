r"""Super-efficiency with a constant input and bounded ratios of output weights.

.. math:: θ_p = \max_u u \cdot y_p \quad \text{s.t.} \quad u \cdot y_j \le 1 \; (j \ne p), \quad
          0 \le u_i \le ρ \, u_k \text{ for all } i, k.

With prices :math:`u_i = t + v_i`, :math:`0 \le v_i \le (ρ - 1) t`, the dual has one more output,
the sum of all, and a trade for each output: one unit of it for ρ - 1 units of the sum. This is an
assurance region of type I (R. G. Thompson et al., "Comparative site evaluations for locating a
high-energy physics lab in Texas", Interfaces 16(6) (1986) 35-49). With ρ = 1 prices are equal, and
θ is the sum of a unit over the largest other sum; ρ = inf is `super_efficiency`.
"""

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats, read_table
from deacs.dea.program import Program
from deacs.dea.result import EFFICIENCY_TOLERANCE
from deacs.dea.solver import solve_programs
from deacs.dea.technology import Technology

__all__ = ["assured_best", "assured_score", "assured_scores"]

N_STRONGEST = 8
"""The number of units with the largest sums, which bound all other scores from above."""


MOST_NUMBERS = 20_000
"""The largest number of entries of a table that is solved by a tableau."""

PROVED = 1e-12
"""The largest difference between the value of a program and the worth of the unit at its prices."""

SMALLEST = 1e-13
"""A pivot or a gain up to this is zero."""


def assured_scores(outputs: Floats, ratio: float) -> Floats:
    """Return θ of every unit with an output; 0 for the others.

    `ratio` is ρ, at least 1 and finite. Units of measurement matter, since prices are compared.
    """
    model = _Model(outputs, ratio)
    return np.array([model.score(p) for p in range(len(outputs))])


def assured_score(outputs: Floats, ratio: float, unit: int) -> float:
    """Return θ of one unit, by one linear program."""
    return _Model(outputs, ratio).score(unit)


def assured_best(outputs: Floats, ratio: float) -> tuple[NDArray[np.intp], float]:
    """Return the units whose θ is the largest up to 1e-9 relative, and that θ.

    A program is solved only for units whose upper bound reaches the best value known.
    """
    near = _contenders(outputs, ratio)
    outputs = outputs[near]
    bound = _upper_bounds(outputs, ratio)
    model = _Model(outputs, ratio)
    found = np.full(len(outputs), -np.inf)
    best = -np.inf
    for p in np.argsort(-bound, kind="stable"):
        if bound[p] < best * (1 - EFFICIENCY_TOLERANCE):
            break
        found[p] = model.score(int(p))
        best = max(best, found[p])
    least = best if math.isinf(best) else best * (1 - EFFICIENCY_TOLERANCE)
    return near[found >= least], best


def _contenders(y: Floats, ratio: float) -> NDArray[np.intp]:
    """Return the units that can be best, or rivals of the best.

    With prices between t and ρ t, a unit is worth at least t and at most ρ t times its sum. If the
    latter is less than t times the second largest sum, two units are worth more at any prices.
    """
    sums = y.sum(axis=1)
    second = np.partition(sums, -2)[-2] if len(sums) > 1 else 0.0
    return np.flatnonzero(ratio * sums >= second * (1 - EFFICIENCY_TOLERANCE))


def _upper_bounds(y: Floats, ratio: float) -> Floats:
    """Return the minimum over some rivals j of the maximum of u.y_p / u.y_j, 1 <= u_i <= ρ.

    The best prices are ρ for outputs in which p exceeds j by more than this maximum, else 1. Prices
    that follow from a lower quotient raise it, until they no longer change (W. Dinkelbach, "On
    nonlinear fractional programming", Management Science 13 (1967) 492-498).
    """
    sums, bounds = y.sum(axis=1), np.full(len(y), np.inf)
    strongest = np.argsort(-sums, kind="stable")[:N_STRONGEST]
    for j in strongest[sums[strongest] > 0].tolist():
        quotients = sums / sums[j]
        quotients[j] = np.inf
        # Quotients only grow, so a unit is done with a rival that gives no lower bound.
        open_units = np.flatnonzero(quotients < bounds)
        while len(open_units):
            mine, quotient = y[open_units], quotients[open_units]
            extra = (ratio - 1) * (mine > quotient[:, np.newaxis] * y[j])
            raised = (sums[open_units] + (extra * mine).sum(axis=1)) / (sums[j] + extra @ y[j])
            is_final = raised <= quotient
            bounds[open_units[is_final]] = quotient[is_final]
            quotients[open_units] = raised
            open_units = open_units[~is_final & (raised < bounds[open_units])]
    return bounds


class _Model:
    """Programs of single units: a small tableau, or intensities of the others and trades."""

    def __init__(self, outputs: Floats, ratio: float) -> None:
        self._y = outputs / max(float(outputs.max(initial=0.0)), 1e-300)
        self._ratio = ratio
        self._sums = self._y.sum(axis=1)

    def score(self, p: int) -> float:
        """Return θ of one unit: its worth at its own prices over that of the best rival."""
        if self._sums[p] == 0:
            return 0.0
        others = np.delete(self._sums, p)
        if not others.any():
            return math.inf
        if self._y.size <= MOST_NUMBERS:
            value, dual = _by_tableau(self._y, p, self._ratio)
            score = self._worth(p, dual)
            if abs(value - score) <= PROVED * score:
                return score
        (one,) = solve_programs(self._technology, self._programs, np.array([p]))
        prices = one.prices if len(one.prices) else np.zeros(self._y.shape[1] + 2)
        return self._worth(p, np.maximum(prices[1:] / self._technology.scale[1:], 0.0))

    @cached_property
    def _technology(self) -> Technology:
        """Units with a constant input, their outputs and the sum of these."""
        return Technology(read_table(None, np.column_stack([self._y, self._sums])), "crs")

    def _programs(self, units: NDArray[np.intp]) -> Program:
        """Return programs whose own columns are Σ λ, at a cost of 1, and the trades."""
        technology, n, s = self._technology, len(units), self._y.shape[1]
        own = np.zeros((1 + s, s + 2))
        own[0, 0], own[1:, 1 : 1 + s], own[1:, -1] = -1.0, np.eye(s), 1.0 - self._ratio
        nothing = np.empty((n, 0))
        lower, upper = technology.bounds(np.zeros((n, 1)), technology.outputs[units], nothing)
        return Program(
            cost=np.tile(np.eye(1 + s)[0], (n, 1)),
            own=np.tile(own / technology.scale, (n, 1, 1)),
            floor=np.zeros((n, 1 + s)),
            ceiling=np.full((n, 1 + s), np.inf),
            lower=lower,
            upper=upper,
            start=np.empty((n, 0), dtype=np.intp),
            itself=True,
            limit=technology.limit(units),
        )

    def _worth(self, p: int, dual: Floats) -> float:
        """Return the worth of a unit over that of its best rival; the last entry of `dual` is t."""
        y, s = self._y, self._y.shape[1]
        # Move prices back into the region if the solver left it within its tolerance.
        t = dual[s] if dual[s] > 0 else float(dual[:s].max(initial=0.0)) / max(self._ratio, 1.0)
        prices = t + np.minimum(dual[:s], (self._ratio - 1) * t)
        if not prices.any():
            prices = np.ones(s)
        worth = y @ prices
        mine = float(worth[p])
        worth[p] = 0.0
        return mine / float(worth.max())


def _by_tableau(y: Floats, p: int, ratio: float) -> tuple[float, Floats]:
    """Solve the program of unit p by the simplex method, starting at prices v = 0 and t = 0.

    Return θ and the prices, not yet verified; NaN and zeros if it fails.
    """
    n, s = y.shape
    # Rows: n - 1 rivals, s limits, the objective; columns: v, t, the right-hand side.
    table = np.zeros((n + s, s + 2))
    table[: n - 1, :s] = np.delete(y, p, axis=0)
    table[: n - 1, s] = table[: n - 1, :s].sum(axis=1)
    table[: n - 1, -1] = 1.0
    table[n - 1 : -1, :s] = np.eye(s)
    table[n - 1 : -1, s] = 1.0 - ratio
    table[-1, :s], table[-1, s] = -y[p], -y[p].sum()
    basic, others = np.arange(s + 1, s + n + s), np.arange(s + 1)
    # All prices rise together until a rival stops them.
    if not _pivot(table, basic, others, s, 10 * (n + s)):
        return math.nan, np.zeros(s + 1)
    prices = np.zeros(2 * s + n)
    prices[basic] = table[:-1, -1]
    return float(table[-1, -1]), np.maximum(prices[: s + 1], 0.0)


def _pivot(
    table: Floats, basic: NDArray[np.intp], others: NDArray[np.intp], column: int, most: int
) -> bool:
    """Pivot until no column improves the objective; return whether that was reached.

    The last row of `table` is the objective, the last column the right-hand side; `basic` and
    `others` are the variables of rows and columns, `column` the first to enter.
    """
    for _ in range(most):
        entering = table[:, column].copy()
        positive = np.flatnonzero(entering[:-1] > SMALLEST)
        if not len(positive):
            return False
        row = positive[(table[positive, -1] / entering[positive]).argmin()]
        pivot = entering[row]
        line = table[row] / pivot
        table -= entering[:, np.newaxis] * line
        table[row], table[:, column] = line, -entering / pivot
        table[row, column] = 1.0 / pivot
        basic[row], others[column] = others[column], basic[row]
        column = int(table[-1, :-1].argmin())
        if table[-1, column] >= -SMALLEST:
            return True
    return False
