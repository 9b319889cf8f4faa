"""Every engine by name: from coded data to an engine and the table that it counts."""

from uuid import uuid4

from deacs.distributed import CodedStore, LocalEngine, OutOfCoreEngine
from tests.system.distributed.inline_cluster import InlineEngine
from tests.system.s3_server import BUCKET, s3

THIS_RUN = uuid4().hex
"""Tests that run at the same time have storage of their own."""


def _from_store(columns_at_once):
    def make(data, tmp_path):
        place = tmp_path / f"store-{columns_at_once}"
        store = CodedStore.write(data, place, overwrite=True)
        return OutOfCoreEngine(columns_at_once=columns_at_once), store

    return make


def _behind_an_address(scheme, columns_at_once):
    def make(data, tmp_path):
        if scheme == "s3":
            s3()
        place = f"{scheme}://{BUCKET}/{THIS_RUN}/{tmp_path.name}/store"
        store = CodedStore.write(data, place, overwrite=True)
        return OutOfCoreEngine(columns_at_once=columns_at_once), store

    return make


ENGINES = {
    "local": lambda data, tmp_path: (LocalEngine(), data),
    "out of core, what suits a store": lambda data, tmp_path: (
        None,
        CodedStore.write(data, tmp_path / "store", overwrite=True),
    ),
    "out of core, a column at a time": _from_store(1),
    "out of core, 3 columns at a time": _from_store(3),
    "out of core, all columns": _from_store(1000),
    "out of core, behind an address": _behind_an_address("memory", 2),
    "out of core, on S3": _behind_an_address("s3", 3),
    "out of core, from memory": lambda data, tmp_path: (OutOfCoreEngine(columns_at_once=2), data),
}
"""Name -> callable(data, tmp_path) -> (engine, table)."""

ENGINES |= {
    f"another scheduler by {by}, {story}": lambda data, tmp_path, by=by, loses_after=loses_after: (
        InlineEngine(by, loses_after=loses_after),
        data,
    )
    for by in ("feature", "row")
    for story, loses_after in (("all well", None), ("one part is lost", 3))
}

try:
    from tests.system.distributed.dask.engines import ENGINES as DASK_ENGINES
except ImportError:
    DASK_ENGINES = {}
ENGINES |= DASK_ENGINES

try:
    from tests.system.distributed.sql_engines import ENGINES as SQL_ENGINES
except ImportError:
    SQL_ENGINES = {}
ENGINES |= SQL_ENGINES
