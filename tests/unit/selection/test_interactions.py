"""Pairs that tell more together than the sum of both."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs import CodedData, encode, find_interactions
from deacs.exceptions import InputError
from deacs.report import InteractionsDisplay
from tests import naive
from tests.naive.interactions import all_pairs
from tests.real_data import MADELON, suite_table
from tests.tables_of_codes import coded_tables


@given(table=coded_tables(), n=st.integers(1, 4))
def test_the_search_finds_what_all_pairs_hold(table, n):
    columns, y = table
    data = CodedData.from_codes(np.array(columns).T, np.array(y))
    expected = all_pairs(columns, y, data.n_values.tolist())
    found = find_interactions(data, n=n)
    assert found.is_exact
    np.testing.assert_allclose(
        [pair.synergy for pair in found], [pair[0] for pair in expected[:n]], atol=1e-9
    )
    by_pair = {(a, b): s for s, a, b in expected}
    for pair in found:
        assert by_pair[pair.features] == pytest.approx(pair.synergy, abs=1e-9)


def test_synergy_about_each_class_is_that_of_the_class_against_the_rest():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 6))
    y = np.where(X[:, 1] ^ X[:, 4], 2, rng.integers(0, 2, 300))
    best = find_interactions(X, y, n=1)[0]
    assert best.features == (1, 4)
    f, g = X[:, 1].tolist(), X[:, 4].tolist()
    for i in range(3):
        is_class = (y == i).tolist()
        expected = naive.label_score(f, is_class, True, [g]) - naive.label_score(
            f, is_class, True, []
        )
        chance = 1 / (2 * 300 * np.log(2))
        assert best.label_synergy[i] == pytest.approx(expected - chance, abs=1e-9)
    assert best.label_synergy[2] == max(best.label_synergy)


@pytest.mark.parametrize("n_values", [2, 3])
def test_parts_of_an_exclusive_or_are_found_where_single_columns_show_nothing(n_values):
    rng = np.random.default_rng(n_values)
    X = rng.integers(0, n_values, (600, 40))
    y = (X[:, 7] + X[:, 31]) % n_values
    best = find_interactions(X, y, n=3)
    assert best[0].features == (7, 31)
    assert best[0].p_value < 1e-6
    assert max(best[0].alone) < 0.02
    assert all(pair.p_value > 0.05 for pair in best[1:])


def test_noise_and_sums_of_correlated_columns_are_no_interactions():
    fooled = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(300, 12)) + rng.normal(size=(300, 1))
        y = (X[:, :4].sum(axis=1) + 3 * rng.normal(size=300) > 0).astype(int)
        noise = rng.integers(0, 2, 300)
        for labels in (y, noise):
            found = find_interactions(X, labels, n=3)
            fooled += any(pair.p_value <= 0.05 for pair in found)
    assert fooled <= 3  # each of 60 with chance 0.05 at most


def test_a_budget_ends_the_search_and_says_so():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (100, 20)), rng.integers(0, 2, 100)
    found = find_interactions(X, y, budget=50)
    assert not found.is_exact
    assert (found.n_counted, found.n_pairs) == (50, 190)
    assert "50 of 190 pairs" in repr(found)


def test_columns_without_entropy_are_passed_over():
    rng = np.random.default_rng(0)
    X = (rng.random((500, 60)) < 0.01).astype(int)
    X[:, :2] = rng.integers(0, 2, (500, 2))
    found = find_interactions(X, X[:, 0] ^ X[:, 1], n=1)
    assert found[0].features == (0, 1)
    assert found.n_counted < 200 < found.n_pairs


def test_a_frame_and_a_picture_of_them():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 6))
    found = find_interactions(X, X[:, 0] ^ X[:, 5], n=2)
    table = found.to_frame("polars")
    assert table["first"][0] == "x0"
    assert table["second"][0] == "x5"
    display = InteractionsDisplay.from_interactions(found)
    assert next(text.get_text() for text in display.ax_.get_yticklabels()) == "x0 & x5"


def test_missing_values_and_errors():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 6)).astype(float)
    y = X[:, 0].astype(int) ^ X[:, 5].astype(int)
    X[::9, 0] = np.nan
    data = encode(X, y, missing="ignore", discrete_features=True)
    assert find_interactions(data, n=1)[0].features == (0, 5)
    with pytest.raises(InputError, match="n must be a whole number"):
        find_interactions(X, y, n=0)
    for budget in (0, "many"):
        with pytest.raises(InputError, match="budget must be a number of pairs"):
            find_interactions(X, y, budget=budget)
    with pytest.raises(InputError, match="y must be None when X is CodedData"):
        find_interactions(data, y)
    assert len(find_interactions(data, n=np.int64(1))) == 1


def test_the_interactions_of_madelon_are_among_its_useful_columns():
    X, y = suite_table("madelon")
    useful = set().union(*MADELON)
    found = find_interactions(X, y, n=20, discrete_features=False)
    assert all(set(pair.names) <= useful for pair in found)
    assert sum(pair.p_value < 0.05 for pair in found) >= 10
