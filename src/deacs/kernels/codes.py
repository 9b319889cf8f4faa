"""Grouped codes: counts of (group, value, label) cells, folded into fixed-point sums.

Rows are kept ordered by group and, inside a group, by label. A *run* is the rows of one label in
one group. Refining by a newly selected column is one stable pass over the rows that are left;
groups with a single label retire, for they add zero to every score for ever.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from deacs.kernels.fixed_point import weighted_log, xlogx

__all__ = ["DIVERGENCE", "JOINT", "ONE_VS_REST", "Groups", "base_sums", "feature_sums", "refine"]

ONE_VS_REST = 0
"""Output i is N I(F; C_i | S), C_i = [C = c_i]."""
DIVERGENCE = 1
"""Output i is N_i Div(F; c_i | S), the share of label i in N I(F; C | S)."""
JOINT = 2
"""The only output is N I(F; C | S)."""


class Groups(NamedTuple):
    """Rows that are left, by group and label; four flat arrays."""

    rows: NDArray[np.int32]
    """Row numbers, ordered by group, then by label."""
    run_starts: NDArray[np.int64]
    """Where each run begins in `rows`; one more entry closes the last."""
    run_labels: NDArray[np.int32]
    """The label of each run."""
    group_runs: NDArray[np.int64]
    """Where each group begins in `run_labels`; one more entry closes the last."""


@njit(cache=True, nogil=True)
def refine(groups, column, count, start, rows, row_labels, run_starts, run_labels, group_runs):
    """Split every group by the values of `column`; retire the parts with one label.

    IN groups, column; TEMP count, start (n_values, count zero on entry and exit), row_labels
    (n_left); OUT rows, run_starts, run_labels, group_runs. Returns the rows, runs and groups left.
    """
    n_rows = n_runs = n_groups = 0
    seen = np.empty(count.shape[0], dtype=np.int64)
    for g in range(groups.group_runs.shape[0] - 1):
        first_run, last_run = groups.group_runs[g], groups.group_runs[g + 1]
        begin, end = groups.run_starts[first_run], groups.run_starts[last_run]

        n_seen = 0
        for r in range(begin, end):
            value = column[groups.rows[r]]
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
                row = groups.rows[r]
                target = start[column[row]]
                start[column[row]] = target + 1
                rows[target] = row
                row_labels[target] = groups.run_labels[run]

        # Close up over the parts that retire; what is read lies at or behind what is written.
        read = n_rows
        for k in range(n_seen):
            size = count[seen[k]]
            count[seen[k]] = 0
            if row_labels[read] != row_labels[read + size - 1]:
                group_runs[n_groups] = n_runs
                n_groups += 1
                previous = np.int32(-1)
                for r in range(read, read + size):
                    label = row_labels[r]
                    if label != previous:
                        run_starts[n_runs] = n_rows
                        run_labels[n_runs] = label
                        n_runs += 1
                        previous = label
                    rows[n_rows] = rows[r]
                    n_rows += 1
            read += size
    run_starts[n_runs] = n_rows
    group_runs[n_groups] = n_runs
    return n_rows, n_runs, n_groups


@njit(cache=True, nogil=True)
def feature_sums(codes, features, n_values, groups, kind, fixed, sums, dependent):
    """Sum, over groups and cells, what depends on the feature.

    IN codes (n_features, n_rows), features (k,) rows of codes, n_values (n_features,), groups,
    kind, fixed; OUT sums (k, n_outputs), dependent (k, n_outputs): whether some cell has
    n_fi n_g != n_f n_i, decided in integers. Where a label occurs, its cells with n_fi > 0 decide
    alone: if they all agree they hold every row of the group.
    """
    widest = 0
    for k in range(features.shape[0]):
        widest = max(widest, n_values[features[k]])
    in_group = np.zeros(widest, dtype=np.int64)
    in_run = np.zeros(widest, dtype=np.int64)
    values = np.empty(groups.rows.shape[0], dtype=codes.dtype)

    for k in range(features.shape[0]):
        column = codes[features[k]]
        width = n_values[features[k]]
        for g in range(groups.group_runs.shape[0] - 1):
            first_run, last_run = groups.group_runs[g], groups.group_runs[g + 1]
            begin, end = groups.run_starts[first_run], groups.run_starts[last_run]
            n_g = end - begin
            for r in range(begin, end):
                value = column[groups.rows[r]]
                values[r] = value
                in_group[value] += 1

            for run in range(first_run, last_run):
                run_begin, run_end = groups.run_starts[run], groups.run_starts[run + 1]
                n_i = run_end - run_begin
                output = 0 if kind == JOINT else groups.run_labels[run]
                for r in range(run_begin, run_end):
                    in_run[values[r]] += 1
                total = np.int64(0)
                differs = False
                # Visit each value of the run once: through the values when rows are many,
                # through the rows when they are few.
                n_visits = min(width, n_i)
                for visit in range(n_visits):
                    value = visit if n_visits == width else values[run_begin + visit]
                    n_fi = in_run[value]
                    if n_fi == 0:
                        continue
                    in_run[value] = 0
                    n_f = in_group[value]
                    differs |= n_fi * n_g != n_f * n_i
                    total += xlogx(n_fi, fixed)
                    if kind == ONE_VS_REST:
                        total += xlogx(n_f - n_fi, fixed) - xlogx(n_f, fixed)
                    elif kind == DIVERGENCE:
                        total -= weighted_log(n_fi, n_f, fixed)
                sums[k, output] += total
                dependent[k, output] |= differs

            n_visits = min(width, n_g)
            for visit in range(n_visits):
                value = visit if n_visits == width else values[begin + visit]
                if kind == JOINT and in_group[value] > 0:
                    sums[k, 0] -= xlogx(in_group[value], fixed)
                in_group[value] = 0


@njit(cache=True, nogil=True)
def base_sums(groups, kind, fixed, sums):
    """Sum, over groups and labels, what does not depend on the feature.

    IN groups, kind, fixed; OUT sums (n_outputs,). For ONE_VS_REST this is -N H(C_i | S).
    """
    for g in range(groups.group_runs.shape[0] - 1):
        first_run, last_run = groups.group_runs[g], groups.group_runs[g + 1]
        n_g = groups.run_starts[last_run] - groups.run_starts[first_run]
        for run in range(first_run, last_run):
            n_i = groups.run_starts[run + 1] - groups.run_starts[run]
            output = 0 if kind == JOINT else groups.run_labels[run]
            sums[output] += xlogx(n_i, fixed)
            if kind == ONE_VS_REST:
                sums[output] += xlogx(n_g - n_i, fixed) - xlogx(n_g, fixed)
            elif kind == DIVERGENCE:
                sums[output] -= weighted_log(n_i, n_g, fixed)
        if kind == JOINT:
            sums[0] -= xlogx(n_g, fixed)
