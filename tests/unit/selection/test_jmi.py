"""JMI against its definition."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_wine

from deacs import JMI, MIM, encode
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, columns_of, greedy, same_path
from tests.tables_of_codes import coded_tables


@given(coded_tables())
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    same_path(JMI().fit(coded(columns, y)), greedy(naive_filters.jmi, columns, y))


def test_both_halves_of_an_exclusive_or_are_found():
    # a leads by a trifle; b tells nothing alone, and nearly everything beside a.
    a, b, n = np.indices((2, 2, 16)).reshape(3, -1)
    y = a ^ b
    y[(a == 1) & (b == 1) & (n < 2)] = 1
    y[(a == 0) & (b == 1) & (n < 2)] = 0
    noise = np.tile([0, 1], 32)
    noise[np.flatnonzero((y == 1) & (noise == 0))[0]] = 1
    data = coded([noise, b, a], y)
    assert JMI().fit(data).ranking_.tolist() == [2, 1, 0]
    assert MIM().fit(data).ranking_.tolist() == [2, 0, 1]


def test_the_score_is_the_sum_over_all_selected_features():
    data = encode(*load_wine(return_X_y=True))
    selector = JMI().fit(data)
    columns, y = columns_of(data), data.labels.tolist()
    *first, last = selector.ranking_
    expected = sum(naive_filters.joint(columns[last], columns[s], y) for s in first)
    assert selector.scores_[-1] == pytest.approx(expected, rel=1e-9)


def test_included_features_lead():
    data = encode(*load_wine(return_X_y=True))
    twin = greedy(naive_filters.jmi, columns_of(data), data.labels.tolist(), include=[4, 2])
    same_path(JMI(include=[4, 2]).fit(data), twin)
