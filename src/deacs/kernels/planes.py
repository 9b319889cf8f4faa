"""Few values, few runs: count against the runs' bit-planes, in the order of the table.

Nothing is gathered. For every 64 rows and every value, one comparison yields a mask, and one
popcount per run counts a cell. This also serves plain two-way counts: the runs may be the classes,
or the values of one or more features.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.codes import fold_counts
from deacs.kernels.jit import lean_kernel, lean_routine
from deacs.kernels.masks import equal_mask, popcount

__all__ = ["PlaneScratch", "fill_planes", "plane_counts", "plane_scratch", "plane_sums"]


class PlaneScratch(NamedTuple):
    """Work space for counting against planes."""

    tail: NDArray[np.unsignedinteger[Any]]
    """The last codes of a column, padded to 64, (64,)."""
    counts: NDArray[np.int64]
    """(n_runs, at least max(n_values))."""


def plane_scratch(n_runs: int, widest: int, dtype: Any) -> PlaneScratch:
    """Return a work space for features with a given largest number of values."""
    return PlaneScratch(np.zeros(64, dtype), np.empty((n_runs, widest), np.int64))


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
def plane_counts(column, width, planes, run_starts, scratch):
    """Count the values of a column in each run.

    IN column (n_rows,), width: the number of values, planes (n_runs, n_words), run_starts
    (n_runs + 1,); OUT scratch.counts.
    """
    tail, counts = scratch
    n_runs = planes.shape[0]
    n_full = column.shape[0] // 64
    for run in range(n_runs):
        counts[run, width - 1] = run_starts[run + 1] - run_starts[run]
    # The last rows are copied to a padded buffer, since 64 codes are read at a time.
    for r in range(64 * n_full, column.shape[0]):
        tail[r - 64 * n_full] = column[r]
    for value in range(width - 1):
        last = equal_mask(tail, 0, value)
        # Two runs at a time (the last one twice), so that sums stay in registers.
        for run in range(0, n_runs, 2):
            other = min(run + 1, n_runs - 1)
            one, two = planes[run], planes[other]
            n = m = np.int64(0)
            for word in range(n_full):
                mask = equal_mask(column, 64 * word, value)
                n += popcount(mask & one[word])
                m += popcount(mask & two[word])
            if n_full < one.shape[0]:
                n += popcount(last & one[n_full])
                m += popcount(last & two[n_full])
            counts[run, value], counts[other, value] = n, m
            counts[run, width - 1] -= n
            counts[other, width - 1] -= m if other > run else 0


@lean_kernel
def plane_sums(columns, groups, planes, kind, fixed, chance, scratch, sums):
    """Sum, over groups and cells, what depends on the feature.

    IN columns, groups, planes (from `fill_planes`), kind, fixed, chance or None; TEMP scratch; OUT
    sums (k, n_outputs), zero on entry.
    """
    codes, features, n_values, _ = columns
    for k in range(features.shape[0]):
        width = n_values[features[k]]
        plane_counts(codes[features[k]], width, planes, groups.run_starts, scratch)
        for g in range(groups.group_runs.shape[0] - 1):
            offset = groups.group_runs[g]
            fold_counts(scratch.counts, width, groups, g, offset, kind, fixed, chance, sums, k)
