"""Scores from counts of (group, value, label) cells: codes of any width, any number of values.

`feature_sums` counts row by row and decides exactly which scores are zero; `grouped` and `planes`
count faster if there are few values, and leave that decision to it. Given `Chance`, all of them
subtract the expectation under shuffled labels.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.bias import chance_term, chance_terms, table_start
from deacs.kernels.fixed_point import split_term, weighted_log, xlogx
from deacs.kernels.jit import lean_routine, patient_kernel
from deacs.kernels.parts import place
from deacs.kernels.weights import weight_of

__all__ = [
    "DIVERGENCE",
    "JOINT",
    "ONE_VS_REST",
    "RowScratch",
    "cell_term",
    "feature_sums",
    "fold_counts",
    "present_counts",
    "row_scratch",
]

ONE_VS_REST = 0
"""Output i is N I(F; C_i | S), C_i = [C = c_i]."""
DIVERGENCE = 1
"""Output i is N_i Div(F; c_i | S), the share of label i in N I(F; C | S)."""
JOINT = 2
"""The only output is N I(F; C | S)."""


class RowScratch(NamedTuple):
    """Work space for counting row by row."""

    in_group: NDArray[np.int64]
    """Counts of the values in a group, zero between groups."""
    in_run: NDArray[np.int64]
    """Counts of the values in a part, zero between parts."""
    seen: NDArray[np.unsignedinteger[Any]]
    """The values of a group, and one entry more."""
    here: NDArray[np.unsignedinteger[Any]]
    """The values of a part, and one entry more."""
    values: NDArray[np.unsignedinteger[Any]]
    """The value of each remaining row."""


def row_scratch(widest: int, n_left: int, dtype: Any) -> RowScratch:
    """Return a work space for features with a given largest number of values."""
    in_group, in_run = np.zeros((2, widest), dtype=np.int64)
    seen, here = np.empty((2, widest + 1), dtype)
    return RowScratch(in_group, in_run, seen, here, np.empty(n_left, dtype))


@lean_routine
def cell_term(n_fi, n_f, kind, table, logs, scale_bits):
    """Return the term of a cell with n_fi of the n_f rows of a value, for its label's output.

    If there are no logarithms, the kind is `ONE_VS_REST`.
    """
    if logs is None or kind == ONE_VS_REST:
        return split_term(n_fi, n_f, table, scale_bits)
    term = xlogx(n_fi, table, scale_bits)
    if kind == DIVERGENCE:
        term -= weighted_log(n_fi, n_f, logs, scale_bits)
    return term


@patient_kernel
def feature_sums(columns, groups, parts, weights, kind, fixed, chance, scratch, sums, dependent):
    """Sum, over groups and cells, what depends on the feature.

    IN columns, groups, parts (runs for `JOINT`), weights (n_rows,) how often each row counts, or
    None, kind, fixed (or a whole table), chance or None, known for `ONE_VS_REST` alone; TEMP
    scratch; OUT sums (k, n_outputs), zero on entry, dependent (k, n_outputs): whether some cell has
    n_fi n_g != n_f n_i. For a label that occurs, its cells with n_fi > 0 decide: if they all agree,
    they hold every row of the group. If missing values are ignored, the base term of a group
    depends on the feature and is subtracted here; else `deacs.information` computes it once.
    """
    codes, features, _, ignored = columns
    in_group, in_run, seen, here, values = scratch
    table, logs, scale_bits = fixed
    rows, run_starts, _, group_runs = groups[:4]
    positions = parts.positions
    for k in range(features.shape[0]):
        column, skipped = codes[features[k]], ignored[features[k]]
        for g in range(group_runs.shape[0] - 1):
            n_seen, n_g = np.uint64(0), np.int64(0)
            for r in range(run_starts[group_runs[g]], run_starts[group_runs[g + 1]]):
                value, weight = column[np.uint64(rows[r])], weight_of(weights, rows[r])
                values[np.uint64(r)] = value
                # Without a branch, which small groups of many values would mispredict, and with
                # unsigned indices, as signed ones are tested for being negative.
                seen[n_seen] = value
                n_seen += np.uint64((in_group[value] == 0) & (weight > 0))
                in_group[value] += weight
                n_g += weight
            if skipped >= 0:
                n_g -= in_group[skipped]
                in_group[skipped] = 0
            covered = n_g < table.shape[0] and kind == ONE_VS_REST
            expected, n_before = np.int64(0), np.int64(-1)
            for part in range(parts.groups[g], parts.groups[g + 1]):
                output = 0 if kind == JOINT else parts.outputs[part]
                n_here, n_i = np.uint64(0), np.int64(0)
                for at in range(parts.starts[part], parts.starts[part + 1]):
                    r = place(positions, at)
                    value, weight = values[np.uint64(r)], weight_of(weights, rows[r])
                    here[n_here] = value
                    n_here += np.uint64((in_run[value] == 0) & (weight > 0))
                    in_run[value] += weight
                    n_i += weight
                total = np.int64(0)
                if skipped >= 0:
                    n_i -= in_run[skipped]
                    in_run[skipped] = 0
                    if n_i > 0:
                        total -= cell_term(n_i, n_g, kind, table, logs, scale_bits)
                differs = False
                for visit in range(n_here):
                    n_fi, n_f = in_run[here[visit]], in_group[here[visit]]
                    in_run[here[visit]] = 0
                    differs |= n_fi * n_g != n_f * n_i
                    if logs is None or covered:
                        total += table[np.uint64(n_fi)] + table[np.uint64(n_f - n_fi)]
                        total -= table[np.uint64(n_f)]
                    else:
                        total += cell_term(n_fi, n_f, kind, table, logs, scale_bits)
                if chance is not None:
                    # Parts of one size, and a part and the rest, have the same bias.
                    if n_i != n_before and n_i != n_g - n_before:
                        n_before = n_i
                        start = chance.starts[part] if skipped < 0 else table_start(n_g, n_i)
                        expected = chance_terms(
                            chance, start, n_g, n_i, in_group, seen[:n_seen], table, scale_bits
                        )
                    total -= expected
                sums[k, output] += total
                dependent[k, output] |= differs

            if chance is None and kind == JOINT and skipped >= 0:
                sums[k, 0] += xlogx(n_g, table, scale_bits)
            for visit in range(n_seen):
                if chance is None and kind == JOINT:
                    sums[k, 0] -= xlogx(in_group[seen[visit]], table, scale_bits)
                in_group[seen[visit]] = 0


@lean_routine
def fold_counts(counts, width, groups, g, offset, kind, fixed, chance, sums, k):
    """Fold the counts of group g into the outputs of feature k.

    IN counts: rows are runs, the group's first at row `offset`, columns values; width, groups, g,
    offset, kind, fixed, chance or None, k; OUT sums (any, n_outputs), added to.
    """
    table, logs, scale_bits = fixed
    first_run, last_run = groups.group_runs[g], groups.group_runs[g + 1]
    n_g = groups.run_starts[last_run] - groups.run_starts[first_run]
    # If the table covers the group, the loop needs no call and no test of the size; it is as hot
    # as the counting.
    covered = n_g < table.shape[0]
    for value in range(width):
        n_f = np.int64(0)
        for run in range(last_run - first_run):
            n_f += counts[offset + run, value]
        if n_f == 0:
            continue
        if covered and kind == JOINT:
            total = -table[n_f]
            for run in range(last_run - first_run):
                total += table[counts[offset + run, value]]
            sums[k, 0] += total
        elif covered and kind == ONE_VS_REST:
            whole = table[n_f]
            for run in range(last_run - first_run):
                n_fi = counts[offset + run, value]
                # Zero for n_fi = 0: X(0) + X(n_f) - X(n_f).
                output = groups.run_labels[first_run + run]
                sums[k, output] += table[n_fi] + table[n_f - n_fi] - whole
        else:
            if kind == JOINT:
                sums[k, 0] -= xlogx(n_f, table, scale_bits)
            for run in range(last_run - first_run):
                n_fi = counts[offset + run, value]
                if n_fi > 0:
                    output = 0 if kind == JOINT else groups.run_labels[first_run + run]
                    sums[k, output] += cell_term(n_fi, n_f, kind, table, logs, scale_bits)
        if chance is not None:
            for run in range(first_run, last_run):
                n_i = groups.run_starts[run + 1] - groups.run_starts[run]
                sums[k, groups.run_labels[run]] -= chance_term(
                    chance, chance.starts[run], n_g, n_i, n_f, table, scale_bits
                )


@patient_kernel
def present_counts(columns, labels, weights, counts):
    """Count, by label, the rows in which a feature counts.

    IN columns, labels (n_rows,) negative for rows that do not count at all, weights; OUT counts
    (k, n_labels), zero on entry.
    """
    codes, features, _, ignored = columns
    for k in range(features.shape[0]):
        column = codes[features[k]]
        skipped = ignored[features[k]]
        for row in range(labels.shape[0]):
            if labels[row] >= 0 and column[row] != skipped:
                counts[k, labels[row]] += weight_of(weights, row)
