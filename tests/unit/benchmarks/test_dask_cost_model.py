"""The model of costs against runs: bytes as Dask counts them, tasks, and the shape of seconds."""

from collections import Counter

import numpy as np
import pytest

pytest.importorskip("distributed")

from benchmarks.dask_cost_model import Machines, Shape, by_feature, by_row, total

from deacs import DEACS
from deacs.coding import CodedData
from deacs.distributed import DaskEngine
from deacs.distributed.cluster.by_feature import FeatureCounts
from deacs.distributed.cluster.by_row import RowCounts
from deacs.distributed.dask.cluster import DaskCluster
from tests.system.distributed.dask.engines import client_of

N_ROWS, N_FEATURES, N_LABELS, N_VALUES, N_STEPS = 20_000, 30, 3, 8, 4


def _table():
    """Independent columns of 8 even values: groups balance after one feature, few rows retire."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, N_VALUES, (N_ROWS, N_FEATURES), dtype=np.uint8)
    return CodedData.from_codes(codes, rng.integers(0, N_LABELS, N_ROWS))


def _sent(client):
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def _measured(client, by):
    """Bytes that workers send in a selection, to one another and to the client."""
    data = _table()
    counts = DaskEngine(client, by=by).open(data)
    path = DEACS.published(N_STEPS).fit(data).ranking_.tolist()
    candidates, before = np.arange(N_FEATURES), _sent(client)
    for feature in path:
        counts.label_scores(candidates)
        candidates = candidates[candidates != feature]
        counts.condition_on(feature)
        counts.residual()
    return _sent(client) - before


@pytest.mark.parametrize("n_workers", [1, 2, 4])
@pytest.mark.parametrize(("by", "model"), [("feature", by_feature), ("row", by_row)])
def test_bytes_move_as_the_model_says(by, model, n_workers):
    shape = Shape(N_ROWS, N_FEATURES, N_LABELS, N_VALUES)
    steps = total(model(shape, Machines(n_workers), [1.0] * N_STEPS))
    expected = steps.moved + steps.gathered
    measured = _measured(client_of(n_workers), by)
    assert 0.95 * expected - 1500 <= measured <= 1.05 * expected + 1500


def test_columns_that_workers_still_have_do_not_move_again():
    """A second selection finds copies, until Dask's memory manager drops them (every 2 s)."""
    client = client_of(2)
    client.amm.stop()
    try:
        counts = DaskEngine(client, by="feature").open(_table())
        sent = [_sent(client)]
        for _ in range(2):
            again = counts.fresh()
            again.condition_on(3)
            again.residual()
            again.label_scores(np.arange(N_FEATURES))
            sent.append(_sent(client))
    finally:
        client.amm.start()
    first, second = np.diff(sent)
    assert N_ROWS <= first <= N_ROWS + 3000
    assert second <= 3000


@pytest.mark.parametrize("n_workers", [1, 2, 3])
@pytest.mark.parametrize(("by", "model"), [("feature", by_feature), ("row", by_row)])
def test_tasks_and_answers_are_as_many_as_the_model_says(by, model, n_workers, monkeypatch):
    asked = Counter()

    def counted(name):
        original = getattr(DaskCluster, name)

        def count(*args, **how):
            asked[name] += 1
            return original(*args, **how)

        monkeypatch.setattr(DaskCluster, name, count)

    for counts in (FeatureCounts, RowCounts):
        # Notes ask for it when all is selected; the model is one of the selection.
        monkeypatch.setattr(counts, "mean_group_size", lambda counts, features: np.inf)
    counted("submit")
    counted("gather")
    DEACS.published(N_STEPS, engine=DaskEngine(client_of(n_workers), by=by)).fit(_table())
    shape = Shape(N_ROWS, N_FEATURES, N_LABELS, N_VALUES)
    steps = total(model(shape, Machines(n_workers), [1.0] * N_STEPS))
    assert (asked["submit"], asked["gather"]) == (steps.tasks, steps.answers)


def test_twice_the_workers_take_half_the_time_while_counting_dominates():
    tall = Shape(10**9, 1000, 10)
    alone, both, many = (total(by_row(tall, Machines(w), [1.0] * 40)).seconds for w in (1, 2, 64))
    assert alone / both == pytest.approx(2, rel=0.25)
    assert 30 < alone / many < 64


def test_the_scheduler_is_the_limit_of_small_tables():
    small = Shape(10_000, 100, 2)
    few, many = (total(by_row(small, Machines(w), [1.0] * 8)).seconds for w in (2, 256))
    assert many > few


def test_workers_that_share_cores_gain_nothing():
    tall = Shape(10**8, 100, 5)
    one, four = (total(by_row(tall, Machines(w, n_cores=1), [1.0] * 4)).seconds for w in (1, 4))
    assert four >= one


def test_rows_that_retire_make_steps_cheaper_but_sums_move_alike():
    tall = Shape(10**8, 100, 5)
    whole = by_row(tall, Machines(8), [1.0] * 8)
    retiring = by_row(tall, Machines(8), [1.0] * 6 + [0.5, 0.1])
    assert retiring[-3].name == "shuffle"
    assert retiring[-3].moved == whole[-3].moved / 2
    assert retiring[-1].gathered == whole[-1].gathered
    assert retiring[-1].seconds < whole[-1].seconds / 4
