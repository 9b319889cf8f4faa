"""The expectation of a score under shuffled labels, to correct for chance.

If labels are shuffled within a group of n_g rows, n_i of them with label i, then h of the n_f rows
with one value have the label, h is hypergeometric, and the value adds to N R_i, on average,

    b(n_g, n_i, n_f) = E[X(h) + X(n_f - h)] - X(n_f) - n_f / n_g [X(n_i) + X(n_g - n_i) - X(n_g)].

This is never negative, and depends on the sizes alone; `fixed_point.pxd` has X.
"""

from libc.math cimport rint
from libc.stdint cimport int64_t

from deacs._kernels.arrays cimport longs_in, longs_out
from deacs._kernels.fixed_point cimport Fixed, split_term

cdef enum:
    SMALL = 64

cdef struct Chance:
    const int64_t *starts
    int64_t *small
    int64_t *large


cdef inline Chance read_chance(object chance) except *:
    """Read `deacs._kernels.arrays.Chance`; without one, `small` is NULL."""
    cdef Chance given
    given.starts, given.small, given.large = NULL, NULL, NULL
    if chance is not None:
        given.starts, given.small = longs_in(chance.starts), longs_out(chance.small)
        given.large = longs_out(chance.large)
    return given


cdef inline int64_t cell_bias(int64_t n_g, int64_t n_i, int64_t n_f, Fixed fixed) noexcept nogil:
    """Return b(n_g, n_i, n_f) in fixed point; the same bits for n_i and n_g - n_i.

    Only sums, products and quotients of doubles are used, so that the result does not depend on a
    library's logarithm. A sum over counts ends where the probability, relative to the mode, is
    negligible. If the least expected cell count is at least 64, b is computed from moments up to
    the fourth, with an error below 1e-4 of b.
    """
    cdef int64_t mode, first, here, elsewhere, h, last, bias
    cdef int side
    cdef double share, p, expected, rest, second, third, bits, total, mean, odds
    if n_g - n_i < n_i:
        n_i = n_g - n_i
    if n_i == 0 or n_f == 0 or n_f == n_g:
        return 0
    share = <double> n_f / <double> n_g
    p = <double> n_i / <double> n_g
    expected = n_f * p
    if expected >= 64.0 and (n_g - n_f) * p >= 64.0:
        rest = n_f - expected
        second = expected * (1 - p) * <double> (n_g - n_f) / <double> (n_g - 1)
        third = second * (1 - 2 * p) * <double> (n_g - 2 * n_f) / <double> (n_g - 2)
        bits = (
            second * (1 / expected + 1 / rest) / 2
            + third * (1 / (rest * rest) - 1 / (expected * expected)) / 6
            + second * second * (1 / (expected * (expected * expected)) + 1 / (rest * (rest * rest))) / 4
        ) / 0.6931471805599453
        return <int64_t> rint(bits * <double> (fixed.table[2] >> 1))  # X(2) = 2
    mode = (n_f + 1) * (n_i + 1) // (n_g + 2)
    total = 1.0
    mean = <double> split_term(mode, n_f, fixed)
    # Upwards from the mode of the label's count, then from that of the other rows.
    first, here, elsewhere = mode, n_i, n_g - n_i
    for side in range(2):
        odds = 1.0
        last = n_f if n_f < here else here
        for h in range(first, last):
            odds *= <double> (here - h) / <double> (h + 1) * (<double> (n_f - h) / <double> (elsewhere - n_f + h + 1))
            if odds < 1e-18:
                break
            total += odds
            mean += odds * <double> split_term(h + 1, n_f, fixed)
        first, here, elsewhere = n_f - mode, elsewhere, here
    bias = <int64_t> rint(mean / total - share * <double> split_term(n_i, n_g, fixed))
    return bias if bias > 0 else 0


cdef inline int64_t small_start(int64_t n_g, int64_t n_i) noexcept nogil:
    """Return where b(n_g, n_i, .) begins in `Chance.small`, or -1 for large groups."""
    return (n_g * (SMALL + 1) + n_i) * (SMALL + 1) if n_g <= SMALL else -1


cdef inline int64_t chance_terms(
    Chance chance, int64_t start, int64_t n_g, int64_t n_i, const int64_t *sizes, int64_t n_values, Fixed fixed,
) noexcept nogil:
    """Return the sum of b(n_g, n_i, .) over values with `sizes`, none of them zero.

    It is looked up in the table that begins at `start` if there is one (not -1); entries are
    computed when first needed. Several threads may do so at once, with equal results.
    """
    cdef int64_t v, bias, total = 0
    cdef int64_t *biases = NULL
    if start >= 0:
        biases = (chance.small if n_g <= SMALL else chance.large) + start
    for v in range(n_values):
        bias = biases[sizes[v]] if biases != NULL else -1
        if bias < 0:
            bias = cell_bias(n_g, n_i, sizes[v], fixed)
            if biases != NULL:
                biases[sizes[v]] = bias
        total += bias
    return total
