"""`Cluster`: the protocol that a scheduler's adapter must follow.

Every result is a pure function of others, so a scheduler can compute again what a dead worker
held, except data from the client's memory: after `LostData`, the client must send it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

from deacs.exceptions import ClusterError

__all__ = ["ATTEMPTS", "THREADS", "Cluster", "Handle", "LostData", "resilient"]

FAN_IN = 8
"""The most results that one task, or the client, adds up."""

ATTEMPTS = 5
"""How often a request is tried if workers die with its data."""

THREADS: ContextVar[int] = ContextVar("threads of the worker that runs a task", default=1)
"""Set by an adapter around each task, so that all threads of a worker count its part."""

Handle = Any
"""A result that is, or will be, on a worker; tasks that take it get the result."""

T = TypeVar("T")


class LostData(Exception):
    """Raised if a worker died with data that no task can compute again."""


class Cluster(Protocol):
    """Workers that run named tasks and keep the results.

    An adapter inherits from this class and implements the first five methods.
    """

    def n_workers(self) -> int:
        """Wait for a first worker; return how many there are now."""

    def submit(
        self, name: str, work: Callable[..., Any], *args: Any, home: int | None = None
    ) -> Handle:
        """Begin one task.

        Parameters
        ----------
        name : str
            The name that monitoring tools show.
        work : callable
            A pure function, which may run more than once.
        *args
            Its arguments; handles, also in lists, are replaced by their results.
        home : int, optional
            The number of the part that the task reads; it should run where that part is.
        """

    def send(self, data: Any, home: int) -> Handle:
        """Send data from the client to the worker of a part.

        Raises
        ------
        ClusterError
            If workers keep dying while data is sent.
        """

    def gather(self, handles: Any) -> Any:
        """Return the result of a handle, or a list of results.

        Raises
        ------
        LostData
            If a worker died with data that must be sent again.
        ClusterError
            If the scheduler is gone, or a task killed one worker after another.
        """

    def is_lost(self, handle: Handle) -> bool:
        """Return whether data that was sent is lost because its worker died."""

    def map(
        self, name: str, work: Callable[..., Any], *args: Sequence[Any], given: Sequence[Any] = ()
    ) -> list[Handle]:
        """Begin a task for each part, on its worker; `given` are further arguments of all tasks."""
        together = enumerate(zip(*args, strict=True))
        return [self.submit(name, work, *each, *given, home=home) for home, each in together]

    def total(
        self,
        name: str,
        work: Callable[..., Any],
        add: Callable[[list[Any]], Any],
        parts: list[Handle],
        *given: Any,
    ) -> Any:
        """Run a task on each part, and add up the results.

        They are added on the workers until at most `FAN_IN` are left, then on the client.
        """
        found = self.map(name, work, parts, given=given)
        while len(found) > FAN_IN:
            groups = [found[k : k + FAN_IN] for k in range(0, len(found), FAN_IN)]
            found = [self.submit(f"{name}-sum", add, group) for group in groups]
        return add(self.gather(found))


def resilient(restore: Callable[[], None], ask: Callable[[], T]) -> T:
    """Call `ask`; if data was lost, restore it and call again."""
    for _ in range(ATTEMPTS):
        try:
            return ask()
        except LostData:
            restore()
    raise ClusterError(
        f"workers died with their data in {ATTEMPTS} attempts at one request; see the workers' "
        "logs: most likely they ran out of memory. Give them more, or split the table into more "
        "parts"
    )
