"""Normal scores of ranks: the definition, its invariances, and which columns have them."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deacs import encode
from deacs.coding import normal_scores, order_view
from deacs.coding.order import SCORE_SCALE
from tests.naive import order as naive

numbers = st.one_of(
    st.floats(-1e6, 1e6), st.integers(-3, 3).map(float), st.just(np.nan), st.just(np.inf)
)
columns = hnp.arrays(np.float64, st.integers(1, 60), elements=numbers)


@given(columns)
def test_scores_are_normal_quantiles_of_mean_ranks(values):
    assert normal_scores(values).tolist() == naive.normal_scores(values).tolist()


@given(columns, st.data())
def test_weights_are_repeated_rows(values, data):
    weights = data.draw(hnp.arrays(np.int64, len(values), elements=st.integers(0, 4)))
    counted = weights > 0
    expected = naive.normal_scores(values, weights)
    assert normal_scores(values, weights)[counted].tolist() == expected[counted].tolist()
    kept = values.repeat(weights)
    assert normal_scores(kept).tolist() == normal_scores(values, weights).repeat(weights).tolist()


@given(columns, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(values, random):
    order = list(range(len(values)))
    random.shuffle(order)
    assert normal_scores(values)[order].tolist() == normal_scores(values[order]).tolist()


@given(hnp.arrays(np.int64, st.integers(1, 60), elements=st.integers(-40, 40)))
def test_growing_functions_change_nothing_and_falling_ones_the_sign(values):
    scores = normal_scores(values)
    assert normal_scores(values**3 + 7).tolist() == scores.tolist()
    assert normal_scores(-values).tolist() == (-scores).tolist()


def test_many_rows_are_sorted_as_few_are():
    values = np.random.default_rng(0).standard_normal(5000).round(2)
    assert normal_scores(values).tolist() == naive.normal_scores(values).tolist()


@pytest.mark.parametrize("values", [np.full(5, 3.0), np.full(5, np.nan), np.zeros(1)])
def test_a_constant_column_and_one_of_nothing_score_zero(values):
    assert normal_scores(values).tolist() == [0] * len(values)


def test_the_most_extreme_score_fits_in_16_bits():
    scores = normal_scores(np.arange(2.0), np.array([1, 2**31 - 1]))
    assert -(2**15) < scores[0] < -6 * SCORE_SCALE


def frame(n=90):
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "length": rng.standard_normal(n).round(1),
            "colour": rng.choice(["red", "green", "blue"], n),
            "count": rng.integers(0, 5, n),
            "sex": rng.choice(["f", "m"], n),
            "flag": rng.integers(0, 2, n).astype(bool),
            "year": rng.integers(1900, 2000, n),
            "holes": [None if k % 7 == 0 else k % 4 for k in range(n)],
        }
    )


def as_numbers(column):
    values = column.rank("dense") if column.dtype == pl.String else column
    return values.cast(pl.Float64).fill_null(np.nan).to_numpy()


@pytest.mark.parametrize("discretizer", ["mdlp", "equal-width", "equal-frequency", None])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_numbers_booleans_and_two_categories_have_an_order(discretizer, is_weighted):
    X = frame()
    y, weights = np.arange(90) % 3, np.arange(90) % 4 + 1 if is_weighted else None
    data = encode(X, y, discretizer=discretizer, sample_weight=weights, order=True)
    ordered = [name for name in X.columns if name != "colour"]
    assert [data.feature_names[j] for j in data.order.features] == ordered
    for scores, name in zip(data.order.scores, ordered, strict=True):
        assert scores.tolist() == naive.normal_scores(as_numbers(X[name]), weights).tolist(), name
    assert data.order.scores.dtype == np.int16
    assert not data.order.scores.flags.writeable


def test_a_matrix_of_short_integers_has_the_scores_of_its_columns():
    X = np.random.default_rng(2).integers(-3, 4, (200, 6)).astype(np.int8)
    data = encode(X, np.arange(200) % 2, order=True)
    for j in range(6):
        assert data.order.scores[j].tolist() == naive.normal_scores(X[:, j]).tolist()


def test_rows_of_weight_zero_are_not_there():
    X, y = frame(), np.arange(90) % 3
    weights = np.where(np.arange(90) < 60, 1, 0)
    some = encode(X, y, sample_weight=weights, order=True)
    assert (some.order.scores == encode(X[:60], y[:60], order=True).order.scores).all()


def test_threads_change_nothing():
    X, y = np.random.default_rng(3).standard_normal((3000, 20)), np.arange(3000) % 3
    one, two = (encode(X, y, order=True, n_jobs=n).order.scores for n in (1, 2))
    assert (one == two).all()


def test_some_rows_have_no_order_and_it_is_kept_only_on_demand():
    data = encode(frame(), np.arange(90) % 3, order=True)
    assert data.take(np.arange(45)).order is None
    assert encode(frame(), np.arange(90) % 3).order is None


def test_rows_that_lack_no_value_keep_the_score_of_their_largest():
    values = np.array([0.0, 1.0, 2.0, 2.0, np.nan, 1.0])
    data = encode(values[:, np.newaxis], [0, 1, 0, 1, 0, 1], discrete_features=True)
    rows = np.flatnonzero(~np.isnan(values))
    found = order_view(data.take(rows)).scores[0]
    np.testing.assert_array_equal(found, normal_scores(values[rows]))


def test_a_column_of_missing_numbers_has_scores_of_zero():
    data = encode(pl.DataFrame({"x": pl.Series([None] * 3, dtype=pl.Float64)}), [0, 1, 0])
    assert order_view(data).scores.tolist() == [[0, 0, 0]]
