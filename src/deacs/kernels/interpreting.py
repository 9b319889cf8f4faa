"""Run kernels as Python code, with the same results, while tables are small.

Compiling the kernels of a first fit takes seconds; interpreting them takes milliseconds for a table
with a few thousand values. So a kernel is interpreted while its arguments are small, until that has
taken as long as compiling it, or loading it from the cache, would; the total is then at most twice
that of the better choice. Python's integers are exact and its floats are doubles, so results have
the same bits.

Arrays become memory views, from which numbers are read as Python objects, three times faster than
from NumPy arrays. A routine that loops over many rows may have a twin in NumPy, which is called
instead.
"""

import math
from collections.abc import Callable
from time import thread_time
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

__all__ = ["Interpreted"]

MAX_SIZE = 20_000
"""The largest array that an interpreted call may traverse; look-up tables may be larger."""

MAX_WORK = 100_000
"""The most entries of all expected calls that are interpreted."""

PATIENCE = 0.5
PATIENCE_CACHED = 0.02
"""Seconds for which a kernel is interpreted: about the time to compile or to load it."""

NUMPY = SimpleNamespace(
    int32=int,
    int64=int,
    uint64=int,
    float64=float,
    sqrt=math.sqrt,
    rint=round,
    inf=math.inf,
    nan=math.nan,
)
"""The part of NumPy that kernels use."""


class Interpreted:
    """A kernel run as Python code."""

    seconds_of_all = 0.0

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._python: Callable[..., Any] | None = None
        self._seconds = 0.0

    def expect(self, n_entries: int) -> None:
        """Announce the total number of entries of the following calls.

        A kernel that is called with one column at a time cannot know it.
        """
        if n_entries > MAX_WORK:
            self._seconds = math.inf

    def suits(self, arguments: tuple[Any, ...], *, is_cached: bool | None) -> bool:
        """Whether a call is small enough to interpret, and there were not too many.

        Only numba knows if compiled code is cached, and loading numba takes a third of a second;
        until it is loaded (None), the time limit is that of all kernels together.
        """
        spent = max(self._seconds, Interpreted.seconds_of_all if is_cached is None else 0.0)
        patience = PATIENCE_CACHED if is_cached else PATIENCE
        return spent < patience and _largest(arguments) <= MAX_SIZE

    def __call__(self, *arguments: Any) -> Any:
        """Run the kernel on views of its arguments."""
        if self._python is None:
            self._python = _as_python(self._function)
        begin = thread_time()
        found = self._python(*map(_view, arguments))
        seconds = thread_time() - begin
        self._seconds += seconds
        Interpreted.seconds_of_all += seconds
        return found


class _Matrix:
    """A view of an array with several dimensions that can be indexed by rows."""

    __slots__ = ("_rows", "_view", "shape")

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._view = array.data
        self._rows = array
        self.shape = array.shape

    def __getitem__(self, place: Any) -> Any:
        return self._view[place] if isinstance(place, tuple) else _view(self._rows[place])

    def __setitem__(self, place: tuple[int, ...], value: Any) -> None:
        self._view[place] = value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._rows


def _view(argument: Any) -> Any:
    if isinstance(argument, np.ndarray):
        return argument.data if argument.ndim == 1 else _Matrix(argument)
    if isinstance(argument, tuple):
        views = map(_view, argument)
        return type(argument)(*views) if hasattr(argument, "_fields") else tuple(views)
    return argument.item() if isinstance(argument, np.generic) else argument


def _largest(arguments: tuple[Any, ...]) -> int:
    sizes = (
        argument.size
        if isinstance(argument, np.ndarray)
        else _largest(argument)
        if isinstance(argument, tuple) and not hasattr(argument, "is_looked_up")
        else 0
        for argument in arguments
    )
    return max(sizes, default=0)


def _as_python(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel's function with the kernels that it calls interpreted as well."""
    known = function.__globals__
    own = {
        name: _interpreted(known[name]) if hasattr(known[name], "py_func") else known[name]
        for name in function.__code__.co_names
        if name in known
    }
    if own.get("np") is np:
        own["np"] = NUMPY
    return FunctionType(function.__code__, own, function.__name__, function.__defaults__)


def _interpreted(routine: Any) -> Callable[..., Any]:
    return routine.by_numpy or _as_python(routine.py_func)
