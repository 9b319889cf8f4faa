"""Naive twins of the information filters: one greedy loop, one definition for each criterion.

A criterion is a function J(x, y, S): x the candidate's values, y the classes, S the values of the
features selected so far. A missing value is None, and every term is estimated on the rows in which
its variables are present. `same_path` compares a fitted filter with its twin.
"""

import math
from itertools import combinations

import numpy as np

from deacs import CodedData
from tests import naive

TIE = 1e-9


def coded(columns, y):
    return CodedData.from_codes(np.array(columns).T, y)


def columns_of(data):
    return [data.column(j).tolist() for j in range(data.n_features)]


def greedy(J, columns, y, *, include=(), ends_at_zero=False):
    """(feature, J at selection), largest first, the lower column among equals."""
    path = []
    while len(path) < len(columns):
        chosen = [j for j, _ in path]
        S = [columns[j] for j in chosen]
        scores = {j: J(columns[j], y, S) for j in range(len(columns)) if j not in chosen}
        best = max(scores.values())
        if len(path) < len(include):
            winner = include[len(path)]
        elif ends_at_zero and best == 0:
            break
        else:
            winner = min(j for j, J_j in scores.items() if J_j >= best - TIE * max(1, abs(best)))
        path.append((winner, scores[winner]))
    return path


def same_path(selector, twin, rtol=1e-9, atol=1e-10):
    assert selector.ranking_.tolist() == [feature for feature, _ in twin]
    np.testing.assert_allclose(selector.scores_, [J for _, J in twin], rtol=rtol, atol=atol)


def joined(*variables):
    """The joint variable."""
    return list(zip(*variables, strict=True))


def present(*variables):
    """The rows in which nothing is missing."""
    rows = [row for row in joined(*variables) if None not in row]
    return [[row[k] for row in rows] for k in range(len(variables))]


def entropy(x):
    """H(F)."""
    [x] = present(x)
    return naive.entropy(x)


def information(x, y):
    """I(F; C), or I(F; s)."""
    return naive.mutual_information(*present(x, y))


def class_redundancy(x, s, y):
    """I(F; s | C)."""
    x, s, y = present(x, s, y)
    return naive.conditional_mutual_information(x, s, [y])


def conditional(x, s, y):
    """I(F; C | s)."""
    x, s, y = present(x, s, y)
    return naive.conditional_mutual_information(x, y, [s])


def joint(x, s, y):
    """I(F, s; C)."""
    x, s, y = present(x, s, y)
    return naive.mutual_information(joined(x, s), y)


def symmetrical_relevance(x, s, y):
    """I(F, s; C) / H(F, s, C); 0 where nothing is uncertain."""
    total = naive.entropy(joined(*present(x, s, y)))
    return joint(x, s, y) / total if total > 0 else 0.0


def mim(x, y, S):
    return information(x, y)


def mifs(beta):
    def J(x, y, S):
        return information(x, y) - beta * sum(information(x, s) for s in S)

    return J


def mifsu(beta):
    def J(x, y, S):
        spread = [s for s in S if entropy(s) > 0]
        shared = sum(information(s, y) / entropy(s) * information(x, s) for s in spread)
        return information(x, y) - beta * shared

    return J


def mrmr(x, y, S):
    return information(x, y) - _mean([information(x, s) for s in S])


def mrmr_quotient(x, y, S):
    if not S:
        return information(x, y)
    return information(x, y) / max(_mean([information(x, s) for s in S]), 1e-12)


def jmi(x, y, S):
    return sum(joint(x, s, y) for s in S) if S else information(x, y)


def jmi3(x, y, S):
    """Sum over pairs of S of I(F, s, t; C), each less (V - 1)(K - 1) / (2 N ln 2).

    V counts all combinations of values; of one feature in S, or none, likewise.
    """

    def told(group):
        n_cells = math.prod(1 + max(v for v in z if v is not None) for z in (x, *group))
        by_chance = (n_cells - 1) * (len(set(y)) - 1) / (2 * len(y) * math.log(2))
        if not group:
            return information(x, y) - by_chance
        both = [None if None in row else row for row in joined(*group)]
        return joint(x, both, y) - by_chance

    return sum(told(pair) for pair in combinations(S, 2)) if len(S) > 1 else told(S)


def jmim(x, y, S):
    return min(joint(x, s, y) for s in S) if S else information(x, y)


def njmim(x, y, S):
    return min(symmetrical_relevance(x, s, y) for s in S) if S else information(x, y)


def disr(x, y, S):
    return sum(symmetrical_relevance(x, s, y) for s in S) if S else information(x, y)


def cmim(x, y, S):
    return min([information(x, y), *(conditional(x, s, y) for s in S)])


def icap(x, y, S):
    overlap = [information(x, s) - class_redundancy(x, s, y) for s in S]
    return information(x, y) - sum(max(0, shared) for shared in overlap)


def cife(x, y, S):
    return information(x, y) - sum(information(x, s) - class_redundancy(x, s, y) for s in S)


def cmi(x, y, S):
    x, y, *S = present(x, y, *S)
    if naive.independent(x, y, S):
        return 0.0
    return naive.conditional_mutual_information(x, y, S)


def beta_gamma(alpha, beta, gamma):
    def J(x, y, S):
        b, g = (1 / max(len(S), 1) if w == "mean" else w for w in (beta, gamma))
        return (
            alpha * information(x, y)
            - b * sum(information(x, s) for s in S)
            + g * sum(class_redundancy(x, s, y) for s in S)
        )

    return J


def _mean(numbers):
    return sum(numbers) / len(numbers) if numbers else 0.0
