"""Counts of pairs: every feature against one target, row by row.

The target is a selected feature s, split by the class c if the criterion depends on it: its *runs*
are the joint values (s, c), its *groups* the values of s. With X(n) = n log2 n, a pairwise
criterion needs two sums,

    A = sum over (f, s, c) of X(n_fsc),    B = sum over (f, s) of X(n_fs),

since the other terms of N I(F; S) = B - E - G + X(N), N I(F; C | S) = A - B - D + G,
N I(F, S; C) = A - B - P + X(N) and N I(F; S | C) = A - D - Q + P depend on one variable only, on
the target or, for Q, on the feature and the class. If all rows count, `stored_planes`, `lanes` and
`cross_tables` are faster.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.fixed_point import xlogx
from deacs.kernels.jit import kernel
from deacs.kernels.weights import weight_of

__all__ = ["N_SUMS", "Keys", "count_keys", "row_pair_sums", "rows_by_run"]

N_SUMS = 9
"""The sums that `row_pair_sums` returns for a feature: A, B, D, E, G, P, X(N), N and Q."""


class Keys(NamedTuple):
    """The joint values of a column and the class, v * n_labels + c; `n_labels` 1 leaves it out."""

    codes: NDArray[np.unsignedinteger[Any]]
    labels: NDArray[np.int32]
    n_labels: int


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
def rows_by_run(keys, run_of, starts, rows):
    """Sort rows by run.

    IN keys, run_of (n_keys,): -1 for keys that do not count; TEMP starts (n_runs,): the start of
    each run; OUT rows.
    """
    codes, labels, n_labels = keys
    for row in range(codes.shape[0]):
        label = labels[row] if n_labels > 1 else 0
        run = run_of[codes[row] * n_labels + label]
        if run >= 0:
            rows[starts[run]] = row
            starts[run] += 1


@kernel
def row_pair_sums(columns, groups, weights, fixed, sums):
    """Compute the sums of pairs, row by row, on the rows in which the feature counts.

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
    in_all, in_group, in_run = np.zeros((3, widest), dtype=np.int64)
    by_label = np.zeros(n_labels, dtype=np.int64)
    in_label = np.zeros((n_labels, widest), dtype=np.int64)
    seen, here = np.empty((2, widest + 1), dtype=codes.dtype)

    for k in range(features.shape[0]):
        column = codes[features[k]]
        width = n_values[features[k]]
        skipped = ignored[features[k]]
        cells = pairs = by_run = by_group = np.int64(0)
        total = np.int64(0)
        for g in range(group_runs.shape[0] - 1):
            n_seen, n_group = np.uint64(0), np.int64(0)
            for run in range(group_runs[g], group_runs[g + 1]):
                n_here, n_run, of_label = np.uint64(0), np.int64(0), in_label[run_labels[run]]
                for r in range(run_starts[run], run_starts[run + 1]):
                    # As in `feature_sums`, no branch and no signed index.
                    value, weight = column[np.uint64(rows[r])], weight_of(weights, rows[r])
                    here[n_here] = value
                    n_here += np.uint64((in_run[value] == 0) & (weight > 0))
                    in_run[value] += weight
                    n_run += weight
                if skipped >= 0:
                    n_run -= in_run[skipped]
                    in_run[skipped] = 0
                for visit in range(n_here):
                    value = here[visit]
                    n = in_run[value]
                    in_run[value] = 0
                    seen[n_seen] = value
                    n_seen += np.uint64((in_group[value] == 0) & (n > 0))
                    in_group[value] += n
                    of_label[value] += n
                    cells += xlogx(n, table, scale_bits)
                n_group += n_run
                by_label[run_labels[run]] += n_run
                by_run += xlogx(n_run, table, scale_bits)
            for visit in range(n_seen):
                n = in_group[seen[visit]]
                in_group[seen[visit]] = 0
                in_all[seen[visit]] += n
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
