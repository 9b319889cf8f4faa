"""X(n) = n log2 n in units of 2**-scale_bits: a table for small counts, a routine for large ones."""

from libc.stdint cimport int64_t, uint64_t

from deacs._kernels.arrays cimport longs_in

cdef struct Fixed:
    const int64_t *table
    int64_t size
    const int64_t *logs
    int64_t scale_bits


cdef inline Fixed fixed_of(object fixed) except *:
    """Read `FixedPoint`."""
    cdef Fixed given
    given.table, given.size = longs_in(fixed.table), len(fixed.table)
    given.logs, given.scale_bits = longs_in(fixed.logs), fixed.scale_bits
    return given


cdef inline int64_t binary_log(int64_t n) noexcept nogil:
    """Return log2(n) with 56 fractional bits, for n >= 1; 0 for n = 0.

    Each squaring of the mantissa yields one bit. The mantissa keeps 63 fractional bits, so the
    error stays below 2**-60, under the last bit returned.
    """
    cdef int64_t exponent = 0, log
    cdef uint64_t mantissa, high, low, square, bit
    cdef int k
    if n < 2:
        return 0
    while (n >> exponent) > 1:
        exponent += 1
    mantissa = <uint64_t> n << (63 - exponent)
    log = exponent
    for k in range(56):
        high, low = mantissa >> 32, mantissa & <uint64_t> 0xFFFFFFFFu
        square = high * high + ((high * low) >> 31)
        bit = square >> 63  # without a branch, which no processor foresees
        log = log << 1 | <int64_t> bit
        mantissa = square << (1 - bit)
    return log


cdef inline int64_t scaled_product(int64_t count, int64_t log, int64_t scale_bits) noexcept nogil:
    """Return count * log / 2**(56 - scale_bits), rounded half up, without overflow."""
    cdef int64_t shift = 56 - scale_bits, one = 1
    cdef int64_t high = count * (log >> 32), low = count * (log & <int64_t> 0xFFFFFFFFu)
    if shift <= 32:
        return (high << (32 - shift)) + ((low + (one << (shift - 1))) >> shift)
    high += low >> 32
    return (high + (one << (shift - 33))) >> (shift - 32)


cdef inline int64_t xlogx(int64_t n, Fixed fixed) noexcept nogil:
    """Return X(n): a look-up for small n."""
    if n < fixed.size:
        return fixed.table[n]
    return scaled_product(n, binary_log(n), fixed.scale_bits)


cdef inline int64_t split_term(int64_t part, int64_t n, Fixed fixed) noexcept nogil:
    """Return X(part) + X(n - part) - X(n)."""
    return xlogx(part, fixed) + xlogx(n - part, fixed) - xlogx(n, fixed)


cdef inline int64_t weighted_log(int64_t count, int64_t n, Fixed fixed) noexcept nogil:
    """Return count * log2 n."""
    return scaled_product(count, fixed.logs[n] if n < fixed.size else binary_log(n), fixed.scale_bits)
