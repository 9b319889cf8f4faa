"""Brute-force twins of the DEA models: the textbook's linear program for each unit, by SciPy.

Every function returns the scores of all units. Tables of fractions (`fractions_of`) are solved in
fractions, by the tableau of a textbook, for tiny tables of any range. Slow on purpose.
"""

import math
from fractions import Fraction

import numpy as np

from tests.naive.linear_programs import minimise

TOTALS = {"crs": (0, None), "vrs": (1, 1), "nirs": (0, 1), "ndrs": (1, None)}


class LinearProgram:
    """Minimise c z over rows that are written down one by one; all variables are 0 or above."""

    def __init__(self, n):
        self.n = n
        self.at_most, self.equal = [], []
        self.free = []

    def le(self, row, bound):
        self.at_most.append((row, bound))

    def ge(self, row, bound):
        self.at_most.append((-row, -bound))

    def eq(self, row, bound):
        self.equal.append((row, bound))

    def total(self, row, returns_to_scale, factor=None):
        """L <= sum of lambda <= U; with a factor t, L t <= sum <= U t."""
        least, most = TOTALS[returns_to_scale]
        scale = zeros(self.n) if factor is None else factor
        one = int(factor is None)
        if least:
            self.ge(row - scale * least, least * one)
        if most is not None:
            self.le(row - scale * most, most * one)

    def minimise(self, cost):
        if any(isinstance(v, Fraction) for row, bound in self.rows() for v in (*row, bound)):
            return self.minimise_fractions(cost)

        def rows(pairs):
            if not pairs:
                return None, None
            bounds = np.array([bound for _, bound in pairs], dtype=float)
            return np.array([row for row, _ in pairs], dtype=float), bounds

        a_ub, b_ub = rows(self.at_most)
        a_eq, b_eq = rows(self.equal)
        bounds = [(None, None) if k in self.free else (0, None) for k in range(self.n)]
        program = {"A_ub": a_ub, "b_ub": b_ub, "A_eq": a_eq, "b_eq": b_eq, "bounds": bounds}
        found = minimise(cost.astype(float), **program)
        if found.status == 2:
            return math.inf, None
        if found.status == 3:
            return -math.inf, None
        assert found.status == 0, found.message
        return float(found.fun), found.x

    def rows(self):
        return self.at_most + self.equal

    def minimise_fractions(self, cost):
        """Two phases of the tableau method with Bland's rule."""
        signs = [1] * self.n + [-1] * len(self.free)
        source = [*range(self.n), *self.free]
        n, rows, basis = len(source), [], []
        n_all = n + len(self.at_most) + len(self.rows())
        for k, (row, bound) in enumerate(self.rows()):
            line = [Fraction(0)] * (n_all + 1)
            for j, (i, sign) in enumerate(zip(source, signs, strict=True)):
                line[j] = Fraction(row[i]) * sign
            if k < len(self.at_most):
                line[n + k] = Fraction(1)
            line[-1] = Fraction(bound)
            if line[-1] < 0:
                line = [-v for v in line]
            line[n + len(self.at_most) + k] = Fraction(1)
            basis.append(n + len(self.at_most) + k)
            rows.append(line)
        n_real = n + len(self.at_most)
        artificial = [Fraction(int(j >= n_real)) for j in range(n_all)]
        _pivot_to_the_end(rows, basis, artificial, n_all)
        if sum(row[-1] for row, j in zip(rows, basis, strict=True) if j >= n_real) > 0:
            return math.inf, None
        for i, j in enumerate(basis):
            if j >= n_real:
                k = next((k for k in range(n_real) if rows[i][k] != 0), None)
                if k is not None:
                    _pivot(rows, basis, i, k)
        kept = [i for i, j in enumerate(basis) if j < n_real]
        rows, basis = [rows[i] for i in kept], [basis[i] for i in kept]
        costs = [Fraction(cost[i]) * sign for i, sign in zip(source, signs, strict=True)]
        costs += [Fraction(0)] * (n_all - n)
        if not _pivot_to_the_end(rows, basis, costs, n_real):
            return -math.inf, None
        return sum(costs[j] * row[-1] for j, row in zip(basis, rows, strict=True)), None


def _pivot_to_the_end(rows, basis, costs, n):
    while True:
        entering = None
        for j in range(n):
            worth = sum(costs[b] * row[j] for b, row in zip(basis, rows, strict=True))
            if j not in basis and costs[j] - worth < 0:
                entering = j
                break
        if entering is None:
            return True
        ratios = [
            (row[-1] / row[entering], basis[i], i)
            for i, row in enumerate(rows)
            if row[entering] > 0
        ]
        if not ratios:
            return False
        _pivot(rows, basis, min(ratios)[2], entering)


def _pivot(rows, basis, i, j):
    rows[i] = [v / rows[i][j] for v in rows[i]]
    for k, row in enumerate(rows):
        if k != i and row[j] != 0:
            rows[k] = [v - row[j] * w for v, w in zip(row, rows[i], strict=True)]
    basis[i] = j


def fractions_of(table):
    """The numbers of a table as fractions, exactly."""
    return np.array([[Fraction(v) for v in row] for row in table.tolist()], dtype=object).reshape(
        table.shape
    )


def zeros(n):
    """Whole zeros, which leave floats floats and fractions fractions."""
    return np.array([0] * n, dtype=object)


def ones(n):
    return np.array([1] * n, dtype=object)


def unit_vectors(n):
    return np.array([[int(i == j) for j in range(n)] for i in range(n)], dtype=object)


def has(values):
    return (values != 0).astype(bool)


def others(x, p, itself):
    return [j for j in range(len(x)) if not (itself and j == p)]


def radial(x, y, returns_to_scale, orientation="input", itself=False):
    """theta, or 1 / phi; `itself` bars a unit from its own references."""
    scores = []
    for p in range(len(x)):
        refs = others(x, p, itself)
        n = len(refs)
        program = LinearProgram(1 + n)
        lam = lambda column, n=n: np.r_[0, column] if n else zeros(1)  # noqa: E731
        ray = unit_vectors(1 + n)[0]
        for i in range(x.shape[1]):
            if orientation == "input":
                program.le(lam(x[refs, i]) - ray * x[p, i], 0.0)
            else:
                program.le(lam(x[refs, i]), x[p, i])
        for r in range(y.shape[1]):
            if orientation == "input":
                program.ge(lam(y[refs, r]), y[p, r])
            else:
                program.ge(lam(y[refs, r]) - ray * y[p, r], 0.0)
        program.total(lam(ones(n)), returns_to_scale)
        value, _ = program.minimise(ray if orientation == "input" else -ray)
        if orientation == "output" and not has(y[p]).any():
            value = -math.inf  # any phi will do
        if orientation == "input" or value == math.inf:
            scores.append(value)
        elif value == -math.inf:
            scores.append(0.0)
        else:
            scores.append(1 / -value if value < 0 else math.inf)
    return np.array(scores)


def largest_slacks(x, y, p, weights_x, weights_y, returns_to_scale, most_x=None, most_y=None):
    """max of the weighted slacks of unit p."""
    n, m, s = len(x), x.shape[1], y.shape[1]
    program = LinearProgram(n + m + s)
    unit = unit_vectors(n + m + s)
    for i in range(m):
        program.eq(np.r_[x[:, i], zeros(m + s)] + unit[n + i], x[p, i])
        if most_x is not None:
            program.le(unit[n + i], most_x[i])
    for r in range(s):
        program.eq(np.r_[y[:, r], zeros(m + s)] - unit[n + m + r], y[p, r])
        if most_y is not None:
            program.le(unit[n + m + r], most_y[r])
    program.total(np.r_[ones(n), zeros(m + s)], returns_to_scale)
    value, _ = program.minimise(-np.r_[zeros(n), weights_x, weights_y])
    return -value


def inverse(values):
    return np.array([1 / value if value > 0 else 0 * value for value in values])


def additive(x, y, returns_to_scale, weights="ones"):
    scores = []
    for p in range(len(x)):
        if weights == "ones":
            w = ones(x.shape[1]), ones(y.shape[1])
        else:
            w = inverse(x[p]), inverse(y[p])
        scores.append(largest_slacks(x, y, p, *w, returns_to_scale))
    return np.array(scores)


def ram(x, y, returns_to_scale):
    k = x.shape[1] + y.shape[1]
    w = inverse(np.ptp(x, axis=0)) / k, inverse(np.ptp(y, axis=0)) / k
    return np.array([1 - largest_slacks(x, y, p, *w, returns_to_scale) for p in range(len(x))])


def bam(x, y, returns_to_scale):
    k = x.shape[1] + y.shape[1]
    scores = []
    for p in range(len(x)):
        room = x[p] - x.min(axis=0), y.max(axis=0) - y[p]
        w = inverse(room[0]) / k, inverse(room[1]) / k
        scores.append(1 - largest_slacks(x, y, p, *w, returns_to_scale, *room))
    return np.array(scores)


def sbm(x, y, returns_to_scale, orientation="none"):
    """The ratio of both averages over the inputs and outputs that the unit has."""
    scores = []
    for p in range(len(x)):
        w = inverse(x[p]), inverse(y[p])
        w = w[0] / max(int((x[p] > 0).sum()), 1), w[1] / max(int((y[p] > 0).sum()), 1)
        if orientation == "input":
            scores.append(1 - largest_slacks(x, y, p, w[0], 0 * w[1], returns_to_scale))
            continue
        if orientation == "output":
            scores.append(1 / (1 + largest_slacks(x, y, p, 0 * w[0], w[1], returns_to_scale)))
            continue
        n, m, s = len(x), x.shape[1], y.shape[1]
        program = LinearProgram(1 + n + m + s)  # t, lambda, slacks
        unit = unit_vectors(1 + n + m + s)
        for i in range(m):
            row = np.r_[-x[p, i], x[:, i], zeros(m + s)]
            program.eq(row + unit[1 + n + i], 0.0)
        for r in range(s):
            row = np.r_[-y[p, r], y[:, r], zeros(m + s)]
            program.eq(row - unit[1 + n + m + r], 0.0)
        program.total(np.r_[0, ones(n), zeros(m + s)], returns_to_scale, unit[0])
        program.eq(np.r_[1, zeros(n + m), w[1]], 1.0)
        value, _ = program.minimise(np.r_[1, zeros(n), -w[0], zeros(s)])
        scores.append(value)
    idle = ~has(y).any(axis=1) if orientation != "input" else np.zeros(len(y), dtype=bool)
    return np.where(idle, 0.0, scores)


def super_sbm(x, y, returns_to_scale, orientation="none"):
    """Units with an SBM score of 1 by the averages of x_bar / x and y_bar / y, others by SBM."""
    scores = sbm(x, y, returns_to_scale, orientation)
    for p in np.flatnonzero(scores >= 1 - 1e-9):
        refs = others(x, p, True)
        n, m, s = len(refs), x.shape[1], y.shape[1]
        has_x, has_y = x[p] > 0, y[p] > 0
        program = LinearProgram(1 + n + m + s)  # t, lambda, t x_bar, t y_bar
        unit = unit_vectors(1 + n + m + s)
        for i in range(m):
            row = np.r_[0, x[refs, i], zeros(m + s)]
            bar = unit[1 + n + i]
            program.le(row - bar, 0.0)
            (program.eq if orientation == "output" or not has_x[i] else program.ge)(
                bar - x[p, i] * unit[0], 0.0
            )
        for r in range(s):
            row = np.r_[0, y[refs, r], zeros(m + s)]
            bar = unit[1 + n + m + r]
            program.ge(row - bar, 0.0)
            (program.eq if orientation == "input" else program.le)(bar - y[p, r] * unit[0], 0.0)
        program.total(np.r_[0, ones(n), zeros(m + s)], returns_to_scale, unit[0])
        mean_x = np.r_[zeros(1 + n), inverse(x[p]) / max(int(has_x.sum()), 1), zeros(s)]
        mean_y = np.r_[zeros(1 + n + m), inverse(y[p]) / max(int(has_y.sum()), 1)]
        program.eq(mean_y if has_y.any() else unit[0], 1.0)
        scores[p], _ = program.minimise(mean_x)
    return scores


def directional_distance(x, y, b, g_x, g_y, g_b, returns_to_scale, weak):
    """beta; +inf where nothing bounds it."""
    scores = []
    for p in range(len(x)):
        n = len(x)
        program = LinearProgram(1 + n)
        beta = unit_vectors(1 + n)[0]
        for i in range(x.shape[1]):
            program.le(np.r_[0, x[:, i]] + beta * g_x[p, i], x[p, i])
        for r in range(y.shape[1]):
            program.ge(np.r_[0, y[:, r]] - beta * g_y[p, r], y[p, r])
        for k in range(b.shape[1]):
            (program.eq if weak else program.le)(np.r_[0, b[:, k]] + beta * g_b[p, k], b[p, k])
        program.total(np.r_[0, ones(n)], returns_to_scale)
        scores.append(-program.minimise(-beta)[0])
    return np.array(scores)


def cross_goal(x, y, p, theta, goal):
    """The best (or worst) mean output value of the others at prices that suit p, in multipliers."""
    m, s = x.shape[1], y.shape[1]
    rest = others(x, p, True)
    program = LinearProgram(m + s)
    program.eq(np.r_[x[rest].mean(axis=0), zeros(s)], 1.0)
    program.eq(np.r_[-theta * x[p], y[p]], 0.0)
    for j in rest:
        program.le(np.r_[-x[j], y[j]], 0.0)
    sign = -1.0 if goal == "benevolent" else 1.0
    value, _ = program.minimise(sign * np.r_[zeros(m), y[rest].mean(axis=0)])
    return sign * value
