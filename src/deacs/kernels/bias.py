"""The expectation of a score under shuffled labels, to correct for chance.

If labels are shuffled within a group of n_g rows, n_i of them with label i, then h of the n_f rows
with one value have the label, h is hypergeometric, and the value adds to N R_i, on average,

    b(n_g, n_i, n_f) = E[X(h) + X(n_f - h)] - X(n_f) - n_f / n_g [X(n_i) + X(n_g - n_i) - X(n_g)].

This is never negative, and depends on the sizes alone; `kernels/fixed_point.py` has X.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.fixed_point import split_term
from deacs.kernels.groups import SMALL
from deacs.kernels.jit import inlined_routine, lean_routine, patient_kernel
from deacs.kernels.parts import place
from deacs.kernels.weights import weight_of

__all__ = [
    "LN2",
    "Chance",
    "cell_bias",
    "cell_biases",
    "chance_term",
    "chance_terms",
    "mixed_sums",
    "table_start",
]

Integers = NDArray[np.int64]

NEGLIGIBLE = 1e-18
"""The probability, relative to the mode, at which a sum over counts ends."""

MANY = 64.0
"""If the least expected cell count is at least this, b is computed from moments up to the fourth,
with an error below 1e-4 of b."""

LN2 = 0.6931471805599453


class Chance(NamedTuple):
    """Tables of b(n_g, n_i, .), one for each pair of sizes; runs of equal sizes share one."""

    starts: NDArray[np.int64]
    """The offset of each part's table, or -1 if it has none, (n_parts,)."""
    small: NDArray[np.int64]
    """b[n_g, n_i, n_f] of all groups of at most 64 rows, shared by all selections."""
    large: NDArray[np.int64]
    """The tables of larger groups; -1 marks entries not yet computed."""

    @property
    def is_looked_up(self) -> bool:
        """Whether a field is only looked up, never traversed."""
        return True


@lean_routine
def cell_bias(n_g, n_i, n_f, table, scale_bits):
    """Return b(n_g, n_i, n_f) in fixed point; the same bits for n_i and n_g - n_i.

    Only sums, products and quotients of floats are used, so that the result does not depend on a
    library's logarithm, and no `min`, `max` or powers, each of which adds to the compile time.
    """
    n_i = n_i if n_i < n_g - n_i else n_g - n_i
    if n_i == 0 or n_f == 0 or n_f == n_g:
        return np.int64(0)
    share = n_f / n_g
    p = n_i / n_g
    expected = n_f * p
    if expected >= MANY and (n_g - n_f) * p >= MANY:
        rest = n_f - expected
        second = expected * (1 - p) * (n_g - n_f) / (n_g - 1)
        third = second * (1 - 2 * p) * (n_g - 2 * n_f) / (n_g - 2)
        bits = (
            second * (1 / expected + 1 / rest) / 2
            + third * (1 / (rest * rest) - 1 / (expected * expected)) / 6
            + second
            * second
            * (1 / (expected * (expected * expected)) + 1 / (rest * (rest * rest)))
            / 4
        ) / LN2
        return np.int64(np.rint(bits * (table[2] >> 1)))  # X(2) = 2
    mode = (n_f + 1) * (n_i + 1) // (n_g + 2)
    total = 1.0
    mean = np.float64(split_term(mode, n_f, table, scale_bits))
    # Upwards from the mode of the label's count, then from that of the other rows.
    first, here, elsewhere = mode, n_i, n_g - n_i
    for _ in range(2):
        odds = 1.0
        for h in range(first, n_f if n_f < here else here):
            odds *= (here - h) / (h + 1) * ((n_f - h) / (elsewhere - n_f + h + 1))
            if odds < NEGLIGIBLE:
                break
            total += odds
            mean += odds * split_term(h + 1, n_f, table, scale_bits)
        first, here, elsewhere = n_f - mode, elsewhere, here
    base = split_term(n_i, n_g, table, scale_bits)
    bias = np.int64(np.rint(mean / total - share * base))
    return bias if bias > 0 else np.int64(0)


def cell_biases(n_g: Integers, n_i: Integers, n_f: Integers, table: Integers) -> Integers:
    """Return `cell_bias` of many cells by NumPy: the same operations in the same order."""
    biases, n_i = np.zeros(len(n_g), dtype=np.int64), np.minimum(n_i, n_g - n_i)
    vary = (n_i > 0) & (n_f > 0) & (n_f < n_g)
    p = n_i / n_g
    are_many = vary & (n_f * p >= MANY) & ((n_g - n_f) * p >= MANY)
    for bias_of, mine in ((_from_moments, are_many), (_from_odds, vary & ~are_many)):
        biases[mine] = bias_of(n_g[mine], n_i[mine], n_f[mine], table)
    return biases


def _from_moments(n_g: Integers, n_i: Integers, n_f: Integers, table: Integers) -> Integers:
    p = n_i / n_g
    expected = n_f * p
    rest = n_f - expected
    second = expected * (1 - p) * (n_g - n_f) / (n_g - 1)
    third = second * (1 - 2 * p) * (n_g - 2 * n_f) / (n_g - 2)
    fourth = 1 / (expected * (expected * expected)) + 1 / (rest * (rest * rest))
    bits = (
        second * (1 / expected + 1 / rest) / 2
        + third * (1 / (rest * rest) - 1 / (expected * expected)) / 6
        + second * second * fourth / 4
    ) / LN2
    return np.asarray(np.rint(bits * (table[2] >> 1)), dtype=np.int64)


def _from_odds(n_g: Integers, n_i: Integers, n_f: Integers, table: Integers) -> Integers:
    mode = (n_f + 1) * (n_i + 1) // (n_g + 2)
    total = np.ones(len(mode))
    mean = (table[mode] + table[n_f - mode] - table[n_f]).astype(np.float64)
    for first, here, elsewhere in ((mode, n_i, n_g - n_i), (n_f - mode, n_g - n_i, n_i)):
        left = np.flatnonzero(first < np.minimum(n_f, here))
        h, odds, last = first[left], np.ones(len(left)), np.minimum(n_f, here)[left]
        while len(left):
            among, with_label, others = n_f[left], here[left], elsewhere[left]
            odds *= (with_label - h) / (h + 1) * ((among - h) / (others - among + h + 1))
            h += 1
            goes_on = odds >= NEGLIGIBLE
            if not goes_on.all():
                left, h, odds, last = left[goes_on], h[goes_on], odds[goes_on], last[goes_on]
                among = among[goes_on]
            total[left] += odds
            mean[left] += odds * (table[h] + table[among - h] - table[among])
            goes_on = h < last
            if not goes_on.all():
                left, h, odds, last = left[goes_on], h[goes_on], odds[goes_on], last[goes_on]
    base = table[n_i] + table[n_g - n_i] - table[n_g]
    bias = np.maximum(np.rint(mean / total - n_f / n_g * base), 0)
    return np.asarray(bias, dtype=np.int64)


@lean_routine
def table_start(n_g, n_i):
    """Return the offset of b(n_g, n_i, .) in any `Chance.small`, or -1 for large groups."""
    return (n_g * (SMALL + 1) + n_i) * (SMALL + 1) if n_g <= SMALL else -1


@inlined_routine
def chance_term(chance, start, n_g, n_i, n_f, table, scale_bits):
    """Return b(n_g, n_i, n_f), from the table that begins at `start` if there is one (not -1).

    Entries are computed when first needed. Several threads may do so at once, with equal results.
    """
    biases = chance.small if n_g <= SMALL else chance.large
    bias = biases[start + n_f] if start >= 0 else np.int64(-1)
    if bias < 0:
        bias = cell_bias(n_g, n_i, n_f, table, scale_bits)
        if start >= 0:
            biases[start + n_f] = bias
    return bias


@inlined_routine
def chance_terms(chance, start, n_g, n_i, counts, values, table, scale_bits):
    """Return the sum of `chance_term` over values, each with its count."""
    total, unknown = np.int64(0), start < 0
    if start >= 0:
        biases = chance.small if n_g <= SMALL else chance.large
        for v in range(values.shape[0]):
            bias = biases[np.uint64(start + counts[values[v]])]
            total += bias
            unknown |= bias < 0
    if unknown:
        total = np.int64(0)
        for v in range(values.shape[0]):
            n_f = counts[values[v]]
            total += chance_term(chance, start, n_g, n_i, n_f, table, scale_bits)
    return total


@patient_kernel
def mixed_sums(columns, groups, parts, weights, scratch, sums):
    """Sum, over groups with a label and others, the number of values that both have, minus one.

    This is the number of occupied cells (F, C_i, S), minus those of (F, S) and (C_i, S), plus
    those of S. IN columns, groups, parts, weights; TEMP scratch; OUT sums (k, n_outputs), zero on
    entry.
    """
    codes, features, _, ignored = columns
    in_group, in_run, seen, _, values = scratch
    rows, run_starts, _, group_runs = groups[:4]
    for k in range(features.shape[0]):
        column = codes[features[k]]
        skipped = ignored[features[k]]
        for g in range(group_runs.shape[0] - 1):
            begin, end = run_starts[group_runs[g]], run_starts[group_runs[g + 1]]
            n_g = np.int64(0)
            for r in range(begin, end):
                value = column[rows[r]]
                values[r] = value
                if value != skipped:
                    in_group[value] += weight_of(weights, rows[r])
                    n_g += weight_of(weights, rows[r])
            for part in range(parts.groups[g], parts.groups[g + 1]):
                n_seen, n_i = 0, np.int64(0)
                for at in range(parts.starts[part], parts.starts[part + 1]):
                    r = place(parts.positions, at)
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
                    sums[k, parts.outputs[part]] += shared - 1
            for r in range(begin, end):
                in_group[values[r]] = 0
