"""Shuffle labels within groups, by a generator with the same results on every platform.

SplitMix64 (Steele, Lea & Flood, 2014) has one word of state, so a seed determines a permutation;
unbiased numbers below a bound are drawn by Lemire's method (2019).
"""

import numpy as np

from deacs.kernels.jit import lean_kernel, lean_routine

__all__ = ["shuffle_within"]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
LOW = np.uint64(0xFFFFFFFF)


@lean_routine
def _mixed(state):
    word = state
    word = (word ^ (word >> np.uint64(30))) * MIX_1
    word = (word ^ (word >> np.uint64(27))) * MIX_2
    return word ^ (word >> np.uint64(31))


@lean_kernel
def shuffle_within(strata, seed, labels):
    """Shuffle the labels of the rows of each group (Fisher and Yates).

    IN strata, seed: a uint64; IN OUT labels (n_rows,).
    """
    rows, starts = strata
    state = np.uint64(seed)
    for g in range(starts.shape[0] - 1):
        begin = starts[g]
        for last in range(starts[g + 1] - begin - 1, 0, -1):
            bound = np.uint64(last + 1)
            # The upper half of a 32-bit number times the bound; the few that would cause a bias
            # are drawn again.
            unfair = (LOW + np.uint64(1) - bound) % bound
            while True:
                state += GOLDEN
                product = (_mixed(state) >> np.uint64(32)) * bound
                if (product & LOW) >= unfair:
                    break
            first, second = rows[begin + last], rows[begin + np.int64(product >> np.uint64(32))]
            labels[first], labels[second] = labels[second], labels[first]
