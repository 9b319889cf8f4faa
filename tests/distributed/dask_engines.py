"""Dask engines by name, on clusters that live as long as the tests do.

Workers are threads here, except where one is killed: processes take seconds to start.
"""

import atexit
from functools import cache

import pytest

pytest.importorskip("distributed")

from dask.distributed import Client, LocalCluster

from deacs.distributed import DaskEngine

__all__ = ["ENGINES", "client_of"]


@cache
def client_of(n_workers, *, processes=False):
    """Return the client of a cluster with so many workers; the same one for every test."""
    cluster = LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        processes=processes,
        dashboard_address=":0",
        silence_logs=50,
    )
    client = Client(cluster, set_as_default=False)
    atexit.register(lambda: (client.close(), cluster.close()))
    return client


def _engine(by, n_workers):
    return lambda data, tmp_path: (DaskEngine(client_of(n_workers), by=by), data)


ENGINES = {
    f"dask by {by}, {n_workers} workers": _engine(by, n_workers)
    for by, n_workers in (("feature", 2), ("row", 3))
}
"""Those that run the whole suite; `test_dask` runs the other numbers of workers on part of it."""
