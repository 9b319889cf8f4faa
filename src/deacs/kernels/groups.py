"""Rows sorted by group of S and label, without groups that have only one label.

A *group* is one joint value of S, a *run* the rows of one label in one group. Refining by a newly
selected column is one stable pass over the remaining rows; groups with a single label are dropped,
since they add zero to every later score. For counting by masks, groups are arranged in three
classes: large ones, small ones (at most 64 rows, so that a mask is one word), and pairs.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.jit import patient_kernel

__all__ = ["SMALL", "Groups", "SplitScratch", "arrange", "refine"]

SMALL = 64
"""The number of rows in a mask."""


class Groups(NamedTuple):
    """Remaining rows by group and label; if arranged, large groups, small groups, then pairs."""

    rows: NDArray[np.int32]
    """Row numbers, sorted by group, then by label, then by row."""
    run_starts: NDArray[np.int64]
    """The start of each run in `rows`, and the end of the last."""
    run_labels: NDArray[np.int32]
    """The label of each run."""
    group_runs: NDArray[np.int64]
    """The start of each group in `run_labels`, and the end of the last."""
    n_large: int = -1
    """The number of groups with more than 64 rows; -1 if groups are not arranged."""
    n_small: int = -1
    """The number of groups with 3 to 64 rows; the rest are pairs."""


class SplitScratch(NamedTuple):
    """Work space for splitting groups by a column."""

    n_with: NDArray[np.int64]
    """Rows with each value, (n_values,), zero on entry and exit."""
    start: NDArray[np.int64]
    seen: NDArray[np.int64]
    values: NDArray[np.unsignedinteger[Any]]
    """(n_left,)"""
    row_labels: NDArray[np.int32]
    """(n_left,)"""


@patient_kernel
def refine(groups, first_group, last_group, column, ignored, scratch, split):
    """Split groups by the values of `column`; drop the parts with one label.

    IN groups, first_group, last_group: the range to split, column, ignored: the code whose rows are
    dropped too, or -1; TEMP scratch; OUT split: the remaining groups. Returns the numbers of
    remaining rows, runs and groups.

    Threads share arrays with an entry for each row: each uses the range of its own groups' rows, in
    which rows and runs are numbered from zero.
    """
    count, start, seen, values, row_labels = scratch
    rows, run_starts, run_labels, group_runs = split[:4]
    offset = groups.run_starts[groups.group_runs[first_group]]
    n_rows = n_runs = n_groups = offset
    for g in range(first_group, last_group):
        first_run, last_run = groups.group_runs[g], groups.group_runs[g + 1]
        begin, end = groups.run_starts[first_run], groups.run_starts[last_run]

        n_seen = 0
        for r in range(begin, end):
            value = column[groups.rows[r]]
            values[r] = value
            if count[value] == 0:
                seen[n_seen] = value
                n_seen += 1
            count[value] += 1

        position = n_rows
        for k in range(n_seen):
            start[seen[k]] = position
            position += count[seen[k]]
        for run in range(first_run, last_run):
            for r in range(groups.run_starts[run], groups.run_starts[run + 1]):
                target = start[values[r]]
                start[values[r]] = target + 1
                rows[target] = groups.rows[r]
                row_labels[target] = groups.run_labels[run]

        # Close the gaps of dropped parts; reading never falls behind writing.
        read = n_rows
        for k in range(n_seen):
            size = count[seen[k]]
            count[seen[k]] = 0
            if seen[k] != ignored and row_labels[read] != row_labels[read + size - 1]:
                group_runs[n_groups] = n_runs - offset
                n_groups += 1
                previous = np.int32(-1)
                for r in range(read, read + size):
                    label = row_labels[r]
                    if label != previous:
                        run_starts[n_runs] = n_rows - offset
                        run_labels[n_runs] = label
                        n_runs += 1
                        previous = label
                    rows[n_rows] = rows[r]
                    n_rows += 1
            read += size
    return n_rows - offset, n_runs - offset, n_groups - offset


@patient_kernel
def arrange(groups, ordered):
    """Put large groups first, then small ones, then pairs.

    IN groups; OUT ordered: the same in the new order. Returns the numbers of large and of small
    groups.
    """
    rows, run_starts, run_labels, group_runs = groups[:4]
    out_rows, out_starts, out_labels, out_groups = ordered[:4]
    n_groups = group_runs.shape[0] - 1
    n_large = n_small = 0
    g_out = run_out = row_out = 0
    for wanted in range(3):
        for g in range(n_groups):
            first_run, last_run = group_runs[g], group_runs[g + 1]
            size = run_starts[last_run] - run_starts[first_run]
            if (0 if size > SMALL else 1 if size > 2 else 2) != wanted:
                continue
            n_large += wanted == 0
            n_small += wanted == 1
            out_groups[g_out] = run_out
            g_out += 1
            for run in range(first_run, last_run):
                out_starts[run_out] = row_out
                out_labels[run_out] = run_labels[run]
                run_out += 1
                for r in range(run_starts[run], run_starts[run + 1]):
                    out_rows[row_out] = rows[r]
                    row_out += 1
    out_groups[g_out] = run_out
    out_starts[run_out] = row_out
    return n_large, n_small
