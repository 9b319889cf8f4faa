"""Naive twins for several labels a row: `y` is a list of sets, a label is one of their members.

Scores are score(x, y, label, given), as `naive.dea_cs` takes them; criteria are J(x, y, S), as
`tests.naive.filters.greedy` takes them.
"""

from tests import naive


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
