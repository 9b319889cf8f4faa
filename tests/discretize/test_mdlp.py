"""MDLP against Weka's numbers, its naive twin and its contract."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris, load_wine

from deacs import MDLP
from deacs.exceptions import InputError
from tests import naive
from tests.real_data import read_set

WEKA = json.loads((Path(__file__).parents[1] / "golden" / "weka-mdl-cuts.json").read_text())


@pytest.mark.real_data
@pytest.mark.parametrize("name", sorted(WEKA["cuts"]))
def test_cut_points_equal_those_of_weka(name):
    X, y = read_set(name)
    columns = WEKA["cuts"][name]
    cut_points = MDLP().fit(X.select(list(columns)), y).cut_points_
    for found, (column, expected) in zip(cut_points, columns.items(), strict=True):
        assert len(found) == len(expected), column
        # Weka prints six decimals.
        np.testing.assert_allclose(found, expected, rtol=0, atol=5.1e-7, err_msg=column)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_cut_points_equal_the_naive_twin_on_data_of_scikit_learn(load):
    X, y = load(return_X_y=True)
    X = X[:, :16]
    for j, found in enumerate(MDLP().fit(X, y).cut_points_):
        np.testing.assert_allclose(found, naive.mdlp(X[:, j].tolist(), y.tolist()))


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(2, 4), st.integers(2, 40))
def test_cut_points_equal_the_naive_twin(seed, n, n_labels, n_values):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_labels, n)
    y[:2] = 0, 1
    values = (y * rng.integers(0, 3) + rng.integers(0, n_values, n)).astype(float)
    values[rng.random(n) < 0.1] = np.nan
    [found] = MDLP().fit(values.reshape(-1, 1), y).cut_points_
    np.testing.assert_allclose(found, naive.mdlp(values.tolist(), y.tolist()))


def test_an_interval_is_closed_above_and_the_outer_ones_are_open():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0]])
    mdlp = MDLP().fit(X, [0] * 4 + [1] * 4)
    assert mdlp.cut_points_[0].tolist() == [6.5]
    codes = mdlp.transform([[6.5], [np.nextafter(6.5, 7)], [-np.inf], [np.inf], [np.nan]])
    np.testing.assert_array_equal(codes[:, 0], [0, 1, 0, 1, np.nan])


def test_a_cut_separates_neighbours_that_have_no_number_between_them():
    low = 1.0
    high = np.nextafter(low, 2)
    mdlp = MDLP().fit(np.array([[low]] * 6 + [[high]] * 6), [0] * 6 + [1] * 6)
    assert mdlp.transform([[low], [high]]).ravel().tolist() == [0, 1]


@pytest.mark.parametrize("edge", [(-np.inf, 0.0), (0.0, np.inf), (-np.inf, np.inf)])
def test_infinities_can_be_cut_off(edge):
    X = np.repeat(np.array(edge), 6).reshape(-1, 1)
    mdlp = MDLP().fit(X, [0] * 6 + [1] * 6)
    assert mdlp.transform(X).ravel().tolist() == [0] * 6 + [1] * 6


def test_noise_and_constants_are_not_cut():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(200), np.ones(200), np.full(200, np.nan)])
    mdlp = MDLP().fit(X, rng.integers(0, 2, 200))
    assert [len(cuts) for cuts in mdlp.cut_points_] == [0, 0, 0]
    assert mdlp.n_bins_.tolist() == [1, 1, 1]


@pytest.mark.usefixtures("work_is_shared")
def test_threads_do_not_change_the_answer():
    X, y = load_digits(return_X_y=True)
    one, many = MDLP(n_jobs=1).fit(X, y), MDLP(n_jobs=7).fit(X, y)
    assert [c.tolist() for c in one.cut_points_] == [c.tolist() for c in many.cut_points_]


def test_order_of_rows_does_not_matter():
    X, y = load_wine(return_X_y=True)
    shuffled = np.random.default_rng(0).permutation(len(y))
    before, after = MDLP().fit(X, y), MDLP().fit(X[shuffled], y[shuffled])
    assert [c.tolist() for c in before.cut_points_] == [c.tolist() for c in after.cut_points_]


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_keep_their_names(library):
    X, y = load_iris(return_X_y=True)
    frame = library.DataFrame({f"c{j}": X[:, j] for j in range(4)})
    out = MDLP().set_output(transform=library.__name__).fit(frame, y).transform(frame)
    assert isinstance(out, library.DataFrame)
    assert list(out.columns) == ["c0", "c1", "c2", "c3"]


def test_text_is_refused_by_name():
    frame = pl.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]})
    with pytest.raises(InputError, match="'colour' holds text such as 'blue'"):
        MDLP().fit(frame, [0, 1])
