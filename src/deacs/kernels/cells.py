"""Cell counts by run and value, for tables whose parts are stored in several places.

Counts of parts add; sums of X(n) = n log2 n do not.
"""

from deacs.kernels.grouped import count_run
from deacs.kernels.jit import lean_kernel
from deacs.kernels.planes import plane_counts
from deacs.kernels.weights import weight_of

__all__ = ["deal_rows", "find_runs", "gathered_cells", "plane_cells", "row_cells"]

FEW_ROWS = 12
"""Runs of fewer rows are counted row by row, which is then faster than a mask."""


@lean_kernel
def plane_cells(columns, planes, run_starts, first, scratch, cells):
    """Count cells by masks, in the order of the table.

    IN columns, planes (n_runs, n_words) (from `fill_planes`), run_starts (n_runs + 1,), first (k,)
    the offset of a feature's cells; TEMP scratch; OUT cells: run r and value v at
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
def gathered_cells(columns, rows, run_starts, first, scratch, cells):
    """Count cells by masks, in the order of the runs.

    IN columns of at most 16 values, rows in the order of the runs, run_starts (n_runs + 1,), first
    (as for `plane_cells`); TEMP scratch; OUT cells, zero on entry.
    """
    codes, features, n_values, _ = columns
    buffer, counts = scratch
    for k in range(features.shape[0]):
        column = codes[features[k]]
        width = n_values[features[k]]
        for r in range(rows.shape[0]):
            buffer[r] = column[rows[r]]
        for run in range(run_starts.shape[0] - 1):
            at = first[k] + run * width
            if run_starts[run + 1] - run_starts[run] < FEW_ROWS:
                for r in range(run_starts[run], run_starts[run + 1]):
                    cells[at + buffer[r]] += 1
            else:
                count_run(buffer, run_starts[run], run_starts[run + 1], width, counts, 0)
                for value in range(width):
                    cells[at + value] = counts[0, value]


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


@lean_kernel
def find_runs(rows, run_starts, column, width, run_of, target):
    """Look up the new run of each row.

    IN rows, run_starts (n_runs + 1,), column, width: how many values it has, run_of
    (n_runs * width,): the new run of each cell, or -1; OUT target (n_rows,).
    """
    for run in range(run_starts.shape[0] - 1):
        for r in range(run_starts[run], run_starts[run + 1]):
            target[r] = run_of[run * width + column[rows[r]]]


@lean_kernel
def deal_rows(rows, target, starts, dealt):
    """Sort rows by run, stably.

    IN rows, target (n_rows,): the run of each, or -1 if it leaves; OUT starts (n_runs + 2,), zero
    on entry: where each run begins, and one entry more; dealt (n_rows,).
    """
    for r in range(rows.shape[0]):
        if target[r] >= 0:
            starts[target[r] + 2] += 1
    for run in range(2, starts.shape[0]):
        starts[run] += starts[run - 1]
    for r in range(rows.shape[0]):
        if target[r] >= 0:
            dealt[starts[target[r] + 1]] = rows[r]
            starts[target[r] + 1] += 1
