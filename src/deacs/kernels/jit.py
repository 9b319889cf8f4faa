"""How kernels are compiled: once, cached on disk, and without wrappers that nobody calls.

A `kernel` is called from Python, a `routine` from kernels only. Leaving out the wrappers saves a
fifth of the time of the very first call. A division by zero gives inf or nan, as in NumPy; where
that can happen, the certificates of `deacs.dea` find it.
"""

from numba import njit

__all__ = ["kernel", "routine"]

kernel = njit(cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
routine = njit(
    cache=True, nogil=True, error_model="numpy", no_cfunc_wrapper=True, no_cpython_wrapper=True
)
