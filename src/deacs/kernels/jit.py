"""How kernels are compiled: once, cached on disk, and without wrappers that nobody calls.

A `kernel` is called from Python, a `routine` from kernels only. The `lean` ones allocate nothing,
not even a copy, so that no references are counted: what numba writes for that takes a seventh of
the time of compiling. A division by zero gives inf or nan, as in NumPy; where that can happen, the
certificates of `deacs.dea` find it.

What compiling costs, on a first call: about 10 ms a line, whatever the line does, half of it
before LLVM sees the code; 50 ms a function; and everything that a routine costs LLVM once more in
each function above it. So: few kernels, routines one level deep, few arrays as arguments, loops
instead of slices and array expressions.
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
