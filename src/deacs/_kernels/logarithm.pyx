"""X(n) and log2 n of many n, by the routines of `fixed_point.pxd`."""

from libc.stdint cimport int64_t

from deacs._kernels.arrays cimport longs_in, longs_out
from deacs._kernels.fixed_point cimport Fixed, binary_log, fixed_of, scaled_product, xlogx


def log2_of(int64_t n):
    """Return log2(n) with 56 fractional bits, rounded down, for n >= 1; 0 for n = 0."""
    return binary_log(n)


def fill_tables(table, logs, int64_t scale_bits):
    """OUT table, logs: X(n) and log2 n of every n below their length."""
    cdef int64_t *to_x = longs_out(table)
    cdef int64_t *to_log = longs_out(logs)
    cdef int64_t n, size = len(table)
    with nogil:
        for n in range(size):
            to_log[n] = binary_log(n)
            to_x[n] = scaled_product(n, to_log[n], scale_bits)


def fill_terms(counts, fixed, terms):
    """IN counts, fixed; OUT terms: X of every count."""
    cdef Fixed given = fixed_of(fixed)
    cdef const int64_t *n = longs_in(counts)
    cdef int64_t *to_x = longs_out(terms)
    cdef Py_ssize_t k, size = counts.size
    with nogil:
        for k in range(size):
            to_x[k] = xlogx(n[k], given)
