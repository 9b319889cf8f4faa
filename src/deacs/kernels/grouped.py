"""Few values, any number of groups: gather a column in group order, count by masks.

A small group is one mask of at most 64 rows: for every value a comparison, for every run a
popcount, and what the cell adds is looked up in a table that fits the first cache. A pair needs
one comparison: its cells add something only when both rows have the same value.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.codes import DIVERGENCE, JOINT, ONE_VS_REST, fold_counts
from deacs.kernels.fixed_point import scaled_product, tables
from deacs.kernels.groups import SMALL
from deacs.kernels.jit import lean_kernel, lean_routine
from deacs.kernels.masks import equal_mask, popcount

__all__ = [
    "MAX_VALUES",
    "cell_tables",
    "fill_run_masks",
    "grouped_joint_sums",
    "grouped_mirrored_sums",
    "grouped_sums",
]

MAX_VALUES = 16
"""Features with more values are counted row by row."""

PADDING = 64
"""A mask reads this many codes, so a buffer has as many behind its last."""


@cache
def cell_tables(kind: int, scale_bits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what cells [n_f, n_fi] and values [n_f] of small groups add, (65, 65) and (65,)."""
    x, logs = tables(SMALL + 1, scale_bits)
    n_fi = np.arange(SMALL + 1)
    n_f = n_fi[:, np.newaxis]
    cells = x + 0 * n_f
    if kind == ONE_VS_REST:
        cells += x[np.maximum(n_f - n_fi, 0)] - x[n_f]
    elif kind == DIVERGENCE:
        cells -= scaled_product.py_func(n_fi, logs[n_f], scale_bits)
    return np.where((n_fi > 0) & (n_fi <= n_f), cells, 0), -x if kind == JOINT else 0 * x


@lean_kernel
def fill_run_masks(groups, run_masks):
    """Tell which rows of its small group each run holds.

    IN groups; OUT run_masks (n_runs,), filled for small groups.
    """
    for g in range(groups.n_large, groups.n_large + groups.n_small):
        begin = groups.run_starts[groups.group_runs[g]]
        for run in range(groups.group_runs[g], groups.group_runs[g + 1]):
            low = np.uint64(groups.run_starts[run] - begin)
            high = np.uint64(groups.run_starts[run + 1] - begin)
            run_masks[run] = (~np.uint64(0) >> (np.uint64(64) - high)) & (~np.uint64(0) << low)


@lean_kernel
def grouped_sums(
    codes, features, n_values, groups, run_masks, kind, fixed, cells, values, buffer, counts, sums
):
    """Sum, over groups and cells, what depends on the feature.

    IN codes (n_features, n_rows), features (k,) rows of codes, n_values (n_features,) at most 16,
    groups, run_masks (from `fill_run_masks`), kind, fixed, cells, values (from `cell_tables`);
    TEMP buffer (at least n_left + 64,), counts (at least n_labels, 16); OUT sums (k, n_outputs).

    Two cases have kernels of their own: whoever needs one compiles one.
    """
    for k in range(features.shape[0]):
        column = codes[features[k]]
        width = n_values[features[k]]
        _large_groups(column, width, groups, kind, fixed, buffer, counts, sums, k)
        _small_groups(buffer, width, groups, run_masks, cells, sums, k)
        _pairs(column, groups, cells[2, 1], sums, k)


@lean_kernel
def grouped_mirrored_sums(
    codes, features, n_values, groups, run_masks, kind, fixed, cells, values, buffer, counts, sums
):
    """Do what `grouped_sums` does for one of two labels against the other: equal outputs."""
    for k in range(features.shape[0]):
        column = codes[features[k]]
        width = n_values[features[k]]
        _large_groups(column, width, groups, kind, fixed, buffer, counts, sums, k)
        sums[k, 0] += _small_groups_mirrored(buffer, width, groups, run_masks, cells)
        sums[k, 0] += _equal_pairs(column, groups) * cells[2, 1]
        sums[k, 1] = sums[k, 0]


@lean_kernel
def grouped_joint_sums(
    codes, features, n_values, groups, run_masks, kind, fixed, cells, values, buffer, counts, sums
):
    """Do what `grouped_sums` does for the only output of `JOINT`."""
    for k in range(features.shape[0]):
        column = codes[features[k]]
        width = n_values[features[k]]
        _large_groups(column, width, groups, kind, fixed, buffer, counts, sums, k)
        sums[k, 0] += _small_groups_joint(buffer, width, groups, run_masks, cells, values)
        sums[k, 0] += _equal_pairs(column, groups) * values[2]


@lean_routine
def _large_groups(column, width, groups, kind, fixed, buffer, counts, sums, k):
    """Gather all groups but the pairs, and count the large ones."""
    n_masked = groups.n_large + groups.n_small
    for r in range(groups.run_starts[groups.group_runs[n_masked]]):
        buffer[r] = column[groups.rows[r]]
    for g in range(groups.n_large):
        first_run, last_run = groups.group_runs[g], groups.group_runs[g + 1]
        for run in range(first_run, last_run):
            begin, end = groups.run_starts[run], groups.run_starts[run + 1]
            _count_run(buffer, begin, end, width, counts, run - first_run)
        fold_counts(counts, width, groups, g, np.int64(0), kind, fixed, sums, k)


@lean_routine
def _count_run(buffer, begin, end, width, counts, row):
    """Count the values of one run. IN buffer, begin, end, width, row; OUT counts[row, :width]."""
    for value in range(width):
        counts[row, value] = 0
    for at in range(begin, end, 64):
        rest = ~np.uint64(0) >> np.uint64(64 - min(end - at, 64))
        for value in range(width - 1):
            mask = equal_mask(buffer, at, value) & rest
            rest ^= mask
            counts[row, value] += popcount(mask)
        counts[row, width - 1] += popcount(rest)


@lean_routine
def _small_groups_mirrored(buffer, width, groups, run_masks, cells):
    """Two labels: the outputs are equal, so the first run of each group is enough."""
    total = np.int64(0)
    group_runs, run_starts = groups.group_runs, groups.run_starts
    for g in range(groups.n_large, groups.n_large + groups.n_small):
        run = group_runs[g]
        begin, first = run_starts[run], run_masks[run]
        rest = first | run_masks[run + 1]
        for value in range(width - 1):
            mask = equal_mask(buffer, begin, value) & rest
            rest ^= mask
            total += cells[popcount(mask), popcount(mask & first)]
        # The last value has the rows that no other has.
        total += cells[popcount(rest), popcount(rest & first)]
    return total


@lean_routine
def _small_groups_joint(buffer, width, groups, run_masks, cells, values):
    """One output: all runs of a group add to it, and so do the values."""
    total = np.int64(0)
    group_runs, run_starts = groups.group_runs, groups.run_starts
    for g in range(groups.n_large, groups.n_large + groups.n_small):
        first_run, last_run = group_runs[g], group_runs[g + 1]
        begin, end = run_starts[first_run], run_starts[last_run]
        rest = ~np.uint64(0) >> np.uint64(64 - (end - begin))
        for value in range(width):
            mask = equal_mask(buffer, begin, value) & rest
            rest ^= mask
            n_f = popcount(mask)
            if n_f < 2:
                continue  # a value with one row adds nothing
            total += values[n_f]
            for run in range(first_run, last_run):
                total += cells[n_f, popcount(mask & run_masks[run])]
    return total


@lean_routine
def _small_groups(buffer, width, groups, run_masks, cells, sums, k):
    group_runs, run_starts, run_labels = groups.group_runs, groups.run_starts, groups.run_labels
    for g in range(groups.n_large, groups.n_large + groups.n_small):
        first_run, last_run = group_runs[g], group_runs[g + 1]
        begin, end = run_starts[first_run], run_starts[last_run]
        rest = ~np.uint64(0) >> np.uint64(64 - (end - begin))
        for value in range(width):
            mask = equal_mask(buffer, begin, value) & rest
            rest ^= mask
            n_f = popcount(mask)
            if n_f < 2:
                continue  # a value with one row adds nothing
            for run in range(first_run, last_run):
                sums[k, run_labels[run]] += cells[n_f, popcount(mask & run_masks[run])]


@lean_routine
def _equal_pairs(column, groups):
    equal = np.int64(0)
    run = groups.group_runs[groups.n_large + groups.n_small]
    for r in range(groups.run_starts[run], groups.rows.shape[0], 2):
        equal += column[groups.rows[r]] == column[groups.rows[r + 1]]
    return equal


@lean_routine
def _pairs(column, groups, term, sums, k):
    run = groups.group_runs[groups.n_large + groups.n_small]
    for r in range(groups.run_starts[run], groups.rows.shape[0], 2):
        if column[groups.rows[r]] == column[groups.rows[r + 1]]:
            sums[k, groups.run_labels[run]] += term
            sums[k, groups.run_labels[run + 1]] += term
        run += 2
