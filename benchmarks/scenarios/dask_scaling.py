"""Dask by row on 1, 2 and 4 local workers: seconds against one process, bytes against the model.

For a quick look: `DASK_SCALING_SHARE=0.1 python -m benchmarks dask_scaling`.
"""

import os
import tempfile
import time

import numpy as np
from dask.distributed import Client, LocalCluster, wait

from benchmarks.tables import coded_table
from deacs.distributed import CodedStore, DaskEngine, LocalEngine
from deacs.distributed.dask.cost_model import Machines, Shape, by_feature, by_row, total
from deacs.selection import dea_cs

SHARE = float(os.environ.get("DASK_SCALING_SHARE", "1"))
N_ROWS, N_FEATURES, N_LABELS, N_STEPS = int(2_000_000 * SHARE), 60, 5, 6
REPEATS = 3
N_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()

TITLE = f"Dask: {N_ROWS:,} x {N_FEATURES} codes, {N_LABELS} classes, {N_STEPS} features"
NOTE = f"""
Workers are processes with one thread each on one machine with {N_CORES} cores; each opens its part
of a store before the clock starts. *efficiency*: seconds of one process with one thread, over
workers (no more than cores) times seconds. *CPU*: what workers, or the client and the scheduler,
computed; other programs do not change it much. *MB*: what workers sent to one another and to the
client, as Dask counts it. *model*: `deacs.distributed.dask.cost_model` with constants measured
here: nanoseconds a code from one process, seconds a task and a hop from empty tasks, bytes a
second from one array sent between two workers.
"""


def run() -> list[dict[str, object]]:
    """Measure one process, then clusters of 1, 2 and 4 workers, by row and by feature."""
    data = coded_table(N_ROWS, N_FEATURES, N_LABELS, (4, 4))
    with tempfile.TemporaryDirectory() as folder:
        store = CodedStore.write(data, f"{folder}/store")
        alone, alone_cpu, left = _one_process(data)
        n_codes = sum(share * N_ROWS * (N_FEATURES - k) for k, share in enumerate(left))
        ns_a_code = 1e9 * alone / n_codes
        rows: list[dict[str, object]] = [
            {
                "engine": "one process, one thread",
                "workers": 1,
                "seconds": alone,
                "model, s": alone,
                "efficiency": 1.0,
                "CPU of workers": alone_cpu,
                "CPU of the client": 0.0,
                "MB": 0.0,
                "model, MB": 0.0,
            }
        ]
        for n_workers in (1, 2, 4):
            with (
                LocalCluster(
                    n_workers=n_workers,
                    threads_per_worker=1,
                    dashboard_address=":0",
                    silence_logs=50,
                ) as cluster,
                Client(cluster) as client,
            ):
                machines = _measured_machines(client, n_workers, ns_a_code)
                for by, model in (("row", by_row), ("feature", by_feature)):
                    seconds, cpu, own_cpu, sent = _run(client, store, by)
                    steps = total(model(Shape(N_ROWS, N_FEATURES, N_LABELS), machines, left))
                    rows.append(
                        {
                            "engine": f"Dask by {by}",
                            "workers": n_workers,
                            "seconds": seconds,
                            "model, s": steps.seconds,
                            "efficiency": alone / (seconds * min(n_workers, N_CORES or 1)),
                            "CPU of workers": cpu,
                            "CPU of the client": own_cpu,
                            "MB": sent / 1e6,
                            "model, MB": (steps.moved + steps.gathered) / 1e6,
                        }
                    )
    return rows


def _one_process(data):
    """Seconds, seconds of CPU, and the share of rows that is left before each step."""
    _select(data, LocalEngine())
    cpu = time.process_time()
    best = min(_clock(lambda: _select(data, LocalEngine())) for _ in range(REPEATS))
    cpu = (time.process_time() - cpu) / REPEATS
    counts, left = LocalEngine().open(data), []
    for feature in _select(data, LocalEngine()).ranking:
        left.append(counts.n_left / N_ROWS)
        counts.condition_on(feature)
    return best, cpu, left


def _select(data, engine):
    return dea_cs(data, n_features_to_select=N_STEPS, engine=engine)


def _clock(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class _Opened:
    """An engine whose table is on the workers already, so that the clock sees only steps."""

    def __init__(self, counts):
        self.counts = counts

    def encode(self, X, y, **how):
        raise NotImplementedError

    def open(self, data, label_score="one-vs-rest", n_jobs=None):
        return self.counts.fresh()


def _run(client, store, by):
    counts = DaskEngine(client, by=by).open(store)
    wait(counts._parts if by == "row" else counts._blocks)
    engine = _Opened(counts)
    _select(store, engine)  # compiles, or reads what was compiled
    before = _sums(client)
    best = min(_clock(lambda: _select(store, engine)) for _ in range(REPEATS))
    cpu, own_cpu, sent = ((_sums(client) - before) / REPEATS).tolist()
    return best, cpu, own_cpu, sent


def _sums(client):
    """CPU of the workers, CPU of the client, bytes sent, so far."""
    sent = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
    cpu = client.run(time.process_time)
    return np.array([sum(cpu.values()), time.process_time(), sum(sent.values())])


def _measured_machines(client, n_workers, ns_a_code):
    """Measure what a task, a hop and a byte cost."""
    n = 200
    tasks = min(
        _clock(lambda: client.gather([client.submit(abs, k, pure=False) for k in range(n)]))
        for _ in range(REPEATS)
    )

    def chain():
        last = client.submit(abs, 1, pure=False)
        for _ in range(20):
            last = client.submit(abs, last, pure=False)
        last.result()

    hops = min(_clock(chain) for _ in range(REPEATS))
    wire = 1.25e9
    if n_workers > 1:
        here, there = sorted(client.nthreads())[:2]
        array = client.submit(np.ones, 4_000_000, workers=[here], pure=False)
        wait(array)
        took = _clock(lambda: client.submit(len, array, workers=[there], pure=False).result())
        wire = 32e6 / took
    return Machines(
        n_workers,
        n_cores=N_CORES,
        ns_a_code=ns_a_code,
        bytes_a_second=wire,
        task_seconds=tasks / n,
        hop_seconds=hops / 20,
    )
