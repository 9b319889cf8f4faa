"""Brown et al.'s plane: which criteria are points of it, and which are not."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from deacs import CIFE, DISR, JMI, MIFS, MIFSU, MIM, MRMR, BetaGamma
from tests.naive import filters as naive_filters
from tests.naive import mutual_information
from tests.naive.filters import class_redundancy, coded, greedy, same_path
from tests.tables_of_codes import coded_tables

WEIGHTS = st.sampled_from([0.0, 0.3, 1.0, -0.5, "mean"])
POINTS = {
    "MIM": (MIM(), (1, 0, 0)),
    "MIFS, beta = 1": (MIFS(beta=1), (1, 1, 0)),
    "MIFS, beta = 0.4": (MIFS(beta=0.4), (1, 0.4, 0)),
    "MRMR": (MRMR(), (1, "mean", 0)),
    "CIFE": (CIFE(), (1, 1, 1)),
}


def plane(alpha, beta, gamma, **options):
    return BetaGamma(alpha=alpha, beta=beta, gamma=gamma, **options)


@given(coded_tables(), st.sampled_from([0.0, 1.0, 2.0]), WEIGHTS, WEIGHTS)
def test_ranking_equals_the_naive_twin(table, alpha, beta, gamma):
    columns, y = table
    twin = greedy(naive_filters.beta_gamma(alpha, beta, gamma), columns, y)
    same_path(plane(alpha, beta, gamma).fit(coded(columns, y)), twin)


@pytest.mark.parametrize("name", POINTS)
@given(table=coded_tables())
def test_these_criteria_are_points_of_the_plane(name, table):
    method, point = POINTS[name]
    data = coded(*table)
    here, there = clone(method).fit(data), plane(*point).fit(data)
    assert here.ranking_.tolist() == there.ranking_.tolist()
    np.testing.assert_allclose(here.scores_, there.scores_, rtol=1e-9, atol=1e-10)


@given(coded_tables())
def test_jmi_is_a_point_up_to_a_constant(table):
    # sum_s I(F, s; C) = |S| J(F) + sum_s I(s; C), and the last does not depend on F.
    columns, y = table
    data = coded(columns, y)
    jmi, mean = JMI().fit(data), plane(1, "mean", "mean").fit(data)
    assert jmi.ranking_.tolist() == mean.ranking_.tolist()
    relevance = [mutual_information(columns[j], y) for j in jmi.ranking_]
    for k in range(1, len(columns)):
        expected = k * mean.scores_[k] + sum(relevance[:k])
        assert jmi.scores_[k] == pytest.approx(expected, abs=1e-9)


GRID = list(product([0, 0.5, 2], [-2, 0, 0.3, "mean"], [-2, 0, 0.3, "mean"]))


def terms(x, S, y):
    """What a point of the plane knows of a feature."""
    return (
        mutual_information(x, y),
        sum(mutual_information(x, s) for s in S),
        sum(class_redundancy(x, s, y) for s in S),
    )


def assert_indifferent(columns, y, include):
    """No point of the plane prefers one of the last two columns: the lower column wins."""
    *S, a, b = (np.asarray(column).tolist() for column in columns)
    np.testing.assert_allclose(terms(a, S, list(y)), terms(b, S, list(y)), atol=1e-12)
    for point in GRID:
        for order in (columns, [*columns[:-2], columns[-1], columns[-2]]):
            selector = plane(*point, include=include).fit(coded(order, y))
            assert selector.ranking_.tolist() == list(range(len(columns)))


def test_disr_is_no_point_of_the_plane():
    # `split` is `plain` with one value cut in two independently of all else: the same three
    # informations, so J is the same for all (alpha, beta, gamma), but more joint entropy.
    c, n, half = np.indices((2, 8, 2)).reshape(3, -1)
    s, plain = np.where(n < 2, 1 - c, c), np.where(n % 4 == 0, 1 - c, c)
    split = plain + 2 * half * plain
    assert_indifferent([s, split, plain], c, include=[0])
    for order, preferred in (([s, split, plain], 2), ([s, plain, split], 1)):
        assert DISR(include=[0]).fit(coded(order, c)).ranking_[1] == preferred


def test_mifsu_is_no_point_of_the_plane():
    # u and v are fair bits apart from c. u is redundant with (u, c), half of which is about
    # the class, v with v, of which nothing is: MIFS-U takes half a bit from u and none from v.
    c, u, v = np.indices((2, 2, 2)).reshape(3, -1)
    both = u + 2 * c
    assert_indifferent([both, v, u, v], c, include=[0, 1])
    for order, preferred in (([both, v, u, v], 3), ([both, v, v, u], 2)):
        selector = MIFSU(include=[0, 1]).fit(coded(order, c))
        assert selector.ranking_[2] == preferred
        np.testing.assert_allclose(selector.scores_[2:], [0, -0.5], atol=1e-12)


@pytest.mark.parametrize(
    ("name", "value"), [("alpha", -1), ("beta", "median"), ("gamma", float("nan"))]
)
def test_a_bad_weight_is_named(name, value):
    with pytest.raises(ValueError, match=name):
        BetaGamma(**{name: value}).fit([[0], [1]], [0, 1])
