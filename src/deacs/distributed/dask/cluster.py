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
"""How long to wait for a first worker, which a nanny may be about to restart."""

POLL_SECONDS = 0.1

T = TypeVar("T")


class DaskCluster(Cluster):
    """A Dask client, by default the one created last, and names for the tasks of one selection."""

    def __init__(self, client: Client | None = None) -> None:
        self.client = _current_client() if client is None else client
        self._run = uuid4().hex[:8]
        self._serial = count()
        self._homes: list[str] = []

    def n_workers(self) -> int:
        """Wait for a first worker; note the addresses of all as homes, and return their number."""
        deadline = monotonic() + WAIT_SECONDS
        # Not `client.wait_for_workers`: it asks a `LocalCluster`, which may miscount workers
        # that died together.
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

        With a `home` it runs on the worker of that part as long as that is alive: Dask would move
        parts to idle workers, which costs more than it gains.
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
        """Send data from the client to the worker of a part, or to another if that is gone."""

        def scatter() -> Future:
            worker = self._homes[home % len(self._homes)]
            alive = worker in self.client.nthreads()
            return self.client.scatter(data, workers=[worker] if alive else None, hash=False)

        return self._sent(scatter)

    def broadcast(self, data: Any) -> Future:
        """Send data from the client to every worker."""
        return self._sent(lambda: self.client.scatter(data, broadcast=True, hash=False))

    def _sent(self, scatter: Callable[[], Future]) -> Future:
        """Send data, again if a worker dies meanwhile.

        Dask reports that in many ways: as a broken connection, a worker unknown to the scheduler,
        or no worker to send to.
        """
        for _ in range(ATTEMPTS):
            try:
                return self._reach(scatter)
            except (OSError, KeyError, ValueError) as error:
                failure = error
            self.n_workers()
        raise ClusterError(
            f"workers died {ATTEMPTS} times while a part of the table was sent to them; see the "
            "workers' logs: most likely they ran out of memory. Give them more, or split the table "
            "into more parts: DaskEngine(n_parts=...)"
        ) from failure

    def gather(self, handles: Any) -> Any:
        """Return the result of a future, or a list of results."""
        return self._reach(lambda: self.client.gather(handles))

    def is_lost(self, handle: Future) -> bool:
        """Return whether data that was sent is lost because its worker died."""
        return handle.status in ("cancelled", "lost", "error")

    def _reach(self, ask: Callable[[], T]) -> T:
        """Call Dask, and translate its errors."""
        try:
            return ask()
        except KilledWorker as error:
            raise ClusterError(
                f"a task killed {error.allowed_failures + 1} workers one after another: most "
                "likely they ran out of memory; give them more, or split the table into more "
                "parts: DaskEngine(n_parts=...)"
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
            "the Dask scheduler does not answer any more, and the data on the workers is lost; "
            "restart the cluster, make a new Client, and fit again"
        )


def _run(work: Callable[..., Any], *args: Any) -> Any:
    """Run a task on a worker, with all of its threads."""
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
            " must be a distributed.Client if none has been created yet, got None; create one "
            "first: client = distributed.Client(...)",
        ) from None
