"""Notice of kernels being compiled: the first run after an installation takes seconds longer."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event

__all__ = ["on_compile"]


@contextmanager
def on_compile(call: Callable[[], None]) -> Iterator[None]:
    """Call a function whenever a kernel is compiled because no cache holds it."""
    with event.install_listener("numba:compile", _Caller(call)):
        yield


class _Caller(event.Listener):
    def __init__(self, call: Callable[[], None]) -> None:
        self.call = call

    def on_start(self, event: event.Event) -> None:
        self.call()

    def on_end(self, event: event.Event) -> None:
        pass
