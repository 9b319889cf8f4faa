"""Sorting, cutting and numbering columns against the definitions; whole numbers as bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deacs._kernels import cuts
from deacs.coding.cuts import mdlp_rule, number_columns, sort_columns
from deacs.tables import Column, Labels
from deacs.tables.weights import Weights
from tests.each import each
from tests.naive.cuts import mdlp


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 70),
    st.sampled_from([3, 12, 1000]),
    st.sampled_from([1, 5]),
    st.sampled_from([None, 2]),
    st.booleans(),
)
def test_cuts_and_codes_equal_the_definition(seed, n, n_values, least, max_cuts, is_weighted):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, n).astype(np.int32)
    table = rng.integers(0, n_values, (3, n)) + rng.integers(0, n_values, (3, 1)) * labels / 2
    table[2, rng.random(n) < 0.3] = np.nan
    counts = rng.integers(0, 4, n) if is_weighted else None
    weights = None if counts is None else Weights(counts, 1.0)
    columns = [Column("", "float", values, np.isnan(values)) for values in table]
    order, values = sort_columns(columns, weights)
    rule = mdlp_rule(Labels(labels, np.arange(4)), weights, max_cuts, least, 3)
    is_last = np.zeros(values.shape, dtype=bool)
    cuts.cut_columns(order, np.arange(3), labels, counts, rule, is_last)
    codes, n_codes = number_columns(order, np.arange(3), is_last)
    for k, column in enumerate(table):
        ends = np.flatnonzero(is_last[k])
        expected = mdlp(column, labels, counts, min_samples=least, max_cuts=max_cuts or np.inf)
        assert ((values[k, ends] + values[k, ends + 1]) / 2).tolist() == pytest.approx(expected)
        numbers = (column[:, np.newaxis] > np.array(expected)).sum(axis=1)
        absent = np.isnan(column) if counts is None else np.isnan(column) | (counts == 0)
        np.testing.assert_array_equal(codes[k], np.where(absent, len(ends) + 1, numbers))
        assert n_codes[k] == len(ends) + 1 + absent.any()


def sort_rows(*columns):
    values = np.array(columns)
    words, ordered = np.empty(values.shape, dtype=np.uint64), np.empty(values.shape)
    rows, ranks = np.empty((2, *values.shape), dtype=np.int32)
    done = np.empty(len(values), dtype=bool)
    row_bits = cuts.pack_rows(values.view(np.int64), words)
    words.sort(axis=1)
    cuts.unpack_rows(words, row_bits, values, rows, ordered, ranks, done)
    return done, rows, ordered, ranks


@given(hnp.arrays(np.float64, st.integers(0, 80), elements=st.floats(allow_nan=False)))
def test_rows_come_in_ascending_order_with_ranks_of_distinct_values(values):
    # NaN, of which missing values are made, comes last.
    columns = values, np.where(values > 0, np.nan, values)
    for column, done, rows, ordered, ranks in zip(columns, *sort_rows(*columns), strict=True):
        if done:
            np.testing.assert_array_equal(ordered, np.sort(column))
            np.testing.assert_array_equal(column[rows], ordered)
            assert sorted(rows.tolist()) == list(range(len(values)))
            known = ordered[~np.isnan(ordered)]
            np.testing.assert_array_equal(
                ranks[: len(known)], np.unique(known, return_inverse=True)[1]
            )


def test_values_that_differ_in_their_last_bits_only_are_put_right():
    # 2**16 rows leave 48 bits for the order; a far value takes the room of the low bits.
    rng = np.random.default_rng(0)
    values = rng.random(1 << 16)
    values[:8] = np.nextafter(0.5, 1) + np.arange(8)[::-1] * 2**-53
    values[8] = -1e300
    (done,), (rows,), (ordered,), _ = sort_rows(values)
    assert done
    np.testing.assert_array_equal(ordered, np.sort(values))
    np.testing.assert_array_equal(values[rows], ordered)


@each("far", [-1e300, 1e300])
def test_too_many_values_with_equal_upper_bits_are_left_to_the_caller(far):
    values = 1.0 + np.arange(1 << 14)[::-1] * 2.0**-52
    values[0] = far
    done, *_ = sort_rows(values, values[::-1], np.sort(values))
    assert done.tolist() == [False, True, True]
    columns = [Column("", "float", column, None) for column in (values, values[::-1])]
    order, ordered = sort_columns(columns)
    for k, column in enumerate(columns):
        np.testing.assert_array_equal(ordered[k], np.sort(values))
        np.testing.assert_array_equal(column.values[order.rows[k]], ordered[k])
        assert order.ranks[k].tolist() == list(range(len(values)))


@each("n_cuts", [0, 1, 3, 16, 17, 100])
def test_the_interval_is_the_number_of_cuts_below(n_cuts):
    rng = np.random.default_rng(n_cuts)
    cut_points = np.sort(rng.choice(1000, n_cuts, replace=False)).astype(np.float64)
    values = rng.integers(-2, 1002, 500).astype(np.float64)
    values[:2] = -np.inf, np.inf
    found = np.empty(500, dtype=np.int64)
    cuts.count_below(values, cut_points, found)
    assert found.tolist() == [sum(v > cut for cut in cut_points) for v in values]


def short_codes(X, longest):
    shape, n = X.shape[::-1], X.shape[1]
    codes, occurs = np.empty(shape, np.uint8), np.zeros((n, longest), bool)
    least, n_values = np.empty((2, n), dtype=np.int64)
    fits = cuts.short_codes(X, longest, least, codes, occurs, n_values)
    return fits, least, codes, occurs, n_values


@each("shape", [(1, 1), (33, 7), (257, 3), (600, 40)])
@each("dtype", [bool, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64])
def test_whole_numbers_of_any_type_are_numbered_by_value(shape, dtype):
    low, high = (0, 2) if dtype is bool else (0, 90) if np.dtype(dtype).kind == "u" else (-45, 45)
    X = np.random.default_rng(0).integers(low, high, shape).astype(dtype)
    longest = int(np.ptp(X.astype(np.int64), axis=0).max()) + 1
    fits, least, codes, occurs, n_values = short_codes(X, longest)
    assert fits
    for j in range(shape[1]):
        distinct, numbers = np.unique(X[:, j], return_inverse=True)
        np.testing.assert_array_equal(codes[j], numbers)
        np.testing.assert_array_equal(np.flatnonzero(occurs[j]) + least[j], distinct)
        assert n_values[j] == len(distinct)
    assert longest == 1 or not short_codes(X, longest - 1)[0]


def test_extremes_whose_difference_overflows_do_not_look_close():
    X = np.zeros((40, 9), dtype=np.int64)
    X[7, 3], X[39, 3] = -(2**63), 2**63 - 1
    assert not short_codes(X, 256)[0]
