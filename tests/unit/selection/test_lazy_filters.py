"""Filters whose score can only fall: most pairs are never counted, and no answer changes."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_wine

from deacs import CMIM, ICAP, JMIM, MRMR, NJMIM, encode
from deacs._kernels import at_level, levels
from deacs.counts import Pairs, pairs
from deacs.selection.pair_criteria import PairCriterion
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
@each("n_rows, n_values", [(60, 3), (60, 16), (2, 2), (400, 2)])
@pytest.mark.parametrize("n_weights", [None, 3])
def test_the_contest_gives_the_bits_of_counting_every_pair(
    selector, n_rows, n_values, n_weights, monkeypatch
):
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(n_rows) % 3)
    columns = [
        np.where(rng.random(n_rows) < 0.3, y % n_values, rng.integers(0, n_values, n_rows))
        for _ in range(25)
    ]
    data = coded([*columns, *columns[:5]], y)  # ties among them
    if n_weights:
        data = replace(data, weights=rng.integers(1, n_weights + 1, n_rows))
    taken = []
    for suits in (True, False):
        monkeypatch.setattr(Pairs, "suit_contests", suits)
        taken.append(selector().fit(data))
    contest, every = taken
    np.testing.assert_array_equal(contest.ranking_, every.ranking_)
    np.testing.assert_array_equal(contest.scores_, every.scores_)


@pytest.mark.parametrize("selector", LAZY)
def test_every_level_gives_the_same_bits(selector, monkeypatch):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 300)
    X = np.where(rng.random((300, 40)) < 0.2, y[:, np.newaxis], rng.integers(0, 5, (300, 40)))
    data, found = coded(X.T, y), []
    for level in levels():
        monkeypatch.setattr(pairs, "kernels", at_level("pairs", level))
        fitted = selector(12).fit(data)
        found.append((fitted.ranking_.tolist(), fitted.scores_.tolist()))
    assert all(other == found[0] for other in found)


@pytest.mark.parametrize("selector", [CMIM, JMIM, NJMIM])
def test_most_pairs_are_never_counted(selector, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    columns = [
        np.where(rng.random(400) < (0.5 if j % 100 == 0 else 0), y, rng.integers(0, 2, 400))
        for j in range(1000)
    ]
    seen = []
    monkeypatch.setattr(
        PairCriterion, "add", lambda self, feature: _add_and_watch(self, feature, seen)
    )
    selector(5).fit(coded(columns, y))
    assert 0 < seen[-1] < 4 * 1000 / 2


def _add_and_watch(criterion, feature, seen):
    criterion._selected.append(feature)
    seen.append(int(criterion._seen.sum()))


def test_more_selected_features_than_are_kept_are_counted_once(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    data = coded(rng.integers(0, 2, (12, 200)), y)
    every = CMIM(12).fit(data)
    monkeypatch.setattr(pairs, "MAX_TARGETS", 2)
    made = []
    make = Pairs.runs_of
    monkeypatch.setattr(Pairs, "runs_of", lambda *args, **how: made.append(1) or make(*args, **how))
    few = CMIM(12).fit(data)
    assert few.scores_.tolist() == every.scores_.tolist()
    assert len(made) <= 12


@pytest.mark.parametrize("n_values", [2, 16])
def test_tables_without_planes_of_all_features_have_no_contest(n_values):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    X = rng.integers(0, n_values, (3000, 4)).astype(float)
    X[0, 0] = np.nan
    assert Pairs(encode(X[:, 1:], y, discretizer=None)).suit_contests
    for other in (
        encode(X, y, discretizer=None, missing="ignore"),
        coded([rng.permutation(3000), *X[:, 1:].T.astype(int)], y),
        coded([np.arange(3000) % 250, *X[:, 1:].T.astype(int)], y),
    ):
        assert not Pairs(other).suit_contests


@pytest.mark.parametrize("selector", LAZY)
@pytest.mark.parametrize("include", [[12], [12, 2, 7]])
def test_included_features_lead_with_exact_scores(selector, include):
    # 12 and 2 tell little: a lazy criterion would have left them behind.
    data = encode(*load_wine(return_X_y=True))
    twin = greedy(LAZY[selector], columns_of(data), data.labels.tolist(), include=include)
    same_path(selector(include=include).fit(data), twin)
