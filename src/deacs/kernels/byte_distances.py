"""Vectorised distances between rows of bytes."""

from deacs.kernels.jit import Intrinsic

__all__ = ["LANES", "codes_apart", "steps_apart"]

LANES = 128
"""Bytes that are compared at once: rows are padded to a multiple of this."""


def _vectors(context, builder, signature, args):
    """Load LANES bytes at each of the two places."""
    from llvmlite import ir

    vector = ir.VectorType(ir.IntType(8), LANES)
    array = context.make_array(signature.args[0])(context, builder, args[0])
    places = (builder.gep(array.data, [at]) for at in args[1:])
    return [builder.load(builder.bitcast(p, vector.as_pointer()), align=1) for p in places]


@Intrinsic
def steps_apart(typingctx, steps, at, other):
    """Sum |steps[at + k] - steps[other + k]| over LANES bytes; LLVM has an instruction for it."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils

    def codegen(context, builder, signature, args):
        number, wide = ir.IntType(32), ir.VectorType(ir.IntType(32), LANES)
        one, two = (builder.zext(v, wide) for v in _vectors(context, builder, signature, args))
        absolute = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(wide, [wide, ir.IntType(1)]), f"llvm.abs.v{LANES}i32"
        )
        total = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(number, [wide]), f"llvm.vector.reduce.add.v{LANES}i32"
        )
        gaps = builder.call(absolute, [builder.sub(one, two), ir.Constant(ir.IntType(1), 0)])
        return builder.zext(builder.call(total, [gaps]), ir.IntType(64))

    return types.int64(steps, types.intp, types.intp), codegen


@Intrinsic
def codes_apart(typingctx, codes, at, other):
    """Count the LANES bytes that differ."""
    from llvmlite import ir
    from numba import types

    def codegen(context, builder, signature, args):
        one, two = _vectors(context, builder, signature, args)
        apart = builder.bitcast(builder.icmp_unsigned("!=", one, two), ir.IntType(LANES))
        return builder.trunc(builder.ctpop(apart), ir.IntType(64))

    return types.int64(codes, types.intp, types.intp), codegen
