"""Twins of what resampling tells, from sets, pairs, loops and all permutations."""

import math
from itertools import combinations, pairwise, permutations, product

from tests import naive


def kuncheva(selections, n_features):
    """Mean over pairs of (r - k^2 / n) / (k - k^2 / n), Kuncheva's Eq. 1."""
    values = []
    for a, b in combinations([set(s) for s in selections], 2):
        chance = len(a) * len(b) / n_features
        values.append((len(a & b) - chance) / (len(a) - chance))
    return math.fsum(values) / len(values)


def jaccard(selections):
    """Mean over pairs of |A and B| / |A or B|."""
    pairs = [(set(a), set(b)) for a, b in combinations(selections, 2)]
    values = [len(a & b) / len(a | b) for a, b in pairs if a | b]
    return math.fsum(values) / len(values)


def nogueira(selections, n_features):
    """Their Definition 4: one minus the mean unbiased variance over that of a random selector."""
    sets, m = [set(s) for s in selections], len(selections)
    mean_size = sum(map(len, sets)) / m
    variances = []
    for f in range(n_features):
        z = [float(f in s) for s in sets]
        mean = sum(z) / m
        variances.append(sum((value - mean) ** 2 for value in z) / (m - 1))
    random = mean_size / n_features * (1 - mean_size / n_features)
    return 1 - sum(variances) / n_features / random


def nogueira_variance(selections, n_features):
    """v(Phi) of their Theorem 7, written out selection by selection."""
    sets, m, d = [set(s) for s in selections], len(selections), n_features
    p = [sum(f in s for s in sets) / m for f in range(d)]
    mean_size, value = sum(p), nogueira(selections, d)
    scale = mean_size / d * (1 - mean_size / d)
    phi = []
    for s in sets:
        agreement = sum(p[f] for f in s) / d - len(s) * mean_size / d**2
        size = 2 * mean_size * len(s) / d**2 - len(s) / d - mean_size / d + 1
        phi.append((agreement + value / 2 * size) / scale)
    mean = sum(phi) / m
    return 4 / m**2 * sum((x - mean) ** 2 for x in phi)


def stable_features(rankings, n_features, threshold):
    """Features in at least a share `threshold` of rankings: most often, then earliest, first."""
    found = []
    for f in range(n_features):
        places = [ranking.index(f) for ranking in rankings if f in ranking]
        if len(places) >= threshold * len(rankings):
            found.append((-len(places), sum(places), f))
    assert all(a < b for a, b in pairwise(sorted(found)))
    return [(f, -n / len(rankings)) for n, _, f in sorted(found)]


def chance_score(score, x, y, label, given):
    """The mean of a label score over every permutation of x within the groups of `given`."""
    groups = naive.groups_of(given) if given else [range(len(x))]
    values = []
    for orders in product(*(permutations(rows) for rows in groups)):
        moved = list(x)
        for rows, order in zip(groups, orders, strict=True):
            for row, source in zip(rows, order, strict=True):
                moved[row] = x[source]
        values.append(score(moved, y, label, given))
    return math.fsum(values) / len(values)


def one_standard_error(curves):
    """The smallest number whose mean score is within one standard error of the best one."""
    n = len(curves)
    means = [sum(scores) / n for scores in zip(*curves, strict=True)]
    best = max(range(len(means)), key=lambda m: means[m])
    variance = sum((curve[best] - means[best]) ** 2 for curve in curves) / (n - 1)
    least = means[best] - math.sqrt(variance / n)
    return 1 + min(m for m, mean in enumerate(means) if mean >= least - 1e-12)
