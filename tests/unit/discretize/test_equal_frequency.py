"""Equal frequency: the nearest places to equal shares, from its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.discretize import EqualFrequency
from tests.naive import cuts as naive_cuts

VALUES = st.lists(st.integers(0, 30).map(float), min_size=1, max_size=60)


def cuts_of(values, n_bins, sample_weight=None):
    found = EqualFrequency(n_bins=n_bins).fit(np.reshape(values, (-1, 1)), None, sample_weight)
    return found.cut_points_[0].tolist()


@given(VALUES, st.integers(1, 12))
def test_cut_points_equal_the_naive_twin(values, n_bins):
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
