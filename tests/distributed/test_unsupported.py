"""What needs rows that can be read here is refused elsewhere, before any work starts."""

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask.dataframe as dd
import pandas as pd

from deacs import CMI, DEACS, JMI, ReliefF, encode
from deacs.coding import CodedData
from deacs.distributed import CodedStore, DaskEngine
from deacs.distributed.dask.cluster import DaskCluster
from deacs.exceptions import InputError
from tests.distributed.dask.engines import client_of

AUTO = "n_features_to_select='auto' needs a table in memory or a store, got"
GROUPS = "groups needs a table in memory or a store, got"

WISHES = {
    "DEACS auto": (lambda **how: DEACS.published("auto", **how), AUTO),
    "CMI auto": (lambda **how: CMI("auto", **how), AUTO),
    "DEACS groups": (lambda **how: DEACS.published(2, groups={"both": [0, 1]}, **how), GROUPS),
    "JMI groups": (lambda **how: JMI(2, groups={"both": [0, 1]}, **how), GROUPS),
    "distances": (lambda engine=None: ReliefF(2), "ReliefF measures distances between rows in mem"),
}


def _data():
    rng = np.random.default_rng(0)
    return CodedData.from_codes(rng.integers(0, 3, (60, 4)), rng.integers(0, 2, 60))


def _frame():
    data = _data()
    columns = {f"x{j}": data.column(j) for j in range(4)} | {"y": data.labels}
    return dd.from_pandas(pd.DataFrame(columns), npartitions=2)


def _dask():
    return {"engine": DaskEngine(client_of(2))}


TABLES = {
    "store": lambda folder: ({}, CodedStore.write(_data(), folder / "store")),
    "Dask table": lambda folder: ({}, DaskEngine(client_of(2)).encode(_frame(), "y")),
    "Dask frame": lambda folder: (_dask(), _frame(), "y"),
}
"""Name -> callable(folder) -> parameters, and what `fit` takes."""

COMBINATIONS = [
    (wish, table)
    for wish in WISHES
    for table in TABLES
    if (wish, table) != ("distances", "Dask frame")  # which has no engine, and wants y itself
    and (wish == "distances" or table != "store")
]


@pytest.mark.parametrize(("wish", "table"), COMBINATIONS)
def test_what_needs_rows_here_is_refused_before_any_work(wish, table, tmp_path, monkeypatch):
    selector, message = WISHES[wish]
    how, *given = TABLES[table](tmp_path)
    worked = []
    for name in ("submit", "send"):
        monkeypatch.setattr(DaskCluster, name, lambda *args, **how: worked.append(args))
    with pytest.raises(InputError, match=message):
        selector(**how).fit(*given)
    assert not worked


def test_a_store_of_columns_cut_by_the_classes_cannot_be_tested(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 90)
    X = np.column_stack((y + rng.normal(size=90), rng.normal(size=90)))
    store = CodedStore.write(encode(X, y, discretizer="mdlp"), tmp_path / "cut")
    with pytest.raises(InputError, match="must place cut points again"):
        DEACS.published("auto").fit(store)
    store = CodedStore.write(encode(X, y, discretizer="equal-frequency"), tmp_path / "whole")
    assert DEACS.published("auto").fit(store).ranking_[0] == 0
