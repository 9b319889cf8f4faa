"""Counts of pairs: every feature against one target, from stored bit-planes or row by row.

The target is a selected feature s, split by the class c where the class is asked for: its *runs*
are the joint values (s, c), its *groups* the values of s. With X(n) = n log2 n two sums tell
everything that a criterion of pairs needs,

    A = sum over (f, s, c) of X(n_fsc),    B = sum over (f, s) of X(n_fs),

for what else enters N I(F; S) = B - E - G + X(N), N I(F; C | S) = A - B - D + G,
N I(F, S; C) = A - B - P + X(N) or N I(F; S | C) = A - D - Q + P belongs to one variable, to the
target or, Q, to the feature and the class. A plane (one bit a row:
has the feature this value?) is met by all targets of a selection, so it pays to store planes here:
a cell costs one AND and one population count for every 64 rows.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.fixed_point import xlogx
from deacs.kernels.jit import kernel, routine
from deacs.kernels.masks import equal_mask, popcount
from deacs.kernels.weights import weight_of

__all__ = [
    "N_SUMS",
    "TILE",
    "FeaturePlanes",
    "Keys",
    "TargetPlanes",
    "count_keys",
    "feature_planes",
    "plane_pair_sums",
    "row_pair_sums",
    "rows_by_run",
    "target_planes",
]

TILE = 16
"""Features that are counted together, part of the rows after part of the rows."""

WORDS_AT_ONCE = 1024
"""Words of a plane in a part: a tile's planes and the target's stay in the second cache."""

N_SUMS = 9
"""The sums that `row_pair_sums` returns for a feature: A, B, D, E, G, P, X(N), N and Q."""


class FeaturePlanes(NamedTuple):
    """Bit-planes of features: one for each value but the last."""

    bits: NDArray[np.uint64]
    """(n_planes, n_words)"""
    first: NDArray[np.int64]
    """Where the planes of a feature begin, (n_features,)."""
    n_values: NDArray[np.int64]
    value_counts: NDArray[np.int64]
    """How often each value occurs, (n_features, at least max(n_values))."""


class TargetPlanes(NamedTuple):
    """Bit-planes of the runs of a target."""

    bits: NDArray[np.uint64]
    """(n_runs, n_words)"""
    run_sizes: NDArray[np.int64]
    group_runs: NDArray[np.int64]
    """Where each group begins among the runs, (n_groups + 1,)."""


class Keys(NamedTuple):
    """The joint values of a column and the class, v * n_labels + c; `n_labels` 1 leaves it out."""

    codes: NDArray[np.unsignedinteger[Any]]
    labels: NDArray[np.int32]
    n_labels: int


@kernel
def feature_planes(columns, tail, planes):
    """Store a bit-plane for each value but the last, and how often each value occurs.

    IN columns, planes.first; TEMP tail (64,); OUT planes.bits, planes.value_counts.
    """
    codes, features, n_values, _ = columns
    bits, first_plane, _, value_counts = planes
    n_rows = codes.shape[1]
    n_full = n_rows // 64
    for k in range(features.shape[0]):
        feature = features[k]
        column = codes[feature]
        last = n_values[feature] - 1
        for r in range(64 * n_full, n_rows):
            tail[r - 64 * n_full] = column[r]
        value_counts[feature, last] = n_rows
        for value in range(last):
            plane = bits[first_plane[feature] + value]
            n = np.int64(0)
            for word in range(n_full):
                mask = equal_mask(column, 64 * word, value)
                plane[word] = mask
                n += popcount(mask)
            if 64 * n_full < n_rows:
                beyond = np.uint64(64 - (n_rows - 64 * n_full))
                mask = equal_mask(tail, 0, value) & (~np.uint64(0) >> beyond)
                plane[n_full] = mask
                n += popcount(mask)
            value_counts[feature, value] = n
            value_counts[feature, last] -= n


@kernel
def count_keys(keys, counts):
    """Count the joint values of a column and the class.

    IN keys; OUT counts (n_values * n_labels,), zero on entry.
    """
    codes, labels, n_labels = keys
    for row in range(codes.shape[0]):
        label = labels[row] if n_labels > 1 else 0
        counts[codes[row] * n_labels + label] += 1


@kernel
def target_planes(keys, run_of, planes):
    """Set bit `row` of the plane of its run for every row.

    IN keys, run_of (n_keys,) -1 for keys that do not count; OUT planes (n_runs, n_words), zero on
    entry.
    """
    codes, labels, n_labels = keys
    for row in range(codes.shape[0]):
        label = labels[row] if n_labels > 1 else 0
        run = run_of[codes[row] * n_labels + label]
        if run >= 0:
            planes[run, row >> 6] |= np.uint64(1) << np.uint64(row & 63)


@kernel
def rows_by_run(keys, run_of, starts, rows):
    """List rows in the order of their runs.

    IN keys, run_of (as for `target_planes`); TEMP starts (n_runs,) where each run begins; OUT rows.
    """
    codes, labels, n_labels = keys
    for row in range(codes.shape[0]):
        label = labels[row] if n_labels > 1 else 0
        run = run_of[codes[row] * n_labels + label]
        if run >= 0:
            rows[starts[run]] = row
            starts[run] += 1


@routine
def _count_cells(planes, first, n_planes, target, begin, end, counts, slot):
    """Add to counts[slot, run, value] for all runs but the last, four runs at a time.

    Loops that begin at zero need no test for negative indices, and become vector code.
    """
    n_runs = target.shape[0] - 1
    for value in range(n_planes):
        plane = planes[first + value, begin:end]
        run = 0
        while run + 4 <= n_runs:
            t0, t1 = target[run, begin:end], target[run + 1, begin:end]
            t2, t3 = target[run + 2, begin:end], target[run + 3, begin:end]
            n0, n1, n2, n3 = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
            for word in range(plane.shape[0]):
                mask = plane[word]
                n0 += popcount(mask & t0[word])
                n1 += popcount(mask & t1[word])
                n2 += popcount(mask & t2[word])
                n3 += popcount(mask & t3[word])
            counts[slot, run, value] += n0
            counts[slot, run + 1, value] += n1
            counts[slot, run + 2, value] += n2
            counts[slot, run + 3, value] += n3
            run += 4
        while run < n_runs:
            t0 = target[run, begin:end]
            n0 = np.int64(0)
            for word in range(plane.shape[0]):
                n0 += popcount(plane[word] & t0[word])
            counts[slot, run, value] += n0
            run += 1


@routine
def _fold_cells(counts, slot, width, value_counts, run_sizes, group_runs, table, scale_bits):
    """Return A and B of the feature in this slot; complete its counts first.

    What the last value and the last run hold follows from the totals.
    """
    n_runs = run_sizes.shape[0]
    for run in range(n_runs - 1):
        n = run_sizes[run]
        for value in range(width - 1):
            n -= counts[slot, run, value]
        counts[slot, run, width - 1] = n
    for value in range(width):
        n = value_counts[value]
        for run in range(n_runs - 1):
            n -= counts[slot, run, value]
        counts[slot, n_runs - 1, value] = n
    cells = np.int64(0)
    pairs = np.int64(0)
    if group_runs.shape[0] - 1 == n_runs:  # a run is a group, and A is B
        for run in range(n_runs):
            for value in range(width):
                cells += xlogx(counts[slot, run, value], table, scale_bits)
        return cells, cells
    for g in range(group_runs.shape[0] - 1):
        for value in range(width):
            n_fs = np.int64(0)
            for run in range(group_runs[g], group_runs[g + 1]):
                n = counts[slot, run, value]
                n_fs += n
                cells += xlogx(n, table, scale_bits)
            pairs += xlogx(n_fs, table, scale_bits)
    return cells, pairs


@kernel
def plane_pair_sums(planes, features, against, fixed, counts, sums):
    """Sum A and B of features against one target.

    IN planes (from `feature_planes`), features (k,), against: the planes of the target, fixed;
    TEMP counts (TILE, n_runs, max(n_values)); OUT sums (k, 2).
    """
    table, _, scale_bits = fixed
    bits, first_plane, n_values, value_counts = planes
    target, run_sizes, group_runs = against
    n_words = target.shape[1]
    for tile in range(0, features.shape[0], TILE):
        end_of_tile = min(tile + TILE, features.shape[0])
        for slot in range(end_of_tile - tile):
            for run in range(target.shape[0]):
                for value in range(n_values[features[tile + slot]]):
                    counts[slot, run, value] = 0
        for begin in range(0, n_words, WORDS_AT_ONCE):
            end = min(begin + WORDS_AT_ONCE, n_words)
            for k in range(tile, end_of_tile):
                feature = features[k]
                _count_cells(
                    bits,
                    first_plane[feature],
                    n_values[feature] - 1,
                    target,
                    begin,
                    end,
                    counts,
                    k - tile,
                )
        for k in range(tile, end_of_tile):
            feature = features[k]
            sums[k, 0], sums[k, 1] = _fold_cells(
                counts,
                k - tile,
                n_values[feature],
                value_counts[feature],
                run_sizes,
                group_runs,
                table,
                scale_bits,
            )


@kernel
def row_pair_sums(columns, groups, weights, fixed, sums):
    """Sum what pairs need, row by row, on the rows in which the feature counts.

    IN columns, groups: the rows by value of the target and label, weights (see `feature_sums`),
    fixed; OUT sums (k, N_SUMS).
    """
    codes, features, n_values, ignored = columns
    rows, run_starts, run_labels, group_runs = groups[:4]
    table, _, scale_bits = fixed
    widest = 0
    for k in range(features.shape[0]):
        widest = max(widest, n_values[features[k]])
    n_labels = 0
    for run in range(run_labels.shape[0]):
        n_labels = max(n_labels, run_labels[run] + 1)
    in_all = np.zeros(widest, dtype=np.int64)
    in_group = np.zeros(widest, dtype=np.int64)
    in_run = np.zeros(widest, dtype=np.int64)
    by_label = np.zeros(n_labels, dtype=np.int64)
    in_label = np.zeros((n_labels, widest), dtype=np.int64)
    values = np.empty(rows.shape[0], dtype=codes.dtype)

    for k in range(features.shape[0]):
        column = codes[features[k]]
        width = n_values[features[k]]
        skipped = ignored[features[k]]
        cells = pairs = by_run = by_group = np.int64(0)
        total = np.int64(0)
        for g in range(group_runs.shape[0] - 1):
            begin, end = run_starts[group_runs[g]], run_starts[group_runs[g + 1]]
            n_group = np.int64(0)
            for run in range(group_runs[g], group_runs[g + 1]):
                run_begin, run_end = run_starts[run], run_starts[run + 1]
                n_run = np.int64(0)
                for r in range(run_begin, run_end):
                    value = column[rows[r]]
                    values[r] = value
                    if value != skipped:
                        in_run[value] += weight_of(weights, rows[r])
                        n_run += weight_of(weights, rows[r])
                n_visits = min(width, run_end - run_begin)
                for visit in range(n_visits):
                    value = visit if n_visits == width else values[run_begin + visit]
                    n = in_run[value]
                    if n > 0:
                        in_run[value] = 0
                        in_group[value] += n
                        in_label[run_labels[run], value] += n
                        cells += xlogx(n, table, scale_bits)
                n_group += n_run
                by_label[run_labels[run]] += n_run
                by_run += xlogx(n_run, table, scale_bits)
            n_visits = min(width, end - begin)
            for visit in range(n_visits):
                value = visit if n_visits == width else values[begin + visit]
                n = in_group[value]
                if n > 0:
                    in_group[value] = 0
                    in_all[value] += n
                    pairs += xlogx(n, table, scale_bits)
            total += n_group
            by_group += xlogx(n_group, table, scale_bits)
        by_value = np.int64(0)
        for value in range(width):
            by_value += xlogx(in_all[value], table, scale_bits)
            in_all[value] = 0
        by_class = class_cells = np.int64(0)
        for label in range(n_labels):
            by_class += xlogx(by_label[label], table, scale_bits)
            by_label[label] = 0
            for value in range(width):
                class_cells += xlogx(in_label[label, value], table, scale_bits)
                in_label[label, value] = 0
        sums[k, 0], sums[k, 1], sums[k, 2], sums[k, 3] = cells, pairs, by_run, by_value
        sums[k, 4], sums[k, 5] = by_group, by_class
        sums[k, 6], sums[k, 7] = xlogx(total, table, scale_bits), total
        sums[k, 8] = class_cells
