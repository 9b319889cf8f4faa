"""Cut points of one sorted column by Fayyad and Irani's minimum description length rule.

Scanning a segment costs one step for each row: moving a row from right to left changes two terms
of the entropies, so X is looked up four times, whatever the number of labels.
"""

import numpy as np

from deacs.kernels.fixed_point import LOG_BITS, binary_log, xlogx
from deacs.kernels.jit import kernel, routine

__all__ = ["mdlp_cuts"]


@kernel
def mdlp_cuts(values, labels, fixed, log_powers, total, left, ends, cuts):
    """Split segments, best cut first, as long as the cut pays for its description.

    IN values (n,) ascending, labels (n,) in the same order, fixed, log_powers[k] =
    log2(3**k - 2); TEMP total, left (n_labels,), ends (n + 1,); OUT cuts (n,): rows i with a cut
    between i and i + 1, ascending. Returns how many.
    """
    table, _, scale_bits = fixed
    # Segments still to do lie side by side: the next begins where the last one ended.
    begin = np.int64(0)
    ends[0] = values.shape[0]
    n_ends, n_cuts = 1, 0
    while n_ends > 0:
        end = ends[n_ends - 1]
        for c in range(total.shape[0]):
            total[c] = 0
        for r in range(begin, end):
            total[labels[r]] += 1
        prior = _entropy(total, end - begin, table, scale_bits)
        best = _best_cut(values, labels, begin, end, total, left, prior, table, scale_bits)
        if best >= 0 and _pays(
            labels, begin, best, end, total, left, prior, table, scale_bits, log_powers
        ):
            ends[n_ends] = best + 1
            n_ends += 1
        else:
            n_ends -= 1
            begin = end
            if n_ends > 0:
                cuts[n_cuts] = end - 1
                n_cuts += 1
    return n_cuts


@routine
def _entropy(counts, n, table, scale_bits):
    """Return n H(counts) in fixed point."""
    total = xlogx(n, table, scale_bits)
    for c in range(counts.shape[0]):
        total -= xlogx(counts[c], table, scale_bits)
    return total


@routine
def _best_cut(values, labels, begin, end, total, left, prior, table, scale_bits):
    """Return the first row after which a cut leaves the least entropy, or -1 if none lowers it."""
    best, best_entropy = -1, prior
    for c in range(left.shape[0]):
        left[c] = 0
    left_sum = np.int64(0)
    right_sum = xlogx(end - begin, table, scale_bits) - prior
    for r in range(begin, end - 1):
        c = labels[r]
        n_left, n_right = left[c], total[c] - left[c]
        left_sum += xlogx(n_left + 1, table, scale_bits) - xlogx(n_left, table, scale_bits)
        right_sum += xlogx(n_right - 1, table, scale_bits) - xlogx(n_right, table, scale_bits)
        left[c] = n_left + 1
        if values[r] < values[r + 1]:
            entropy = xlogx(r + 1 - begin, table, scale_bits) + xlogx(
                end - r - 1, table, scale_bits
            )
            entropy -= left_sum + right_sum
            if entropy < best_entropy:
                best, best_entropy = r, entropy
    return best


@routine
def _pays(labels, begin, best, end, total, left, prior, table, scale_bits, log_powers):
    """Return whether N gain > log2(N - 1) + log2(3**k - 2) - (k H - k1 H1 - k2 H2)."""
    n, n_left, n_right = end - begin, best + 1 - begin, end - best - 1
    for c in range(left.shape[0]):
        left[c] = 0
    for r in range(begin, best + 1):
        left[labels[r]] += 1
    k = k_left = k_right = 0
    informative = False
    for c in range(total.shape[0]):
        k += total[c] > 0
        k_left += left[c] > 0
        k_right += total[c] > left[c]
        informative |= left[c] * n != total[c] * n_left
    left_entropy = _entropy(left, n_left, table, scale_bits)
    right_entropy = xlogx(n_right, table, scale_bits)
    for c in range(total.shape[0]):
        right_entropy -= xlogx(total[c] - left[c], table, scale_bits)
    unit = 1.0 / (np.int64(1) << scale_bits)
    gain = (prior - left_entropy - right_entropy) * unit
    spent = k * prior / n - k_left * left_entropy / n_left - k_right * right_entropy / n_right
    bar = binary_log(n - 1) / (np.int64(1) << LOG_BITS) + log_powers[k] - spent * unit
    return informative and gain > bar
