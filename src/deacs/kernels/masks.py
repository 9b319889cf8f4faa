"""Bit masks from codes: one vector comparison makes a word of a bit-plane.

So a bit-plane (one bit per row: does the feature have this value?) need not be stored: computing
its words from byte codes is about as fast as reading them from memory. LLVM turns `equal_mask` into
vector comparisons and move-masks of the machine's width.
"""

from deacs.kernels.jit import Intrinsic

__all__ = ["LANES", "equal_mask", "popcount"]

LANES = 64
"""The number of codes that are compared at once."""


@Intrinsic
def equal_mask(typingctx, codes, at, value):
    """Set bit k if codes[at + k] == value, for k < 64; all 64 codes must be allocated."""
    from llvmlite import ir
    from numba import types

    element = codes.dtype

    def codegen(context, builder, signature, args):
        vector = ir.VectorType(ir.IntType(element.bitwidth), LANES)
        array = context.make_array(signature.args[0])(context, builder, args[0])
        start = builder.bitcast(builder.gep(array.data, [args[1]]), vector.as_pointer())
        loaded = builder.load(start, align=1)
        undefined = ir.Constant(vector, ir.Undefined)
        first = builder.insert_element(undefined, args[2], ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        splat = builder.shuffle_vector(first, undefined, zeros)
        return builder.bitcast(builder.icmp_unsigned("==", loaded, splat), ir.IntType(LANES))

    return types.uint64(codes, types.intp, element), codegen


@Intrinsic
def popcount(typingctx, bits):
    """Count the bits that are set."""
    from numba import types

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen
