"""`Cluster`: the protocol that a scheduler's adapter must follow.

Every result is a pure function of others, so a scheduler can compute again what a dead worker
held, except data that came from the client's memory: `LostData` says that it must be sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

from deacs.exceptions import ClusterError

__all__ = ["ATTEMPTS", "THREADS", "Cluster", "Handle", "LostData", "resilient"]

FAN_IN = 8
"""Results that one task, or the client, adds up."""

ATTEMPTS = 5
"""How often a request is repeated after data was lost."""

THREADS: ContextVar[int] = ContextVar("threads of the worker that runs a task", default=1)
"""An adapter sets it around each task: a part is counted by all threads of its worker."""

Handle = Any
"""A result that is, or will be, on a worker. As an argument of a task it stands for the result."""

T = TypeVar("T")


class LostData(Exception):
    """A worker died with data that no task can compute again."""


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
            How monitoring tools show the task.
        work : callable
            A pure function; may run more than once.
        *args
            Its arguments; handles, in lists too, stand for their results.
        home : int, optional
            The number of the part that it reads: it should run where that part is, so that the
            part does not move.
        """

    def send(self, data: Any, home: int) -> Handle:
        """Send data of the client to the worker of a part.

        Raises
        ------
        ClusterError
            If workers die again and again while data is sent.
        """

    def gather(self, handles: Any) -> Any:
        """Return the result of a handle, or a list of results.

        Raises
        ------
        LostData
            If a worker died with data that must be sent again.
        ClusterError
            If the scheduler is gone, or a task ended one worker after another.
        """

    def is_lost(self, handle: Handle) -> bool:
        """Return whether data that was sent has died with its worker."""

    def map(self, name: str, work: Callable[..., Any], *args: Sequence[Any]) -> list[Handle]:
        """Begin a task for each part, where that part is."""
        together = enumerate(zip(*args, strict=True))
        return [self.submit(name, work, *each, home=home) for home, each in together]

    def total(self, name: str, add: Callable[[list[Any]], Any], parts: list[Handle]) -> Any:
        """Add up results: on the workers, a few at a time, until they are few, then here."""
        while len(parts) > FAN_IN:
            groups = [parts[k : k + FAN_IN] for k in range(0, len(parts), FAN_IN)]
            parts = [self.submit(f"{name}-sum", add, group) for group in groups]
        return add(self.gather(parts))


def resilient(restore: Callable[[], None], ask: Callable[[], T]) -> T:
    """Ask; where data was lost, restore it and ask again."""
    for _ in range(ATTEMPTS):
        try:
            return ask()
        except LostData:
            restore()
    raise ClusterError(
        f"workers died with their data {ATTEMPTS} times while one request was repeated; see the "
        "workers' logs: most likely they lack memory"
    )
