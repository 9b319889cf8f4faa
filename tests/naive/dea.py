"""Brute-force twins of the DEA models: the textbook's linear program for each unit, by SciPy.

Every function returns the scores of all units. Slow on purpose.
"""

import math

import numpy as np
from scipy.optimize import linprog

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
        scale = np.zeros(self.n) if factor is None else factor
        one = 1.0 if factor is None else 0.0
        if least:
            self.ge(row - scale * least, least * one)
        if most is not None:
            self.le(row - scale * most, most * one)

    def minimise(self, cost):
        def rows(pairs):
            if not pairs:
                return None, None
            return np.array([row for row, _ in pairs]), np.array([bound for _, bound in pairs])

        a_ub, b_ub = rows(self.at_most)
        a_eq, b_eq = rows(self.equal)
        bounds = [(None, None) if k in self.free else (0, None) for k in range(self.n)]
        tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
        found = linprog(
            cost, a_ub, b_ub, a_eq, b_eq, bounds=bounds, method="highs-ds", options=tight
        )
        if found.status == 2:
            return math.inf, None
        if found.status == 3:
            return -math.inf, None
        assert found.status == 0, found.message
        return float(found.fun), found.x


def others(x, p, itself):
    return [j for j in range(len(x)) if not (itself and j == p)]


def radial(x, y, returns_to_scale, orientation="input", itself=False):
    """theta, or 1 / phi; `itself` bars a unit from its own references."""
    scores = []
    for p in range(len(x)):
        refs = others(x, p, itself)
        n = len(refs)
        program = LinearProgram(1 + n)
        lam = lambda column, n=n: np.r_[0.0, column] if n else np.zeros(1)  # noqa: E731
        ray = np.eye(1 + n)[0]
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
        program.total(lam(np.ones(n)), returns_to_scale)
        value, _ = program.minimise(ray if orientation == "input" else -ray)
        if orientation == "output" and not y[p].any():
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
    unit = np.eye(n + m + s)
    for i in range(m):
        program.eq(np.r_[x[:, i], np.zeros(m + s)] + unit[n + i], x[p, i])
        if most_x is not None:
            program.le(unit[n + i], most_x[i])
    for r in range(s):
        program.eq(np.r_[y[:, r], np.zeros(m + s)] - unit[n + m + r], y[p, r])
        if most_y is not None:
            program.le(unit[n + m + r], most_y[r])
    program.total(np.r_[np.ones(n), np.zeros(m + s)], returns_to_scale)
    value, _ = program.minimise(-np.r_[np.zeros(n), weights_x, weights_y])
    return -value


def inverse(values):
    values = np.asarray(values, dtype=float)
    return np.array([1 / value if value > 0 else 0.0 for value in values])


def additive(x, y, returns_to_scale, weights="ones"):
    scores = []
    for p in range(len(x)):
        if weights == "ones":
            w = np.ones(x.shape[1]), np.ones(y.shape[1])
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
        w = w[0] / max((x[p] > 0).sum(), 1), w[1] / max((y[p] > 0).sum(), 1)
        if orientation == "input":
            scores.append(1 - largest_slacks(x, y, p, w[0], 0 * w[1], returns_to_scale))
            continue
        if orientation == "output":
            scores.append(1 / (1 + largest_slacks(x, y, p, 0 * w[0], w[1], returns_to_scale)))
            continue
        n, m, s = len(x), x.shape[1], y.shape[1]
        program = LinearProgram(1 + n + m + s)  # t, lambda, slacks
        unit = np.eye(1 + n + m + s)
        for i in range(m):
            row = np.r_[-x[p, i], x[:, i], np.zeros(m + s)]
            program.eq(row + unit[1 + n + i], 0.0)
        for r in range(s):
            row = np.r_[-y[p, r], y[:, r], np.zeros(m + s)]
            program.eq(row - unit[1 + n + m + r], 0.0)
        program.total(np.r_[0, np.ones(n), np.zeros(m + s)], returns_to_scale, unit[0])
        program.eq(np.r_[1.0, np.zeros(n + m), w[1]], 1.0)
        value, _ = program.minimise(np.r_[1.0, np.zeros(n), -w[0], np.zeros(s)])
        scores.append(value)
    idle = ~y.any(axis=1) if orientation != "input" else np.zeros(len(y), dtype=bool)
    return np.where(idle, 0.0, scores)


def super_sbm(x, y, returns_to_scale, orientation="none"):
    """Units with an SBM score of 1 by the averages of x_bar / x and y_bar / y, others by SBM."""
    scores = sbm(x, y, returns_to_scale, orientation)
    for p in np.flatnonzero(scores >= 1 - 1e-9):
        refs = others(x, p, True)
        n, m, s = len(refs), x.shape[1], y.shape[1]
        has_x, has_y = x[p] > 0, y[p] > 0
        program = LinearProgram(1 + n + m + s)  # t, lambda, t x_bar, t y_bar
        unit = np.eye(1 + n + m + s)
        for i in range(m):
            row = np.r_[0.0, x[refs, i], np.zeros(m + s)]
            bar = unit[1 + n + i]
            program.le(row - bar, 0.0)
            (program.eq if orientation == "output" or not has_x[i] else program.ge)(
                bar - x[p, i] * unit[0], 0.0
            )
        for r in range(s):
            row = np.r_[0.0, y[refs, r], np.zeros(m + s)]
            bar = unit[1 + n + m + r]
            program.ge(row - bar, 0.0)
            (program.eq if orientation == "input" else program.le)(bar - y[p, r] * unit[0], 0.0)
        program.total(np.r_[0, np.ones(n), np.zeros(m + s)], returns_to_scale, unit[0])
        mean_x = np.r_[np.zeros(1 + n), inverse(x[p]) / max(has_x.sum(), 1), np.zeros(s)]
        mean_y = np.r_[np.zeros(1 + n + m), inverse(y[p]) / max(has_y.sum(), 1)]
        program.eq(mean_y if has_y.any() else unit[0], 1.0)
        scores[p], _ = program.minimise(mean_x)
    return scores


def directional_distance(x, y, b, g_x, g_y, g_b, returns_to_scale, weak):
    """beta; +inf where nothing bounds it."""
    scores = []
    for p in range(len(x)):
        n = len(x)
        program = LinearProgram(1 + n)
        beta = np.eye(1 + n)[0]
        for i in range(x.shape[1]):
            program.le(np.r_[0.0, x[:, i]] + beta * g_x[p, i], x[p, i])
        for r in range(y.shape[1]):
            program.ge(np.r_[0.0, y[:, r]] - beta * g_y[p, r], y[p, r])
        for k in range(b.shape[1]):
            (program.eq if weak else program.le)(np.r_[0.0, b[:, k]] + beta * g_b[p, k], b[p, k])
        program.total(np.r_[0.0, np.ones(n)], returns_to_scale)
        scores.append(-program.minimise(-beta)[0])
    return np.array(scores)


def cross_goal(x, y, p, theta, goal):
    """The best (or worst) mean output value of the others at prices that suit p, in multipliers."""
    m, s = x.shape[1], y.shape[1]
    rest = others(x, p, True)
    program = LinearProgram(m + s)
    program.eq(np.r_[x[rest].mean(axis=0), np.zeros(s)], 1.0)
    program.eq(np.r_[-theta * x[p], y[p]], 0.0)
    for j in rest:
        program.le(np.r_[-x[j], y[j]], 0.0)
    sign = -1.0 if goal == "benevolent" else 1.0
    value, _ = program.minimise(sign * np.r_[np.zeros(m), y[rest].mean(axis=0)])
    return sign * value
