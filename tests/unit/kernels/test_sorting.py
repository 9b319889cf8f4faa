"""Sorting rows by packed words gives what sorting by value gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deacs.kernels.sorting import pack_rows, unpack_rows


def sort_rows(*columns):
    values = np.array(columns)
    words, rows = np.empty(values.shape, dtype=np.uint64), np.empty(values.shape, dtype=np.int32)
    ordered, done = np.empty(values.shape), np.empty(len(values), dtype=bool)
    row_bits = pack_rows(values.view(np.int64), words)
    words.sort(axis=1)
    unpack_rows(words, row_bits, values, rows, ordered, done)
    return done, rows, ordered


@given(hnp.arrays(np.float64, st.integers(0, 80), elements=st.floats(allow_nan=False)))
def test_rows_come_in_ascending_order(values):
    # NaN, of which missing values are made, comes last.
    columns = values, np.where(values > 0, np.nan, values)
    for column, done, rows, ordered in zip(columns, *sort_rows(*columns), strict=True):
        if done:
            np.testing.assert_array_equal(ordered, np.sort(column))
            np.testing.assert_array_equal(column[rows], ordered)
            assert sorted(rows.tolist()) == list(range(len(values)))


def test_values_that_differ_in_their_last_bits_only_are_put_right():
    # 2**16 rows leave 48 bits for the order; a far value takes the room of the low bits.
    rng = np.random.default_rng(0)
    values = rng.random(1 << 16)
    values[:8] = np.nextafter(0.5, 1) + np.arange(8)[::-1] * 2**-53
    values[8] = -1e300
    (done,), (rows,), (ordered,) = sort_rows(values)
    assert done
    np.testing.assert_array_equal(ordered, np.sort(values))
    np.testing.assert_array_equal(values[rows], ordered)


@pytest.mark.parametrize("far", [-1e300, 1e300])
def test_too_many_values_with_equal_upper_bits_are_left_to_the_caller(far):
    values = 1.0 + np.arange(1 << 14)[::-1] * 2.0**-52
    values[0] = far
    done, _, _ = sort_rows(values, values[::-1], np.sort(values))
    assert done.tolist() == [False, True, True]
