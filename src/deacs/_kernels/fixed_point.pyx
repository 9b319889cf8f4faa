"""Fixed-point X(n) = n log2 n, from one integer-only binary logarithm.

Sums of int64 do not depend on their order, so every score built from X has the same bits on any
number of threads or machines, and features with equal counts tie exactly. Two libraries' `log2`
may differ in the last bit; repeated squaring of integers (Majithia & Levan, 1973) does not.
Compiled modules take `Fixed`, `xlogx` and the rest from `fixed_point.pxd`.
"""

from collections import namedtuple
from functools import lru_cache

import numpy as np

from libc.stdint cimport int64_t

from deacs._kernels.arrays cimport longs_in, longs_out

LOG_BITS = 56
MAX_SCALE_BITS = 40
TABLE_SIZE = 1 << 16

FixedPoint = namedtuple("FixedPoint", ["table", "logs", "scale_bits"])


@lru_cache(maxsize=8)
def fixed_point(n_rows, n_labels):
    """Choose the scale for sums over `n_rows` rows and `n_labels` labels, and tabulate X.

    The scale is the largest s <= 40 with K X(N) 2**s < 2**62, so that even the sum of all labels'
    scores stays an int64.
    """
    largest = n_labels * n_rows * log2_of(max(n_rows, 1))
    scale_bits = MAX_SCALE_BITS
    while largest >> (LOG_BITS - scale_bits) >= 1 << 62:
        scale_bits -= 1
    return _tables(min(n_rows + 1, TABLE_SIZE), scale_bits)


@lru_cache(maxsize=8)
def _tables(size, scale_bits):
    """Tabulate X(n) and log2 n for n < size."""
    table, logs = np.empty((2, size), dtype=np.int64)
    cdef int64_t *to_x = longs_out(table)
    cdef int64_t *to_log = longs_out(logs)
    cdef int64_t n, n_entries = size, bits = scale_bits
    with nogil:
        for n in range(n_entries):
            to_log[n] = binary_log(n)
            to_x[n] = scaled_product(n, to_log[n], bits)
    return FixedPoint(table, logs, scale_bits)


def log2_of(int64_t n):
    """Return log2(n) with `LOG_BITS` fractional bits, rounded down, for n >= 1; 0 for n = 0."""
    return binary_log(n)


def xlogx_of(counts, fixed):
    """Return X of every count."""
    numbers = np.ascontiguousarray(counts, dtype=np.int64)
    terms = np.empty_like(numbers)
    cdef Fixed given = fixed_of(fixed)
    cdef const int64_t *n = longs_in(numbers)
    cdef int64_t *to_x = longs_out(terms)
    cdef Py_ssize_t k, n_entries = numbers.size
    with nogil:
        for k in range(n_entries):
            to_x[k] = xlogx(n[k], given)
    return terms
