"""ReliefF and MultiSURF: equal to Weka, to skrebate and to naive twins; edges and promises."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import load_wine

from deacs import encode
from deacs.exceptions import InputError
from deacs.selection.relief import MultiSURF, ReliefF
from tests.naive import relief as naive_relief
from tests.real_data import nominal_columns, read_set

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "weka-relieff.json").read_text())


@st.composite
def tables(draw, targets=(0, 1, 2), most=2):
    """Few rows on a coarse grid, so that ties abound; numeric and nominal columns, with holes."""
    y = [*targets, *draw(st.lists(st.integers(0, most), max_size=17))]
    cell = st.one_of(st.integers(0, 4), st.integers(0, 4), st.just(np.nan))
    columns = []
    for is_nominal in draw(st.lists(st.booleans(), min_size=1, max_size=5)):
        values = np.array([draw(cell) for _ in y], dtype=float)
        n_values = max(1, len(np.unique(values[~np.isnan(values)])))
        columns.append((n_values if is_nominal else None, values))
    return columns, y


def matrix(columns):
    """The table as an array, and which of its columns are discrete."""
    return np.column_stack([v for _, v in columns]), np.array([k is not None for k, _ in columns])


def read_case(case):
    columns = {
        f"a{j}": values if any(isinstance(v, str) for v in values) else np.array(values, float)
        for j, values in enumerate(case["columns"])
    }
    return pd.DataFrame(columns), case["classes"]


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["name"])
def test_weights_equal_those_of_weka(case):
    selector = ReliefF(n_neighbors=case["n_neighbors"]).fit(*read_case(case))
    np.testing.assert_allclose(selector.weights_, case["weights"], rtol=0, atol=1e-9)


@pytest.mark.real_data
@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@pytest.mark.parametrize("name", GOLDEN["sets"])
def test_weights_equal_those_of_weka_on_real_sets(name):
    X, y = read_set(name)
    selector = ReliefF(n_neighbors=5, discrete_features=nominal_columns(name, X)).fit(X, y)
    np.testing.assert_allclose(selector.weights_, GOLDEN["sets"][name], rtol=0, atol=1e-9)


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@given(tables(), st.integers(1, 6))
def test_weights_equal_the_naive_twin(table, k):
    columns, y = table
    X, discrete = matrix(columns)
    weights = ReliefF(n_neighbors=k, discrete_features=discrete).fit(X, y).weights_
    np.testing.assert_allclose(weights, naive_relief.relieff(columns, y, k), rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_features", [1, 127, 128, 129, 300])
def test_wide_tables_equal_the_naive_twin(n_features):
    rng = np.random.default_rng(n_features)
    X = rng.normal(size=(40, n_features))
    y = rng.integers(0, 2, 40).tolist()
    expected = naive_relief.relieff([(None, column) for column in X.T], y, 3)
    np.testing.assert_allclose(ReliefF(n_neighbors=3).fit(X, y).weights_, expected, atol=1e-12)


def test_long_tables_full_of_ties_equal_the_naive_twin():
    """Rows wait from one tile to the next until four are measured at once."""
    rng = np.random.default_rng(3)
    columns = [(None, rng.integers(0, 9, 1_600).astype(float)) for _ in range(3)]
    y = rng.integers(0, 3, 1_600)
    rows = np.sort(np.random.RandomState(0).choice(1_600, 40, replace=False))
    selector = ReliefF(n_neighbors=7, n_samples=40, random_state=0, discrete_features=False)
    weights = selector.fit(np.column_stack([v for _, v in columns]), y).weights_
    expected = naive_relief.relieff(columns, y.tolist(), 7, rows.tolist())
    np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
def test_more_values_than_a_byte_holds_stay_apart():
    values = np.arange(600) % 300
    y = (values >= 255).astype(int)  # 0 and 255, 1 and 256, ... are equal modulo 255
    X = pd.DataFrame({"code": [f"c{value}" for value in values], "other": np.arange(600) % 7 / 7})
    expected = naive_relief.relieff([(300, values), (None, X["other"])], y.tolist(), 2)
    np.testing.assert_allclose(ReliefF(n_neighbors=2).fit(X, y).weights_, expected, atol=1e-12)


def test_all_features_are_ranked_by_default():
    rng = np.random.default_rng(1)
    X, y = rng.random((50, 6)), np.arange(50) % 2
    selector = ReliefF().fit(X, y)
    assert selector.stop_reason_ == "exhausted"
    np.testing.assert_array_equal(selector.ranking_, np.argsort(-selector.weights_))
    np.testing.assert_array_equal(selector.scores_, selector.weights_[selector.ranking_])


def test_equal_weights_rank_by_column():
    rng = np.random.default_rng(2)
    one, y = rng.random((40, 1)), np.arange(40) % 2
    selector = ReliefF().fit(np.hstack([np.zeros((40, 1)), one, one, np.ones((40, 1))]), y)
    first = selector.ranking_.tolist()
    assert first.index(1) < first.index(2)
    assert first.index(0) < first.index(3)


@pytest.mark.parametrize("selector", [ReliefF(n_neighbors=1), ReliefF(), MultiSURF()], ids=repr)
def test_what_rounding_alone_tells_apart_is_equal(selector):
    rng = np.random.default_rng(0)
    column, y = rng.random(60), rng.integers(0, 2, 60)
    mirrored = np.column_stack([column, 1 - column])
    weights = selector.fit(mirrored, y).weights_
    assert 0 < abs(weights[0] - weights[1]) < 1e-15
    assert selector.ranking_.tolist() == [0, 1]
    assert selector.fit(mirrored[:, ::-1], y).ranking_.tolist() == [0, 1]


def test_order_of_rows_and_columns_names_of_classes_and_units_do_not_matter():
    rng = np.random.default_rng(4)
    X, y = rng.random((80, 5)), rng.integers(0, 3, 80)
    expected = ReliefF().fit(X, y).weights_
    rows, columns = rng.permutation(80), rng.permutation(5)
    moved = ReliefF().fit(X[rows][:, columns], np.array(["z", "a", "k"])[y[rows]]).weights_
    np.testing.assert_allclose(moved, expected[columns], atol=1e-12)
    np.testing.assert_allclose(ReliefF().fit(X * 1e-9 - 7e-9, y).weights_, expected, atol=1e-6)
    np.testing.assert_array_equal(ReliefF().fit(X * 2.0**-60, y).weights_, expected)


def test_a_column_that_tells_nothing_weighs_nothing():
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"x": rng.random(30), "constant": 4.0, "empty": np.nan})
    X["same"], X["nothing"] = "same", [None] * 30
    weights = ReliefF(n_neighbors=3).fit(X, np.arange(30) % 3).weights_
    np.testing.assert_allclose(weights[1:], 0.0, atol=1e-12)


def test_a_class_of_one_row_has_no_hits():
    # Row 0 is alone in its class: it adds its difference 1 from the nearest miss and takes nothing
    # away. Rows 1 and 2 are each other's hits (0.5), and row 0 is their miss (0.5 and 1).
    weights = ReliefF().fit([[0.0], [0.5], [1.0]], [0, 1, 1]).weights_
    assert weights == pytest.approx([((0.5 + 1.0) / 2 + (0.5 - 0.5) + (1.0 - 0.5)) / 3])


def test_fewer_rows_may_look_for_neighbours():
    rng = np.random.default_rng(6)
    X, y = rng.random((60, 4)), rng.integers(0, 2, 60)
    columns = [(None, column) for column in X.T]
    rows = np.sort(np.random.RandomState(0).choice(60, 30, replace=False))
    expected = naive_relief.relieff(columns, y.tolist(), 5, rows.tolist())
    for m in (30, 0.5):
        selector = ReliefF(n_neighbors=5, n_samples=m, random_state=0).fit(X, y)
        np.testing.assert_allclose(selector.weights_, expected, atol=1e-12)
    everyone = ReliefF(n_samples=60, random_state=1).fit(X, y).weights_
    np.testing.assert_array_equal(everyone, ReliefF().fit(X, y).weights_)


@pytest.mark.parametrize("m", [0, -1, 61, 1.5, 2.0, 0.0, True, float("nan")])
def test_a_number_of_rows_out_of_range_is_named(m):
    with pytest.raises(ValueError, match=r"n_samples must be .*60 \(the number of rows\)"):
        ReliefF(n_samples=m).fit(np.random.default_rng(0).random((60, 2)), np.arange(60) % 2)


def test_coded_data_is_read_as_nominal():
    rng = np.random.default_rng(7)
    X = pd.DataFrame({"a": rng.choice([*"xyz", None], 50), "b": rng.choice([*"uv"], 50)})
    y = rng.integers(0, 2, 50)
    coded = ReliefF().fit(encode(X, y))
    np.testing.assert_array_equal(coded.weights_, ReliefF().fit(X, y).weights_)
    assert coded.selected_names_ == ReliefF().fit(X, y).selected_names_
    with pytest.raises(InputError, match="y must be None"):
        ReliefF().fit(encode(X, y), y)
    with pytest.raises(InputError, match="counts every row once"):
        ReliefF().fit(encode(X, y, sample_weight=1 + y), None)


def test_a_sparse_matrix_is_read_as_the_full_one():
    rng = np.random.default_rng(8)
    X = np.where(rng.random((50, 6)) < 0.7, 0.0, rng.random((50, 6)))
    y = rng.integers(0, 2, 50)
    sparse = ReliefF().fit(csr_array(X), y)
    np.testing.assert_array_equal(sparse.weights_, ReliefF().fit(X, y).weights_)


def test_infinite_numbers_are_refused():
    X = pd.DataFrame({"fine": [1.0, 2.0, 3.0], "ratio": [1.0, np.inf, 2.0]})
    with pytest.raises(InputError, match="infinite value in column 'ratio'"):
        ReliefF().fit(X, [0, 1, 1])


def test_the_widest_range_is_still_a_range():
    X = np.array([[-1.7e308], [1.7e308], [0.0], [1.0]])
    expected = ReliefF().fit([[0.0], [1.0], [0.5], [0.5]], [0, 1, 0, 1]).weights_
    np.testing.assert_allclose(ReliefF().fit(X, [0, 1, 0, 1]).weights_, expected)


def test_neighbours_must_be_positive():
    with pytest.raises(ValueError, match="'n_neighbors' parameter"):
        ReliefF(n_neighbors=0).fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("selector", [ReliefF(2), MultiSURF(2)], ids=repr)
def test_features_that_only_work_together_rank_first(selector):
    X = np.random.default_rng(0).integers(0, 2, (300, 8))
    selector.fit(X, X[:, 3] ^ X[:, 6])
    assert sorted(selector.ranking_) == [3, 6]
    assert selector.stop_reason_ == "n_features_to_select"


# skrebate 0.8.4, MultiSURF(categorical_features=[]).fit(X, y).feature_importances_ on wine, and
# MultiSURF(categorical_features=[0, 1, 2, 3]) with the first four columns rounded to integers.
NUMERIC = [
    0.3743894645226212, 0.1637050183290337, 0.13578276124698277, 0.1559836552244748,
    0.16826947919934876, 0.0901382356999301, 0.1430272351435816, 0.08099064188130428,
    0.08987151185271272, 0.2570536068269381, 0.15398808408368336, 0.16308608267069186,
    0.38235467422988395,
]  # fmt: skip
MIXED = [
    0.49592383505151955, 0.10569197785306791, -0.07812437525548935, 0.2235418404109459,
    0.2846815526981249, 0.36169338049602107, 0.5760768951923702, 0.1848139537173528,
    0.24635867713442866, 0.5606135107458493, 0.4617994038125521, 0.44981279129040025,
    0.6325413261267996,
]  # fmt: skip


def test_weights_equal_those_of_skrebate():
    X, y = load_wine(return_X_y=True)
    np.testing.assert_allclose(MultiSURF().fit(X, y).weights_, NUMERIC, rtol=0, atol=1e-12)
    X[:, :4] = np.round(X[:, :4])
    weights = MultiSURF(discrete_features=[0, 1, 2, 3]).fit(X, y).weights_
    np.testing.assert_allclose(weights, MIXED, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@given(tables())
def test_weights_of_multisurf_equal_the_naive_twin(table):
    columns, y = table
    X, discrete = matrix(columns)
    # The twin's standard deviation needs a number.
    kept = discrete | ~np.isnan(X).all(axis=0)
    if not kept.any():
        return
    columns = [column for column, keep in zip(columns, kept, strict=True) if keep]
    weights = MultiSURF(discrete_features=discrete[kept]).fit(X[:, kept], y).weights_
    np.testing.assert_allclose(weights, naive_relief.multisurf(columns, y), rtol=0, atol=1e-9)


def test_two_classes_count_by_their_mean_differences():
    # From 0 the others are at 0.1, 0.2 and 1: mean 0.433, deviation 0.403, threshold 0.232, so
    # 0.1 (a hit) and 0.2 (a miss) are near. Likewise from 0.1: 0 and 0.2; from 0.2: 0 and 0.1
    # (misses), as mean 0.367, deviation 0.309; from 1 (mean 0.9, deviation 0.082): 0.2, a hit.
    X, y = [[0.0], [0.1], [0.2], [1.0]], [0, 0, 1, 1]
    expected = ((0.2 - 0.1) + (0.1 - 0.1) + (0.2 + 0.1) / 2 - 0.8) / 4
    assert MultiSURF().fit(X, y).weights_ == pytest.approx([expected])


def test_a_row_as_far_from_all_others_has_no_near_rows():
    X = np.eye(6).astype(int)
    np.testing.assert_array_equal(MultiSURF().fit(X, [0, 1] * 3).weights_, 0.0)


def test_a_column_of_nothing_weighs_nothing():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.random(60), np.full(60, np.nan), rng.integers(0, 3, 60)])
    weights = MultiSURF(discrete_features=[2]).fit(X, rng.integers(0, 2, 60)).weights_
    assert weights[1] == pytest.approx(0.0, abs=1e-12)  # every row has near hits and misses
    assert abs(weights[0]) > 1e-3
