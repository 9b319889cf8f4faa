"""Synergy of every pair of columns, from its definition."""

import math
from itertools import combinations

from tests import naive


def synergy(f, g, y, n_f, n_g):
    """I(F, G; C) - I(F; C) - I(G; C), less its expectation by chance."""
    both = naive.mutual_information(list(zip(f, g, strict=True)), y)
    alone = naive.mutual_information(f, y) + naive.mutual_information(g, y)
    freedom = (n_f - 1) * (n_g - 1) * (len(set(y)) - 1)
    return both - alone - freedom / (2 * len(y) * math.log(2))


def all_pairs(columns, y, n_values):
    """Pairs whose synergy is positive, the largest first."""
    found = [
        (synergy(columns[a], columns[b], y, n_values[a], n_values[b]), a, b)
        for a, b in combinations(range(len(columns)), 2)
    ]
    return sorted(((s, a, b) for s, a, b in found if s > 1e-9), key=lambda pair: -pair[0])
