"""Sums of pairs: by stored planes, in a table, row by row, and by definition, at every level."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs._kernels import at_level, levels
from deacs._kernels import pairs as chosen
from deacs._kernels.arrays import Columns
from deacs._kernels.fixed_point import fixed_point
from deacs.counts.pairs import (
    N_SUMS,
    WORDS_AT_ONCE,
    Planes,
    RowsByClass,
    Runs,
    Target,
)

KERNELS = [at_level("pairs", level) for level in levels()]


def table(seed, n_rows, n_features, most_values, dtype):
    rng = np.random.default_rng(seed)
    n_values = rng.integers(1, most_values + 1, n_features)
    codes = (rng.random((n_features, n_rows)) * n_values[:, np.newaxis]).astype(dtype)
    codes.setflags(write=False)
    return codes, n_values


def runs_of(target, labels, fixed, weights=None):
    codes, n_labels = target.astype(np.uint16), int(labels.max()) + 1
    target = Target(codes, int(codes.max()) + 1)
    return Runs(target, labels.astype(np.int32), n_labels, fixed, weights)


def columns_of(codes, n_values, ignored=None):
    ignored = np.full(len(codes), -1) if ignored is None else ignored
    return Columns(codes, np.arange(len(codes)), n_values, ignored)


def by_planes(codes, n_values, target, labels, fixed, weights=None, kernels=chosen):
    n_labels, first = int(labels.max()) + 1, np.cumsum(n_values - 1) - (n_values - 1)
    rows, n = RowsByClass.of(labels.astype(np.int32), n_labels, weights), int((n_values - 1).sum())
    # What a kernel finds in its work space must not matter.
    planes = Planes(
        np.empty((n, rows.n_words), dtype=np.uint64),
        first,
        n_values,
        np.full((n, n_labels), 99),
        np.full(n, 99),
        np.full((len(codes), 2), 99),
    )
    buffer = np.full(len(rows.rows), 99, dtype=np.uint8)
    by_class = np.bincount(labels, weights, n_labels).astype(np.int64)
    kernels.feature_planes(columns_of(codes, n_values), rows, by_class, fixed, buffer, planes)
    runs = runs_of(target, labels, fixed, weights)
    cells = np.full(n_labels * int(n_values.max()) * runs.n_values, 99)
    sums = np.empty((len(codes), 2), dtype=np.int64)
    kernels.plane_pair_sums(planes, np.arange(len(codes)), runs, rows, fixed, cells, sums)
    return np.hstack((sums, planes.own)), planes


def by_tables(codes, n_values, target, labels, fixed, weights=None, kernels=chosen):
    runs = runs_of(target, labels, fixed, weights)
    counts = np.zeros(int(n_values.max()) * runs.n_keys + runs.n_labels, dtype=np.int64)
    sums = np.empty((len(codes), 4), dtype=np.int64)
    kernels.table_pair_sums(columns_of(codes, n_values), runs, weights, fixed, counts, sums)
    assert not counts.any()
    return sums


def by_rows(codes, n_values, target, labels, fixed, ignored=None, weights=None, kernels=chosen):
    groups = runs_of(target, labels, fixed, weights).groups
    sums = np.empty((len(codes), N_SUMS), dtype=np.int64)
    kernels.row_pair_sums(columns_of(codes, n_values, ignored), groups, weights, fixed, sums)
    return sums


def X(*variables):
    """The sum of n log2 n over the joint values."""
    counts = Counter(zip(*(v.tolist() for v in variables), strict=True)).values()
    return math.fsum(n * math.log2(n) for n in counts)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 5, 63, 64, 65, 127, 128, 129, 1000]),
    st.integers(1, 20),
    st.integers(1, 16),
    st.integers(1, 9),
    st.integers(1, 6),
    st.sampled_from([np.uint8, np.uint16, np.uint32]),
    st.booleans(),
)
def test_planes_tables_and_rows_give_the_same_sums_at_every_level(
    seed, n_rows, n_features, most_values, n_groups, n_labels, dtype, is_weighted
):
    codes, n_values = table(seed, n_rows, n_features, most_values, dtype)
    rng = np.random.default_rng(seed + 1)
    target, labels = rng.integers(0, n_groups, n_rows), rng.integers(0, n_labels, n_rows)
    weights = rng.integers(1, 5, n_rows) if is_weighted else None
    fixed = fixed_point(n_rows if weights is None else int(weights.sum()), 1)
    expected = by_rows(codes, n_values, target, labels, fixed, weights=weights)
    for kernels in KERNELS:
        given = codes, n_values, target, labels, fixed
        how = {"weights": weights, "kernels": kernels}
        own = expected[:, [0, 1, 3, 8]]  # A, B, E and Q
        np.testing.assert_array_equal(by_planes(*given, **how)[0], own)
        np.testing.assert_array_equal(by_tables(*given, **how), own)
        np.testing.assert_array_equal(by_rows(*given, **how), expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_sums_equal_their_definitions(dtype):
    codes, n_values = table(1, 300, 6, 12, dtype)
    rng = np.random.default_rng(2)
    target, labels = rng.integers(0, 4, 300), rng.integers(0, 3, 300)
    fixed, nothing = fixed_point(300, 1), np.zeros(300)
    found = by_rows(codes, n_values, target, labels, fixed)
    expected = [
        [
            X(f, target, labels),
            X(f, target),
            X(target, labels),
            X(f),
            X(target),
            X(labels),
            X(nothing),
            len(f),
            X(f, labels),
        ]
        for f in codes
    ]
    unit = 2.0**-fixed.scale_bits
    units = np.where(np.arange(N_SUMS) == 7, 1, unit)
    np.testing.assert_allclose(found * units, expected, rtol=1e-12, atol=300 * unit)


def test_one_run_is_the_whole_table():
    codes, n_values = table(3, 200, 5, 7, np.uint8)
    nothing = np.zeros(200, dtype=np.int64)
    fixed = fixed_point(200, 1)
    planar, stored = by_planes(codes, n_values, nothing, nothing, fixed)
    rowwise = by_rows(codes, n_values, nothing, nothing, fixed)
    for j, f in enumerate(codes):
        mine = stored.counts[stored.first[j] : stored.first[j] + n_values[j] - 1, 0]
        assert mine.tolist() == np.bincount(f, minlength=n_values[j])[:-1].tolist()
    np.testing.assert_array_equal(planar[:, :2], rowwise[:, :2])
    np.testing.assert_array_equal(planar[:, 0], rowwise[:, 3])  # A = B = E: only F varies


def test_as_many_runs_as_rows_leave_nothing_to_sum():
    codes, n_values = table(4, 130, 5, 4, np.uint8)
    each, nothing = np.arange(130), np.zeros(130, dtype=np.int64)
    fixed = fixed_point(130, 1)
    planar, _ = by_planes(codes, n_values, each, nothing, fixed)
    assert not planar[:, :2].any()  # X(1) = 0
    assert not by_rows(codes, n_values, each, nothing, fixed)[:, :3].any()


@pytest.mark.parametrize("more", [-1, 0, 1, 64 * WORDS_AT_ONCE + 65])
def test_parts_of_the_rows_add_up(more):
    n_rows = 64 * WORDS_AT_ONCE + more
    codes, n_values = table(5, n_rows, 17, 4, np.uint8)
    rng = np.random.default_rng(6)
    target, labels = rng.integers(0, 3, n_rows), rng.integers(0, 2, n_rows)
    fixed = fixed_point(n_rows, 1)
    planar, _ = by_planes(codes, n_values, target, labels, fixed)
    rowwise = by_rows(codes, n_values, target, labels, fixed)
    np.testing.assert_array_equal(planar[:, :2], rowwise[:, :2])


def test_the_last_value_has_no_plane_and_each_class_begins_with_a_word():
    target, labels = np.array([0, 2, 1, 2, 0] + [2] * 60 + [1]), np.repeat([1, 0], [3, 63])
    rows = RowsByClass.of(labels.astype(np.int32), 2, None)
    planes = runs_of(target, labels, fixed_point(66, 1)).planes_in(rows)
    assert planes.tolist() == [[0b10, 0b1], [1 << 62, 0b100]]
    assert rows.parts.tolist() == [[0, 0, 1, 1], [1, 1, 2, 1]]
    assert rows.all_parts.tolist() == [[0, 0, 2, 1]]


def test_rows_in_no_run_are_nowhere():
    codes = np.array([0, 2, 1, 2, 0, 1], dtype=np.uint8)
    labels = np.array([1, 0, 0, 0, 0, 1], dtype=np.int32)
    groups = Runs(Target(codes, 3, ignored=2), labels, 2, fixed_point(6, 1)).groups
    assert groups.rows.tolist() == [4, 0, 2, 5]
    assert groups.run_starts.tolist() == [0, 1, 2, 3, 4]
    assert groups.run_labels.tolist() == [0, 1, 0, 1]
    assert groups.group_runs.tolist() == [0, 2, 4]


@given(st.integers(0, 2**32 - 1), st.sampled_from([20, 64, 200]))
def test_an_ignored_code_takes_its_rows_out(seed, n_rows):
    codes, n_values = table(seed, n_rows, 4, 5, np.uint8)
    rng = np.random.default_rng(seed + 1)
    target, labels = rng.integers(0, 3, n_rows), rng.integers(0, 3, n_rows)
    fixed = fixed_point(n_rows, 1)
    ignored = n_values - 1
    found = by_rows(codes, n_values, target, labels, fixed, ignored=ignored)
    for j, f in enumerate(codes):
        kept = f != ignored[j]
        if not kept.any():
            assert not found[j].any()
            continue
        alone = by_rows(
            np.ascontiguousarray(codes[j : j + 1, kept]),
            *(n_values[j : j + 1], target[kept], labels[kept], fixed),
        )
        np.testing.assert_array_equal(found[j], alone[0])


@given(st.integers(0, 2**32 - 1), st.sampled_from([20, 64, 200]))
def test_weights_are_repeated_rows(seed, n_rows):
    codes, n_values = table(seed, n_rows, 4, 20, np.uint16)
    rng = np.random.default_rng(seed + 1)
    target, labels = rng.integers(0, 3, n_rows), rng.integers(0, 3, n_rows)
    weights = rng.integers(1, 6, n_rows)
    fixed = fixed_point(int(weights.sum()), 1)
    weighted = by_rows(codes, n_values, target, labels, fixed, weights=weights)
    again = np.repeat(np.arange(n_rows), weights)
    repeated = by_rows(
        np.ascontiguousarray(codes[:, again]), n_values, target[again], labels[again], fixed
    )
    np.testing.assert_array_equal(weighted, repeated)
