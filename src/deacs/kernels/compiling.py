"""Compile kernels once, cache them on disk, and skip unused wrappers.

A division by zero gives inf or nan, as in NumPy; where that can happen, the certificates of
`deacs.dea` find it.

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
from functools import cache
from typing import Any

from numba import njit, types
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.typing.templates import make_intrinsic_template
from numba.extending import typeof_impl

from deacs.kernels.jit import COMPILE_CALLS, Intrinsic, Kernel

__all__ = ["dispatcher_of"]


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


def dispatcher_of(kernel: Kernel) -> Any:
    """Return what compiles a kernel for the types of a call, and calls it."""
    dispatcher = njit(**kernel.options)(kernel.py_func)
    if kernel.is_cached:
        try:
            dispatcher._cache = _KernelCache(kernel.py_func)
        except (RuntimeError, OSError):  # numba found no folder to write to
            _warn_uncached("no folder for it can be written")
    interpreted, compiled = kernel.interpreted, dispatcher._compile_for_args
    if interpreted is None:
        return dispatcher

    # numba asks for this where it has nothing compiled for the types of a call, and calls it.
    def code_for(*arguments: Any) -> Any:
        is_cached = getattr(dispatcher._cache, "holds_any", False)
        if interpreted.suits(arguments, is_cached=is_cached):
            return interpreted
        return compiled(*arguments)

    dispatcher._compile_for_args = code_for
    return dispatcher


@typeof_impl.register(Kernel)
def _type_of_kernel(kernel: Kernel, _: Any) -> Any:
    """What a kernel is to those that call it: compiled code."""
    return types.Dispatcher(kernel.dispatcher)


@typeof_impl.register(Intrinsic)
@cache
def _type_of_intrinsic(intrinsic: Intrinsic, _: Any) -> Any:
    definition = intrinsic.definition
    return types.Function(make_intrinsic_template(intrinsic, definition, definition.__name__))


class _Notice(event.Listener):
    """Tells that a kernel is compiled."""

    def on_start(self, event: event.Event) -> None:
        for call in COMPILE_CALLS:
            call()

    def on_end(self, event: event.Event) -> None:
        pass


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
event.register("numba:compile", _Notice())
