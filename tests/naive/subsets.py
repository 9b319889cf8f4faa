"""Brute-force twins of the filters of symmetrical uncertainty, written from the definitions."""

import math

from tests.naive import entropy, mutual_information


def symmetrical_uncertainty(x, y):
    """2 I(X; Y) / (H(X) + H(Y)); nine decimals, so that equals are equal."""
    uncertain = entropy(x) + entropy(y)
    return round(2 * mutual_information(x, y) / uncertain, 9) if uncertain > 0 else 0.0


def fcbf(columns, y, delta=0.0, include=()):
    """Yu and Liu: order by SU(F, C); each feature removes those that it tells more of than C does.

    Features of `include` lead the order. Returns the predominant features.
    """
    with_class = [symmetrical_uncertainty(x, y) for x in columns]
    relevant = [j for j, value in enumerate(with_class) if value >= delta and value > 0]
    ordered = sorted(relevant, key=lambda j: -with_class[j])
    ordered = [*include, *(j for j in ordered if j not in include)]
    place = 0
    while place < len(ordered):
        best = ordered[place]
        ordered = ordered[: place + 1] + [
            j
            for j in ordered[place + 1 :]
            if j in include or symmetrical_uncertainty(columns[best], columns[j]) < with_class[j]
        ]
        place += 1
    return ordered


class Correlations:
    """Symmetrical uncertainty of features with the class and with each other, as CFS sees it."""

    def __init__(self, columns, y, *, independent_is_redundant=True):
        self.n_features = len(columns)
        self.with_class = [_or(0.0, symmetrical_uncertainty(x, y)) for x in columns]
        of_nothing = 1.0 if independent_is_redundant else 0.0
        self.between = [
            [_or(of_nothing, symmetrical_uncertainty(a, b)) for b in columns] for a in columns
        ]

    def merit(self, subset):
        """k mean(r_cf) / sqrt(k + k (k - 1) mean(r_ff))."""
        k = len(subset)
        if k == 0:
            return 0.0
        r_cf = math.fsum(self.with_class[j] for j in subset) / k
        pairs = [self.between[i][j] for i in subset for j in subset if i != j]
        r_ff = math.fsum(pairs) / len(pairs) if pairs else 0.0
        return round(k * r_cf / math.sqrt(k + k * (k - 1) * r_ff), 9)


def _or(nothing, value):
    """Weka takes what is below 1e-6 for zero."""
    return value if value >= 1e-6 else nothing


def best_first(n_features, merit, max_stale, start=()):
    """Expand the best waiting subset until `max_stale` expansions in a row bring no gain of 1e-5.

    At most `max_stale` subsets wait; among equals the earlier comes first.
    """
    best, waiting, stale = tuple(start), [tuple(start)], 0
    while waiting and stale < max_stale:
        subset, gained = waiting.pop(0), False
        for j in range(n_features):
            if j in subset:
                continue
            longer = (*subset, j)
            behind = [k for k, other in enumerate(waiting) if merit(other) < merit(longer)]
            waiting.insert(behind[0] if behind else len(waiting), longer)
            del waiting[max_stale:]
            if merit(longer) - merit(best) > 1e-5:
                best, gained = longer, True
        stale = 0 if gained else stale + 1
    return best


def cfs(
    columns,
    y,
    *,
    max_stale=5,
    locally_predictive=True,
    independent_is_redundant=True,
    include=(),
):
    """Hall's search, then whoever correlates with C at least as much as with all selected.

    Returns the features in the order they were added.
    """
    table = Correlations(columns, y, independent_is_redundant=independent_is_redundant)
    found = [*best_first(len(columns), table.merit, max_stale, include)]
    strongest_first = sorted(range(len(columns)), key=lambda j: -table.with_class[j])
    for j in strongest_first if locally_predictive else []:
        told = table.with_class[j]
        if j not in found and told > 0 and all(table.between[s][j] <= told for s in found):
            found.append(j)
    return found
