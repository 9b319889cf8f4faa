"""Fixed-point X(n) = n log2 n, from one integer-only binary logarithm.

Sums of int64 do not depend on their order, so every score built from X has the same bits on any
number of threads or machines, and features with equal counts tie exactly. Two libraries' `log2`
may differ in the last bit; repeated squaring of integers (Majithia & Levan, 1973) does not.
Compiled modules take X from `fixed_point.pxd`.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import logarithm

__all__ = ["LOG_BITS", "TABLE_SIZE", "FixedPoint", "fixed_point", "xlogx_of"]

LOG_BITS = 56
"""Fractional bits of `log2_of`; log2 of any int64 count then fits 62 bits."""

MAX_SCALE_BITS = 40
TABLE_SIZE = 1 << 16


class FixedPoint(NamedTuple):
    """X(n) in units of 2**-scale_bits: a table for small counts, a routine for large ones."""

    table: NDArray[np.int64]
    logs: NDArray[np.int64]
    scale_bits: int


@lru_cache(maxsize=8)
def fixed_point(n_rows: int, n_labels: int) -> FixedPoint:
    """Choose the scale for sums over `n_rows` rows and `n_labels` labels, and tabulate X.

    The scale is the largest s <= 40 with K X(N) 2**s < 2**62, so that even the sum of all labels'
    scores stays an int64.
    """
    largest = n_labels * n_rows * logarithm.log2_of(max(n_rows, 1))
    scale_bits = MAX_SCALE_BITS
    while largest >> (LOG_BITS - scale_bits) >= 1 << 62:
        scale_bits -= 1
    return _tabulated(min(n_rows + 1, TABLE_SIZE), scale_bits)


@lru_cache(maxsize=8)
def _tabulated(size: int, scale_bits: int) -> FixedPoint:
    table, logs = np.empty((2, size), dtype=np.int64)
    logarithm.fill_tables(table, logs, scale_bits)
    return FixedPoint(table, logs, scale_bits)


def xlogx_of(counts: NDArray[Any], fixed: FixedPoint) -> NDArray[np.int64]:
    """Return X of every count."""
    counts = np.ascontiguousarray(counts, dtype=np.int64)
    terms = np.empty_like(counts)
    logarithm.fill_terms(counts, fixed, terms)
    return terms
