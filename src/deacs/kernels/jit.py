"""Kernels: functions that numba compiles at the first call large enough to be worth it.

A `kernel` is called from Python, a `routine` from kernels only. The `lean` ones allocate nothing,
not even a copy, so that no references are counted: what numba writes for that takes a seventh of
the time of compiling. A `patient_kernel` is interpreted first, as long as there is little to do. An
`intrinsic` is a function whose code is written for LLVM.

numba itself takes a third of a second to load (`kernels/compiling.py`), so it is loaded when
something is compiled.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, update_wrapper
from threading import RLock
from typing import Any

from deacs.kernels.interpreting import Interpreted

__all__ = [
    "COMPILE_CALLS",
    "Intrinsic",
    "Kernel",
    "kernel",
    "lean_kernel",
    "lean_routine",
    "on_compile",
    "patient_kernel",
    "routine",
]

COMPILE_CALLS: list[Callable[[], None]] = []
"""What is called whenever a kernel is compiled because no cache holds it."""


@contextmanager
def on_compile(call: Callable[[], None]) -> Iterator[None]:
    """Call a function whenever a kernel is compiled because no cache holds it."""
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
        What to compile.
    options : dict
        numba's options.
    is_cached : bool
        Whether compiled code is kept on disk.
    is_patient : bool
        Whether the function is interpreted while there is little to do. Neither it nor its routines
        may use more of NumPy than `interpreting.NUMPY` has, divide by zero, or rely on integers
        that wrap around; a quotient of integers is one of floats, by `np.float64`.
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
        """Run the function, compiled unless there is little to do."""
        if self._dispatcher is not None:
            return self._dispatcher(*arguments)
        interpreted = None if "numba" in sys.modules else self.interpreted
        if interpreted is not None and interpreted.suits(arguments, is_cached=None):
            return interpreted(*arguments)
        return self.dispatcher(*arguments)

    def expect(self, n_entries: int) -> None:
        """Say how many entries the calls to come go through; see `Interpreted.expect`."""
        if self.interpreted is not None:
            self.interpreted.expect(n_entries)

    @property
    def is_at_hand(self) -> bool:
        """Whether it was compiled, by this process or by another that left it in the cache."""
        dispatcher = self.dispatcher
        return bool(dispatcher.overloads) or getattr(dispatcher._cache, "holds_any", False)

    @property
    def dispatcher(self) -> Any:
        """numba's object, which is made when it is first asked for."""
        with _MAKING:
            if self._dispatcher is None:
                from deacs.kernels.compiling import dispatcher_of

                self._dispatcher = dispatcher_of(self)
        return self._dispatcher


class Intrinsic:
    """A function of types that returns a signature and what writes code for it, as numba wants."""

    def __init__(self, definition: Callable[..., Any]) -> None:
        self.definition = definition
        update_wrapper(self, definition)

    def __call__(self, *arguments: Any) -> Any:
        """Refuse: it has no meaning outside of compiled code."""
        raise NotImplementedError(f"{self.definition.__name__} can be called by kernels only")


_MAKING = RLock()
_SHARED = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_UNCALLED = {**_SHARED, "no_cpython_wrapper": True}

kernel = partial(Kernel, options=_SHARED)
routine = partial(Kernel, options=_UNCALLED)
lean_kernel = partial(Kernel, options={**_SHARED, "_nrt": False})
patient_kernel = partial(lean_kernel, is_patient=True)
lean_routine = partial(Kernel, options={**_UNCALLED, "_nrt": False}, is_cached=False)
