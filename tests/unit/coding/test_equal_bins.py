"""Equal width and equal frequency, from their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs import EqualFrequency, EqualWidth
from tests.naive import cuts as naive_cuts

FLOATS = st.floats(-1e6, 1e6)


@given(st.lists(FLOATS, min_size=1, max_size=40), st.integers(1, 12))
def test_parts_of_the_range_equal_the_naive_twin(values, n_bins):
    [found] = EqualWidth(n_bins=n_bins).fit(np.reshape(values, (-1, 1))).cut_points_
    if max(values) - min(values) > 1e-6:  # else the parts may coincide
        np.testing.assert_allclose(found, naive_cuts.equal_width(values, n_bins), atol=1e-9)


@given(st.lists(st.floats(allow_nan=True), min_size=1, max_size=20), st.integers(1, 12))
def test_cuts_ascend_strictly_inside_the_range(values, n_bins):
    [cuts] = EqualWidth(n_bins=n_bins).fit(np.reshape(values, (-1, 1))).cut_points_
    finite = [v for v in values if np.isfinite(v)]
    assert (np.diff(cuts) > 0).all()
    assert len(cuts) < n_bins
    assert all(min(finite) <= cut < max(finite) for cut in cuts)


def test_a_range_wider_than_any_float_is_cut():
    [cuts] = EqualWidth(n_bins=2).fit([[-1.5e308], [1.5e308]]).cut_points_
    assert cuts.tolist() == [0.0]


def test_infinities_and_missing_values_do_not_stretch_the_range():
    X = np.array([[0.0], [8.0], [np.inf], [-np.inf], [np.nan]])
    codes = EqualWidth(n_bins=4).fit(X).transform(X)
    np.testing.assert_array_equal(codes.ravel(), [0, 3, 3, 0, np.nan])


def test_rows_of_weight_zero_take_no_part():
    [cuts] = EqualWidth(n_bins=2).fit([[0.0], [4.0], [100.0]], sample_weight=[1, 3, 0]).cut_points_
    assert cuts.tolist() == [2.0]


@pytest.mark.parametrize("n_bins", [0, 2.5, "auto"])
def test_numbers_of_bins_that_make_no_sense_are_named(n_bins):
    with pytest.raises(ValueError, match="n_bins"):
        EqualWidth(n_bins=n_bins).fit([[1.0], [2.0]])


@pytest.mark.parametrize("discretizer", [EqualWidth, EqualFrequency])
def test_more_intervals_than_memory_holds_are_refused(discretizer):
    with pytest.raises(
        ValueError, match=r"'n_bins' .* int in the range \[1, 65536\]. Got 1000000000"
    ):
        discretizer(n_bins=10**9).fit([[0.0], [1.0]])
    assert discretizer(n_bins=1 << 16).fit([[0.0], [1.0], [3.0]]).n_bins_[0] > 2


VALUES = st.lists(st.integers(0, 30).map(float), min_size=1, max_size=60)


def cuts_of(values, n_bins, sample_weight=None):
    found = EqualFrequency(n_bins=n_bins).fit(np.reshape(values, (-1, 1)), None, sample_weight)
    return found.cut_points_[0].tolist()


@given(VALUES, st.integers(1, 12))
def test_equal_shares_equal_the_naive_twin(values, n_bins):
    assert cuts_of(values, n_bins) == naive_cuts.equal_frequency(values, n_bins)


@given(VALUES, st.integers(1, 12), st.data())
def test_integer_weights_give_exactly_what_repeated_rows_give(values, n_bins, data):
    some = st.lists(st.integers(0, 4), min_size=len(values), max_size=len(values)).filter(any)
    weights = data.draw(some)
    assert cuts_of(values, n_bins, weights) == cuts_of(np.repeat(values, weights), n_bins)


@given(VALUES, st.integers(1, 12), st.sampled_from([0.25, 0.5, 3.0]))
def test_the_unit_of_weights_does_not_matter(values, n_bins, unit):
    assert cuts_of(values, n_bins, np.full(len(values), unit)) == cuts_of(values, n_bins)


def test_distinct_values_fill_intervals_evenly():
    X = np.random.default_rng(0).permutation(1000).reshape(-1, 1)
    codes = EqualFrequency(n_bins=8).fit_transform(X)
    assert np.bincount(codes.ravel().astype(int)).tolist() == [125] * 8


def test_a_value_that_most_rows_share_is_not_torn_apart():
    values = [0.0] * 97 + [1.0, 2.0, 3.0]
    assert cuts_of(values, 4) == [0.5]


@pytest.mark.parametrize("values", [[2.0, 2.0], [np.nan, np.nan], [7.0]])
def test_columns_without_two_values_are_not_cut(values):
    assert cuts_of(values, 3) == []
