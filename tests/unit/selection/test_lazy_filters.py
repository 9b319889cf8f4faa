"""Filters whose score can only fall: most pairs are never counted, and no answer changes."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_wine

from deacs import CMIM, ICAP, JMIM, MRMR, NJMIM, encode
from deacs.greedy import pair_criteria
from deacs.greedy.pair_criteria import PairCriterion
from deacs.information import lazy_pairs
from deacs.information.lazy_pairs import LazyPairs
from tests.each import each
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, columns_of, greedy, same_path

LAZY = {
    CMIM: naive_filters.cmim,
    JMIM: naive_filters.jmim,
    NJMIM: naive_filters.njmim,
    MRMR: naive_filters.mrmr,
    ICAP: naive_filters.icap,
}


@pytest.mark.parametrize("selector", LAZY)
@each("at_once", [1, 10**9])
@each("n_rows, n_values", [(60, 3), (60, 23), (2, 2), (400, 2)])
@pytest.mark.parametrize("largest", [None, 1 << 20])
def test_compiled_evaluation_gives_the_bits_of_others(
    selector, at_once, n_rows, n_values, largest, monkeypatch
):
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(n_rows) % 3)
    columns = [
        np.where(rng.random(n_rows) < 0.3, y % n_values, rng.integers(0, n_values, n_rows))
        for _ in range(25)
    ]
    data = coded([*columns, *columns[:5]], y)  # ties among them
    assert LazyPairs.suits(data)
    if largest:
        data = replace(data, weights=rng.integers(1, largest, n_rows))
        monkeypatch.setattr(lazy_pairs, "MANY_CELLS", 100)
        assert LazyPairs.suits(data)
    usual = selector().fit(data)
    with monkeypatch.context() as patch:
        patch.setattr(LazyPairs, "suits", lambda data: False)
        patch.setattr(pair_criteria, "EVALUATED_FIRST", at_once)
        patch.setattr(pair_criteria, "EVALUATED_AT_ONCE", at_once)
        other = selector().fit(data)
    np.testing.assert_array_equal(other.ranking_, usual.ranking_)
    np.testing.assert_array_equal(other.scores_, usual.scores_)


@pytest.mark.parametrize("is_compiled", [True, False])
@pytest.mark.parametrize("selector", [CMIM, JMIM, NJMIM])
def test_most_pairs_are_never_counted(selector, is_compiled, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    columns = [
        np.where(rng.random(400) < (0.5 if j % 100 == 0 else 0), y, rng.integers(0, 2, 400))
        for j in range(1000)
    ]
    monkeypatch.setattr(LazyPairs, "suits", lambda data: is_compiled)
    seen = []
    monkeypatch.setattr(
        PairCriterion, "add", lambda self, feature: _add_and_watch(self, feature, seen)
    )
    selector(5).fit(coded(columns, y))
    assert 0 < seen[-1] < 4 * 1000 / 2


def _add_and_watch(criterion, feature, seen):
    criterion._selected.append(feature)
    seen.append(int(criterion._seen.sum()))


@pytest.mark.parametrize("n_values", [2, 70])
def test_tables_that_do_not_suit_are_counted_another_way(n_values):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = rng.integers(0, n_values, (300, 4)).astype(float)
    X[0, 0] = np.nan
    suited = encode(X[:, 1:], y, discretizer=None)
    assert LazyPairs.suits(suited)
    for other in (
        encode(X, y, discretizer=None, missing="ignore"),
        replace(coded([np.arange(300) % 250, *X[:, 1:].T.astype(int)], y), weights=1 + y),
        coded([rng.permutation(300), *X[:, 1:].T.astype(int)], y),
    ):
        assert not LazyPairs.suits(other)


@pytest.mark.parametrize("selector", LAZY)
@pytest.mark.parametrize("include", [[12], [12, 2, 7]])
def test_included_features_lead_with_exact_scores(selector, include):
    # 12 and 2 tell little: a lazy criterion would have left them behind.
    data = encode(*load_wine(return_X_y=True))
    twin = greedy(LAZY[selector], columns_of(data), data.labels.tolist(), include=include)
    same_path(selector(include=include).fit(data), twin)
