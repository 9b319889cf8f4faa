"""ICAP against its definition."""

import numpy as np
from hypothesis import given
from sklearn.datasets import load_wine

from deacs import CIFE, ICAP, encode
from tests.naive import filters as naive_filters
from tests.naive import mutual_information
from tests.naive.filters import coded, columns_of, greedy, same_path
from tests.tables_of_codes import coded_tables


@given(coded_tables())
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    same_path(ICAP().fit(coded(columns, y)), greedy(naive_filters.icap, columns, y))


def test_included_features_lead():
    data = encode(*load_wine(return_X_y=True))
    twin = greedy(naive_filters.icap, columns_of(data), data.labels.tolist(), include=[4, 2])
    same_path(ICAP(include=[4, 2]).fit(data), twin)


def test_synergy_does_not_count_and_redundancy_does():
    # b tells nothing alone and everything beside a; a copy of a tells nothing more.
    a, b = np.indices((2, 2)).reshape(2, -1).repeat(4, axis=1)
    data = coded([a, b], a ^ b)
    assert ICAP().fit(data).scores_.tolist() == [0, 0]
    assert CIFE().fit(data).scores_.tolist() == [0, 1]
    y = a
    assert ICAP().fit(coded([a, a, a], y)).scores_.tolist() == [1, 0, -1]


@given(coded_tables())
def test_no_score_exceeds_the_relevance(table):
    columns, y = table
    selector = ICAP().fit(coded(columns, y))
    for feature, score in zip(selector.ranking_, selector.scores_, strict=True):
        assert score <= mutual_information(columns[feature], y) + 1e-10
