"""Few values, any number of groups: gather a column in group order, count by masks.

A small group is one mask of at most 64 rows: each value takes one comparison, each run one
popcount, and the term of a cell is looked up in a table that fits the first-level cache. A pair of
rows takes one comparison: its cells add something only if both rows have the same value.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.codes import DIVERGENCE, JOINT, ONE_VS_REST, fold_counts
from deacs.kernels.fixed_point import scaled_product, tables
from deacs.kernels.groups import SMALL
from deacs.kernels.jit import lean_kernel, lean_routine
from deacs.kernels.masks import equal_mask, popcount

__all__ = [
    "MAX_VALUES",
    "CellTables",
    "MaskScratch",
    "cell_tables",
    "count_run",
    "grouped_joint_sums",
    "grouped_mirrored_sums",
    "grouped_sums",
    "mask_scratch",
    "small_groups",
]

MAX_VALUES = 16
"""Features with more values are counted row by row."""

PADDING = 64
"""A mask reads this many codes, so buffers are padded by as many."""


class CellTables(NamedTuple):
    """Terms of small groups."""

    cells: NDArray[np.int64]
    """The term of a cell, [n_f, n_fi], (65, 65)."""
    values: NDArray[np.int64]
    """The term of a value, [n_f], (65,)."""


class MaskScratch(NamedTuple):
    """Work space for counting by masks."""

    buffer: NDArray[np.unsignedinteger[Any]]
    """A column in group order, (at least n_left + 64,)."""
    counts: NDArray[np.int64]
    """Counts of the values in each run of a large group, (at least n_labels, 16)."""


def mask_scratch(n_labels: int, n_left: int, dtype: Any) -> MaskScratch:
    """Return a work space for a number of rows."""
    return MaskScratch(
        np.empty(n_left + PADDING, dtype),
        np.empty((n_labels, MAX_VALUES), dtype=np.int64),
    )


@cache
def cell_tables(kind: int, scale_bits: int) -> CellTables:
    """Return the terms of small groups for a kind of score."""
    x, logs = tables(SMALL + 1, scale_bits)
    n_fi = np.arange(SMALL + 1)
    n_f = n_fi[:, np.newaxis]
    cells = x + 0 * n_f
    if kind == ONE_VS_REST:
        cells += x[np.maximum(n_f - n_fi, 0)] - x[n_f]
    elif kind == DIVERGENCE:
        cells -= scaled_product.py_func(n_fi, logs[n_f], scale_bits)
    cells = np.where((n_fi > 0) & (n_fi <= n_f), cells, 0)
    return CellTables(cells, -x if kind == JOINT else 0 * x)


@lean_kernel
def grouped_sums(columns, groups, run_masks, kind, fixed, tables, chance, scratch, sums):
    """Sum, over groups and cells, what depends on the feature.

    IN columns of at most 16 values, groups (arranged), run_masks (from `fill_run_masks`), kind,
    fixed, tables (from `cell_tables`), chance or None; TEMP scratch; OUT sums (k, n_outputs), zero
    on entry.

    Two cases have separate kernels, so that only the one needed is compiled.
    """
    codes, features, n_values, _ = columns
    for k in range(features.shape[0]):
        column = codes[features[k]]
        width = n_values[features[k]]
        _large_groups(column, width, groups, kind, fixed, chance, scratch, sums, k)
        small_groups(
            scratch.buffer, width, groups, groups.group_runs, groups.run_labels,
            run_masks, tables.cells, chance, sums, k,
        )  # fmt: skip
        _pairs(column, groups, tables.cells[2, 1], chance, sums, k)


@lean_kernel
def grouped_mirrored_sums(columns, groups, run_masks, kind, fixed, tables, chance, scratch, sums):
    """Compute `grouped_sums` for two labels, whose outputs are equal."""
    codes, features, n_values, _ = columns
    for k in range(features.shape[0]):
        column = codes[features[k]]
        width = n_values[features[k]]
        _large_groups(column, width, groups, kind, fixed, chance, scratch, sums, k)
        sums[k, 0] += _small_groups_mirrored(
            scratch.buffer, width, groups, run_masks, tables.cells, chance
        )
        sums[k, 0] += _equal_pairs(column, groups, chance) * tables.cells[2, 1]
        sums[k, 1] = sums[k, 0]


@lean_kernel
def grouped_joint_sums(columns, groups, run_masks, kind, fixed, tables, chance, scratch, sums):
    """Compute `grouped_sums` for the only output of `JOINT`, without a correction for chance."""
    codes, features, n_values, _ = columns
    for k in range(features.shape[0]):
        column = codes[features[k]]
        width = n_values[features[k]]
        _large_groups(column, width, groups, kind, fixed, chance, scratch, sums, k)
        sums[k, 0] += _small_groups_joint(scratch.buffer, width, groups, run_masks, tables)
        sums[k, 0] += _equal_pairs(column, groups, chance) * tables.values[2]


@lean_routine
def _large_groups(column, width, groups, kind, fixed, chance, scratch, sums, k):
    """Gather all groups but the pairs, and count the large ones."""
    buffer, counts = scratch
    n_masked = groups.n_large + groups.n_small
    for r in range(groups.run_starts[groups.group_runs[n_masked]]):
        buffer[r] = column[groups.rows[r]]
    for g in range(groups.n_large):
        first_run, last_run = groups.group_runs[g], groups.group_runs[g + 1]
        for run in range(first_run, last_run):
            begin, end = groups.run_starts[run], groups.run_starts[run + 1]
            count_run(buffer, begin, end, width, counts, run - first_run)
        fold_counts(counts, width, groups, g, np.int64(0), kind, fixed, chance, sums, k)


@lean_routine
def count_run(buffer, begin, end, width, counts, row):
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
def _small_groups_mirrored(buffer, width, groups, run_masks, cells, chance):
    """Two labels: the outputs are equal, so the first run of each group is enough."""
    total = np.int64(0)
    group_runs, run_starts = groups.group_runs, groups.run_starts
    for g in range(groups.n_large, groups.n_large + groups.n_small):
        run = group_runs[g]
        begin, first = run_starts[run], run_masks[run]
        rest = first | run_masks[run + 1]
        for value in range(width):
            mask = rest
            if value < width - 1:  # the last value has the remaining rows
                mask &= equal_mask(buffer, begin, value)
            rest ^= mask
            n_f = np.uint64(popcount(mask))
            total += cells[n_f, np.uint64(popcount(mask & first))]
            if chance is not None:
                total -= chance.small[np.uint64(chance.starts[run]) + n_f]
    return total


@lean_routine
def _small_groups_joint(buffer, width, groups, run_masks, tables):
    """One output: all runs of a group add to it, and so do the values."""
    cells, values = tables
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
def small_groups(buffer, width, groups, bounds, outputs, rows, cells, chance, sums, k):
    """Sum over groups of one word, each in parts: runs, or the rows of an output.

    IN buffer: a column in group order, width, groups, bounds (n_groups + 1,): where the parts of
    each group begin, outputs (n_parts,), rows (n_parts,): the mask of each part, cells, chance or
    None, k; OUT sums.
    """
    group_runs, run_starts = groups.group_runs, groups.run_starts
    mine = sums[k]
    for g in range(groups.n_large, groups.n_large + groups.n_small):
        begin, end = run_starts[group_runs[g]], run_starts[group_runs[g + 1]]
        rest = ~np.uint64(0) >> np.uint64(64 - (end - begin))
        first, last = bounds[g], bounds[g + 1]
        for value in range(width):
            mask = rest
            if value < width - 1:  # the last value has the remaining rows
                mask &= equal_mask(buffer, begin, value)
            rest ^= mask
            n_f = np.uint64(popcount(mask))
            row = cells[n_f]
            for part in range(first, last):
                term = row[np.uint64(popcount(mask & rows[part]))]
                if chance is not None:
                    term -= chance.small[np.uint64(chance.starts[part]) + n_f]
                mine[outputs[part]] += term


@lean_routine
def _equal_pairs(column, groups, chance):
    """Count the pairs of rows with equal values.

    Corrected for chance, a pair adds the same whether its values are equal or not: the term minus
    its expectation is that of equal values, so all pairs count.
    """
    equal = np.int64(0)
    run = groups.group_runs[groups.n_large + groups.n_small]
    begin = groups.run_starts[run]
    if chance is not None:
        return (groups.rows.shape[0] - begin) // 2
    for r in range(begin, groups.rows.shape[0], 2):
        equal += column[groups.rows[r]] == column[groups.rows[r + 1]]
    return equal


@lean_routine
def _pairs(column, groups, term, chance, sums, k):
    """Sum over pairs of rows; see `_equal_pairs`."""
    run = groups.group_runs[groups.n_large + groups.n_small]
    for r in range(groups.run_starts[run], groups.rows.shape[0], 2):
        if chance is not None or column[groups.rows[r]] == column[groups.rows[r + 1]]:
            sums[k, groups.run_labels[run]] += term
            sums[k, groups.run_labels[run + 1]] += term
        run += 2
