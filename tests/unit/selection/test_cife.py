"""CIFE against its definition."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_wine

from deacs import CIFE, encode
from tests.naive import conditional_mutual_information
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, columns_of, greedy, same_path
from tests.tables_of_codes import coded_tables


@given(coded_tables())
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    same_path(CIFE().fit(coded(columns, y)), greedy(naive_filters.cife, columns, y))


def test_included_features_lead():
    data = encode(*load_wine(return_X_y=True))
    twin = greedy(naive_filters.cife, columns_of(data), data.labels.tolist(), include=[4, 2])
    same_path(CIFE(include=[4, 2]).fit(data), twin)


def test_synergy_counts_as_much_as_redundancy():
    a, b = np.indices((2, 2)).reshape(2, -1).repeat(4, axis=1)
    assert CIFE().fit(coded([a, b], a ^ b)).scores_.tolist() == [0, 1]
    # Two copies of the class: all that each tells is redundant with each one selected.
    assert CIFE().fit(coded([a, a, a], a)).scores_.tolist() == [1, 0, -1]


@given(coded_tables(max_features=2))
def test_the_second_score_is_what_the_feature_adds_to_the_first(table):
    columns, y = table
    selector = CIFE().fit(coded(columns, y))
    if len(columns) == 2:
        first, second = (columns[j] for j in selector.ranking_)
        expected = conditional_mutual_information(second, y, [first])
        assert selector.scores_[1] == pytest.approx(expected, abs=1e-10)
