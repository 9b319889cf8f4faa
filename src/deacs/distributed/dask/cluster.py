"""How a Dask cluster is asked: named tasks, sums by a tree, and what to do when workers die.

Every result is a pure function of others, so Dask computes again what a dead worker held, except
data that came from the client's memory: `LostData` says that it must be sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from itertools import count
from typing import Any, TypeVar
from uuid import uuid4

from dask.distributed import Client, Future, KilledWorker, default_client

from deacs.exceptions import ClusterError, InputError

__all__ = ["Cluster", "LostData", "resilient"]

FAN_IN = 8
"""Results that one task of a tree adds up."""

ATTEMPTS = 5
"""How often a question is asked again after data was lost."""

WAIT_SECONDS = 120
"""How long to wait for a first worker: a nanny may be about to replace the last one."""

T = TypeVar("T")


class LostData(Exception):
    """A worker died with data that no task can make again."""


class Cluster:
    """A Dask client, and names for the tasks of one selection.

    Parameters
    ----------
    client : distributed.Client, optional
        The cluster; None: the client that was made last.
    """

    def __init__(self, client: Client | None = None) -> None:
        self.client = _current_client() if client is None else client
        self._run = uuid4().hex[:8]
        self._serial = count()
        self._homes: list[str] = []

    def workers(self) -> list[str]:
        """Return the addresses of the workers; parts have their homes in this order."""
        try:
            self._reach(lambda: self.client.wait_for_workers(1, timeout=WAIT_SECONDS))
        except TimeoutError as error:
            raise ClusterError(
                f"the Dask cluster had no workers for {WAIT_SECONDS} seconds; start some, then fit "
                "again"
            ) from error
        self._homes = sorted(self._reach(self.client.nthreads))
        return self._homes

    def submit(
        self, name: str, work: Callable[..., Any], *args: Any, home: int | None = None
    ) -> Future:
        """Begin one task.

        Parameters
        ----------
        name : str
            What the dashboard shows.
        work : callable
            What to do.
        *args
            With what; futures stand for their results.
        home : int, optional
            The part that it works on: it runs where that part lives, while the worker does. Dask
            would move parts to idle workers, and that costs more than it gains.
        """
        key = f"{name}-{self._run}", next(self._serial)
        where: dict[str, Any] = {}
        if home is not None and self._homes:
            address = self._homes[home % len(self._homes)]
            where = {"workers": [address], "allow_other_workers": True}
        return self._reach(lambda: self.client.submit(work, *args, key=key, pure=False, **where))

    def map(self, name: str, work: Callable[..., Any], *args: Sequence[Any]) -> list[Future]:
        """Begin a task for each part, where it lives."""
        together = enumerate(zip(*args, strict=True))
        return [self.submit(name, work, *each, home=home) for home, each in together]

    def tree(
        self,
        name: str,
        combine: Callable[[list[Any]], Any],
        parts: list[Future],
        finish: Callable[..., Any] | None = None,
        *args: Any,
    ) -> Future:
        """Put results together on the workers, a few at a time; then `finish(result, *args)`."""
        while len(parts) > (FAN_IN if finish is not None else 1):
            groups = [parts[k : k + FAN_IN] for k in range(0, len(parts), FAN_IN)]
            parts = [self.submit(f"{name}-sum", combine, group) for group in groups]
        if finish is None:
            return parts[0]
        return self.submit(name, _finished, combine, finish, parts, *args)

    def send(self, data: Any, worker: str) -> Future:
        """Send data of the client to a worker."""
        alive = worker in self._reach(self.client.nthreads)
        return self._reach(
            lambda: self.client.scatter(data, workers=[worker] if alive else None, hash=False)
        )

    def gather(self, futures: Any) -> Any:
        """Wait for results.

        Raises
        ------
        LostData
            If a worker died with data that must be sent again.
        ClusterError
            If the scheduler is gone, or a task ended one worker after another.
        """
        return self._reach(lambda: self.client.gather(futures))

    def _reach(self, ask: Callable[[], T]) -> T:
        try:
            return ask()
        except KilledWorker as error:
            raise ClusterError(
                f"a task ended {error.allowed_failures + 1} workers one after another, most likely "
                "for want of memory; give the workers more, or the table smaller parts: "
                "DaskEngine(n_parts=...)"
            ) from error
        except CancelledError as error:
            if self.client.status == "running":
                raise LostData from error
            raise self._gone() from error
        except (OSError, RuntimeError) as error:
            if self.client.status == "running":
                raise
            raise self._gone() from error

    def _gone(self) -> ClusterError:
        return ClusterError(
            "the Dask scheduler does not answer any more, and what the workers held is lost; start "
            "the cluster again, make a new Client, and fit again"
        )


def resilient(restore: Callable[[], None], ask: Callable[[], T]) -> T:
    """Ask; where data was lost, restore it and ask again."""
    for _ in range(ATTEMPTS):
        try:
            return ask()
        except LostData:
            restore()
    raise ClusterError(
        f"workers died with their data {ATTEMPTS} times while one question was asked; look at the "
        "workers' logs, most likely they want memory"
    )


def _finished(
    combine: Callable[[list[Any]], Any], finish: Callable[..., Any], parts: list[Any], *args: Any
) -> Any:
    return finish(combine(parts), *args)


def _current_client() -> Client:
    try:
        return default_client()
    except ValueError:
        raise InputError(
            "client must be a distributed.Client, got None, and there is no current one; make one "
            "first: client = distributed.Client(...)"
        ) from None
