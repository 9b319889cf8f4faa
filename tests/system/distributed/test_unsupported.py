"""What needs rows that can be read here is refused elsewhere, before any work starts."""

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask.dataframe as dd
import pandas as pd

from deacs import CMI, DEACS, ReliefF, encode
from deacs.coding import CodedData
from deacs.distributed import CodedStore, DaskEngine
from deacs.distributed.dask.cluster import DaskCluster
from deacs.exceptions import InputError
from tests.system.distributed.dask.engines import client_of


def _data():
    rng = np.random.default_rng(0)
    return CodedData.from_codes(rng.integers(0, 3, (60, 4)), rng.integers(0, 2, 60))


def _frame():
    data = _data()
    columns = {f"x{j}": data.column(j) for j in range(4)} | {"y": data.labels}
    return dd.from_pandas(pd.DataFrame(columns), npartitions=2)


TABLES = {
    "store": lambda folder: CodedStore.write(_data(), folder / "store"),
    "Dask table": lambda folder: DaskEngine(client_of(2)).encode(_frame(), "y"),
}
"""Name -> callable(folder) -> what `fit` takes."""


@pytest.mark.parametrize("table", TABLES)
def test_distances_between_rows_elsewhere_are_refused_before_any_work(table, tmp_path, monkeypatch):
    given, worked = TABLES[table](tmp_path), []
    for name in ("submit", "send"):
        monkeypatch.setattr(DaskCluster, name, lambda *args, **how: worked.append(args))
    with pytest.raises(InputError, match="ReliefF measures distances between rows in mem"):
        ReliefF(2).fit(given)
    assert not worked


def test_a_weighted_table_elsewhere_is_not_copied_to_be_refused(monkeypatch):
    table = DaskEngine(client_of(2)).encode(_frame(), "y", sample_weight=np.arange(1, 61))
    monkeypatch.setattr(type(table), "rows_here", property(lambda self: pytest.fail("copied")))
    with pytest.raises(InputError, match="tests rows that count once, got sample_weight"):
        CMI("auto").fit(table)


def test_a_store_of_columns_cut_by_the_classes_cannot_be_tested(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 90)
    X = np.column_stack((y + rng.normal(size=90), rng.normal(size=90)))
    store = CodedStore.write(encode(X, y, discretizer="mdlp"), tmp_path / "cut")
    with pytest.raises(InputError, match="must place cut points again"):
        DEACS.published("auto").fit(store)
    store = CodedStore.write(encode(X, y, discretizer="equal-frequency"), tmp_path / "whole")
    assert DEACS.published("auto").fit(store).ranking_[0] == 0
