"""Dask engines by name, on clusters that live as long as the tests do.

Workers are threads here, except where a process is killed: processes take seconds to start.
"""

import atexit
from functools import cache
from itertools import count

import pytest

pytest.importorskip("distributed")

import dask
from dask.distributed import Client, LocalCluster, Worker

from deacs.distributed import DaskEngine
from tests.system.s3_server import s3

__all__ = ["ENGINES", "client_of", "client_of_s3"]

# Clusters that wait for their next test would look at themselves a hundred times a second.
dask.config.set(
    {
        "distributed.worker.profile.enabled": False,
        "distributed.admin.tick.interval": "1s",
        "distributed.admin.system-monitor.interval": "10s",
    }
)

LAST_ANSWER = 3
"""Which answer of a selection a worker does not live to see."""


@cache
def client_of(n_workers, *, processes=False):
    """Return the client of a cluster with so many workers; the same one for every test."""
    return _client(n_workers=n_workers, threads_per_worker=1, processes=processes)


@cache
def client_of_s3():
    """Return the client of two processes that find the server of S3 by their environment."""
    s3()
    return _client(n_workers=2, threads_per_worker=1, processes=True)


@cache
def _client_of_mortals():
    """Return the client of a cluster without workers, and those that join it, by address."""
    return _client(n_workers=0, processes=False), {}


def _client(**how):
    cluster = LocalCluster(dashboard_address=":0", silence_logs=50, **how)
    client = Client(cluster, set_as_default=False)
    atexit.register(lambda: (client.close(), cluster.close()))
    return client


class MortalEngine(DaskEngine):
    """Of three workers one breaks off in the middle of a selection.

    Its connection ends without a word, and what it held is lost, as when its process is killed;
    `test_engine` kills processes.
    """

    def __init__(self, by):
        client, self._joined = _client_of_mortals()
        super().__init__(client, by=by)
        self.deaths = 0

    def _cluster(self):
        while len(self.client.nthreads()) < 3:
            self._join()
        cluster = super()._cluster()
        gather, answers = cluster.gather, count(1)

        def wait_for(futures):
            if next(answers) == LAST_ANSWER:
                self._lose_one()
            return gather(futures)

        cluster.gather = wait_for
        return cluster

    def _join(self):
        async def join():
            return await Worker(self.client.cluster.scheduler_address, nthreads=1)

        worker = self.client.cluster.sync(join)
        self._joined[worker.address] = worker

    def _lose_one(self):
        lost = self._joined[min(self.client.nthreads())]
        self.client.cluster.loop.add_callback(lost.batched_stream.abort)
        self.deaths += 1


def _engine(by, n_workers):
    return lambda data, tmp_path: (DaskEngine(client_of(n_workers), by=by), data)


ENGINES = {
    f"dask by {by} on {n_workers}": _engine(by, n_workers)
    for by in ("feature", "row")
    for n_workers in (1, 2, 3)
}
ENGINES |= {
    f"dask by {by} on 3, one dies": lambda data, tmp_path, by=by: (MortalEngine(by), data)
    for by in ("feature", "row")
}
