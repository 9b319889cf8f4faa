"""CMIM against its definition."""

import numpy as np
from hypothesis import given
from sklearn.datasets import load_wine

from deacs import CMIM, encode
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, greedy, same_path
from tests.tables_of_codes import coded_tables


@given(coded_tables())
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    same_path(CMIM().fit(coded(columns, y)), greedy(naive_filters.cmim, columns, y))


def test_a_copy_comes_last_with_nothing_to_add():
    y = np.repeat([0, 1], 20)
    best = np.where(np.arange(40) % 10 == 0, 1 - y, y)
    other = np.where(np.arange(40) % 5 == 1, 1 - y, y)
    selector = CMIM().fit(coded([best, best, other], y))
    assert selector.ranking_.tolist() == [0, 2, 1]
    assert selector.scores_[-1] == 0


def test_synergy_does_not_lift_a_feature_above_its_own_relevance():
    a, b = np.indices((2, 2)).reshape(2, -1).repeat(4, axis=1)
    selector = CMIM().fit(coded([a, b], a ^ b))
    assert selector.scores_.tolist() == [0, 0]


def test_scores_never_rise():
    selector = CMIM().fit(encode(*load_wine(return_X_y=True)))
    assert (np.diff(selector.scores_) <= 1e-10).all()
