"""Naive twins of the estimators: cells counted, labels shuffled in every possible way.

Each is a score(x, y, label, given) that `naive.dea_cs` takes.
"""

import math
from collections import Counter
from itertools import permutations

from tests import naive


def miller_madow(x, y, label, given):
    """R(F; c | S) - (m_FCS - m_FS - m_CS + m_S) / (2 N ln 2), not below 0."""
    is_label = [value == label for value in y]
    s = list(zip(*given, strict=True)) if given else [()] * len(x)
    m = [
        len(set(zip(*variables, strict=True)))
        for variables in ((x, is_label, s), (x, s), (is_label, s), (s,))
    ]
    bias = (m[0] - m[1] - m[2] + m[3]) / (2 * len(x) * math.log(2))
    return _not_below_zero(naive.label_score(x, y, label, given) - bias)


def excess(x, y, label, given):
    """R(F; c | S) less its mean over all ways to shuffle labels within groups, not below 0."""
    is_label = [value == label for value in y]
    rows = naive.groups_of(given) if given else [range(len(x))]
    chance = sum(
        len(group) / len(x) * expected([x[r] for r in group], [is_label[r] for r in group])
        for group in rows
    )
    return _not_below_zero(naive.label_score(x, y, label, given) - chance)


def expected(x, is_label):
    """The mean of I(F; C_i) in one group: by the hypergeometric law of each cell."""
    n, n_i = len(x), sum(is_label)
    total = 0.0
    for n_f in Counter(x).values():
        for n_fi in range(n_f + 1):
            ways = math.comb(n_i, n_fi) * math.comb(n - n_i, n_f - n_fi)
            p = ways / math.comb(n, n_f)
            for cell, with_label in ((n_fi, n_i), (n_f - n_fi, n - n_i)):
                if cell and ways:
                    total += p * cell / n * math.log2(cell * n / (n_f * with_label))
    return total


def expected_by_shuffling(x, is_label):
    """The same for a few rows: by every permutation of the labels."""
    shuffles = list(permutations(is_label))
    return sum(naive.mutual_information(x, labels) for labels in shuffles) / len(shuffles)


def _not_below_zero(score):
    return score if score > 1e-10 else 0.0
