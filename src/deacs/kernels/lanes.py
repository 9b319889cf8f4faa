"""Counts of all pairs: features with a handful of values against several targets at once.

Every row has a vector of bytes, one for each value of each target: 1 if the row has that value.
Adding it to the vector of a feature's value counts all targets in one addition. Rows are sorted by
class; bytes are added to wider integers before they overflow. X(n) = n log2 n; A and B are defined
in `deacs.kernels.pairs`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.jit import Intrinsic, lean_kernel, lean_routine

__all__ = ["LANES", "ROWS_AT_ONCE", "LaneScratch", "lane_pair_sums", "lane_scratch"]

LANES = 32
"""The number of bytes added at once."""

ROWS_AT_ONCE = 510
"""The number of rows that two bytes can count, each every other row."""

TILE = 8
"""Features counted together, while the vectors of some rows are in the first-level cache."""


class LaneScratch(NamedTuple):
    """Work space for counting by lanes."""

    few: NDArray[np.uint8]
    """Two vectors for every value, zero between parts of the rows."""
    counts: NDArray[np.int32]
    """A vector for every feature of a tile, class and value."""
    n_labels: int


def lane_scratch(n_labels: int, widest: int) -> LaneScratch:
    """Return a work space for features with a given largest number of values."""
    few = np.zeros(2 * widest * LANES, dtype=np.uint8)
    counts = np.empty(TILE * n_labels * widest * LANES, dtype=np.int32)
    return LaneScratch(few, counts, n_labels)


@Intrinsic
def _add_bytes(typingctx, sums, at, vectors, start):
    """Add vectors[start : start + 32] to sums[at : at + 32], both flat."""
    from llvmlite import ir
    from numba import types

    def codegen(context, builder, signature, args):
        pointer = ir.VectorType(ir.IntType(8), LANES).as_pointer()
        of_sums = context.make_array(signature.args[0])(context, builder, args[0])
        of_vectors = context.make_array(signature.args[2])(context, builder, args[2])
        goal = builder.bitcast(builder.gep(of_sums.data, [args[1]]), pointer)
        source = builder.bitcast(builder.gep(of_vectors.data, [args[3]]), pointer)
        added = builder.add(builder.load(goal, align=1), builder.load(source, align=1))
        builder.store(added, goal, align=1)
        return context.get_dummy_value()

    return types.void(sums, types.intp, vectors, types.intp), codegen


@Intrinsic
def _add_up(typingctx, counts, at, sums, start):
    """Add sums[start : start + 32] to counts[at : at + 32], both flat, and reset the sums."""
    from llvmlite import ir
    from numba import types

    def codegen(context, builder, signature, args):
        narrow, wide = (ir.VectorType(ir.IntType(bits), LANES) for bits in (8, 32))
        of_counts = context.make_array(signature.args[0])(context, builder, args[0])
        of_sums = context.make_array(signature.args[2])(context, builder, args[2])
        goal = builder.bitcast(builder.gep(of_counts.data, [args[1]]), wide.as_pointer())
        source = builder.bitcast(builder.gep(of_sums.data, [args[3]]), narrow.as_pointer())
        more = builder.zext(builder.load(source, align=1), wide)
        builder.store(builder.add(builder.load(goal, align=4), more), goal, align=4)
        builder.store(ir.Constant(narrow, [0] * LANES), source, align=1)
        return context.get_dummy_value()

    return types.void(counts, types.intp, sums, types.intp), codegen


@lean_routine
def _fold(counts, start, n_labels, width, widest, first, last, table):
    """Return A and B of a feature against the target in lanes first to last.

    IN counts, from `start` on: n_labels times widest times LANES, width: the feature's number of
    values, first, last, table: X of all counts. Unsigned indices need no test for negative values.
    """
    cells = pairs = np.int64(0)
    step = np.uint64(widest * LANES)
    for f in range(width):
        for s in range(first, last):
            n_fs = np.uint64(0)
            at = np.uint64(start + f * LANES + s)
            for _ in range(n_labels):
                n = np.uint64(counts[at])
                n_fs += n
                cells += table[n]
                at += step
            pairs += table[n_fs]
    return cells, pairs


@lean_kernel
def lane_pair_sums(codes, features, n_values, vectors, bounds, parts, table, scratch, sums):
    """Sum A and B of features against several targets.

    IN codes (n_features, n_rows) in the order of classes, features (k,), n_values, vectors
    (n_rows * LANES,), bounds (n_targets + 1,): where the lanes of each target begin, parts (p, 3):
    the class, the first row, the one after the last, table: X of all counts; TEMP scratch; OUT sums
    (n_targets, k, 2).
    """
    few, counts, n_labels = scratch
    widest = few.shape[0] // (2 * LANES)
    size = n_labels * widest * LANES
    for tile in range(0, features.shape[0], TILE):
        end_of_tile = min(tile + TILE, features.shape[0])
        for at in range(counts.shape[0]):
            counts[at] = 0
        for part in range(parts.shape[0]):
            label, begin, end = parts[part, 0], parts[part, 1], parts[part, 2]
            for k in range(tile, end_of_tile):
                column = codes[features[k], begin:end]
                # Rows alternate between two vectors, so that additions do not wait for each other.
                for r in range(0, column.shape[0] - 1, 2):
                    one, two = np.int64(column[r]), np.int64(column[r + 1]) + widest
                    _add_bytes(few, one * LANES, vectors, (begin + r) * LANES)
                    _add_bytes(few, two * LANES, vectors, (begin + r + 1) * LANES)
                if column.shape[0] & 1:
                    _add_bytes(
                        few,
                        np.int64(codes[features[k], end - 1]) * LANES,
                        vectors,
                        (end - 1) * LANES,
                    )
                first = (k - tile) * size + label * widest * LANES
                for f in range(n_values[features[k]]):
                    _add_up(counts, first + f * LANES, few, f * LANES)
                    _add_up(counts, first + f * LANES, few, (widest + f) * LANES)
        for k in range(tile, end_of_tile):
            for t in range(bounds.shape[0] - 1):
                sums[t, k, 0], sums[t, k, 1] = _fold(
                    counts,
                    (k - tile) * size,
                    n_labels,
                    n_values[features[k]],
                    widest,
                    bounds[t],
                    bounds[t + 1],
                    table,
                )
