"""Cut points of one sorted column by Fayyad and Irani's minimum description length rule.

Scanning a segment takes one step for each row: moving a row from right to left changes two terms of
the entropies, so X is looked up four times, for any number of labels. `weights` is None if every
row counts once; numba then compiles the code without weights. While nothing is compiled, NumPy
counts and scans a segment.
"""

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.fixed_point import xlogx
from deacs.kernels.jit import lean_routine, patient_kernel
from deacs.kernels.weights import weight_of

__all__ = ["MdlpRule", "count_below", "mdlp_cuts", "whole_table"]

FEW_CUTS = 16
"""Up to this many cuts, comparing with every cut is faster than a binary search."""


class MdlpRule(NamedTuple):
    """The rule that accepts a cut."""

    table: NDArray[np.int64]
    """X of small counts, in fixed point."""
    scale_bits: int | None
    """For X of larger counts; None: the table has every count, and a plain look-up does."""
    unit: float
    """A unit of fixed point in bits."""
    log_powers: NDArray[np.float64]
    """log2(3**k - 2) for k labels."""
    scale: float
    """Counts per unit of weight."""
    least: int
    """The least count on each side of a cut."""
    max_cuts: int


@patient_kernel
def whole_table(small, scale_bits, table):
    """IN small table of X, scale_bits; OUT table[n] = X(n), the same numbers for more counts."""
    for n in range(table.shape[0]):
        table[n] = xlogx(n, small, scale_bits)


@patient_kernel
def mdlp_cuts(values, labels, weights, rule, total, left, bits, pending, cuts):
    """Split segments while a cut passes the rule.

    IN values (n,) ascending, labels (n,) and weights (n,) (positive, or None) in the same order,
    rule; TEMP total, left (n_labels,), bits (n,) (none without weights), pending (n + 1, 4);
    OUT cuts (n,): rows i with a cut between i and i + 1, in no particular order. Returns how many.

    A segment is pending if it has a cut that passes. The order of splits matters only if the number
    of cuts is limited: then the segment with the largest gain comes first, the lowest of ties.
    """
    n = values.shape[0]
    limited = rule.max_cuts < n
    n_cuts = 0
    # In int64, so that the routines are compiled for one type only.
    n_pending = np.int64(0)
    begin, at, end = np.int64(0), np.int64(-1), np.int64(n)
    while True:
        for first, last in ((begin, at + 1), (at + 1, end)):
            n_pending = _propose(
                values, labels, weights, first, last, rule, rule.scale_bits, total, left, bits,
                pending, n_pending,
            )  # fmt: skip
        if n_pending == 0 or n_cuts >= rule.max_cuts:
            return n_cuts
        chosen = _largest_gain(pending, n_pending) if limited else n_pending - 1
        begin, at, end = pending[chosen, 0], pending[chosen, 1], pending[chosen, 2]
        n_pending -= 1
        for k in range(4):
            pending[chosen, k] = pending[n_pending, k]
        cuts[n_cuts] = at
        n_cuts += 1


@lean_routine
def _largest_gain(pending, n_pending):
    """Return the pending segment with the largest gain, the lowest of ties."""
    chosen = 0
    for k in range(1, n_pending):
        ahead = pending[k, 3] - pending[chosen, 3]
        if ahead > 0 or (ahead == 0 and pending[k, 0] < pending[chosen, 0]):
            chosen = k
    return chosen


@lean_routine
def _propose(
    values, labels, weights, begin, end, rule, scale_bits, total, left, bits, pending, n_pending
):
    """Add the segment to the pending ones if its best cut passes; return their number."""
    _count(labels, weights, begin, end, total)
    prior = _entropy(total, rule.table, scale_bits)
    if scale_bits is None or _sum(total) < rule.table.shape[0]:
        at = _best_cut(values, labels, weights, begin, end, prior, rule, total, left)
    else:
        _estimate(values, labels, weights, begin, end, rule, total, left, bits)
        at = _best_of_estimated(labels, weights, begin, end, prior, rule, total, left, bits)
    if at >= 0:
        _count(labels, weights, begin, at + 1, left)
        gain = _gain_if_it_pays(prior, rule, total, left)
        if gain > 0:
            pending[n_pending, 0], pending[n_pending, 1] = begin, at
            pending[n_pending, 2], pending[n_pending, 3] = end, gain
            n_pending += 1
    return n_pending


def _count_by_numpy(labels, weights, begin, end, counts):
    counts, labels = np.asarray(counts), np.asarray(labels)[begin:end]
    counts[:] = 0
    np.add.at(counts, labels, 1 if weights is None else np.asarray(weights)[begin:end])


@partial(lean_routine, by_numpy=_count_by_numpy)
def _count(labels, weights, begin, end, counts):
    """OUT counts[c]: the weight of label c in rows begin .. end - 1."""
    for c in range(counts.shape[0]):
        counts[c] = 0
    for r in range(begin, end):
        counts[labels[r]] += weight_of(weights, r)


@lean_routine
def _sum(counts):
    n = np.int64(0)
    for c in range(counts.shape[0]):
        n += counts[c]
    return n


@lean_routine
def _entropy(counts, table, scale_bits):
    """Return n H(counts) in fixed point."""
    n = np.int64(0)
    terms = np.int64(0)
    for c in range(counts.shape[0]):
        n += counts[c]
        terms += xlogx(counts[c], table, scale_bits)
    return xlogx(n, table, scale_bits) - terms


def _best_cut_by_numpy(values, labels, weights, begin, end, _prior, rule, total, _left):
    if end - begin < 2:
        return -1
    values, labels = np.asarray(values)[begin:end], np.asarray(labels)[begin:end]
    total, table = np.asarray(total), np.asarray(rule.table)
    weight = np.ones(end - begin, np.int64) if weights is None else np.asarray(weights)[begin:end]
    by_label = np.argsort(labels, kind="stable")
    after = np.empty_like(weight)
    after[by_label] = weight[by_label].cumsum() - (total.cumsum() - total)[labels[by_label]]
    before, of_label = after - weight, total[labels]
    terms = table[after] - table[before] + table[of_label - after] - table[of_label - before]
    n_left = weight.cumsum()
    n_right = n_left[-1] - n_left
    fits = (values[:-1] < values[1:]) & (n_left[:-1] >= rule.least) & (n_right[:-1] >= rule.least)
    at = np.flatnonzero(fits)
    if len(at) == 0:
        return -1
    # All entropies are larger by X(n) less the entropy without a cut.
    entropy = table[n_left[at]] + table[n_right[at]] - terms.cumsum()[at]
    best = int(entropy.argmin())  # the first of equals
    return begin + int(at[best]) if entropy[best] < table[n_left[-1]] else -1


@partial(lean_routine, by_numpy=_best_cut_by_numpy)
def _best_cut(values, labels, weights, begin, end, prior, rule, total, left):
    """Return the first row after which a cut leaves the least entropy, or -1 if none lowers it."""
    table, scale_bits, least = rule.table, rule.scale_bits, rule.least
    n = np.int64(0)
    for c in range(left.shape[0]):
        n += total[c]
        left[c] = 0
    best, best_entropy = np.int64(-1), prior
    n_left = np.int64(0)
    terms = xlogx(n, table, scale_bits) - prior  # sum X(left) + X(right) over the labels
    for r in range(begin, end - 1):
        c, weight = labels[r], weight_of(weights, r)
        before, after = left[c], left[c] + weight
        terms += xlogx(after, table, scale_bits) - xlogx(before, table, scale_bits)
        terms += xlogx(total[c] - after, table, scale_bits)
        terms -= xlogx(total[c] - before, table, scale_bits)
        left[c] = after
        n_left += weight
        if values[r] < values[r + 1] and n_left >= least and n - n_left >= least:
            entropy = xlogx(n_left, table, scale_bits) - terms
            entropy += xlogx(n - n_left, table, scale_bits)
            if entropy < best_entropy:
                best, best_entropy = np.int64(r), entropy
    return best


@lean_routine
def _estimate(values, labels, weights, begin, end, rule, total, left, bits):
    """OUT bits[r]: the entropy left by a cut after row r, in floats; inf if not allowed.

    Large counts are not in the table, and exact logarithms take about a microsecond per row.
    """
    n = np.int64(0)
    terms = 0.0
    for c in range(left.shape[0]):
        n += total[c]
        left[c] = 0
        terms += _float_x(total[c])
    n_left = np.int64(0)
    for r in range(begin, end - 1):
        c, weight = labels[r], weight_of(weights, r)
        before, after = left[c], left[c] + weight
        terms += _float_x(after) - _float_x(before)
        terms += _float_x(total[c] - after) - _float_x(total[c] - before)
        left[c] = after
        n_left += weight
        bits[r] = np.inf
        if values[r] < values[r + 1] and n_left >= rule.least and n - n_left >= rule.least:
            bits[r] = _float_x(n_left) + _float_x(n - n_left) - terms


@lean_routine
def _float_x(n):
    return n * math.log2(n) if n > 1 else 0.0


@lean_routine
def _best_of_estimated(labels, weights, begin, end, prior, rule, total, left, bits):
    """Return the result of `_best_cut`, computed exactly only where the estimates are too close."""
    n = np.int64(0)
    for c in range(left.shape[0]):
        n += total[c]
        left[c] = 0
    lowest = np.inf
    for r in range(begin, end - 1):
        lowest = min(lowest, bits[r])
    if lowest == np.inf:
        return np.int64(-1)
    # Each of the 4 terms of a row is off by at most a few units in the last place of X(n), and
    # an exact entropy by half a unit of fixed point for each of its terms.
    n_terms = 4 * (end - begin) + 2 * left.shape[0] + 4
    error = n_terms * _float_x(n) * 2.0**-51 + n_terms * rule.unit
    best, best_entropy = np.int64(-1), prior
    for r in range(begin, end - 1):
        left[labels[r]] += weight_of(weights, r)
        if bits[r] <= lowest + 2 * error:
            entropy = _entropy(left, rule.table, rule.scale_bits)
            for c in range(left.shape[0]):
                total[c] -= left[c]
            entropy += _entropy(total, rule.table, rule.scale_bits)
            for c in range(left.shape[0]):
                total[c] += left[c]
            if entropy < best_entropy:
                best, best_entropy = np.int64(r), entropy
    return best


@lean_routine
def _gain_if_it_pays(prior, rule, total, left):
    """Return N gain in fixed point, or 0 if the cut does not pass.

    It passes if N gain > log2(N - 1) + log2(3**k - 2) - (k H - k1 H1 - k2 H2).
    """
    table, scale_bits = rule.table, rule.scale_bits
    n, n_left, left_terms, right_terms = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    k = k_left = k_right = 0
    for c in range(total.shape[0]):
        n += total[c]
        n_left += left[c]
        left_terms += xlogx(left[c], table, scale_bits)
        right_terms += xlogx(total[c] - left[c], table, scale_bits)
        k += total[c] > 0
        k_left += left[c] > 0
        k_right += total[c] > left[c]
    informative = False
    for c in range(total.shape[0]):
        informative |= left[c] * n != total[c] * n_left
    if not informative or n <= rule.scale:
        return np.int64(0)
    n_right = n - n_left
    left_entropy = xlogx(n_left, table, scale_bits) - left_terms
    right_entropy = xlogx(n_right, table, scale_bits) - right_terms
    gain = prior - left_entropy - right_entropy
    spent = np.float64(k * prior) / n
    spent -= np.float64(k_left * left_entropy) / n_left
    spent -= np.float64(k_right * right_entropy) / n_right
    bar = math.log2(n / rule.scale - 1.0) + rule.log_powers[k] - spent * rule.unit
    return gain if gain * rule.unit / rule.scale > bar else np.int64(0)


@patient_kernel
def count_below(values, cut_points, out):
    """IN values (n,), cut_points ascending; OUT out (n,): the number of cuts below; NaN for NaN."""
    n_cuts = cut_points.shape[0]
    for r in range(values.shape[0]):
        value = values[r]
        low = 0
        if n_cuts <= FEW_CUTS:
            for k in range(n_cuts):
                low += value > cut_points[k]
        else:
            high = n_cuts
            while low < high:
                middle = (low + high) >> 1
                if value > cut_points[middle]:
                    low = middle + 1
                else:
                    high = middle
        out[r] = low if value == value else np.nan
