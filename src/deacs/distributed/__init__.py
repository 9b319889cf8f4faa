"""Beyond memory and beyond one machine, with the same bits: stores on disk, engines, Dask."""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names

if TYPE_CHECKING:
    from deacs.distributed.dask_engine import DaskEngine
    from deacs.distributed.encoding import encode_files
    from deacs.distributed.out_of_core import OutOfCoreEngine
    from deacs.distributed.store import CodedStore
    from deacs.selection import LocalEngine

_HOMES = {
    "CodedStore": "deacs.distributed.store",
    "DaskEngine": "deacs.distributed.dask_engine",
    "LocalEngine": "deacs.selection",
    "OutOfCoreEngine": "deacs.distributed.out_of_core",
    "encode_files": "deacs.distributed.encoding",
}

__all__ = ["CodedStore", "DaskEngine", "LocalEngine", "OutOfCoreEngine", "encode_files"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
