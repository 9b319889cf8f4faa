"""Dask collections and Parquet become the codes that one machine makes of the same rows."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed")

import dask.array as da
import dask.dataframe as dd

from deacs import DEACS, JMI, encode
from deacs.distributed import DaskEngine
from deacs.distributed.dask.table import DaskTable
from deacs.exceptions import IdentifierWarning, InputError
from deacs.storage import Remote
from tests.system.distributed.dask.engines import client_of, client_of_s3
from tests.system.s3_server import BUCKET, s3


def _frame(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(["no", "perhaps", "yes"], n_rows)
    told = np.searchsorted(["no", "perhaps", "yes"], y)
    size = (told + rng.normal(size=n_rows)).round(1)
    size[rng.random(n_rows) < 0.1] = np.nan
    colour = rng.choice(np.array(["red", "blue", None], dtype=object), n_rows)
    frame = pd.DataFrame(
        {
            "size": size,
            "colour": pd.Series(colour, dtype="str"),
            "grade": pd.Categorical(np.where(told > 1, "high", "low"), ["low", "high"], True),
            "few": rng.integers(-3, 4, n_rows) + told,
            "many": rng.integers(0, 1000, n_rows) + 400 * told,
            "flag": rng.random(n_rows) < 0.2 + 0.2 * told,
            "half": (told + rng.normal(size=n_rows)).round(1).astype(np.float32),
        }
    )
    return frame, pd.Series(y, name="class", dtype="str")


def _collected(table, client):
    """The codes of all columns."""
    blocks = client.gather(table.blocks)
    return [block.column(j).tolist() for block in blocks for j in range(block.n_features)]


def _assert_equal(table, data, client):
    assert isinstance(table, DaskTable)
    assert table.feature_names == data.feature_names
    assert table.is_named == data.is_named
    assert table.classes.tolist() == data.classes.tolist()
    assert table.n_rows == data.n_rows
    for there, here in zip(table.features, data.features, strict=True):
        assert there.values.tolist() == here.values.tolist()
        assert (there.kind, there.n_values, there.has_missing, there.by_classes) == (
            *(here.kind, here.n_values, here.has_missing, here.by_classes),
        )
    here = [data.column(j).tolist() for j in range(data.n_features)]
    assert _collected(table, client) == here


@pytest.mark.parametrize("missing", ["category", "ignore"])
@pytest.mark.parametrize("discretizer", ["mdlp", "equal-frequency", None])
def test_a_dask_frame_is_coded_as_its_rows_in_memory_are(discretizer, missing):
    client = client_of(2)
    X, y = _frame()
    rows = dd.from_pandas(X.assign(kind=y), npartitions=4)
    how = {"discretizer": discretizer, "missing": missing}
    table = DaskEngine(client, n_parts=3).encode(rows, "kind", **how)
    _assert_equal(table, encode(X, y, **how), client)


@pytest.mark.parametrize("by", ["feature", "row"])
@pytest.mark.parametrize("selector", [DEACS.published, JMI])
def test_selecting_from_a_dask_frame_gives_the_bits_of_one_machine(selector, by):
    X, y = _frame()
    there = selector(4, engine=DaskEngine(client_of(2), by=by), missing="ignore")
    there.fit(dd.from_pandas(X, npartitions=3), dd.from_pandas(y, npartitions=3))
    here = selector(4, missing="ignore").fit(X, y)
    assert there.ranking_.tolist() == here.ranking_.tolist()
    assert there.scores_.tobytes() == here.scores_.tobytes()
    assert there.feature_names_in_.tolist() == list(X.columns)


def test_parquet_files_are_read_by_the_workers(tmp_path):
    client = client_of(2)
    X, y = _frame()
    whole = X.drop(columns="grade").assign(kind=y)
    for part in range(3):
        whole.iloc[part * 100 : part * 100 + 100].to_parquet(tmp_path / f"part-{part}.parquet")
    engine = DaskEngine(client)
    paths = [tmp_path / f"part-{part}.parquet" for part in range(3)]
    here = encode(X.drop(columns="grade"), y)
    _assert_equal(engine.encode(paths, "kind"), here, client)
    _assert_equal(engine.encode(f"file://{tmp_path}", "kind"), here, client)
    assert DEACS.published(2).fit(engine.encode(tmp_path, "kind")).ranking_.tolist() == (
        DEACS.published(2).fit(here).ranking_.tolist()
    )


def test_parquet_files_behind_addresses_are_read_by_workers_in_processes(tmp_path):
    client = client_of_s3()
    X, y = _frame()
    whole = X.drop(columns="grade").assign(kind=y)
    addresses = []
    for part in range(2):
        path = tmp_path / f"part-{part}.parquet"
        whole.iloc[part * 150 : part * 150 + 150].to_parquet(path)
        addresses.append(f"s3://{BUCKET}/visits/{path.name}")
        Remote(addresses[-1]).put(path)
    engine = DaskEngine(client)
    here = encode(X.drop(columns="grade"), y)
    _assert_equal(engine.encode(addresses, "kind"), here, client)
    _assert_equal(engine.encode(f"s3://{BUCKET}/visits", "kind"), here, client)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (f"s3://{BUCKET}/none.parquet", "none.parquet does not exist"),
        ([f"s3://{BUCKET}/visits/a.parquet", "s3://none/b.parquet"], "does not exist"),
        (f"s3://key:hidden@{BUCKET}/a.parquet", "must not hold a password"),
        ("gs://bucket/a.parquet", "gs://bucket/a.parquet cannot be opened: .*install gcsfs"),
    ],
)
def test_addresses_that_cannot_be_read_are_refused_by_name(given, words):
    s3()
    with pytest.raises(InputError, match=words) as caught:
        DaskEngine(client_of(2)).encode(given, "kind")
    assert "hidden" not in str(caught.value)


def test_weights_that_only_leave_rows_out_are_no_weights():
    X, y = _frame()
    counts = np.arange(len(y)) % 2
    table = DaskEngine(client_of(2)).encode(
        dd.from_pandas(X, npartitions=2), y.to_numpy(), sample_weight=counts
    )
    here = encode(X, y, sample_weight=counts)
    assert (table.is_weighted, table.n_rows) == (here.is_weighted, here.n_rows) == (False, 150)


def test_arrays_and_weights_are_coded_alike():
    client = client_of(2)
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 5)), rng.integers(0, 3, 200)
    X[:, 1] += y
    weights = rng.integers(0, 4, 200)
    chunks = da.from_array(X, chunks=(60, 2))
    given = da.from_array(y, chunks=50), da.from_array(weights, chunks=70)
    table = DaskEngine(client).encode(chunks, given[0], sample_weight=given[1])
    here = encode(X, y, sample_weight=weights)
    _assert_equal(table, here, client)
    assert table.rows.total == weights.sum()
    in_client = DaskEngine(client).encode(chunks, y, sample_weight=weights)
    assert (
        DEACS.published().fit(in_client).scores_.tobytes()
        == DEACS.published().fit(here).scores_.tobytes()
    )


@pytest.mark.parametrize("discrete", [True, ["few", "many"], [3], "mask"])
def test_kinds_that_are_given_reach_the_right_columns(discrete):
    client = client_of(2)
    X, y = _frame()
    X = X[["size", "few", "many", "half"]]
    if discrete == "mask":
        discrete = [False, True, True, False]
    rows = dd.from_pandas(X.assign(kind=y), npartitions=2)
    table = DaskEngine(client, n_parts=3).encode(rows, "kind", discrete_features=discrete)
    _assert_equal(table, encode(X, y, discrete_features=discrete), client)


def test_an_identifier_is_named_by_the_client():
    X, y = _frame()
    rows = dd.from_pandas(X.assign(customer=[f"c{k}" for k in range(300)]), npartitions=2)
    with pytest.warns(IdentifierWarning, match="'customer': as many values as rows"):
        DaskEngine(client_of(2)).encode(rows, y)


def test_tables_in_memory_are_coded_here():
    X, y = _frame()
    data = DaskEngine(client_of(2)).encode(X, y)
    assert type(data).__name__ == "CodedData"


def test_what_cannot_be_coded_is_refused_by_name():
    X, y = _frame()
    engine, rows = DaskEngine(client_of(2)), dd.from_pandas(X, npartitions=2)
    with pytest.raises(InputError, match="y names 'colours', which is not a column; did you mean"):
        engine.encode(rows, "colours")
    with pytest.raises(InputError, match="X and y must have equal lengths"):
        engine.encode(rows, y[:-1])
    with pytest.raises(InputError, match="y must name the class column"):
        engine.encode(rows, None)
    with pytest.raises(InputError, match="y must hold the classes where X is an array"):
        engine.encode(da.zeros((4, 2)), "kind")
    with pytest.raises(InputError, match="discrete_features as a mask"):
        engine.encode(rows, y, discrete_features=[True])


def test_transform_of_a_dask_frame_stays_a_query():
    frame, y = _frame()
    selector = DEACS.published(3).fit(frame, y)
    lazy = dd.from_pandas(frame, npartitions=3)
    kept = selector.transform(lazy)
    assert isinstance(kept, dd.DataFrame)
    expected = frame[[name for name in frame.columns if name in selector.selected_names_]]
    pd.testing.assert_frame_equal(kept.compute(), expected, check_dtype=False)
    with pytest.raises(InputError, match="X must have the columns that fit saw"):
        selector.transform(lazy[["size", "few"]])


@pytest.mark.parametrize("target", ["numbers", "labels"])
@pytest.mark.parametrize("by", ["feature", "row"])
def test_numbers_and_labels_as_target_are_coded_on_the_workers(target, by):
    frame, _ = _frame(60)
    y = np.random.default_rng(0).normal(size=(60, 3))
    y = y[:, 0] if target == "numbers" else (y > 0).astype(int)
    lazy = dd.from_pandas(frame, npartitions=2)
    here = DEACS.published(3).fit(frame, y)
    there = DEACS.published(3, engine=DaskEngine(client_of(2), by=by)).fit(lazy, y)
    assert there.ranking_.tolist() == here.ranking_.tolist()
    assert there.classes_.tolist() == here.classes_.tolist()
    assert there.label_scores_.tobytes() == here.label_scores_.tobytes()


@pytest.mark.parametrize("by", ["feature", "row"])
def test_the_default_sees_of_a_frame_the_order_of_its_codes(by):
    frame, y = _frame()
    lazy = dd.from_pandas(frame, npartitions=2)
    here = DEACS(3).fit(encode(frame, y))  # without the order of values
    there = DEACS(3, engine=DaskEngine(client_of(2), by=by)).fit(lazy, y)
    assert there.ranking_.tolist() == here.ranking_.tolist()
    assert there.label_scores_.tobytes() == here.label_scores_.tobytes()
