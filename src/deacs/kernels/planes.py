"""Few values, few runs: count against the runs' bit-planes, in the order of the table.

Nothing is gathered. For every 64 rows and every value one comparison makes a mask, and a popcount
for every run counts a cell. This also is the place for plain two-way counts: the runs may be the
labels of a class, the values of a feature, or of several.
"""

import numpy as np

from deacs.kernels.codes import fold_counts
from deacs.kernels.jit import lean_kernel, lean_routine
from deacs.kernels.masks import equal_mask, popcount

__all__ = ["fill_planes", "plane_counts", "plane_sums"]


@lean_kernel
def fill_planes(groups, planes):
    """Set bit `row` of plane `run` for every row of a run.

    IN groups; OUT planes (n_runs, n_words), zero on entry.
    """
    for run in range(planes.shape[0]):
        for r in range(groups.run_starts[run], groups.run_starts[run + 1]):
            row = np.uint64(groups.rows[r])
            planes[run, row >> np.uint64(6)] |= np.uint64(1) << (row & np.uint64(63))


@lean_routine
def plane_counts(column, width, planes, run_starts, tail, counts):
    """Count how often each value of a column occurs in each run.

    IN column (n_rows,), width: the number of values, planes (n_runs, n_words), run_starts
    (n_runs + 1,); TEMP tail (64,); OUT counts (n_runs, at least width).
    """
    n_runs = planes.shape[0]
    n_full = column.shape[0] // 64
    for run in range(n_runs):
        for value in range(width - 1):
            counts[run, value] = 0
        counts[run, width - 1] = run_starts[run + 1] - run_starts[run]
    # The last rows, behind which the column ends, are copied to where 64 may be read.
    for r in range(64 * n_full, column.shape[0]):
        tail[r - 64 * n_full] = column[r]
    for word in range(planes.shape[1]):
        for value in range(width - 1):
            mask = (
                equal_mask(column, 64 * word, value)
                if word < n_full
                else equal_mask(tail, 0, value)
            )
            for run in range(n_runs):
                n = popcount(mask & planes[run, word])
                counts[run, value] += n
                counts[run, width - 1] -= n


@lean_kernel
def plane_sums(codes, features, n_values, groups, planes, kind, fixed, tail, counts, sums):
    """Sum, over groups and cells, what depends on the feature.

    IN codes (n_features, n_rows), features (k,) rows of codes, n_values (n_features,), groups,
    planes (from `fill_planes`), kind, fixed; TEMP tail (64,), counts (n_runs, max(n_values)); OUT
    sums (k, n_outputs).
    """
    for k in range(features.shape[0]):
        width = n_values[features[k]]
        plane_counts(codes[features[k]], width, planes, groups.run_starts, tail, counts)
        for g in range(groups.group_runs.shape[0] - 1):
            fold_counts(counts, width, groups, g, groups.group_runs[g], kind, fixed, sums, k)
