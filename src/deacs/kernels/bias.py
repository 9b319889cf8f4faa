"""What chance alone adds to a score: per cell, per group, per feature.

Shuffle the labels within a group of n_g rows, n_i of them with label i. Of the n_f rows with one
value then h have the label, h hypergeometric, and the value adds to N R_i on average

    b(n_g, n_i, n_f) = E[X(h) + X(n_f - h)] - X(n_f) - n_f / n_g [X(n_i) + X(n_g - n_i) - X(n_g)].

This is never negative, and depends on the sizes alone; `kernels/fixed_point.py` has X.
"""

import numpy as np

from deacs.kernels.fixed_point import xlogx
from deacs.kernels.groups import SMALL
from deacs.kernels.jit import lean_kernel
from deacs.kernels.masks import equal_mask, popcount
from deacs.kernels.weights import weight_of

__all__ = [
    "LN2",
    "cell_bias",
    "chance_sums",
    "chance_table",
    "mixed_sums",
    "narrow_chance_sums",
    "run_tables",
]

NEGLIGIBLE = 1e-18
"""Odds, against the likeliest count, at which a sum over counts ends."""

MANY = 64.0
"""Where the rarest cell expects as many rows, moments up to the fourth stand for the sum: the error
is below 1e-4 of b."""

LN2 = 0.6931471805599453


@lean_kernel
def cell_bias(n_g, n_i, n_f, table, scale_bits):
    """Return b(n_g, n_i, n_f) in fixed point; the same bits for n_i and n_g - n_i.

    Built from sums, products and quotients of floats only, so that it does not depend on anyone's
    logarithm.
    """
    n_i = min(n_i, n_g - n_i)
    if n_i == 0 or n_f == 0 or n_f == n_g:
        return np.int64(0)
    share = n_f / n_g
    p = n_i / n_g
    expected = n_f * p
    if min(expected, (n_g - n_f) * p) >= MANY:
        rest = n_f - expected
        second = expected * (1 - p) * (n_g - n_f) / (n_g - 1)
        third = second * (1 - 2 * p) * (n_g - 2 * n_f) / (n_g - 2)
        bits = (
            second * (1 / expected + 1 / rest) / 2
            + third * (1 / rest**2 - 1 / expected**2) / 6
            + second**2 * (1 / expected**3 + 1 / rest**3) / 4
        ) / LN2
        return np.int64(np.rint(bits * 2.0**scale_bits))
    whole = xlogx(n_f, table, scale_bits)
    mode = (n_f + 1) * (n_i + 1) // (n_g + 2)
    odds = 1.0
    total = 1.0
    mean = np.float64(xlogx(mode, table, scale_bits) + xlogx(n_f - mode, table, scale_bits) - whole)
    for h in range(mode, min(n_f, n_i)):
        odds *= (n_i - h) / (h + 1) * ((n_f - h) / (n_g - n_i - n_f + h + 1))
        if odds < NEGLIGIBLE:
            break
        total += odds
        mean += odds * (
            xlogx(h + 1, table, scale_bits) + xlogx(n_f - h - 1, table, scale_bits) - whole
        )
    odds = 1.0
    for h in range(mode, max(0, n_f + n_i - n_g), -1):
        odds *= h / (n_i - h + 1) * ((n_g - n_i - n_f + h) / (n_f - h + 1))
        if odds < NEGLIGIBLE:
            break
        total += odds
        mean += odds * (
            xlogx(h - 1, table, scale_bits) + xlogx(n_f - h + 1, table, scale_bits) - whole
        )
    base = (
        xlogx(n_i, table, scale_bits)
        + xlogx(n_g - n_i, table, scale_bits)
        - xlogx(n_g, table, scale_bits)
    )
    return max(np.int64(np.rint(mean / total - share * base)), np.int64(0))


@lean_kernel
def chance_table(table, scale_bits, biases):
    """Tabulate b for small groups.

    IN table, scale_bits; OUT biases (65, 65, 65): [n_g, n_i, n_f].
    """
    for n_g in range(SMALL + 1):
        for n_i in range(n_g + 1):
            for n_f in range(n_g + 1):
                biases[n_g, n_i, n_f] = cell_bias(n_g, n_i, n_f, table, scale_bits)


@lean_kernel
def run_tables(groups, run_sizes, group_sizes, starts, fixed, biases):
    """Tabulate b for the runs of larger groups.

    IN groups, run_sizes (n_runs,), group_sizes (n_groups,), starts (n_runs,) where the table of a
    run begins, or -1: it has none, fixed; OUT biases (n_entries,).
    """
    table, _, scale_bits = fixed
    for g in range(group_sizes.shape[0]):
        for run in range(groups.group_runs[g], groups.group_runs[g + 1]):
            if starts[run] >= 0:
                for n_f in range(group_sizes[g] + 1):
                    biases[starts[run] + n_f] = cell_bias(
                        group_sizes[g], run_sizes[run], n_f, table, scale_bits
                    )


@lean_kernel
def chance_sums(
    codes,
    features,
    ignored,
    groups,
    weights,
    fixed,
    small,
    run_sizes,
    starts,
    biases,
    in_group,
    in_run,
    seen,
    sums,
):
    """Sum, over groups, what chance adds to the scores of a feature.

    IN codes (n_features, n_rows), features (k,) rows of codes, ignored (n_features,), groups,
    weights as in `feature_sums`, fixed, small (65, 65, 65) from `chance_table`, run_sizes
    (n_runs,), starts (n_runs,), biases from `run_tables`; TEMP in_group (at least max(n_values),)
    zero on entry and exit, in_run (at least the runs of a group,), seen (as in_group); OUT sums
    (k, n_labels), zero on entry.
    """
    table, _, scale_bits = fixed
    rows, run_starts, run_labels, group_runs = groups[:4]
    for k in range(features.shape[0]):
        column = codes[features[k]]
        skipped = ignored[features[k]]
        for g in range(group_runs.shape[0] - 1):
            first_run, last_run = group_runs[g], group_runs[g + 1]
            n_seen, n_g = 0, np.int64(0)
            for run in range(first_run, last_run):
                lost = np.int64(0)
                for r in range(run_starts[run], run_starts[run + 1]):
                    value = column[rows[r]]
                    weight = weight_of(weights, rows[r])
                    if value == skipped:
                        lost += weight
                        continue
                    if in_group[value] == 0:
                        seen[n_seen] = value
                        n_seen += 1
                    in_group[value] += weight
                in_run[run - first_run] = run_sizes[run] - lost
                n_g += run_sizes[run] - lost
            if n_seen > 1:
                for run in range(first_run, last_run):
                    n_i = in_run[run - first_run]
                    total = np.int64(0)
                    for v in range(n_seen):
                        n_f = in_group[seen[v]]
                        if n_g <= SMALL:
                            total += small[n_g, n_i, n_f]
                        elif starts[run] >= 0 and skipped < 0:
                            total += biases[starts[run] + n_f]
                        else:
                            total += cell_bias(n_g, n_i, n_f, table, scale_bits)
                    sums[k, run_labels[run]] += total
            for v in range(n_seen):
                in_group[seen[v]] = 0


@lean_kernel
def narrow_chance_sums(
    codes, features, n_values, groups, fixed, small, starts, biases, buffer, counts, sums
):
    """Sum the same for features with few values, by masks, every row counting once.

    IN codes, features, n_values (n_features,) at most 16, groups, fixed, small, starts, biases as
    above; TEMP buffer (at least n_left + 64,), counts (at least 16,); OUT sums (k, n_labels), zero
    on entry.
    """
    table, _, scale_bits = fixed
    rows, run_starts, run_labels, group_runs = groups[:4]
    # Of two labels each has the bias of the other.
    mirrored = sums.shape[1] == 2
    for k in range(features.shape[0]):
        column = codes[features[k]]
        width = n_values[features[k]]
        for r in range(rows.shape[0]):
            buffer[r] = column[rows[r]]
        for g in range(group_runs.shape[0] - 1):
            first_run = group_runs[g]
            last_run = first_run + 1 if mirrored else group_runs[g + 1]
            begin, end = run_starts[first_run], run_starts[group_runs[g + 1]]
            n_g = end - begin
            for value in range(width):
                counts[value] = 0
            for at in range(begin, end, 64):
                rest = ~np.uint64(0) >> np.uint64(64 - min(end - at, 64))
                for value in range(width - 1):
                    mask = equal_mask(buffer, at, value) & rest
                    rest ^= mask
                    counts[value] += popcount(mask)
                counts[width - 1] += popcount(rest)
            for run in range(first_run, last_run):
                n_i = run_starts[run + 1] - run_starts[run]
                total = np.int64(0)
                if n_g <= SMALL:
                    for value in range(width):
                        total += small[n_g, n_i, counts[value]]
                elif starts[run] >= 0:
                    for value in range(width):
                        total += biases[starts[run] + counts[value]]
                else:
                    for value in range(width):
                        total += cell_bias(n_g, n_i, counts[value], table, scale_bits)
                sums[k, run_labels[run]] += total
        if mirrored:
            sums[k, 0] += sums[k, 1]
            sums[k, 1] = sums[k, 0]


@lean_kernel
def mixed_sums(codes, features, ignored, groups, weights, in_group, in_run, values, seen, sums):
    """Sum, over groups that a label shares with others, the values that it shares, less one.

    This is the number of occupied cells (F, C_i, S) less those of (F, S) and (C_i, S) and plus
    those of S. IN codes, features, ignored, groups, weights; TEMP in_group, in_run (at
    least max(n_values),) zero on entry and exit, values (n_left,), seen (as in_group); OUT sums
    (k, n_labels), zero on entry.
    """
    rows, run_starts, run_labels, group_runs = groups[:4]
    for k in range(features.shape[0]):
        column = codes[features[k]]
        skipped = ignored[features[k]]
        for g in range(group_runs.shape[0] - 1):
            first_run, last_run = group_runs[g], group_runs[g + 1]
            n_g = np.int64(0)
            for r in range(run_starts[first_run], run_starts[last_run]):
                value = column[rows[r]]
                values[r] = value
                if value != skipped:
                    in_group[value] += weight_of(weights, rows[r])
                    n_g += weight_of(weights, rows[r])
            for run in range(first_run, last_run):
                n_seen, n_i = 0, np.int64(0)
                for r in range(run_starts[run], run_starts[run + 1]):
                    if values[r] == skipped:
                        continue
                    if in_run[values[r]] == 0:
                        seen[n_seen] = values[r]
                        n_seen += 1
                    in_run[values[r]] += weight_of(weights, rows[r])
                    n_i += weight_of(weights, rows[r])
                shared = np.int64(0)
                for v in range(n_seen):
                    shared += in_run[seen[v]] < in_group[seen[v]]
                    in_run[seen[v]] = 0
                if 0 < n_i < n_g:
                    sums[k, run_labels[run]] += shared - 1
            for r in range(run_starts[first_run], run_starts[last_run]):
                in_group[values[r]] = 0
