"""Engines for tables on disk, in databases and on Dask clusters, with identical results."""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names

if TYPE_CHECKING:
    from deacs.distributed.dask.engine import DaskEngine
    from deacs.distributed.disk.out_of_core import OutOfCoreEngine
    from deacs.distributed.disk.store import CodedStore
    from deacs.distributed.files.encoding import encode_files
    from deacs.distributed.sql.engine import SQLEngine
    from deacs.greedy.engine import LocalEngine

_HOMES = {
    "CodedStore": "deacs.distributed.disk.store",
    "DaskEngine": "deacs.distributed.dask.engine",
    "LocalEngine": "deacs.greedy.engine",
    "OutOfCoreEngine": "deacs.distributed.disk.out_of_core",
    "SQLEngine": "deacs.distributed.sql.engine",
    "encode_files": "deacs.distributed.files.encoding",
}

__all__ = [
    "CodedStore",
    "DaskEngine",
    "LocalEngine",
    "OutOfCoreEngine",
    "SQLEngine",
    "encode_files",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
