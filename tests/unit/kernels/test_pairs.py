"""Sums of pairs: by stored planes, row by row, and by definition."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.kernels.columns import Columns
from deacs.kernels.fixed_point import fixed_point
from deacs.kernels.groups import Groups
from deacs.kernels.lanes import LANES, ROWS_AT_ONCE, lane_pair_sums, lane_scratch
from deacs.kernels.pairs import N_SUMS, Keys, count_keys, row_pair_sums, rows_by_run
from deacs.kernels.stored_planes import (
    TILE,
    WORDS_AT_ONCE,
    FeaturePlanes,
    TargetPlanes,
    feature_planes,
    plane_pair_sums,
    target_planes,
)


def table(seed, n_rows, n_features, most_values, dtype):
    rng = np.random.default_rng(seed)
    n_values = rng.integers(1, most_values + 1, n_features)
    codes = (rng.random((n_features, n_rows)) * n_values[:, np.newaxis]).astype(dtype)
    codes.setflags(write=False)
    return codes, n_values


def runs_of(target, labels, n_labels):
    """The run of each key (value, label), and the runs: sizes, labels, where groups begin."""
    counts = np.zeros((int(target.max()) + 1) * n_labels, dtype=np.int64)
    count_keys(Keys(target, labels, n_labels), counts)
    keys = np.flatnonzero(counts)
    run_of = np.full(len(counts), -1)
    run_of[keys] = np.arange(len(keys))
    starts = np.flatnonzero(np.diff(keys // n_labels, prepend=-1))
    return run_of, counts[keys], keys % n_labels, np.append(starts, len(keys))


def places_by_class(labels, n_labels):
    """Where each row is if every class begins with a word, and the words of each class."""
    places, parts, word = np.empty(len(labels), dtype=np.int32), [], 0
    for label in range(n_labels):
        mine = np.flatnonzero(labels == label)
        places[mine] = 64 * word + np.arange(len(mine))
        end = word - (-len(mine) // 64)
        parts += [
            (label, begin, min(begin + WORDS_AT_ONCE, end), 1)
            for begin in range(word, end, WORDS_AT_ONCE)
        ]
        word = end
    rows = np.full(64 * word, -1, dtype=np.int32)
    rows[places] = np.arange(len(labels))
    return places, rows, np.array(parts, dtype=np.int64)


def by_planes(codes, n_values, target, labels, fixed):
    n_labels, n_targets = int(labels.max()) + 1, int(target.max()) + 1
    places, rows, parts = places_by_class(labels, n_labels)
    features = np.arange(len(codes))
    first = np.cumsum(n_values - 1) - (n_values - 1)
    planes = np.empty((int((n_values - 1).sum()), len(rows) // 64), dtype=np.uint64)
    # What a kernel finds in its work space must not matter.
    of_values = np.full((len(planes), n_labels), 99, dtype=np.int64)
    buffer = np.full(len(rows), 99, dtype=codes.dtype)
    stored = FeaturePlanes(planes, first, n_values, of_values)
    columns = Columns(codes, features, n_values, np.full(len(codes), -1))
    feature_planes(columns, rows, parts, buffer, stored)
    targets = np.zeros((n_targets - 1, planes.shape[1]), dtype=np.uint64)
    target_planes(target, places, targets)
    sizes = np.zeros((n_labels, n_targets), dtype=np.int64)
    np.add.at(sizes, (labels, target), 1)
    counts = np.full((TILE, n_labels, int(n_values.max()), n_targets), 99, dtype=np.int64)
    sums = np.empty((len(codes), 1, 2), dtype=np.int64)
    bounds = np.array([0, n_targets])
    against = TargetPlanes(targets, np.arange(n_targets - 1, dtype=np.uint64), bounds, sizes, parts)
    plane_pair_sums(stored, features, against, fixed, counts, sums)
    return sums[:, 0], stored


def by_lanes(codes, n_values, targets, labels, fixed):
    """A and B against several columns that have as many values as fit a vector."""
    n_labels, order = int(labels.max()) + 1, np.argsort(labels, kind="stable")
    widths = [int(target.max()) + 1 for target in targets]
    bounds = np.cumsum([0, *widths])
    vectors = np.zeros((len(labels), LANES), dtype=np.uint8)
    for target, begin in zip(targets, bounds, strict=False):
        vectors[np.arange(len(labels)), begin + target[order]] = 1
    parts, begin = [], 0
    for label, size in enumerate(np.bincount(labels).tolist()):
        parts += [
            (label, at, min(at + ROWS_AT_ONCE, begin + size))
            for at in range(begin, begin + size, ROWS_AT_ONCE)
        ]
        begin += size
    scratch = lane_scratch(n_labels, int(n_values.max()))
    scratch.counts[:] = 99
    sums = np.empty((len(targets), len(codes), 2), dtype=np.int64)
    against = vectors.ravel(), bounds, np.array(parts, dtype=np.int64), fixed.table, scratch
    features = np.arange(len(codes))
    lane_pair_sums(np.ascontiguousarray(codes[:, order]), features, n_values, *against, sums)
    assert not scratch.few.any()
    return sums


def by_rows(codes, n_values, target, labels, fixed, ignored=None, weights=None):
    n_labels = int(labels.max()) + 1
    run_of, sizes, run_labels, group_runs = runs_of(target, labels, n_labels)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    rows = np.empty(starts[-1], dtype=np.int32)
    rows_by_run(Keys(target, labels, n_labels), run_of, starts[:-1].copy(), rows)
    ignored = np.full(len(codes), -1) if ignored is None else ignored
    sums = np.empty((len(codes), N_SUMS), dtype=np.int64)
    columns = Columns(codes, np.arange(len(codes)), n_values, ignored)
    row_pair_sums(columns, Groups(rows, starts, run_labels, group_runs), weights, fixed, sums)
    return sums


def X(*variables):
    """The sum of n log2 n over the joint values."""
    counts = Counter(zip(*(v.tolist() for v in variables), strict=True)).values()
    return math.fsum(n * math.log2(n) for n in counts)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 5, 63, 64, 65, 127, 128, 129, 1000]),
    st.integers(1, 2 * TILE + 1),
    st.integers(1, 16),
    st.integers(1, 9),
    st.integers(1, 6),
    st.sampled_from([np.uint8, np.uint16]),
)
def test_planes_and_rows_give_the_same_sums(
    seed, n_rows, n_features, most_values, n_groups, n_labels, dtype
):
    codes, n_values = table(seed, n_rows, n_features, most_values, dtype)
    rng = np.random.default_rng(seed + 1)
    target, labels = rng.integers(0, n_groups, n_rows), rng.integers(0, n_labels, n_rows)
    fixed = fixed_point(n_rows, 1)
    planar, _ = by_planes(codes, n_values, target, labels, fixed)
    np.testing.assert_array_equal(planar, by_rows(codes, n_values, target, labels, fixed)[:, :2])


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2, 63, 511, 1021]),
    st.integers(1, 20),
    st.integers(1, 16),
    st.lists(st.integers(1, 10), min_size=1, max_size=3),
    st.integers(1, 4),
)
def test_lanes_and_rows_give_the_same_sums(seed, n_rows, n_features, most_values, widths, n_labels):
    codes, n_values = table(seed, n_rows, n_features, most_values, np.uint8)
    rng = np.random.default_rng(seed + 1)
    labels = rng.integers(0, n_labels, n_rows)
    # Some hold one value most of the time: the bytes of one cell fill up.
    targets = [(rng.random(n_rows) ** 9 * width).astype(np.int64) for width in widths]
    fixed = fixed_point(n_rows, 1)
    found = by_lanes(codes, n_values, targets, labels, fixed)
    for target, sums in zip(targets, found, strict=True):
        expected = by_rows(codes, n_values, target, labels, fixed)[:, :2]
        np.testing.assert_array_equal(sums, expected)


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
        ]
        for f in codes
    ]
    unit = 2.0**-fixed.scale_bits
    np.testing.assert_allclose(found[:, :7] * unit, expected, rtol=1e-12, atol=300 * unit)
    assert found[:, 7].tolist() == [300] * 6


def test_one_run_is_the_whole_table():
    codes, n_values = table(3, 200, 5, 7, np.uint8)
    nothing = np.zeros(200, dtype=np.int64)
    fixed = fixed_point(200, 1)
    planar, stored = by_planes(codes, n_values, nothing, nothing, fixed)
    rowwise = by_rows(codes, n_values, nothing, nothing, fixed)
    for j, f in enumerate(codes):
        mine = stored.counts[stored.first[j] : stored.first[j] + n_values[j] - 1, 0]
        assert mine.tolist() == np.bincount(f, minlength=n_values[j])[:-1].tolist()
    np.testing.assert_array_equal(planar, rowwise[:, :2])
    np.testing.assert_array_equal(planar[:, 0], rowwise[:, 3])  # A = B = E: only F varies


def test_as_many_runs_as_rows_leave_nothing_to_sum():
    codes, n_values = table(4, 130, 5, 4, np.uint8)
    each, nothing = np.arange(130), np.zeros(130, dtype=np.int64)
    fixed = fixed_point(130, 1)
    planar, _ = by_planes(codes, n_values, each, nothing, fixed)
    assert not planar.any()  # X(1) = 0
    assert not by_rows(codes, n_values, each, nothing, fixed)[:, :3].any()


@pytest.mark.parametrize("more", [-1, 0, 1, 64 * WORDS_AT_ONCE + 65])
def test_parts_of_the_rows_add_up(more):
    n_rows = 64 * WORDS_AT_ONCE + more
    codes, n_values = table(5, n_rows, TILE + 1, 4, np.uint8)
    rng = np.random.default_rng(6)
    target, labels = rng.integers(0, 3, n_rows), rng.integers(0, 2, n_rows)
    fixed = fixed_point(n_rows, 1)
    planar, _ = by_planes(codes, n_values, target, labels, fixed)
    np.testing.assert_array_equal(planar, by_rows(codes, n_values, target, labels, fixed)[:, :2])


def test_the_last_value_has_no_plane_and_rows_in_no_run_are_nowhere():
    target = np.array([0, 2, 1, 2, 0] + [2] * 60 + [1])
    labels, run_of = np.zeros(66, dtype=np.int64), np.array([0, 1, -1])
    planes = np.zeros((2, 2), dtype=np.uint64)
    target_planes(target, np.arange(66, dtype=np.int32), planes)
    assert planes.tolist() == [[0b10001, 0], [0b100, 0b10]]
    rows = np.empty(4, dtype=np.int32)
    rows_by_run(Keys(target, labels, 1), run_of, np.array([0, 2]), rows)
    assert rows.tolist() == [0, 4, 2, 65]


def test_keys_are_counted_with_and_without_the_class():
    target, labels = np.array([0, 1, 1, 0, 1], dtype=np.uint8), np.array([0, 1, 1, 1, 0])
    counts = np.zeros(4, dtype=np.int64)
    count_keys(Keys(target, labels, 2), counts)
    assert counts.tolist() == [1, 1, 1, 2]
    alone = np.zeros(2, dtype=np.int64)
    count_keys(Keys(target, labels, 1), alone)
    assert alone.tolist() == [2, 3]


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
