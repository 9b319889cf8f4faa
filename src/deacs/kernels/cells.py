"""Counts themselves, where parts of a table lie in several places: cells of a run and a value.

Counts of parts add; sums of X(n) = n log2 n do not.
"""

from deacs.kernels.jit import lean_kernel
from deacs.kernels.planes import plane_counts
from deacs.kernels.weights import weight_of

__all__ = ["plane_cells", "row_cells"]


@lean_kernel
def plane_cells(columns, planes, run_starts, first, scratch, cells):
    """Count cells by masks, in the order of the table.

    IN columns, planes (n_runs, n_words) (from `fill_planes`), run_starts (n_runs + 1,), first (k,)
    where the cells of a feature begin; TEMP scratch; OUT cells: run r and value v at
    first + r * n_values + v.
    """
    codes, features, n_values, _ = columns
    for k in range(features.shape[0]):
        width = n_values[features[k]]
        plane_counts(codes[features[k]], width, planes, run_starts, scratch)
        for run in range(planes.shape[0]):
            for value in range(width):
                cells[first[k] + run * width + value] = scratch.counts[run, value]


@lean_kernel
def row_cells(columns, rows, run_starts, weights, first, cells):
    """Count cells row by row.

    IN columns, rows in the order of the runs, run_starts (n_runs + 1,), weights (see
    `feature_sums`), first (as for `plane_cells`); OUT cells, zero on entry.
    """
    codes, features, n_values, _ = columns
    for k in range(features.shape[0]):
        column = codes[features[k]]
        width = n_values[features[k]]
        for run in range(run_starts.shape[0] - 1):
            begin = first[k] + run * width
            for r in range(run_starts[run], run_starts[run + 1]):
                cells[begin + column[rows[r]]] += weight_of(weights, rows[r])
