"""Columns that tell the same, in groups."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy.spatial.distance import squareform
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LinearRegression

from deacs import CodedData, RedundancyGroups, encode
from deacs.report import RedundancyGroupsDisplay
from deacs.selection import column_groups
from deacs.selection.redundancy_groups import information_distances
from tests.naive.redundancy_groups import distance, is_complete
from tests.real_data import MADELON, suite_table
from tests.tables_of_codes import coded_tables


@given(coded_tables(max_rows=80))
def test_distances_and_groups_are_those_of_brute_force(table):
    columns, y = table
    data = CodedData.from_codes(np.array(columns).T, np.array(y))
    n = len(columns)
    _, condensed = information_distances(data)
    found = squareform(condensed)
    expected = {(a, b): distance(columns[a], columns[b], y) for a, b in combinations(range(n), 2)}
    for (a, b), value in expected.items():
        assert found[a, b] == pytest.approx(value, abs=1e-8)
    groups = column_groups(data, 0.5)
    members = [np.flatnonzero(groups.labels == k).tolist() for k in range(len(groups.kept))]
    assert sorted(j for group in members for j in group) == list(range(n))
    assert is_complete(members, expected, 0.5)


def test_groups_do_not_chain():
    """Each column shares with the next, the first nothing with the last."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (4000, 12))
    y = bits.sum(axis=1) > 6
    X = np.column_stack([bits[:, k : k + 4] @ [1, 2, 4, 8] for k in range(9)])
    selector = RedundancyGroups(max_distance=0.7, discrete_features=True).fit(X, y)
    labels = selector.labels_
    assert labels[0] != labels[8]
    assert len(set(labels.tolist())) >= 3


def test_correlated_columns_that_tell_different_things_stay_apart():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=4000)
    tell = rng.normal(size=4000)
    X = pd.DataFrame({"a": shared, "b": shared + 0.5 * tell, "c": shared + 0.01 * tell})
    y = (tell > 0).astype(int)
    assert np.corrcoef(X["a"], X["b"])[0, 1] > 0.85
    groups = RedundancyGroups().fit(X, y).column_groups_
    assert {"b"} in [set(group) for group in groups.members]


def test_the_most_informative_of_a_group_is_kept_unless_another_is_asked_for():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selector = RedundancyGroups().fit(X, y)
    groups = selector.column_groups_
    for kept, members in zip(selector.ranking_, groups.members, strict=True):
        places = [X.columns.get_loc(name) for name in members]
        assert groups.relevance[kept] == groups.relevance[places].max()
    assert (np.diff(selector.scores_) <= 0).all()
    asked = RedundancyGroups(include=["mean area"]).fit(X, y)
    assert asked.selected_names_[0] == "mean area"
    assert len(asked.ranking_) == len(selector.ranking_)
    twins = X[["mean area", "mean radius", "mean texture"]]
    both = RedundancyGroups(include=["mean area", "mean radius"])
    for number in (None, 2):  # else one group has the two
        asked = both.set_params(n_features_to_select=number).fit(twins, y)
        assert asked.selected_names_[:2] == ["mean area", "mean radius"]
        assert (asked.labels_[asked.ranking_] == np.arange(len(asked.ranking_))).all()
    assert RedundancyGroups().fit(twins, y).labels_.tolist() == [0, 0, 1]
    assert selector.transform(X).shape == (569, len(selector.ranking_))


@pytest.mark.parametrize("k", [1, 5, 30])
def test_a_number_of_groups_may_be_asked_for(k):
    X, y = load_breast_cancer(return_X_y=True)
    selector = RedundancyGroups(k).fit(X, y)
    assert len(selector.ranking_) == k
    assert sorted(set(selector.labels_.tolist())) == list(range(k))
    assert (selector.labels_[selector.ranking_] == np.arange(k)).all()


def test_a_picture_of_the_tree():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    display = RedundancyGroupsDisplay.from_selector(RedundancyGroups().fit(X, y))
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert sorted(names) == sorted(X.columns)


def test_of_many_columns_those_are_drawn_that_are_not_alone():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (300, 90))
    X[:, 5:8] = X[:, 4:5]
    X[:, 81] = X[:, 80]
    display = RedundancyGroupsDisplay.from_selector(
        RedundancyGroups(discrete_features=True).fit(X, rng.integers(0, 2, 300))
    )
    names = {text.get_text() for text in display.ax_.get_yticklabels()}
    assert names == {"x4", "x5", "x6", "x7", "x80", "x81"}
    assert "84 more" in display.ax_.get_title("left")


def test_the_groups_of_madelon_are_found_and_nothing_else():
    """Of 500 columns, ten groups of near copies, two of them with one column."""
    X, y = suite_table("madelon")
    members = RedundancyGroups().fit(X, y).column_groups_.members
    found = {frozenset(group) for group in members}
    assert all(frozenset(group) in found for group in MADELON)
    assert sum(len(group) > 1 for group in members) == 8
    names = [name for group in MADELON for name in sorted(group)]
    _, distances = information_distances(encode(X[names], y, discretizer="equal-frequency"))
    group = np.repeat(np.arange(10), [len(group) for group in MADELON])
    together = squareform(group[:, np.newaxis] == group, checks=False)
    assert distances[together].max() < 0.35
    assert distances[~together].min() > 0.95


def test_five_groups_of_madelon_are_sources_and_the_others_are_combinations_of_them():
    """What is in the table itself: its columns, by correlation and least squares."""
    X, _ = suite_table("madelon")
    columns = {group: X.select(sorted(group)).to_numpy() for group in map(frozenset, MADELON)}
    within = [np.corrcoef(part.T) for part in columns.values() if part.shape[1] > 1]
    assert min(r.min() for r in within) > 0.98
    spread = np.linalg.eigvalsh(np.corrcoef(np.hstack(list(columns.values())).T))[::-1]
    assert spread[:5].sum() > 0.99 * 20
    assert spread[4] > 100 * spread[5]
    first = np.column_stack([columns[frozenset(group)][:, 0] for group in MADELON])
    r = np.abs(np.corrcoef(first.T)) - np.eye(10)
    largest = {five: r[np.ix_(five, five)].max() for five in combinations(range(10), 5)}
    sources, runner_up = sorted(largest, key=largest.__getitem__)[:2]
    assert sources == (0, 1, 2, 3, 4)
    assert largest[sources] < 0.05
    assert largest[runner_up] > 0.4
    for k in range(5, 10):
        assert LinearRegression().fit(first[:, :5], first[:, k]).score(
            first[:, :5], first[:, k]
        ) == pytest.approx(0.98, abs=0.005)
        assert (r[k, :5] > 0.1).sum() >= 3  # not of one source alone
