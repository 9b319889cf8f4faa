"""Kernels: functions that numba compiles at the first call large enough to be worth it.

A `kernel` is called from Python, a `routine` only from kernels. `lean` ones allocate nothing and
make no copies, so numba need not count references, which saves a seventh of the compile time. LLVM
inlines small routines, and an `inlined_routine`, a lean one for inner loops, always: a call passes
every array as seven numbers or more, which took a fifth of the time of some kernels. A
`patient_kernel` is interpreted while there is little to do. An `intrinsic` generates LLVM code.

Loading numba takes a third of a second (`kernels/compiling.py`), so it is loaded only if something
is compiled.
"""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, update_wrapper
from threading import RLock, current_thread, main_thread
from typing import Any

from deacs.kernels.interpreting import Interpreted

__all__ = [
    "COMPILE_CALLS",
    "Intrinsic",
    "Kernel",
    "inlined_routine",
    "kernel",
    "lean_kernel",
    "lean_routine",
    "on_compile",
    "patient_kernel",
    "routine",
]

COMPILE_CALLS: list[Callable[[], None]] = []
"""Callbacks for kernels that are compiled because they are not cached."""


@contextmanager
def on_compile(call: Callable[[], None]) -> Iterator[None]:
    """Register a callback for kernels that are compiled because they are not cached."""
    COMPILE_CALLS.append(call)
    try:
        yield
    finally:
        COMPILE_CALLS.remove(call)


class Kernel:
    """A function and how it is compiled.

    Parameters
    ----------
    function : callable
        The function to compile.
    options : dict
        Options of numba.
    is_cached : bool
        Whether compiled code is cached on disk.
    is_patient : bool
        Whether the function is interpreted while there is little to do. It and its routines may use
        only the part of NumPy in `interpreting.NUMPY`, must not divide by zero or rely on integer
        overflow, and must divide integers as floats, by `np.float64`.
    by_numpy : callable, optional
        The same function by NumPy, for kernels that are interpreted; arrays are memory views.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        options: dict[str, Any],
        *,
        is_cached: bool = True,
        is_patient: bool = False,
        by_numpy: Callable[..., Any] | None = None,
    ) -> None:
        self.py_func = function
        self.options = options
        self.is_cached = is_cached
        self.by_numpy = by_numpy
        self.interpreted = Interpreted(function) if is_patient else None
        self._dispatcher: Any = None
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """Run the function, interpreted if there is little to do, else compiled."""
        if self._dispatcher is not None:
            return self._dispatcher(*arguments)
        interpreted = None if "numba" in sys.modules else self.interpreted
        if interpreted is not None and interpreted.suits(arguments, is_cached=None):
            return interpreted(*arguments)
        return self.dispatcher(*arguments)

    def expect(self, n_entries: int) -> None:
        """Announce the total number of entries of the following calls; see `Interpreted.expect`."""
        if self.interpreted is not None:
            self.interpreted.expect(n_entries)

    @property
    def is_at_hand(self) -> bool:
        """Whether it is compiled, in this process or in the cache."""
        dispatcher = self.dispatcher
        return bool(dispatcher.overloads) or getattr(dispatcher._cache, "holds_any", False)

    @property
    def is_ready(self) -> bool:
        """Whether it is at hand and numba, which takes long to load, is loaded."""
        return "numba" in sys.modules and self.is_at_hand

    @property
    def dispatcher(self) -> Any:
        """The dispatcher of numba, created on first access."""
        with _MAKING:
            if self._dispatcher is None:
                with _ctrl_c_waits():
                    from deacs.kernels.compiling import dispatcher_of

                self._dispatcher = dispatcher_of(self)
        return self._dispatcher


class Intrinsic:
    """A function of types that returns a signature and a code generator, as numba expects."""

    def __init__(self, definition: Callable[..., Any]) -> None:
        self.definition = definition
        update_wrapper(self, definition)

    def __call__(self, *arguments: Any) -> Any:
        """Raise an error: it can be called only from compiled code."""
        raise NotImplementedError(f"{self.definition.__name__} can be called by kernels only")


@contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Hold Ctrl-C back: numba whose import it breaks off stays broken as long as the process."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or current_thread() is not main_thread():
        yield  # Python calls no handler here
        return
    presses: list[Any] = []
    signal.signal(signal.SIGINT, lambda *press: presses.append(press))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if presses:
        handler(*presses[-1])


_MAKING = RLock()
_SHARED = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_UNCALLED = {**_SHARED, "no_cpython_wrapper": True}
_LEAN = {**_UNCALLED, "_nrt": False}

kernel = partial(Kernel, options=_SHARED)
routine = partial(Kernel, options=_UNCALLED)
lean_kernel = partial(Kernel, options={**_SHARED, "_nrt": False})
patient_kernel = partial(lean_kernel, is_patient=True)
lean_routine = partial(Kernel, options=_LEAN, is_cached=False)
inlined_routine = partial(lean_routine, options={**_LEAN, "forceinline": True})
