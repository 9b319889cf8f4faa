"""RReliefF: equal to Orange and to the naive twin; its edges and its promises."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, make_friedman1

from deacs import encode
from deacs.exceptions import InputError
from deacs.selection.relief import RReliefF
from tests.naive import relief as naive_relief
from tests.unit.selection.test_relief import matrix, tables

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "orange-rrelieff.json").read_text())


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["name"])
def test_weights_equal_those_of_orange(case):
    X, discrete = np.array(case["columns"]).T, case["discrete"]
    selector = RReliefF(n_neighbors=case["n_neighbors"], discrete_features=discrete)
    weights = selector.fit(X, case["target"]).weights_
    np.testing.assert_allclose(weights, case["weights"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [5, 50])
def test_weights_equal_those_of_orange_on_diabetes(k):
    weights = RReliefF(n_neighbors=k).fit(*load_diabetes(return_X_y=True)).weights_
    np.testing.assert_allclose(weights, GOLDEN["sets"][f"diabetes, k={k}"], rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@given(tables((0, 3), 9), st.integers(1, 6), st.sampled_from([0.2, 1.0]))
def test_weights_equal_the_naive_twin(table, k, influence):
    columns, y = table
    X, discrete = matrix(columns)
    selector = RReliefF(n_neighbors=k, influence=influence, discrete_features=discrete)
    expected = naive_relief.rrelieff(columns, y, k, influence)
    np.testing.assert_allclose(selector.fit(X, y).weights_, expected, rtol=0, atol=1e-12)


def test_the_five_features_of_friedman_rank_first():
    X, y = make_friedman1(500, 20, noise=1.0, random_state=0)
    selector = RReliefF(n_features_to_select=5, influence=1.0).fit(X, y)
    assert sorted(selector.ranking_) == [0, 1, 2, 3, 4]
    assert not hasattr(selector, "classes_")


def test_units_of_the_target_do_not_matter():
    X, y = make_friedman1(60, 6, random_state=1)
    expected = RReliefF(n_neighbors=5).fit(X, y).weights_
    np.testing.assert_array_equal(RReliefF(n_neighbors=5).fit(X, y * 2.0**40).weights_, expected)
    moved = RReliefF(n_neighbors=5).fit(X, 1e3 - y * 7).weights_
    np.testing.assert_allclose(moved, expected, atol=1e-12)


def test_fewer_rows_may_look_for_neighbours():
    X, y = make_friedman1(60, 5, random_state=2)
    rows = np.sort(np.random.RandomState(0).choice(60, 30, replace=False))
    expected = naive_relief.rrelieff([(None, c) for c in X.T], y.tolist(), 5, 0.2, rows.tolist())
    selector = RReliefF(n_neighbors=5, n_samples=0.5, random_state=0).fit(X, y)
    np.testing.assert_allclose(selector.weights_, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("y", "complaint"),
    [
        ([1.0, 1.0, 1.0], "at least two different numbers, got 1.0 in all 3 rows"),
        ([1.0, np.nan, 2.0], "missing or infinite values, got 1 .the first in row 1: nan"),
        ([1.0, 2.0, np.inf], "missing or infinite values, got 1 .the first in row 2: inf"),
        (["a", "b", "a"], "must hold numbers, got 'a'"),
        (np.array(["a", "b", "a"]), "must hold numbers, got 'a'"),
        ([1.0, 2.0], "equal lengths, got 3 rows in X and 2 in y"),
    ],
)
def test_targets_that_are_no_numbers_are_refused(y, complaint):
    with pytest.raises(InputError, match=complaint):
        RReliefF().fit([[1.0], [2.0], [3.0]], y)


def test_coded_data_has_no_numbers_left():
    with pytest.raises(InputError, match="pass the table itself"):
        RReliefF().fit(encode([[1.0], [2.0], [3.0]], [0, 1, 1]))


@pytest.mark.parametrize(
    "typed",
    [
        lambda y: y.astype(np.int8),  # whose range exceeds its type
        lambda y: 2**63 - 200 + y.astype(np.int64),  # which floats do not hold
        lambda y: np.uint64(2**63 - 200) + (y + 100).astype(np.uint64),
    ],
    ids=["int8", "int64", "uint64"],
)
def test_the_type_of_whole_numbers_changes_no_weight(typed):
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.clip(100 * X[:, 0] + 50 * X[:, 1], -100, 99).round()
    selector = RReliefF()
    expected = selector.fit(X, y).weights_.tolist()
    assert selector.fit(X, typed(y)).weights_.tolist() == expected


def test_two_values_are_a_number_each():
    X = np.random.default_rng(0).normal(size=(60, 3))
    selector = RReliefF()
    expected = selector.fit(X, (X[:, 0] > 0).astype(float)).weights_.tolist()
    assert selector.fit(X, X[:, 0] > 0).weights_.tolist() == expected
