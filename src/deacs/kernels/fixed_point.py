"""Fixed-point X(n) = n log2 n, from one integer-only binary logarithm.

Sums of int64 do not depend on their order, so every score built from X has the same bits on any
number of threads or machines, and features with equal counts tie exactly. Two libraries' `log2`
may differ in the last bit; repeated squaring of integers (Majithia & Levan, 1973) does not.
"""

from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.jit import lean_routine, patient_kernel

__all__ = [
    "LOG_BITS",
    "FixedPoint",
    "WholeTable",
    "binary_log",
    "fixed_point",
    "scaled_product",
    "split_term",
    "tables",
    "weighted_log",
    "weighted_logs",
    "xlogx",
    "xlogx_of",
]

LOG_BITS = 56
"""Fractional bits of `binary_log`; log2 of any int64 count then fits 62 bits."""

MAX_SCALE_BITS = 40
TABLE_SIZE = 1 << 16


class FixedPoint(NamedTuple):
    """X(n) in units of 2**-scale_bits: a table for small counts, a routine for large ones."""

    table: NDArray[np.int64]
    logs: NDArray[np.int64]
    scale_bits: int

    def up_to(self, n: int) -> "FixedPoint | WholeTable":
        """Return what kernels need for counts up to n: look-ups alone if the table has them all."""
        return WholeTable(self.table) if n < len(self.table) else self

    @property
    def is_looked_up(self) -> bool:
        """Whether a field is only looked up, never traversed."""
        return True


class WholeTable(NamedTuple):
    """X of every possible count, without logarithms, so that kernels compile only look-ups."""

    table: NDArray[np.int64]
    logs: None = None
    scale_bits: None = None

    @property
    def is_looked_up(self) -> bool:
        """Whether a field is only looked up, never traversed."""
        return True


@lru_cache(maxsize=8)
def fixed_point(n_rows: int, n_labels: int) -> FixedPoint:
    """Choose the scale for sums over `n_rows` rows and `n_labels` labels, and tabulate X.

    The scale is the largest s <= 40 with K X(N) 2**s < 2**62, so that even the sum of all labels'
    scores stays an int64.
    """
    largest = n_labels * n_rows * binary_log(max(n_rows, 1))
    scale_bits = MAX_SCALE_BITS
    while largest >> (LOG_BITS - scale_bits) >= 1 << 62:
        scale_bits -= 1
    return FixedPoint(*tables(min(n_rows + 1, TABLE_SIZE), scale_bits), scale_bits)


@lru_cache(maxsize=8)
def tables(size: int, scale_bits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return X(n) and log2 n for n < size, by NumPy, which needs no compiling."""
    logs = _logs((size - 1).bit_length())[:size]
    table: NDArray[np.int64] = scaled_product.py_func(np.arange(size), logs, scale_bits)
    return table, logs


@cache
def _logs(bits: int) -> NDArray[np.int64]:
    """Return `binary_log` of all n with a given number of bits, in a few milliseconds."""
    n = np.arange(1 << bits, dtype=np.uint64)
    exponents = np.maximum(np.frexp(n)[1] - 1, 0).astype(np.uint64)
    mantissas, logs = n << (np.uint64(63) - exponents), exponents
    for _ in range(LOG_BITS):
        high, low = mantissas >> np.uint64(32), mantissas & np.uint64(0xFFFFFFFF)
        squares = high * high + ((high * low) >> np.uint64(31))
        bit = squares >> np.uint64(63)
        logs = logs << np.uint64(1) | bit
        mantissas = squares << (np.uint64(1) - bit)
    return np.asarray(logs, dtype=np.int64)


def xlogx_of(counts: NDArray[Any], fixed: FixedPoint) -> NDArray[np.int64]:
    """Return X of every count."""
    if counts.max(initial=0) >= len(fixed.table):
        return weighted_logs(counts, counts, fixed)
    looked_up: NDArray[np.int64] = fixed.table[counts]
    return looked_up


def weighted_logs(
    counts: NDArray[Any], numbers: NDArray[Any], fixed: FixedPoint
) -> NDArray[np.int64]:
    """Return count * log2 n in fixed point for pairs of a count and a number n."""
    size = len(fixed.logs)
    logs = fixed.logs[np.minimum(numbers, size - 1)]
    large = numbers >= size
    if large.any():
        distinct, place = np.unique(numbers[large], return_inverse=True)
        logs[large] = np.array([binary_log(n) for n in distinct.tolist()])[place]
    product: NDArray[np.int64] = scaled_product.py_func(counts, logs, fixed.scale_bits)
    return product


@patient_kernel
def binary_log(n):
    """Return floor-like log2(n) with `LOG_BITS` fractional bits, for n >= 1; 0 for n = 0.

    Each squaring of the mantissa yields one bit. The mantissa keeps 63 fractional bits, so the
    error stays below 2**-60, under the last bit returned.
    """
    if n < 2:
        return np.int64(0)
    exponent = np.int64(0)
    while (n >> exponent) > 1:
        exponent += 1
    mantissa = np.uint64(n) << np.uint64(63 - exponent)
    log = exponent
    for _ in range(LOG_BITS):
        high = mantissa >> np.uint64(32)
        low = mantissa & np.uint64(0xFFFFFFFF)
        square = high * high + ((high * low) >> np.uint64(31))
        if square >> np.uint64(63):
            log = (log << 1) | 1
            mantissa = square
        else:
            log = log << 1
            mantissa = square << np.uint64(1)
    return log


@lean_routine
def scaled_product(count, log, scale_bits):
    """Return count * log / 2**(LOG_BITS - scale_bits), rounded half up, without overflow."""
    shift = LOG_BITS - scale_bits
    high = count * (log >> 32)
    low = count * (log & 0xFFFFFFFF)
    if shift <= 32:
        return (high << (32 - shift)) + ((low + (np.int64(1) << (shift - 1))) >> shift)
    high += low >> 32
    return (high + (np.int64(1) << (shift - 33))) >> (shift - 32)


@patient_kernel
def xlogx(n, table, scale_bits):
    """Return X(n) = n log2 n in fixed point; without `scale_bits` the table has every count.

    The fields of `FixedPoint` are separate arguments, since unpacking a tuple of arrays in a hot
    loop takes longer than the look-up.
    """
    if scale_bits is None or n < table.shape[0]:
        return table[np.uint64(n)]
    return scaled_product(n, binary_log(n), scale_bits)


@lean_routine
def split_term(part, n, table, scale_bits):
    """Return X(part) + X(n - part) - X(n)."""
    within = xlogx(part, table, scale_bits) + xlogx(n - part, table, scale_bits)
    return within - xlogx(n, table, scale_bits)


@lean_routine
def weighted_log(count, n, logs, scale_bits):
    """Return count * log2 n in fixed point; `weighted_log(n, n)` is X(n)."""
    log = logs[n] if n < logs.shape[0] else binary_log(n)
    return scaled_product(count, log, scale_bits)
