"""Compile kernels once, cache them on disk, and skip unused wrappers.

A division by zero results in inf or nan, as in NumPy.

On a first call, compiling takes about 5 ms per statement, 20 ms per loop and 50 ms per function,
more than half of it before LLVM; LLVM compiles a routine again in each function that inlines it.
So there are few kernels, routines one level deep, few loops, few arrays as arguments, and no slices
or array expressions.

If nothing can be cached (a read-only installation and home, a full disk), kernels still run, and a
warning is issued once.
"""

import os
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from numba import njit, types
from numba.core import event
from numba.core.caching import FunctionCache
from numba.core.registry import cpu_target
from numba.core.typing.templates import make_intrinsic_template
from numba.extending import typeof_impl

from deacs.kernels.jit import COMPILE_CALLS, Intrinsic, Kernel

__all__ = ["dispatcher_of"]


class _KernelCache(FunctionCache):
    """A cache whose errors never keep a kernel from running."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code for a signature; None if it cannot be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a corrupt pickle can raise anything
            self._try(self.flush)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store compiled code, if possible."""
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
    """Return the numba dispatcher of a kernel."""
    dispatcher = njit(**kernel.options)(kernel.py_func)
    if kernel.is_cached:
        try:
            dispatcher._cache = _KernelCache(kernel.py_func)
        except (RuntimeError, OSError):  # numba found no writable folder
            _warn_uncached("no folder for it can be written")
    interpreted, compiled = kernel.interpreted, dispatcher._compile_for_args
    if interpreted is None:
        return dispatcher

    # numba calls this if it has no compiled code for the types of a call.
    def code_for(*arguments: Any) -> Any:
        is_cached = getattr(dispatcher._cache, "holds_any", False)
        if interpreted.suits(arguments, is_cached=is_cached):
            return interpreted
        return compiled(*arguments)

    dispatcher._compile_for_args = code_for
    return dispatcher


@typeof_impl.register(Kernel)
def _type_of_kernel(kernel: Kernel, _: Any) -> Any:
    """The numba type of a kernel inside other kernels: that of its dispatcher."""
    return types.Dispatcher(kernel.dispatcher)


@typeof_impl.register(Intrinsic)
@cache
def _type_of_intrinsic(intrinsic: Intrinsic, _: Any) -> Any:
    definition = intrinsic.definition
    return types.Function(make_intrinsic_template(intrinsic, definition, definition.__name__))


class _Notice(event.Listener):
    """Reports that a kernel is being compiled."""

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
# What the first compilation would register: interrupted there, numba lacks the rest ever after.
cpu_target.target_context.refresh()
