"""Sort the rows of columns by one word per row, instead of an index by value.

A word holds the order of the value in its upper bits and the row in its lower ones, so a plain
sort of unsigned words, which NumPy vectorises, sorts rows in half the time of an argsort. Values
that differ only in the bits that were cut off are sorted afterwards.
"""

import numpy as np

from deacs.kernels.jit import lean_kernel

__all__ = ["pack_rows", "unpack_rows"]

SIGN = np.int64(-(2**63))
MOVES_A_ROW = 4
"""With more moves than this, sorting by value is faster."""


@lean_kernel
def pack_rows(bits, words):
    """IN bits (k, n) int64: those of floats; OUT words (k, n) uint64. Returns the bits of a row.

    The bits of a float, read as an integer, ascend with it when those of a negative number are
    inverted and the sign of a positive one is flipped (Herf, 2001). NaN without a sign comes last.
    """
    n = bits.shape[1]
    row_bits = np.int64(0)
    while (np.int64(1) << row_bits) < n:
        row_bits += 1
    for k in range(bits.shape[0]):
        lowest, highest = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0)
        for r in range(n):
            word = np.uint64(bits[k, r] ^ ((bits[k, r] >> 63) | SIGN))
            words[k, r] = word
            if word < lowest:
                lowest = word
            if word > highest:
                highest = word
        span_bits = np.int64(0)
        while span_bits < 64 and (highest - lowest) >> np.uint64(span_bits) != 0:
            span_bits += 1
        drop, room = np.uint64(max(np.int64(0), span_bits + row_bits - 64)), np.uint64(row_bits)
        for r in range(n):
            words[k, r] = (((words[k, r] - lowest) >> drop) << room) | np.uint64(r)
    return row_bits


@lean_kernel
def unpack_rows(words, row_bits, values, rows, ordered, is_sorted):
    """IN sorted words (k, n), row_bits, values (k, n); OUT rows (k, n) int32, ordered (k, n).

    `is_sorted` (k,) is false for a column of which too many values share their upper bits.
    """
    n = words.shape[1]
    mask = (np.uint64(1) << np.uint64(row_bits)) - np.uint64(1)
    for column in range(words.shape[0]):
        for i in range(n):
            row = np.int32(words[column, i] & mask)
            rows[column, i] = row
            ordered[column, i] = values[column, row]
        left = MOVES_A_ROW * n
        for i in range(1, n):
            value, row, k = ordered[column, i], rows[column, i], i
            while k > 0 and value < ordered[column, k - 1] and left > 0:
                ordered[column, k], rows[column, k] = ordered[column, k - 1], rows[column, k - 1]
                k -= 1
                left -= 1
            ordered[column, k], rows[column, k] = value, row
            if left == 0:
                break
        is_sorted[column] = left > 0 or n == 0
