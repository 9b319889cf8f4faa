"""Weights: whole numbers stay, fractions become whole by a power of two, nonsense is named."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.exceptions import InputError
from deacs.tables.weights import read_weights


@pytest.mark.parametrize("weights", [None, [1, 1, 1], [1.0, 1.0, 1.0], np.ones(3)])
def test_rows_that_count_once_need_no_weights(weights):
    assert read_weights(weights, 3) is None


@pytest.mark.parametrize(
    "weights",
    [
        [2, 0, 1],
        [2.0, 0.0, 1.0],
        [2, False, True],
        np.array([2, 0, 1], dtype=np.uint8),
        pl.Series([2, 0, 1]),
        pd.Series([2.0, 0.0, 1.0]),
    ],
)
def test_whole_numbers_are_the_counts(weights):
    read = read_weights(weights, 3)
    assert (read.counts.tolist(), read.scale, read.total) == ([2, 0, 1], 1.0, 3)


@given(st.lists(st.floats(1e4, 1e12), min_size=1, max_size=20), st.integers(-60, 60))
def test_fractions_are_scaled_by_a_power_of_two_and_rounded_half_to_even(weights, exponent):
    weights = [math.ldexp(w, exponent) + math.ldexp(0.5, exponent - 30) for w in weights]
    read = read_weights(weights, len(weights))
    if read is None or read.scale == 1.0:
        return
    scale = Fraction(read.scale)
    assert math.frexp(read.scale)[0] == 0.5
    # Python rounds fractions half to even.
    assert read.counts.tolist() == [round(Fraction(w) * scale) for w in weights]
    total = sum(map(Fraction, weights)) * scale
    assert read.total <= 2**31
    assert 2**30 < total <= 2**31 or (2 * total > 2**31 - len(weights) and total <= 2**30)


def test_a_total_that_rounding_takes_too_high_is_halved():
    # Scaled to 2**31, each of the many small weights is 1.75 and would round up to 2.
    small = np.full(1000, 1.75)
    large = 2.0**31 - small.sum()
    read = read_weights([large, *small], 1001)
    assert read.scale == 0.5
    assert read.total <= 2**31


def test_whole_numbers_beyond_the_total_are_scaled_down():
    read = read_weights([2**40, 2**40], 2)
    assert (read.counts.tolist(), read.scale) == ([2**30, 2**30], 2.0**-10)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], r"one number for each of the 3 rows, got shape \(2,\)"),
        ([[1, 2, 3]], r"got shape \(1, 3\)"),
        (2.0, r"got shape \(\)"),
        ([1, -1, 2], "not negative, got -1 in row 1"),
        ([1.0, float("nan"), 2.0], "finite and not negative, got nan in row 1"),
        ([1.0, 2.0, float("inf")], "got inf in row 2"),
        ([0, 0, 0], "must not be zero everywhere, got 3 zeros"),
        (["a", "b", "c"], "sample_weight must hold real numbers"),
        ([1e-300, 2e-300, 3e-300], "multiply all weights by one number"),
        (np.full(3, 1 + 2j), "must hold real numbers, got complex128"),
        (np.full(3, 2, dtype="m8[s]"), "must hold real numbers, got timedelta64"),
        (np.full(3, np.longdouble(10) ** 400), "must be finite and not negative, got inf"),
        (np.full(3, 10**400, dtype=object), "must hold real numbers"),
        (np.ma.array([1, 2, 3], mask=[0, 1, 0]), "must not be missing, got 1 masked"),
        ([1.0, 1e18, 1.0], "got 1.0 in row 0 beside 1e.18"),
    ],
)
def test_weights_that_cannot_be_used_are_named(weights, message):
    with pytest.raises(InputError, match=message):
        read_weights(weights, 3)


def test_longdouble_weights_are_floats():
    plain, wide = (read_weights(np.array([2, 1.5, 0], dtype=t), 3) for t in ("f8", np.longdouble))
    assert wide.counts.tolist() == plain.counts.tolist()


def test_a_refused_weight_names_its_parameter():
    with pytest.raises(InputError) as caught:
        read_weights([1.0, 1e18], 2)
    assert caught.value.parameter == "sample_weight"


@pytest.mark.parametrize("weights", [["0", "1"], [b"1", 1], np.array(["1", 2], dtype=object)])
def test_weights_written_as_text_are_refused(weights):
    with pytest.raises(InputError, match="sample_weight must hold real numbers, got text"):
        read_weights(weights, 2)
