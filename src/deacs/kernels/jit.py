"""Compilation of kernels: once, cached on disk, and without wrappers that nobody calls.

A `kernel` is called from Python, a `routine` from kernels only. The `lean` ones allocate nothing,
not even a copy, so that no references are counted: what numba writes for that takes a seventh of
the time of compiling. A division by zero gives inf or nan, as in NumPy; where that can happen, the
certificates of `deacs.dea` find it.

What compiling costs, on a first call: about 5 ms a statement, 20 ms a loop and 50 ms a function,
more than half of it before LLVM sees the code; and everything that a routine costs LLVM once more
in each function above it. So: few kernels, one for each case that has its own, routines one level
deep, few loops, few arrays as arguments, no slices and array expressions.

Where nothing can be cached (a read-only installation and home, a full disk), kernels run all the
same and a warning says once what to do.
"""

import os
import warnings
from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache

from deacs.kernels.interpreting import Interpreted

__all__ = ["kernel", "lean_kernel", "lean_routine", "patient_kernel", "routine"]


class _KernelCache(FunctionCache):
    """A cache that is never the reason why a kernel does not run."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for a signature; nothing if it cannot be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever a damaged file makes of pickles
            self._try(self.flush)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if there is room for it."""
        self._try(super().save_overload, sig, data)

    @property
    def holds_any(self) -> bool:
        """Whether the kernel was compiled before, by this process or another."""
        return os.path.exists(self._cache_file._index_path)

    def _try(self, write: Callable[..., None], *arguments: Any) -> None:
        try:
            write(*arguments)
        except Exception as error:
            self.disable()
            _warn_uncached(str(error))


def _cached(**options: Any) -> Callable[..., Any]:
    """Return a decorator that compiles with these options, and caches where that is possible."""

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True, **options)(
            function
        )
        try:
            dispatcher._cache = _KernelCache(function)
        except (RuntimeError, OSError):  # numba found no folder to write to
            _warn_uncached("no folder for it can be written")
        return dispatcher

    return decorate


def patient_kernel(function: Callable[..., Any]) -> Any:
    """Make a lean kernel that is interpreted first, as long as there is little to do.

    Neither it nor its routines may use more of NumPy than `interpreting.NUMPY` has, divide by zero,
    or rely on integers that wrap around; a quotient of integers is one of floats, by `np.float64`.
    """
    dispatcher = lean_kernel(function)
    compiled, interpreted = dispatcher._compile_for_args, Interpreted(function)

    # numba asks for this where it has nothing compiled for the types of a call, and calls it.
    def code_for(*arguments: Any) -> Any:
        is_cached = getattr(dispatcher._cache, "holds_any", False)
        if interpreted.suits(arguments, is_cached=is_cached):
            return interpreted
        return compiled(*arguments)

    dispatcher._compile_for_args = code_for
    return dispatcher


def _warn_uncached(reason: str) -> None:
    if not _warned:
        _warned.append(reason)
        warnings.warn(
            f"compiled code is not cached ({reason}), so every new process spends seconds on "
            "compiling; set the environment variable NUMBA_CACHE_DIR to a folder that can be "
            "written",
            stacklevel=2,
        )


_warned: list[str] = []

kernel = _cached()
routine = _cached(no_cpython_wrapper=True)
lean_kernel = _cached(_nrt=False)
lean_routine = njit(
    nogil=True, error_model="numpy", no_cfunc_wrapper=True, no_cpython_wrapper=True, _nrt=False
)
