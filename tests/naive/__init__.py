"""Brute-force twins of every fast thing, written from the definitions and nothing else.

Probabilities, logarithms, one linear program for each unit. Slow on purpose.
"""

import math
from collections import Counter

import numpy as np

from tests.naive.linear_programs import minimise


def entropy(x):
    """-sum p log2 p."""
    n = len(x)
    return -sum(count / n * math.log2(count / n) for count in Counter(x).values())


def mutual_information(x, y):
    """sum p(x, y) log2 p(x, y) / (p(x) p(y)), with probabilities estimated on these rows."""
    n = len(x)
    p_x, p_y = Counter(x), Counter(y)
    return sum(
        count / n * math.log2((count / n) / (p_x[a] / n * p_y[b] / n))
        for (a, b), count in Counter(zip(x, y, strict=True)).items()
    )


def groups_of(given):
    """The rows of every joint value of some variables; all rows if there are none."""
    rows = {}
    for row, values in enumerate(zip(*given, strict=True)):
        rows.setdefault(values, []).append(row)
    return list(rows.values())


def conditional_mutual_information(x, y, given):
    """sum_z p(z) I(X; Y) on the rows of z; `given` is a list of variables."""
    groups = groups_of(given) if given else [range(len(x))]
    return sum(
        len(rows) / len(x) * mutual_information([x[r] for r in rows], [y[r] for r in rows])
        for rows in groups
    )


def independent(x, y, given):
    """Whether n_xy n_z = n_x n_y in every cell of every group, in integers."""
    for rows in groups_of(given) if given else [range(len(x))]:
        n_x, n_y = Counter(x[r] for r in rows), Counter(y[r] for r in rows)
        n_xy = Counter((x[r], y[r]) for r in rows)
        if any(n_xy[a, b] * len(rows) != n_x[a] * n_y[b] for a in n_x for b in n_y):
            return False
    return True


def label_score(x, y, label, given):
    """R(F; c | S) = I(F; [C = c] | S)."""
    is_label = [value == label for value in y]
    if independent(x, is_label, given):
        return 0.0
    return conditional_mutual_information(x, is_label, given)


def divergence(x, y, label, given):
    """sum_s p(s | c) KL(p(F | s, c) || p(F | s))."""
    if independent(x, [value == label for value in y], given):
        return 0.0
    n_label = sum(value == label for value in y)
    total = 0.0
    for rows in groups_of(given) if given else [range(len(x))]:
        inside = [r for r in rows if y[r] == label]
        p_given_both, p_given_s = Counter(x[r] for r in inside), Counter(x[r] for r in rows)
        total += (len(inside) / n_label) * sum(
            count / len(inside) * math.log2((count / len(inside)) / (p_given_s[a] / len(rows)))
            for a, count in p_given_both.items()
        )
    return total


def label_scores_by_arrays(columns, y, given, n_labels):
    """R(F; c | S) of many features and all labels, from arrays of probabilities: for large sets.

    Columns, y and given are arrays of small integers. Still the definition: for every group,
    value and label the joint probability and its logarithm.
    """
    n = len(y)
    group = np.unique(np.array(given).T, axis=0, return_inverse=True)[1] if given else np.zeros(n)
    group = group.ravel().astype(int)
    table = np.zeros((len(columns), n_labels))
    for j, x in enumerate(columns):
        shape = group.max() + 1, x.max() + 1, n_labels
        joint = np.bincount(np.ravel_multi_index((group, x, y), shape), minlength=np.prod(shape))
        n_gfc = joint.reshape(shape)
        n_gf, n_gc, n_g = n_gfc.sum(2), n_gfc.sum(1), n_gfc.sum((1, 2))
        for c in range(n_labels):
            both = np.stack([n_gfc[:, :, c], n_gf - n_gfc[:, :, c]])  # [C = c], [C != c]
            label = np.stack([n_gc[:, c], n_g - n_gc[:, c]])
            if (both * n_g[:, None] == n_gf * label[:, :, None]).all():
                continue
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = (both * n_g[:, None]) / (n_gf * label[:, :, None])
                table[j, c] = np.where(both > 0, both / n * np.log2(ratio), 0.0).sum()
    return table


def dea_cs_by_arrays(columns, y, n_labels, delta):
    """Algorithm 1 as `dea_cs` has it, for large sets: one linear program for each candidate."""
    selected, given, left = [], [], list(range(len(columns)))
    while len(selected) < delta:
        gamma = label_scores_by_arrays([columns[j] for j in left], y, given, n_labels)
        units = np.flatnonzero(gamma.sum(axis=1) > 0)
        if len(units) == 0:
            break
        theta = super_efficiency(np.ones((len(units), 1)), gamma[units])
        k = units[first_by_tie_rule(theta, gamma[units].sum(axis=1))]
        selected.append((left[k], float(theta[np.flatnonzero(units == k)[0]]), gamma[k]))
        given.append(columns[left[k]])
        left.pop(k)
    return selected


def dea_cs(
    columns, y, *, delta=None, score=label_score, judge="radial", tie_break="sum", labels=None
):
    """Algorithm 1 of the paper with one linear program for each candidate.

    Returns one (feature, theta, label scores) for each selected feature. Labels are the classes
    unless others are named.
    """
    classes = sorted(set(y)) if labels is None else labels
    selected, given = [], []
    while delta is None or len(selected) < delta:
        left = [j for j in range(len(columns)) if j not in {f for f, _, _ in selected}]
        gamma = [[score(columns[j], y, c, given) for c in classes] for j in left]
        units = [k for k in range(len(left)) if sum(gamma[k]) > 0]
        if not units:
            break
        outputs = np.array([gamma[k] for k in units])
        ones = np.ones((len(units), 1))
        theta = super_efficiency(ones, outputs) if judge == "radial" else outputs.sum(axis=1)
        k = first_by_tie_rule(theta, outputs.sum(axis=1), tie_break)
        selected.append((left[units[k]], float(theta[k]), outputs[k]))
        given.append(columns[left[units[k]]])
    return selected


def first_by_tie_rule(theta, sums, tie_break="sum"):
    """theta within 1e-9, then the sum within 1e-9, then the lowest index (or just the last)."""
    tied = [k for k in range(len(theta)) if theta[k] >= max(theta) * (1 - 1e-9)]
    if tie_break == "last":
        return tied[-1]
    best = max(sums[k] for k in tied)
    return next(k for k in tied if sums[k] >= best * (1 - 1e-9))


def mdlp(values, y):
    """Cut points by Fayyad and Irani, recursively, every entropy from scratch."""
    pairs = sorted(
        ((v, c) for v, c in zip(values, y, strict=True) if not math.isnan(v)),
        key=lambda pair: pair[0],
    )
    return sorted(_mdlp([v for v, _ in pairs], [c for _, c in pairs]))


def _mdlp(values, y):
    n, best = len(values), None
    for i in range(1, n):
        if values[i - 1] < values[i]:
            left = i / n * entropy(y[:i]) + (n - i) / n * entropy(y[i:])
            if best is None or left < best[0] - 1e-12:
                best = left, i
    if best is None or entropy(y) - best[0] <= 1e-12:
        return []
    i = best[1]
    k, k1, k2 = len(set(y)), len(set(y[:i])), len(set(y[i:]))
    delta = math.log2(3**k - 2) - (k * entropy(y) - k1 * entropy(y[:i]) - k2 * entropy(y[i:]))
    if entropy(y) - best[0] <= (math.log2(n - 1) + delta) / n:
        return []
    cut = (values[i - 1] + values[i]) / 2
    return [*_mdlp(values[:i], y[:i]), cut, *_mdlp(values[i:], y[i:])]


def ccr(inputs, outputs):
    """min theta s.t. sum_j lambda_j x_j <= theta x_p, sum_j lambda_j y_j >= y_p, lambda >= 0."""
    return np.array([_radial(inputs, outputs, p, exclude=False) for p in range(len(outputs))])


def super_efficiency(inputs, outputs):
    """The same program without unit p among the references; infeasible means +inf."""
    return np.array([_radial(inputs, outputs, p, exclude=True) for p in range(len(outputs))])


def _radial(inputs, outputs, p, *, exclude):
    x, y = np.asarray(inputs, dtype=float), np.asarray(outputs, dtype=float)
    keep = [j for j in range(len(y)) if not (exclude and j == p)]
    # Units do not matter to a radial score: divide each row by what p has, where it has something.
    x = x / np.where(x[p] > 0, x[p], x.max(axis=0))
    y = y / np.where(y[p] > 0, y[p], np.maximum(y.max(axis=0), 1e-300))
    produces = y[p] > 0
    if not produces.any():
        return 0.0
    if not keep:
        return math.inf
    n, m = len(keep), x.shape[1]
    cost = np.r_[1.0, np.zeros(n)]
    need_outputs = np.hstack([np.zeros((produces.sum(), 1)), -y[keep][:, produces].T])
    need_inputs = np.hstack([-x[p].reshape(m, 1), x[keep].T])
    solution = minimise(
        cost,
        A_ub=np.vstack([need_outputs, need_inputs]),
        b_ub=np.r_[-y[p][produces], np.zeros(m)],
        bounds=[(0, None)] * (n + 1),
    )
    if solution.status == 2:
        return math.inf
    assert solution.status == 0, solution.message
    return float(solution.fun)
