"""What only a table in memory can be asked is refused elsewhere, before any work starts."""

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask.dataframe as dd
import pandas as pd

from deacs import CMI, DEACS, JMI, OneVsRest, ReliefF
from deacs.coding import CodedData
from deacs.distributed import CodedStore, DaskEngine, OutOfCoreEngine
from deacs.distributed.dask.cluster import DaskCluster
from deacs.exceptions import InputError
from tests.distributed.dask.engines import client_of

AUTO = "n_features_to_select='auto' needs a table in memory, got"
GROUPS = "groups needs a table in memory, got"

WISHES = {
    "estimator": (
        lambda **how: DEACS.published(2, label_score=OneVsRest("excess"), **how),
        "estimator='excess' needs a table in memory, got",
    ),
    "default": (
        lambda engine=None: DEACS(2, engine=engine),
        "estimator='excess' needs a table in memory, got",
    ),
    "DEACS auto": (lambda **how: DEACS.published("auto", **how), AUTO),
    "CMI auto": (lambda **how: CMI("auto", **how), AUTO),
    "DEACS groups": (lambda **how: DEACS.published(2, groups={"both": [0, 1]}, **how), GROUPS),
    "JMI groups": (lambda **how: JMI(2, groups={"both": [0, 1]}, **how), GROUPS),
    "distances": (lambda engine=None: ReliefF(2), "ReliefF measures distances between rows in mem"),
}
OF_THE_ENGINE = ("estimator", "default")
"""The others ask for the table, wherever it is counted; this engine or that."""


def _data():
    rng = np.random.default_rng(0)
    return CodedData.from_codes(rng.integers(0, 3, (60, 4)), rng.integers(0, 2, 60))


def _frame():
    data = _data()
    columns = {f"x{j}": data.column(j) for j in range(4)} | {"y": data.labels}
    return dd.from_pandas(pd.DataFrame(columns), npartitions=2)


def _out_of_core():
    return {"engine": OutOfCoreEngine(columns_at_once=2)}


def _dask(by="auto"):
    return {"engine": DaskEngine(client_of(2), by=by)}


TABLES = {
    "store": lambda folder: ({}, CodedStore.write(_data(), folder / "store")),
    "store, Dask": lambda folder: (_dask(), CodedStore.write(_data(), folder / "store")),
    "Dask table": lambda folder: ({}, DaskEngine(client_of(2)).encode(_frame(), "y")),
    "Dask frame": lambda folder: (_dask(), _frame(), "y"),
    "memory, out of core": lambda folder: (_out_of_core(), _data()),
    "memory, Dask by feature": lambda folder: (_dask("feature"), _data()),
    "memory, Dask by row": lambda folder: (_dask("row"), _data()),
}
"""Name -> callable(folder) -> parameters, and what `fit` takes."""

COMBINATIONS = [
    (wish, table)
    for wish in WISHES
    for table in TABLES
    if (wish in OF_THE_ENGINE or not table.startswith("memory"))
    and (wish, table) != ("distances", "Dask frame")  # which has no engine, and wants y itself
    and (wish not in OF_THE_ENGINE or "Dask" in table)
]


@pytest.mark.parametrize(("wish", "table"), COMBINATIONS)
def test_what_needs_a_table_in_memory_is_refused_before_any_work(
    wish, table, tmp_path, monkeypatch
):
    selector, message = WISHES[wish]
    how, *given = TABLES[table](tmp_path)
    worked = []
    for name in ("submit", "send"):
        monkeypatch.setattr(DaskCluster, name, lambda *args, **how: worked.append(args))
    with pytest.raises(InputError, match=message):
        selector(**how).fit(*given)
    assert not worked
