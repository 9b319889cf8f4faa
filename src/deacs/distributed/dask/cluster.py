"""`DaskCluster`: a Dask client as a `Cluster`, with recovery when workers or the scheduler fail."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from itertools import count
from time import monotonic, sleep
from typing import Any, TypeVar
from uuid import uuid4

from dask.distributed import Client, Future, KilledWorker, default_client, get_worker

from deacs.distributed.cluster.protocol import ATTEMPTS, THREADS, Cluster, LostData
from deacs.exceptions import ClusterError, InputError, Parameter

__all__ = ["DaskCluster"]

WAIT_SECONDS = 120
"""How long to wait for a first worker: a nanny may be about to replace the last one."""

POLL_SECONDS = 0.1

T = TypeVar("T")


class DaskCluster(Cluster):
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

    def n_workers(self) -> int:
        """Wait for a first worker; return how many there are now, whose addresses are the homes."""
        deadline = monotonic() + WAIT_SECONDS
        # Not `client.wait_for_workers`: it asks a `LocalCluster`, which may have lost count of
        # workers that died together.
        while not (homes := sorted(self._reach(self.client.nthreads))):
            if monotonic() > deadline:
                raise ClusterError(
                    f"the Dask cluster had no workers for {WAIT_SECONDS} seconds; start some, then "
                    "fit again"
                )
            sleep(POLL_SECONDS)
        self._homes = homes
        return len(homes)

    def submit(
        self, name: str, work: Callable[..., Any], *args: Any, home: int | None = None
    ) -> Future:
        """Begin one task; the dashboard shows its name.

        With a `home` it runs where that part lives, while the worker does: Dask would move parts
        to idle workers, and that costs more than it gains.
        """
        key = f"{name}-{self._run}", next(self._serial)
        where: dict[str, Any] = {}
        if home is not None and self._homes:
            address = self._homes[home % len(self._homes)]
            where = {"workers": [address], "allow_other_workers": True}
        return self._reach(
            lambda: self.client.submit(_run, work, *args, key=key, pure=False, **where)
        )

    def send(self, data: Any, home: int) -> Future:
        """Send data of the client to the worker of a part, or to another if that one is gone."""

        def scatter() -> Future:
            worker = self._homes[home % len(self._homes)]
            alive = worker in self.client.nthreads()
            return self.client.scatter(data, workers=[worker] if alive else None, hash=False)

        return self._sent(scatter)

    def broadcast(self, data: Any) -> Future:
        """Send data of the client to every worker."""
        return self._sent(lambda: self.client.scatter(data, broadcast=True, hash=False))

    def _sent(self, scatter: Callable[[], Future]) -> Future:
        """Send, and again where a worker dies with half of the data.

        Dask words that in many ways: a connection that breaks off, a worker that the scheduler
        does not know any more, no worker that it could send to.
        """
        for _ in range(ATTEMPTS):
            try:
                return self._reach(scatter)
            except (OSError, KeyError, ValueError) as error:
                failure = error
            self.n_workers()
        raise ClusterError(
            f"workers died {ATTEMPTS} times while a part of the table was sent to them; see the "
            "workers' logs: most likely they lack memory. Give them more, or the table smaller "
            "parts: DaskEngine(n_parts=...)"
        ) from failure

    def gather(self, handles: Any) -> Any:
        """Return the result of a future, or a list of results."""
        return self._reach(lambda: self.client.gather(handles))

    def is_lost(self, handle: Future) -> bool:
        """Return whether data that was sent has died with its worker."""
        return handle.status in ("cancelled", "lost", "error")

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


def _run(work: Callable[..., Any], *args: Any) -> Any:
    """Run a task on a worker, with as many threads as that has."""
    token = THREADS.set(int(get_worker().state.nthreads))
    try:
        return work(*args)
    finally:
        THREADS.reset(token)


def _current_client() -> Client:
    try:
        return default_client()
    except ValueError:
        raise InputError(
            Parameter("client"),
            " must be a distributed.Client, got None, and there is no current one; make one "
            "first: client = distributed.Client(...)",
        ) from None
