"""Codes from integers in short ranges: transpose a matrix to bytes, and close the gaps."""

import numpy as np

from deacs.kernels.jit import Intrinsic, lean_kernel
from deacs.kernels.masks import LANES, equal_mask

__all__ = ["TILE", "TILE_ROWS", "close_gaps", "transpose_bytes"]

TILE = 8
"""Columns, and words of four bytes of each, that are transposed in registers."""
TILE_ROWS = 4 * TILE
MOST_COLUMNS = 512
"""The columns of a matrix that are read at a time: the rows fetched ahead stay in the cache."""
FEW = 16
"""Codes that are looked for one by one in less time than all rows are read."""


@Intrinsic
def _transpose_tile(typingctx, matrix, at, pitch, lowest, highest, column, codes, to, stride):
    """Transpose 32 rows of 8 columns to bytes, modulo 256, and update the extremes of the columns.

    codes[to + k * stride + r] is the last byte of matrix[at + r * pitch + k]. Four rows make words
    of four bytes. Each round exchanges one bit of a word's row with the same bit of its column. The
    next 32 rows are fetched meanwhile, or nothing beyond the last: so many reads at a time are more
    than the processor foresees.
    """
    from llvmlite import ir
    from numba import types

    def codegen(context, builder, signature, args):
        width, of_32 = matrix.dtype.bitwidth, ir.IntType(32)
        values, words = ir.VectorType(ir.IntType(width), TILE), ir.VectorType(of_32, TILE)
        is_less = builder.icmp_signed if matrix.dtype.signed else builder.icmp_unsigned
        byte = ir.IntType(8).as_pointer()

        def pointer(argument, place):
            data = context.make_array(signature.args[argument])(context, builder, args[argument])
            return builder.gep(data.data, [place])

        def loaded(place):
            return builder.load(builder.bitcast(place, values.as_pointer()), align=1)

        def stored(vector, place):
            builder.store(vector, builder.bitcast(place, vector.type.as_pointer()), align=1)

        def byte_of(value, i):
            if width != 32:
                value = (builder.trunc if width > 32 else builder.zext)(value, words)
            value = builder.and_(value, ir.Constant(words, [255] * TILE))
            return builder.shl(value, ir.Constant(words, [8 * i] * TILE))

        prefetch = builder.module.declare_intrinsic(
            "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte] + 3 * [of_32])
        )
        how = of_32(0), of_32(2), of_32(1)  # to read, into the second cache, data
        lows, highs = (pointer(k, args[5]) for k in (3, 4))
        low, high = loaded(lows), loaded(highs)
        row, rows = pointer(0, args[1]), []
        further = builder.mul(args[2], args[2].type(TILE_ROWS))
        for _ in range(TILE):
            word = ir.Constant(words, [0] * TILE)
            for i in range(4):
                value = loaded(row)
                low = builder.select(is_less("<", value, low), value, low)
                high = builder.select(is_less("<", high, value), value, high)
                word = builder.or_(word, byte_of(value, i))
                ahead = builder.bitcast(builder.gep(row, [further]), byte)
                builder.call(prefetch, [ahead, *how])
                row = builder.gep(row, [args[2]])
            rows.append(word)
        stored(low, lows)
        stored(high, highs)
        for bit in (1, 2, 4):
            first = [TILE + (i ^ bit) if i & bit else i for i in range(TILE)]
            second = [TILE + i if i & bit else i ^ bit for i in range(TILE)]
            first, second = (ir.Constant(words, order) for order in (first, second))
            rows = [
                builder.shuffle_vector(rows[k & ~bit], rows[k | bit], second if k & bit else first)
                for k in range(TILE)
            ]
        to_column = pointer(6, args[7])
        for row in rows:
            stored(row, to_column)
            to_column = builder.gep(to_column, [args[8]])
        return context.get_dummy_value()

    places = types.intp, types.intp
    return types.void(matrix, *places, lowest, highest, types.intp, codes, *places), codegen


@lean_kernel
def transpose_bytes(matrix, longest, lowest, highest, codes):
    """Transpose a matrix modulo 256, and find the extremes of its columns.

    IN matrix (n_rows, n_columns) of any integers, at least 32 by 8, longest; IN OUT lowest, highest
    (n_columns,) of the same type: those of any row; OUT codes (n_columns, n_rows). Returns False if
    a column spans more than `longest` values.
    """
    n_rows, n_columns = matrix.shape
    for first in range(0, n_columns, MOST_COLUMNS):
        end = min(first + MOST_COLUMNS, n_columns)
        for start in range(0, n_rows, TILE_ROWS):
            # The last rows and columns are read again where they do not fill a tile.
            row = min(start, n_rows - TILE_ROWS)
            for j in range(first, end, TILE):
                column = min(j, n_columns - TILE)
                at, to = row * n_columns + column, column * n_rows + row
                _transpose_tile(matrix, at, n_columns, lowest, highest, column, codes, to, n_rows)
            n_wide = np.int64(0)
            for j in range(first, end):
                n_wide += np.uint64(highest[j]) - np.uint64(lowest[j]) >= np.uint64(longest)
            if n_wide:
                return False
    return True


@lean_kernel
def close_gaps(codes, spans, occurs, renumbered, n_values):
    """Renumber the codes of each feature that occur.

    IN OUT codes (n_features, n_rows) of uint8, below spans[feature]; IN spans (n_features,); OUT
    occurs (n_features, at least max(spans)), False on entry: which codes occur; TEMP renumbered
    (256,) of uint8; OUT n_values (n_features,): how many. The first rows show most codes of a
    feature; a few others are looked for 64 rows at a time, many in all rows.
    """
    n_rows = codes.shape[1]
    for j in range(codes.shape[0]):
        column, seen, span = codes[j], occurs[j], spans[j]
        end = min(4 * span, n_rows) if n_rows >= LANES else n_rows
        for row in range(end):
            seen[column[row]] = True
        n_seen = 0
        for code in range(span):
            n_seen += seen[code]
        if span - n_seen > FEW:
            for row in range(end, n_rows):
                seen[column[row]] = True
            end = n_rows
        n_values[j] = span
        if n_seen == span:
            continue
        n_seen = 0
        for code in range(span):
            row = end
            while not seen[code] and row < n_rows:
                seen[code] = equal_mask(column, min(row, n_rows - LANES), np.uint8(code)) != 0
                row += LANES
            renumbered[code] = n_seen
            n_seen += seen[code]
        n_values[j] = n_seen
        if n_seen < span:
            for row in range(n_rows):
                column[row] = renumbered[column[row]]
