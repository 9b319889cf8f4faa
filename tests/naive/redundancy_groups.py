"""Groups of columns by complete linkage, from the definitions."""

import math
from itertools import combinations

from tests import naive


def distance(f, g, y):
    """The share of what both tell that either does not; or of what they do not share."""
    both = list(zip(f, g, strict=True))
    told = naive.mutual_information(both, y)
    df = (len(set(f)) * len(set(g)) - 1) * (len(set(y)) - 1)
    x = math.log(1000)
    if 2 * len(y) * math.log(2) * told > df + 2 * math.sqrt(df * x) + 2 * x:
        adds = 2 * told - naive.mutual_information(f, y) - naive.mutual_information(g, y)
        return min(adds / told, 1.0)
    widest = max(naive.entropy(f), naive.entropy(g))
    return 1 - naive.mutual_information(f, g) / widest if widest > 1e-12 else 0.0


def is_complete(groups, distances, most):
    """Whether every two members are within `most`, and no two groups could be joined."""
    within = all(
        distances[min(a, b), max(a, b)] <= most + 1e-9
        for group in groups
        for a, b in combinations(group, 2)
    )
    joinable = any(
        all(distances[min(a, b), max(a, b)] <= most - 1e-9 for a in one for b in other)
        for one, other in combinations(groups, 2)
    )
    return within and not joinable
