"""How kernels are compiled: once, cached on disk, and without wrappers that nobody calls.

A `kernel` is called from Python, a `routine` from kernels only. The `lean` ones allocate nothing,
not even a copy, so that no references are counted: what numba writes for that takes a seventh of
the time of compiling. A division by zero gives inf or nan, as in NumPy; where that can happen, the
certificates of `deacs.dea` find it.

What compiling costs, on a first call: about 5 ms a statement, 20 ms a loop and 50 ms a function,
more than half of it before LLVM sees the code; and everything that a routine costs LLVM once more
in each function above it. So: few kernels, one for each case that has its own, routines one level
deep, few loops, few arrays as arguments, no slices and array expressions.
"""

from numba import njit

__all__ = ["kernel", "lean_kernel", "lean_routine", "routine"]

kernel = njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
routine = njit(
    cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, no_cpython_wrapper=True
)
lean_kernel = njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, _nrt=False)
lean_routine = njit(
    nogil=True, error_model="numpy", no_cfunc_wrapper=True, no_cpython_wrapper=True, _nrt=False
)
