"""Sort the rows of a column by one word per row, instead of an index by value.

A word holds the order of the value in its upper bits and the row in its lower ones, so a plain
sort of unsigned words, which NumPy vectorises, sorts rows in half the time of an argsort. Values
that differ only in the bits that were cut off are sorted afterwards.
"""

import numpy as np

from deacs.kernels.jit import kernel

__all__ = ["pack_rows", "unpack_rows"]

SIGN = np.int64(-(2**63))
MOVES_A_ROW = 4
"""With more moves than this, sorting by value is faster."""


@kernel
def pack_rows(values, words):
    """IN values (n,) float64 without NaN; OUT words (n,) uint64. Returns the bits of a row.

    The bits of a float, read as an integer, ascend with it when those of a negative number are
    inverted and the sign of a positive one is flipped (Herf, 2001).
    """
    n = values.shape[0]
    bits = values.view(np.int64)
    lowest, highest = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(0)
    for r in range(n):
        word = np.uint64(bits[r] ^ ((bits[r] >> 63) | SIGN))
        words[r] = word
        if word < lowest:
            lowest = word
        if word > highest:
            highest = word
    row_bits = np.int64(0)
    while (np.int64(1) << row_bits) < n:
        row_bits += 1
    span_bits = np.int64(0)
    while span_bits < 64 and (highest - lowest) >> np.uint64(span_bits) != 0:
        span_bits += 1
    drop, room = np.uint64(max(np.int64(0), span_bits + row_bits - 64)), np.uint64(row_bits)
    for r in range(n):
        words[r] = (((words[r] - lowest) >> drop) << room) | np.uint64(r)
    return row_bits


@kernel
def unpack_rows(words, row_bits, values, rows, ordered):
    """IN sorted words (n,), row_bits, values (n,); OUT rows (n,) int32, ordered (n,) ascending.

    Returns False, with both unsorted, if too many values share their upper bits.
    """
    n = words.shape[0]
    mask = (np.uint64(1) << np.uint64(row_bits)) - np.uint64(1)
    for i in range(n):
        row = np.int32(words[i] & mask)
        rows[i] = row
        ordered[i] = values[row]
    left = MOVES_A_ROW * n
    for i in range(1, n):
        value, row, k = ordered[i], rows[i], i
        while k > 0 and value < ordered[k - 1] and left > 0:
            ordered[k], rows[k] = ordered[k - 1], rows[k - 1]
            k -= 1
            left -= 1
        if left == 0:
            return False
        ordered[k], rows[k] = value, row
    return True
