"""CMIM against its definition; lazy as eager."""

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.datasets import load_wine

from deacs import CMIM, encode
from deacs.information import Pairs
from deacs.selection import _criteria
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, columns_of, greedy, same_path
from tests.tables_of_codes import coded_tables


@settings(max_examples=50)
@given(coded_tables())
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    same_path(CMIM().fit(coded(columns, y)), greedy(naive_filters.cmim, columns, y))


@pytest.mark.parametrize("at_once", [1, 2, 10**9])
def test_lazy_evaluation_gives_the_bits_of_an_eager_one(at_once, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    columns = [np.where(rng.random(60) < 0.3, y, rng.integers(0, 3, 60)) for _ in range(25)]
    data = coded([*columns, *columns[:5]], y)  # ties among them
    usual = CMIM().fit(data)
    monkeypatch.setattr(_criteria, "EVALUATED_FIRST", at_once)
    monkeypatch.setattr(_criteria, "EVALUATED_AT_ONCE", at_once)
    other = CMIM().fit(data)
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
    CMIM(5).fit(coded(columns, y))
    assert 0 < sum(counted) < 4 * 1000 / 2


@pytest.mark.parametrize("include", [[12], [12, 2, 7]])
def test_included_features_lead_with_exact_scores(include):
    # 12 and 2 tell little: a lazy criterion would have left them behind.
    data = encode(*load_wine(return_X_y=True))
    twin = greedy(naive_filters.cmim, columns_of(data), data.labels.tolist(), include=include)
    same_path(CMIM(include=include).fit(data), twin)


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
