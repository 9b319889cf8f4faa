"""Few values, few runs: count against the runs' bit-planes, in the order of the table.

Nothing is gathered. For every 64 rows and every value one comparison makes a mask, and a popcount
for every run counts a cell. This also is the place for plain two-way counts: the runs may be the
labels of a class, the values of a feature, or of several.
"""

import numpy as np
from numba import njit

from deacs.kernels.codes import fold_counts
from deacs.kernels.masks import equal_mask, popcount

__all__ = ["fill_planes", "plane_counts", "plane_sums"]


@njit(cache=True, nogil=True)
def fill_planes(groups, planes):
    """Set bit `row` of plane `run` for every row of a run.

    IN groups; OUT planes (n_runs, n_words), zero on entry.
    """
    for run in range(planes.shape[0]):
        for r in range(groups.run_starts[run], groups.run_starts[run + 1]):
            row = np.uint64(groups.rows[r])
            planes[run, row >> np.uint64(6)] |= np.uint64(1) << (row & np.uint64(63))


@njit(cache=True, nogil=True)
def plane_counts(column, width, planes, run_sizes, tail, counts):
    """Count how often each value of a column occurs in each run.

    IN column (n_rows,), width: the number of values, planes (n_runs, n_words), run_sizes
    (n_runs,); TEMP tail (64,); OUT counts (n_runs, at least width).
    """
    n_runs = planes.shape[0]
    n_full = column.shape[0] // 64
    counts[:, :width] = 0
    for word in range(n_full):
        for value in range(width - 1):
            mask = equal_mask(column, 64 * word, value)
            for run in range(n_runs):
                counts[run, value] += popcount(mask & planes[run, word])
    if planes.shape[1] > n_full:
        # The last rows, behind which the column ends.
        for r in range(64 * n_full, column.shape[0]):
            tail[r - 64 * n_full] = column[r]
        for value in range(width - 1):
            mask = equal_mask(tail, 0, value)
            for run in range(n_runs):
                counts[run, value] += popcount(mask & planes[run, n_full])
    for run in range(n_runs):
        rest = run_sizes[run]
        for value in range(width - 1):
            rest -= counts[run, value]
        counts[run, width - 1] = rest


@njit(cache=True, nogil=True)
def plane_sums(codes, features, n_values, groups, planes, kind, fixed, sums):
    """Sum, over groups and cells, what depends on the feature.

    IN codes (n_features, n_rows), features (k,) rows of codes, n_values (n_features,), groups,
    planes (from `fill_planes`), kind, fixed; OUT sums (k, n_outputs).
    """
    table, logs, scale_bits = fixed
    run_labels, group_runs = groups.run_labels, groups.group_runs
    widest = 1
    for k in range(features.shape[0]):
        widest = max(widest, n_values[features[k]])
    run_sizes = np.diff(groups.run_starts)
    counts = np.zeros((planes.shape[0], widest), dtype=np.int64)
    tail = np.zeros(64, dtype=codes.dtype)
    for k in range(features.shape[0]):
        width = n_values[features[k]]
        plane_counts(codes[features[k]], width, planes, run_sizes, tail, counts)
        for g in range(group_runs.shape[0] - 1):
            first_run, last_run = group_runs[g], group_runs[g + 1]
            n_g = groups.run_starts[last_run] - groups.run_starts[first_run]
            fold_counts(
                *(counts, width, run_labels, first_run, last_run, first_run, n_g),
                *(kind, table, logs, scale_bits, sums, k),
            )
