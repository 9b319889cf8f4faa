"""Dask: parts of any number, processes that die, names that the dashboard shows.

That answers have the same bits on any number of workers is in `test_same_bits`.
"""

import pickle

import dask
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

pytest.importorskip("distributed")

import dask.dataframe as dd
from dask.distributed import Client, LocalCluster
from distributed.comm import CommClosedError

from deacs import DEACS, MRMR
from deacs.coding import CodedData
from deacs.distributed import CodedStore, DaskEngine
from deacs.distributed.cluster import cells, groups
from deacs.distributed.dask import cluster as dask_cluster
from deacs.distributed.dask.cluster import DaskCluster
from deacs.exceptions import ClusterError, InputError
from tests.system.distributed.dask.engines import client_of, client_of_s3
from tests.system.s3_server import BUCKET


def _table(n_rows=900, n_features=14, seed=0):
    """Features that tell of four classes more or less, two of them wide, one twice."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, n_rows)
    n_values = [2, 3, 5, 300, 16, 9, 700] * 2
    columns = [
        np.where(rng.random(n_rows) < 0.5 + j / 40, rng.integers(0, n_values[j], n_rows), y)
        % n_values[j]
        for j in range(n_features)
    ]
    columns[-1] = columns[0]
    return CodedData.from_codes(np.column_stack(columns), y)


def _assert_same(there, here):
    assert there.ranking_.tolist() == here.ranking_.tolist()
    assert there.scores_.tobytes() == here.scores_.tobytes()
    for name in ("label_scores_", "residual_"):
        if hasattr(here, name):
            assert getattr(there, name).tobytes() == getattr(here, name).tobytes()


@pytest.mark.parametrize("by", ["feature", "row"])
def test_more_parts_than_workers_or_rows_change_nothing(by):
    data = _table(n_rows=13, n_features=5)
    there = DEACS.published(engine=DaskEngine(client_of(2), by=by, n_parts=40)).fit(data)
    _assert_same(there, DEACS.published().fit(data))


@pytest.mark.parametrize("shuffle", ["never", "at once"])
@pytest.mark.parametrize("few_cells", [0, 1 << 40], ids=["listed cells", "arrays of cells"])
def test_neither_shuffling_nor_the_form_of_cells_changes_a_bit(shuffle, few_cells, monkeypatch):
    monkeypatch.setattr(cells, "FEW_CELLS", few_cells)
    monkeypatch.setattr(
        groups.CountedGroups, "_shuffle_pays", lambda groups, n_cells: shuffle == "at once"
    )
    data = _table()
    there = DEACS.published(5, engine=DaskEngine(client_of(2), by="row", n_parts=3)).fit(data)
    _assert_same(there, DEACS.published(5).fit(data))


def test_rows_are_shuffled_once_when_cells_have_cost_as_much(monkeypatch):
    monkeypatch.setattr(groups, "NS_CELL", 4.0)
    monkeypatch.setattr(groups, "NS_MOVE", 1.0)
    client = client_of(2)
    rng = np.random.default_rng(0)
    codes, y = rng.integers(0, 8, (4000, 6)), rng.integers(0, 2, 4000)
    counts = DaskEngine(client, by="row").open(CodedData.from_codes(codes, y))
    everything = np.arange(6)
    for feature, whole in ((0, False), (1, True)):  # 4 x 2 x 16 runs x 48 values < 4000 x 6 codes
        counts.condition_on(feature)
        counts.label_scores(everything)
        assert isinstance(counts._groups, groups.WholeGroups) == whole
    parts = counts._groups._parts
    loads = [part.n_rows for part in client.gather(parts)]
    assert sum(loads) == 4000
    assert max(loads) <= 1.1 * 2000
    counts.condition_on(2)
    counts.label_scores(everything)
    assert counts._groups._parts is parts


@pytest.mark.parametrize("by", ["feature", "row"])
def test_workers_open_a_store_themselves(by, tmp_path):
    data = _table()
    store = CodedStore.write(data, tmp_path / "store")
    there = DEACS.published(4, engine=DaskEngine(client_of(2), by=by)).fit(store)
    _assert_same(there, DEACS.published(4).fit(data))


@pytest.mark.parametrize("by", ["feature", "row"])
def test_workers_in_processes_open_a_store_behind_an_address_themselves(by, tmp_path):
    client, data = client_of_s3(), _table()
    store = CodedStore.write(data, f"s3://{BUCKET}/dask-{by}/store", overwrite=True)
    engine = DaskEngine(client, by=by)
    _assert_same(DEACS.published(4, engine=engine).fit(store), DEACS.published(4).fit(data))
    assert not store._is_checked.any()  # the client has fetched no column


@pytest.mark.parametrize(
    ("selector", "by", "where"), [(MRMR, "feature", "memory"), (DEACS.published, "row", "store")]
)
def test_a_process_killed_in_the_middle_changes_nothing(selector, by, where, tmp_path):
    data, client = _table(n_rows=3000), client_of(2, processes=True)
    table = CodedStore.write(data, tmp_path / "store") if where == "store" else data
    client.wait_for_workers(2)
    killed = []

    def kill(step, name):
        if step == 3:
            killed.append(sorted(client.nthreads())[0])
            client.restart_workers(killed)  # returns when its nanny has begun another

    there = selector(6, engine=DaskEngine(client, by=by)).set_progress(kill).fit(table)
    _assert_same(there, selector(6).fit(data))
    assert killed
    assert killed[0] not in client.nthreads()


class Unlucky:
    """A client whose first sends fail as Dask's do when workers die; the rest is a client's."""

    def __init__(self, client, failures):
        self._client, self._failures = client, iter(failures)

    def scatter(self, *args, **how):
        for failure in self._failures:
            raise failure
        return self._client.scatter(*args, **how)

    def __getattr__(self, name):
        return getattr(self._client, name)


FAILURES = {
    "a connection breaks off": CommClosedError("in <TCP (closed)>: Stream is closed"),
    "the scheduler does not know the worker": KeyError("tcp://127.0.0.1:40001"),
    "no worker is left for a while": TimeoutError("No valid workers found"),
    "nobody to copy to": ValueError("Can not use replicate to delete data"),
}


@pytest.mark.parametrize("by", ["feature", "row"])
@pytest.mark.parametrize("failure", FAILURES)
def test_what_did_not_arrive_is_sent_again(failure, by):
    client = Unlucky(client_of(2), [FAILURES[failure]] * 3)
    there = DEACS.published(2, engine=DaskEngine(client, by=by)).fit(_table())
    _assert_same(there, DEACS.published(2).fit(_table()))


@pytest.mark.parametrize("failure", FAILURES)
def test_parts_that_never_arrive_are_an_error_that_says_what_to_do(failure):
    client = Unlucky(client_of(2), [FAILURES[failure]] * 100)
    with pytest.raises(ClusterError, match=r"died 5 times while .* sent .*n_parts"):
        DEACS.published(2, engine=DaskEngine(client)).fit(_table())
    frame = dd.from_pandas(pd.DataFrame({"x": [0, 1, 0, 1]}), npartitions=2)
    with pytest.raises(ClusterError, match="died 5 times while"):
        DaskEngine(client).encode(frame, np.array([0, 1, 0, 1]))


def test_a_cluster_without_workers_is_an_error_that_says_what_to_do(monkeypatch):
    monkeypatch.setattr(dask_cluster, "WAIT_SECONDS", 0)
    client = Unlucky(client_of(2), [])
    client.nthreads = dict
    with pytest.raises(ClusterError, match=r"no workers for 0 seconds; start some"):
        DEACS.published(2, engine=DaskEngine(client)).fit(_table())


def test_a_scheduler_that_is_gone_is_an_error_that_says_what_to_do():
    with dask.config.set({"distributed.comm.timeouts.connect": "500ms"}):
        cluster = LocalCluster(
            n_workers=1, processes=False, dashboard_address=":0", silence_logs=50
        )
        client = Client(cluster, set_as_default=False)

        def close(step, name):
            cluster.sync(cluster.scheduler.close)

        engine = DaskEngine(client, by="row")
        with pytest.raises(ClusterError, match="scheduler does not answer any more"):
            DEACS.published(engine=engine).set_progress(close).fit(_table())
        client.close()
        cluster.close()


def test_clones_share_the_client_and_fitted_selectors_are_saved_without_it():
    engine = DaskEngine(client_of(2), by="row", n_parts=3)
    fitted = clone(DEACS.published(3, engine=engine)).fit(_table())
    assert fitted.engine is not engine
    assert fitted.engine.client is engine.client
    loaded = pickle.loads(pickle.dumps(fitted))
    _assert_same(loaded, DEACS.published(3).fit(_table()))
    assert (loaded.engine.client, loaded.engine.by, loaded.engine.n_parts) == (None, "row", 3)


def test_the_dashboard_shows_steps_by_name():
    client = client_of(2)
    DEACS.published(3, engine=DaskEngine(client, by="feature")).fit(_table())
    names = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes))
    assert "label-scores-step" in names
    assert "condition-on-column" in names


def test_wide_tables_are_parted_by_feature_and_tall_ones_by_row():
    rng = np.random.default_rng(0)
    engine = DaskEngine(client_of(1))
    tall = CodedData.from_codes(rng.integers(0, 2, (2000, 3)), rng.integers(0, 2, 2000))
    wide = CodedData.from_codes(rng.integers(0, 2, (20, 300)), np.arange(20) % 2)
    assert type(engine.open(tall)).__name__ == "RowCounts"
    assert type(engine.open(wide)).__name__ == "FeatureCounts"


def test_what_is_not_coded_or_not_a_choice_is_refused():
    with pytest.raises(InputError, match="by must be 'auto', 'feature' or 'row', got 'column'"):
        DaskEngine(by="column")
    with pytest.raises(InputError, match="n_parts must be an integer of at least 1, or N"):
        DaskEngine(n_parts=0)
    with pytest.raises(InputError, match="DaskEngine counts coded tables, got list"):
        DaskEngine(client_of(1)).open([[0]])
    with pytest.raises(InputError, match="client must be a distributed"):
        DaskCluster()
