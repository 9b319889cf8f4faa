"""Codes from integers in short ranges: transpose a matrix to bytes, and close the gaps."""

import numpy as np

from deacs.kernels.jit import Intrinsic, kernel, lean_kernel

__all__ = ["MOST_COLUMNS", "TILE", "close_gaps", "transpose_bytes"]

TILE = 8
"""Columns, and rows of words of four bytes, that are transposed in registers."""
TILE_ROWS = 4 * TILE
MOST_COLUMNS = 2048
"""The columns of a matrix that are read at a time: long reads, and writes to few pages."""


@Intrinsic
def _transpose_tile(typingctx, words, at, pitch, codes, to, stride):
    """Transpose 8 by 8 words of four bytes, of four rows each.

    codes[to + k * stride + 8 * i + r] is byte i of words[at + r * pitch + k]. Each round exchanges
    one bit of a word's row with the same bit of its column; the last shuffle puts the bytes of a
    column in order.
    """
    from llvmlite import ir
    from numba import types

    def codegen(context, builder, signature, args):
        eight_words, n_bytes = ir.VectorType(ir.IntType(32), TILE), ir.VectorType(ir.IntType(8), 32)

        def line(argument, begin, step, k):
            data = context.make_array(signature.args[argument])(context, builder, args[argument])
            place = builder.add(begin, builder.mul(step, step.type(k)))
            return builder.bitcast(builder.gep(data.data, [place]), eight_words.as_pointer())

        def merged(one, two, order):
            places = ir.VectorType(ir.IntType(32), len(order))
            return builder.shuffle_vector(one, two, ir.Constant(places, order))

        rows = [builder.load(line(0, args[1], args[2], k), align=1) for k in range(TILE)]
        for bit in (1, 2, 4):
            low = [TILE + (i ^ bit) if i & bit else i for i in range(TILE)]
            high = [TILE + i if i & bit else i ^ bit for i in range(TILE)]
            rows = [
                merged(rows[k & ~bit], rows[k | bit], high if k & bit else low) for k in range(TILE)
            ]
        in_order = [4 * r + i for i in range(4) for r in range(TILE)]
        for k, row in enumerate(rows):
            column = builder.bitcast(row, n_bytes)
            column = builder.bitcast(merged(column, column, in_order), eight_words)
            builder.store(column, line(3, args[4], args[5], k), align=1)
        return context.get_dummy_value()

    signature = types.void(words, types.intp, types.intp, codes, types.intp, types.intp)
    return signature, codegen


@lean_kernel
def transpose_bytes(matrix, longest, half, words, lowest, highest, codes):
    """Transpose a matrix modulo 256, and find the extremes of its columns.

    IN matrix (n_rows, n_columns) of any integers up to int64, longest, half: 2**31, or None if 32
    bits hold all values of the type; TEMP words (TILE, part) of int32: bytes of four rows each, of
    the columns that are read at a time; IN OUT lowest, highest (n_columns,) of int32: those of the
    first row; OUT codes (n_columns, n_rows). Returns False if a value needs more than 32 bits or a
    column spans more than `longest` values.
    """
    n_rows, n_columns = matrix.shape
    last, part = n_rows - 1, words.shape[1]
    for column in range(0, n_columns, part):
        end = min(column + part, n_columns)
        width = end - column
        is_tiled = n_rows >= TILE_ROWS and width >= TILE
        low, high = lowest[column:end], highest[column:end]
        for start in range(0, n_rows, TILE_ROWS):
            # The last rows and columns are read again where they do not fill a tile.
            begin = min(start, n_rows - TILE_ROWS) if is_tiled else start
            outside = np.int64(0)
            for r in range(TILE):
                # Rows that are not next to each other: each of the four reads goes on where it was.
                one = matrix[min(begin + r, last), column:end]
                two = matrix[min(begin + TILE + r, last), column:end]
                three = matrix[min(begin + 2 * TILE + r, last), column:end]
                four = matrix[min(begin + 3 * TILE + r, last), column:end]
                line = words[r]
                for j in range(width):
                    if half is not None:
                        outside |= (one[j] + half) | (two[j] + half)
                        outside |= (three[j] + half) | (four[j] + half)
                    a, b = np.int32(one[j]), np.int32(two[j])
                    c, d = np.int32(three[j]), np.int32(four[j])
                    line[j] = (a & 255) | (b & 255) << 8 | (c & 255) << 16 | d << 24
                    low[j] = min(low[j], min(min(a, b), min(c, d)))
                    high[j] = max(high[j], max(max(a, b), max(c, d)))
            is_wide = outside >> 32 != 0
            for j in range(width):
                is_wide |= np.int64(high[j]) - np.int64(low[j]) >= longest
            if is_wide:
                return False
            for j in range(0, width if is_tiled else 0, TILE):
                at = min(j, width - TILE)
                _transpose_tile(words, at, part, codes, (column + at) * n_rows + begin, n_rows)
            for r in range(0 if is_tiled else min(TILE_ROWS, n_rows - begin)):
                for j in range(width):
                    codes[column + j, begin + r] = words[r % TILE, j] >> (r // TILE * 8) & 255
    return True


@kernel
def close_gaps(codes, spans, occurs, n_values):
    """Renumber the codes of each feature that occur.

    IN OUT codes (n_features, n_rows), below spans[feature]; IN spans (n_features,); OUT occurs
    (n_features, at least max(spans)), False on entry: which codes occur, n_values (n_features,):
    how many. Most features use all codes of their span, which their first rows show.
    """
    new = np.empty(occurs.shape[1], dtype=codes.dtype)
    for j in range(codes.shape[0]):
        n_seen, end = 0, 0
        while n_seen < spans[j] and end < codes.shape[1]:
            begin, end = end, min(2 * end + 4 * spans[j], codes.shape[1])
            for r in range(begin, end):
                occurs[j, codes[j, r]] = True
            n_seen = 0
            for code in range(spans[j]):
                n_seen += occurs[j, code]
        n_values[j] = n_seen
        if n_seen < spans[j]:
            n_seen = 0
            for code in range(spans[j]):
                new[code] = n_seen
                n_seen += occurs[j, code]
            for r in range(codes.shape[1]):
                codes[j, r] = new[codes[j, r]]
