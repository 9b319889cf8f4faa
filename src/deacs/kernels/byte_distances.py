"""Vectorised distances between rows of bytes: eight bytes per word, sixteen rows at once."""

from deacs.kernels.jit import Intrinsic

__all__ = ["ROWS", "bytes_apart"]

ROWS = 16
"""The number of rows compared at once."""

LANES = 4
"""Words in a vector."""


@Intrinsic
def bytes_apart(typingctx, words, slack, row, first, n_steps, limit, gaps):
    """Set gaps[k] to the distance of rows `row` and `first` + k, minus its slack, for k < ROWS.

    IN words (n_words, n_rows): eight bytes each; the distance of two bytes is their difference in
    the first `n_steps` words, and 0 or 255 in the others; slack (n_rows,), row, first, n_steps,
    limit; OUT gaps (ROWS,) of int64. Return a mask: bit k is set if gaps[k] is below the limit.
    """
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils

    word, byte = ir.IntType(64), ir.IntType(8)
    vector, bytes_ = ir.VectorType(word, LANES), ir.VectorType(byte, 8 * LANES)

    def codegen(context, builder, signature, args):
        table = context.make_array(signature.args[0])(context, builder, args[0])
        n_words, stride = cgutils.unpack_tuple(builder, table.shape)
        sums = [cgutils.alloca_once(builder, vector) for _ in range(ROWS // LANES)]
        lost = context.make_array(signature.args[1])(context, builder, args[1])
        for k, total in enumerate(sums):
            at = builder.add(args[3], ir.Constant(word, LANES * k))
            builder.store(builder.neg(load(builder, lost, at)), total)

        def add(start, stop, *, nominal):
            with cgutils.for_range(builder, stop, start=start) as loop:
                at = builder.mul(loop.index, stride)
                one = builder.load(builder.gep(table.data, [builder.add(at, args[2])]))
                mine = builder.bitcast(_splat(builder, one, vector), bytes_)
                others = builder.add(at, args[3])
                for k, total in enumerate(sums):
                    place = builder.add(others, ir.Constant(word, LANES * k))
                    theirs = builder.bitcast(load(builder, table, place), bytes_)
                    if nominal:
                        unequal = builder.sext(builder.icmp_unsigned("!=", mine, theirs), bytes_)
                        gap = sad(unequal, ir.Constant(bytes_, None))
                    else:
                        gap = sad(mine, theirs)
                    builder.store(builder.add(builder.load(total), gap), total)

        def sad(one, two):
            if "+avx2" in context.codegen().magic_tuple()[2].split(","):
                kind = ir.FunctionType(vector, [bytes_, bytes_])
                name = "llvm.x86.avx2.psad.bw"
                return builder.call(
                    cgutils.get_or_insert_function(builder.module, kind, name), [one, two]
                )
            more = builder.icmp_unsigned(">", one, two)
            gap = builder.select(more, builder.sub(one, two), builder.sub(two, one))
            total = builder.bitcast(gap, vector)
            for shift, kept in (
                (8, 0x00FF00FF00FF00FF),
                (16, 0x0000FFFF0000FFFF),
                (32, 0xFFFFFFFF),
            ):
                mask, by = (ir.Constant(vector, [n] * LANES) for n in (kept, shift))
                other = builder.and_(builder.lshr(total, by), mask)
                total = builder.add(builder.and_(total, mask), other)
            return total

        add(ir.Constant(word, 0), args[4], nominal=False)
        add(args[4], n_words, nominal=True)
        out = context.make_array(signature.args[6])(context, builder, args[6])
        limit, mask = _splat(builder, args[5], vector), ir.Constant(word, 0)
        for k, total in enumerate(sums):
            found = builder.load(total)
            place = builder.gep(out.data, [ir.Constant(word, LANES * k)])
            builder.store(found, builder.bitcast(place, vector.as_pointer()), align=8)
            below = builder.bitcast(builder.icmp_signed("<", found, limit), ir.IntType(LANES))
            bits = builder.shl(builder.zext(below, word), ir.Constant(word, LANES * k))
            mask = builder.or_(mask, bits)
        return mask

    def load(builder, array, at):
        place = builder.bitcast(builder.gep(array.data, [at]), vector.as_pointer())
        return builder.load(place, align=8)

    intp = types.intp
    return types.int64(words, slack, intp, intp, intp, types.int64, gaps), codegen


def _splat(builder, value, vector):
    """Return a vector of equal words."""
    from llvmlite import ir

    number = ir.IntType(32)
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(number, 0))
    zeros = ir.Constant(ir.VectorType(number, LANES), [0] * LANES)
    return builder.shuffle_vector(first, undefined, zeros)
