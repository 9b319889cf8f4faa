"""Codes from integers in short ranges: transpose a matrix to bytes, and close the gaps."""

import numpy as np

from deacs.kernels.jit import Intrinsic, kernel, lean_kernel

__all__ = ["TILE_COLUMNS", "TILE_ROWS", "close_gaps", "transpose_bytes"]

TILE = 16
"""Rows and columns of bytes that are transposed in registers."""
TILE_ROWS = 32
TILE_COLUMNS = 512
"""The part of a matrix that is read at a time: long reads, and writes to few pages."""


@Intrinsic
def _transpose_tile(typingctx, source, at, pitch, target, to, stride):
    """Transpose 16 by 16 bytes: target[to + k * stride + i] = source[at + i * pitch + k].

    By interleaving the rows of the upper half with those of the lower, four times.
    """
    from llvmlite import ir
    from numba import types

    def codegen(context, builder, signature, args):
        lines = ir.VectorType(ir.IntType(8), TILE)
        places = ir.VectorType(ir.IntType(32), TILE)

        def line(argument, begin, step, k):
            data = context.make_array(signature.args[argument])(context, builder, args[argument])
            place = builder.add(args[begin], builder.mul(args[step], args[step].type(k)))
            return builder.bitcast(builder.gep(data.data, [place]), lines.as_pointer())

        rows = [builder.load(line(0, 1, 2, k), align=1) for k in range(TILE)]
        halves = [
            ir.Constant(places, [k + i // 2 + 16 * (i % 2) for i in range(16)]) for k in (0, 8)
        ]
        for _ in range(4):
            rows = [
                builder.shuffle_vector(rows[k // 2], rows[k // 2 + 8], halves[k % 2])
                for k in range(TILE)
            ]
        for k, row in enumerate(rows):
            builder.store(row, line(3, 4, 5, k), align=1)
        return context.get_dummy_value()

    signature = types.void(source, types.intp, types.intp, target, types.intp, types.intp)
    return signature, codegen


@lean_kernel
def transpose_bytes(matrix, longest, words, lines, lowest, highest, codes):
    """Transpose a matrix modulo 256, and find the extremes of its columns.

    IN matrix (n_rows, n_columns) of any integers, longest; TEMP words (TILE_COLUMNS,) of int32, or
    (0,) where the matrix has no wider values, lines (TILE_ROWS, TILE_COLUMNS) of bytes; IN OUT
    lowest, highest (n_columns,) of int32: those of the first row; OUT codes (n_columns, n_rows).
    Returns False if a value needs more than 32 bits or a column spans more than `longest` values.
    """
    n_rows, n_columns = matrix.shape
    last = n_rows - 1
    for column in range(0, n_columns, TILE_COLUMNS):
        width = min(TILE_COLUMNS, n_columns - column)
        low, high = lowest[column : column + width], highest[column : column + width]
        for begin in range(0, n_rows, TILE_ROWS):
            height = min(TILE_ROWS, n_rows - begin)
            is_wide = False
            for r in range(0, height if words.shape[0] == 0 else 0, 4):
                # Four rows at a time, the last one again where there are fewer.
                one = matrix[begin + r, column : column + width]
                two = matrix[min(begin + r + 1, last), column : column + width]
                three = matrix[min(begin + r + 2, last), column : column + width]
                four = matrix[min(begin + r + 3, last), column : column + width]
                for j in range(width):
                    a, b = np.int32(one[j]), np.int32(two[j])
                    c, d = np.int32(three[j]), np.int32(four[j])
                    lines[r, j], lines[r + 1, j] = a & 255, b & 255
                    lines[r + 2, j], lines[r + 3, j] = c & 255, d & 255
                    low[j] = min(low[j], min(min(a, b), min(c, d)))
                    high[j] = max(high[j], max(max(a, b), max(c, d)))
            for r in range(height if words.shape[0] > 0 else 0):
                row, line = matrix[begin + r, column : column + width], lines[r]
                for j in range(width):
                    words[j] = row[j]
                    is_wide |= row[j] != words[j]
                for j in range(width):
                    line[j] = words[j] & 255
                    low[j] = min(low[j], words[j])
                    high[j] = max(high[j], words[j])
            for j in range(width):
                is_wide |= np.int64(high[j]) - np.int64(low[j]) >= longest
            if is_wide:
                return False
            n_whole = width // TILE * TILE if height == TILE_ROWS else 0
            for j in range(0, n_whole, TILE):
                for r in range(0, TILE_ROWS, TILE):
                    to = (column + j) * n_rows + begin + r
                    _transpose_tile(lines, r * TILE_COLUMNS + j, TILE_COLUMNS, codes, to, n_rows)
            for j in range(n_whole, width):
                for r in range(height):
                    codes[column + j, begin + r] = lines[r, j]
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
        n_missing = spans[j]
        for r in range(codes.shape[1]):
            if not occurs[j, codes[j, r]]:
                occurs[j, codes[j, r]] = True
                n_missing -= 1
                if n_missing == 0:
                    break
        n_values[j] = spans[j] - n_missing
        if n_missing > 0:
            n_seen = 0
            for code in range(spans[j]):
                new[code] = n_seen
                n_seen += occurs[j, code]
            for r in range(codes.shape[1]):
                codes[j, r] = new[codes[j, r]]
