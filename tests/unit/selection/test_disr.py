"""DISR against its definition."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_wine

from deacs import DISR, JMI, BetaGamma, encode
from tests.naive import entropy, mutual_information
from tests.naive import filters as naive_filters
from tests.naive.filters import (
    class_redundancy,
    coded,
    columns_of,
    greedy,
    joined,
    same_path,
    symmetrical_relevance,
)
from tests.tables_of_codes import coded_tables


@given(coded_tables())
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    same_path(DISR().fit(coded(columns, y)), greedy(naive_filters.disr, columns, y))


def test_included_features_lead():
    data = encode(*load_wine(return_X_y=True))
    twin = greedy(naive_filters.disr, columns_of(data), data.labels.tolist(), include=[4, 2])
    same_path(DISR(include=[4, 2]).fit(data), twin)


def test_values_that_tell_nothing_count_against_a_feature():
    # `split` is `plain` with one value cut in two halves: the same information.
    c, n, half = np.indices((2, 8, 2)).reshape(3, -1)
    s, plain = np.where(n < 2, 1 - c, c), np.where(n % 4 == 0, 1 - c, c)
    split = plain + 2 * half * plain
    data = coded([s, split, plain], c)
    assert JMI(include=[0]).fit(data).ranking_.tolist() == [0, 1, 2]
    assert DISR(include=[0]).fit(data).ranking_.tolist() == [0, 2, 1]


@given(coded_tables())
def test_redundancy_within_classes_enters_with_a_plus(table):
    # I(F, s; C) = I(s; C) + I(F; C) - I(F; s) + I(F; s | C): the paper's Eq. 1 has a minus.
    columns, y = table
    x, s = columns[0], columns[-1]
    rest = mutual_information(s, y) + mutual_information(x, y) - mutual_information(x, s)
    expected = (rest + class_redundancy(x, s, y)) / entropy(joined(x, s, y))
    assert symmetrical_relevance(x, s, y) == pytest.approx(expected, abs=1e-12)


def test_with_a_minus_the_other_half_of_an_exclusive_or_would_come_last():
    a, b = np.indices((2, 2)).reshape(2, -1).repeat(4, axis=1)
    constant = np.zeros(16, dtype=int)
    data = coded([a, constant, b], a ^ b)
    assert DISR().fit(data).ranking_.tolist() == [0, 2, 1]
    minus = BetaGamma(alpha=1, beta=1, gamma=-1).fit(data)
    assert minus.ranking_.tolist() == [0, 1, 2]
