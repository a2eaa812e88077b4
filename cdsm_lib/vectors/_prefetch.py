"""Ask for memory before it is needed: training reads rows of large matrices in an order that no processor foresees."""

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

_LINE = 64  # bytes that come together


@intrinsic
def _prefetch(typing, array, row, column):
    """Have the cache line of ``array[row, column]`` fetched; nothing waits for it, and no value changes."""

    def code(context, builder, signature, arguments):
        made = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = cgutils.get_item_pointer(
            context, builder, signature.args[0], made, arguments[1:], wraparound=False, boundscheck=False
        )
        place, number = builder.bitcast(place, cgutils.voidptr_t), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], kind)
        builder.call(fetch, [place, number(1), number(3), number(1)])  # to be written, kept in all caches, data
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp), code


@njit(inline="always")
def prefetch_row(array, row):
    """Have a row of a two-dimensional array fetched."""
    for column in range(0, array.shape[1], _LINE // array.itemsize):
        _prefetch(array, row, column)
