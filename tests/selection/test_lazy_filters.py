"""Filters whose score can only fall: most pairs are never counted, and no answer changes."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from deacs import CMIM, JMIM, NJMIM, encode
from deacs.information import Pairs
from deacs.selection import _criteria
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, columns_of, greedy, same_path

LAZY = {CMIM: naive_filters.cmim, JMIM: naive_filters.jmim, NJMIM: naive_filters.njmim}


@pytest.mark.parametrize("selector", LAZY)
@pytest.mark.parametrize("at_once", [1, 2, 10**9])
def test_lazy_evaluation_gives_the_bits_of_an_eager_one(selector, at_once, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    columns = [np.where(rng.random(60) < 0.3, y, rng.integers(0, 3, 60)) for _ in range(25)]
    data = coded([*columns, *columns[:5]], y)  # ties among them
    usual = selector().fit(data)
    monkeypatch.setattr(_criteria, "EVALUATED_FIRST", at_once)
    monkeypatch.setattr(_criteria, "EVALUATED_AT_ONCE", at_once)
    other = selector().fit(data)
    np.testing.assert_array_equal(other.ranking_, usual.ranking_)
    np.testing.assert_array_equal(other.scores_, usual.scores_)


@pytest.mark.parametrize("selector", LAZY)
def test_most_pairs_are_never_counted(selector, monkeypatch):
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
    selector(5).fit(coded(columns, y))
    assert 0 < sum(counted) < 4 * 1000 / 2


@pytest.mark.parametrize("selector", LAZY)
@pytest.mark.parametrize("include", [[12], [12, 2, 7]])
def test_included_features_lead_with_exact_scores(selector, include):
    # 12 and 2 tell little: a lazy criterion would have left them behind.
    data = encode(*load_wine(return_X_y=True))
    twin = greedy(LAZY[selector], columns_of(data), data.labels.tolist(), include=include)
    same_path(selector(include=include).fit(data), twin)
