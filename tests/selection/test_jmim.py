"""JMIM against its definition; lazy as eager."""

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.datasets import load_wine

from deacs import JMI, JMIM, encode
from deacs.information import Pairs
from deacs.selection import _criteria
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, columns_of, greedy, same_path
from tests.tables_of_codes import coded_tables


@settings(max_examples=50)
@given(coded_tables())
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    same_path(JMIM().fit(coded(columns, y)), greedy(naive_filters.jmim, columns, y))


@pytest.mark.parametrize("at_once", [1, 2, 10**9])
def test_lazy_evaluation_gives_the_bits_of_an_eager_one(at_once, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    columns = [np.where(rng.random(60) < 0.3, y, rng.integers(0, 3, 60)) for _ in range(25)]
    data = coded([*columns, *columns[:5]], y)  # ties among them
    usual = JMIM().fit(data)
    monkeypatch.setattr(_criteria, "EVALUATED_FIRST", at_once)
    monkeypatch.setattr(_criteria, "EVALUATED_AT_ONCE", at_once)
    other = JMIM().fit(data)
    np.testing.assert_array_equal(other.ranking_, usual.ranking_)
    np.testing.assert_array_equal(other.scores_, usual.scores_)


def test_most_pairs_are_never_counted(monkeypatch):
    counted = []
    information = Pairs.information

    def watched(self, selected, features):
        counted.append(len(features))
        return information(self, selected, features)

    monkeypatch.setattr(Pairs, "information", watched)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    columns = [
        np.where(rng.random(400) < (0.5 if j % 100 == 0 else 0), y, rng.integers(0, 2, 400))
        for j in range(1000)
    ]
    JMIM(5).fit(coded(columns, y))
    assert 0 < sum(counted) < 4 * 1000 / 2


@pytest.mark.parametrize("include", [[12], [12, 2, 7]])
def test_included_features_lead_with_exact_scores(include):
    # 12 and 2 tell little: a lazy criterion would have left them behind.
    data = encode(*load_wine(return_X_y=True))
    twin = greedy(naive_filters.jmim, columns_of(data), data.labels.tolist(), include=include)
    same_path(JMIM(include=include).fit(data), twin)


def test_the_worst_pair_decides():
    # b does wonders beside a and nothing beside s; d does a little beside either.
    a, b, n = np.indices((2, 2, 16)).reshape(3, -1)
    y = a ^ b
    s, d = np.where(n < 6, 1 - y, y), np.where(n >= 12, 1 - y, y)
    data = coded([s, a, b, d], y)
    assert JMI(include=[0, 1]).fit(data).ranking_.tolist() == [0, 1, 2, 3]
    assert JMIM(include=[0, 1]).fit(data).ranking_.tolist() == [0, 1, 3, 2]
