"""Naive twins for several labels a row: `y` is a list of sets, a label is one of their members.

Scores are score(x, y, label, given), as `naive.dea_cs` takes them; criteria are J(x, y, S), as
`tests.naive.filters.greedy` takes them.
"""

from itertools import combinations

from tests import naive
from tests.naive.filters import conditional, entropy, information


def labels_of(y):
    return sorted(set().union(*y))


def has(y, label):
    """The label as a column of two classes."""
    return [label in labels for labels in y]


def of_label(score):
    """A score of classes, for the class of having the label."""
    return lambda x, y, label, given: score(x, has(y, label), True, given)


def residual(y, label, given):
    """H(y_i | S)."""
    column = has(y, label)
    groups = naive.groups_of(given) if given else [range(len(y))]
    return sum(len(rows) / len(y) * naive.entropy([column[r] for r in rows]) for rows in groups)


def of_sets(criterion):
    """A criterion of classes, for the set as the class."""
    return lambda x, y, S: criterion(x, [tuple(sorted(labels)) for labels in y], S)


def summed(criterion):
    """A criterion of classes, for every label, summed."""
    return lambda x, y, S: sum(criterion(x, has(y, label), S) for label in labels_of(y))


def interaction(x, a, b):
    """I(F; a; b) = I(F; a) - I(F; a | b)."""
    return information(x, a) - conditional(x, b, a)


def relevance(x, y):
    return sum(information(x, has(y, label)) for label in labels_of(y))


def mdmr(x, y, S):
    beyond = [
        information(x, s) - sum(conditional(x, has(y, label), s) for label in labels_of(y))
        for s in S
    ]
    return relevance(x, y) - (sum(beyond) / len(S) if S else 0)


def scls(x, y, S):
    known = sum(information(x, s) / entropy(x) for s in S) if entropy(x) > 0 else 0
    return relevance(x, y) * (1 - known)


def d2f(x, y, S):
    shared = sum(interaction(x, has(y, label), s) for s in S for label in labels_of(y))
    return relevance(x, y) - shared


def pmu(x, y, S):
    pairs = combinations(labels_of(y), 2)
    return d2f(x, y, S) - sum(interaction(x, has(y, a), has(y, b)) for a, b in pairs)


def lrfs(x, y, S):
    given = sum(
        conditional(x, has(y, a), has(y, b)) for a in labels_of(y) for b in labels_of(y) if a != b
    )
    return given - (sum(information(x, s) for s in S) / len(S) if S else 0)
