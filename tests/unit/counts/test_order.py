"""The order view against least squares, and what must not change it."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from deacs import encode
from deacs.coding import normal_scores, order_view
from deacs.counts import OrderConditioning
from deacs.counts.order import ProductsInMemory
from tests.naive.order_view import order_score, order_score_of_numbers


def table(seed, n_rows=60, n_classes=3):
    """Numbers, whole numbers with ties, categories of two and of more values; some informative."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    y[:n_classes] = np.arange(n_classes)
    X = pl.DataFrame(
        {
            "number": rng.normal(size=n_rows) + y,
            "other": rng.normal(size=n_rows),
            "count": rng.integers(0, 5, n_rows) + (y == 1),
            "colour": rng.choice(["red", "green", "blue", "grey"], n_rows),
            "letter": np.where(rng.random(n_rows) < 0.5, np.array(["a", "b", "c"])[y % 3], "d"),
            "flag": rng.random(n_rows) < 0.3 + 0.2 * (y == 0),
        }
    )
    return X, y


def coordinates(data, feature):
    """The columns that stand for a feature: its normal scores, or the indicators of its values."""
    view = order_view(data)
    if feature in view.features:
        row = view.features.tolist().index(feature)
        return view.scores[row].astype(float)[:, np.newaxis]
    codes = data.column(feature)
    return (codes[:, np.newaxis] == np.arange(data.n_values[feature])).astype(float)


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.permutations(range(6)))
def test_scores_equal_least_squares_given_everything_selected(seed, n_classes, order):
    X, y = table(seed, n_classes=n_classes)
    data = encode(X, y, order=True)
    view = OrderConditioning(data)
    selected = []
    for step in range(5):
        left = np.array(order[step:])
        expected = [
            [order_score(coordinates(data, j), y, i, selected) for i in range(n_classes)]
            for j in left
        ]
        np.testing.assert_allclose(view.scores(left), expected, rtol=1e-6, atol=1e-9)
        view.add(order[step])
        selected.append(coordinates(data, order[step]))


@given(st.integers(0, 2**32 - 1), st.booleans(), st.permutations(range(6)))
def test_scores_about_a_number_equal_least_squares_on_its_order(seed, has_zeros, order):
    X, classes = table(seed)
    y = np.random.default_rng(seed).normal(size=len(classes)) + classes
    y = np.where(y < 1.0, 0.0, y) if has_zeros else y
    data = encode(X, y, order=True, target="numbers")
    view, z_y = OrderConditioning(data), normal_scores(y)
    below = data.about.indicators(data.labels)
    selected = []
    for step in range(5):
        left = np.array(order[step:])
        expected = [
            [order_score_of_numbers(coordinates(data, j), z_y, b, selected) for b in below.T]
            for j in left
        ]
        np.testing.assert_allclose(view.scores(left), expected, rtol=1e-6, atol=1e-9)
        view.add(order[step])
        selected.append(coordinates(data, order[step]))


def test_the_order_of_a_number_weighs_rows_as_repeated_ones():
    X, y = table(3)
    y = y + np.random.default_rng(3).random(len(y)).round(1)
    counts = np.random.default_rng(4).integers(1, 4, len(y))
    weighted = encode(X, y, order=True, sample_weight=counts, target="numbers")
    repeated = encode(
        X[np.arange(len(y)).repeat(counts)], y.repeat(counts), order=True, target="numbers"
    )
    one, other = OrderConditioning(weighted), OrderConditioning(repeated)
    for feature in (0, 3):
        left = np.arange(6)
        np.testing.assert_allclose(one.scores(left), other.scores(left), rtol=1e-9)
        one.add(feature)
        other.add(feature)


def test_the_order_of_rows_and_threads_do_not_change_a_bit():
    X, y = load_digits(return_X_y=True)
    shuffled = np.random.default_rng(0).permutation(len(y))
    one, two, many = (
        OrderConditioning(encode(X[rows], y[rows], order=True), n_jobs)
        for rows, n_jobs in ((slice(None), 1), (shuffled, 1), (slice(None), 3))
    )
    left = np.arange(X.shape[1])
    for feature in (20, 33, 10, 0):
        expected = one.scores(left).tolist()
        assert two.scores(left).tolist() == expected
        assert many.scores(left).tolist() == expected
        for view in (one, two, many):
            view.add(feature)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_products_are_sums_over_the_rows(is_weighted):
    X, y = table(3, n_rows=500)
    weights = np.random.default_rng(4).integers(1, 9, 500) if is_weighted else None
    data = encode(X, y, order=True, sample_weight=weights)
    products, once = ProductsInMemory(data), 1 if weights is None else weights.astype(object)
    scores = order_view(data).scores.astype(object)
    ordered = slice(len(scores))
    assert products.sums[ordered].tolist() == (scores * once).sum(axis=1).tolist()
    with_first = (scores * scores[0] * once).sum(axis=1)
    feature = int(products.coordinates.ordered[0])
    assert products.with_feature(feature, 0)[ordered].tolist() == with_first.tolist()
    assert products.squares[0] == with_first[0]


@given(st.integers(0, 2**32 - 1))
def test_only_the_order_of_values_counts(seed):
    X, y = table(seed)
    bent = X.with_columns(pl.col("number").exp(), pl.col("other") ** 3, pl.col("count") * 1000)
    plain, other = (OrderConditioning(encode(t, y, order=True)) for t in (X, bent))
    features = np.arange(3)
    assert plain.scores(features).tolist() == other.scores(features).tolist()


def test_whole_weights_are_repeated_rows():
    X, y = table(0)
    weights = 1 + np.arange(len(y)) % 3
    repeated = encode(X[np.arange(len(y)).repeat(weights)], y.repeat(weights), order=True)
    weighted = encode(X, y, sample_weight=weights, order=True)
    one, two = OrderConditioning(weighted), OrderConditioning(repeated)
    features = np.arange(6)
    for feature in (0, 3):
        np.testing.assert_allclose(
            one.scores(features), two.scores(features), rtol=1e-9, atol=1e-12
        )
        one.add(feature)
        two.add(feature)


def test_a_copy_and_a_constant_add_nothing():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    x = rng.normal(size=200) + y
    view = OrderConditioning(encode(np.column_stack([x, np.exp(x), np.ones(200)]), y, order=True))
    before = view.scores(np.arange(3))
    assert before[0].tolist() == before[1].tolist()
    assert (before[0] > 0.1).all()
    assert before[2].tolist() == [0.0, 0.0]
    view.add(0)
    assert view.scores(np.array([1, 2])).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_a_column_that_is_the_class_is_worth_its_entropy():
    y = np.array([0] * 30 + [1] * 70)
    view = OrderConditioning(encode(y[:, np.newaxis], y, order=True))
    entropy = -(0.3 * np.log2(0.3) + 0.7 * np.log2(0.7))
    np.testing.assert_allclose(view.scores(np.array([0])), [[entropy, entropy]], rtol=1e-9)
    view.add(0)
    assert view.scores(np.array([0])).tolist() == [[0.0, 0.0]]


def test_where_columns_are_as_many_as_rows_nothing_is_left_to_score():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6, 8)), np.array([0, 1, 0, 1, 0, 1])
    view = OrderConditioning(encode(X, y, order=True))
    for feature in range(5):
        view.add(feature)
    assert view.scores(np.arange(5, 8)).tolist() == [[0.0, 0.0]] * 3


def test_codes_alone_give_the_order_of_their_values():
    X, y = load_digits(return_X_y=True)
    with_view, without = (
        encode(X, y, discrete_features=True, order=True),
        encode(X, y, discrete_features=True),
    )
    features = np.arange(X.shape[1])
    assert (
        OrderConditioning(without).scores(features).tolist()
        == OrderConditioning(with_view).scores(features).tolist()
    )


@pytest.mark.parametrize("n_rows", [100, 1000])
def test_chance_passes_its_bound_no_more_often_than_it_says(n_rows):
    rng = np.random.default_rng(0)
    n_columns = 2000
    data = encode(rng.normal(size=(n_rows, n_columns)), rng.integers(0, 2, n_rows), order=True)
    view, features = OrderConditioning(data), np.arange(n_columns)
    x = 3.0
    passed = (view.scores(features) > view.by_chance(features, x)).any(axis=1).mean()
    assert passed <= np.exp(-x) + 3 * np.sqrt(np.exp(-x) / n_columns)
