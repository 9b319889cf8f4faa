"""Dask on 1, 2 and 4 local workers: seconds, CPU and bytes, against one process and the model.

For a quick look: `DASK_SCALING_SHARE=0.1 python -m benchmarks dask_scaling`.
"""

import os
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np
from dask.distributed import Client, LocalCluster, wait

from benchmarks.dask_cost_model import Machines, Shape, by_feature, by_row, total
from benchmarks.tables import coded_table
from deacs.distributed import CodedStore, DaskEngine, LocalEngine
from deacs.distributed.cluster.source import even_slices
from deacs.greedy.setting import PUBLISHED, Setting, dea_cs

SHARE = float(os.environ.get("DASK_SCALING_SHARE", "1"))
N_ROWS, N_FEATURES, N_LABELS, N_STEPS = int(2_000_000 * SHARE), 60, 5, 6
REPEATS = 3
SENT = 32_000_000
BARRIER = None
"""Where processes apart wait for one another."""
N_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()

TITLE = f"Dask: {N_ROWS:,} x {N_FEATURES} codes, {N_LABELS} classes, {N_STEPS} features"
NOTE = f"""
Workers are processes with one thread each on one machine with {N_CORES} cores; each opens its part
of a store before the clock starts. *efficiency*: seconds of one process with one thread, over
workers (no more than cores) times seconds. *CPU*: what workers, or the client and the scheduler,
computed, without what they compute when idle; other programs do not change it much, so compare the
model by it on a busy machine. *MB*: what workers sent to one another and to the client, as Dask
counts it; every selection sends its columns anew. *processes apart*: each selects from its share of
the rows and knows of no other; what its efficiency lacks of 1 is what cores lose by sharing caches
and memory, and no scheduler can give back. *model*: `benchmarks.dask_cost_model` with constants
measured here: a code from one process, a task, an answer and a hop from empty tasks, a byte from
one array sent between two workers.
"""


def run() -> list[dict[str, object]]:
    """Measure one process, then clusters of 1, 2 and 4 workers, by row and by feature."""
    data = coded_table(N_ROWS, N_FEATURES, N_LABELS, (4, 4))
    with tempfile.TemporaryDirectory() as folder:
        store = CodedStore.write(data, f"{folder}/store")
        alone, alone_cpu, left, ns_a_code = _one_process(data)
        rows: list[dict[str, object]] = [
            {
                "engine": "one process, one thread",
                "workers": 1,
                "seconds": alone,
                "model, s": alone,
                "efficiency": 1.0,
                "CPU of workers": alone_cpu,
                "CPU of the client": 0.0,
                "CPU": alone_cpu,
                "model, CPU": alone_cpu,
                "MB": 0.0,
                "model, MB": 0.0,
            }
        ]
        for n_workers in (2, 4):
            seconds, cpu = _at_once(store, n_workers)
            efficiency = alone / (seconds * min(n_workers, N_CORES or 1))
            rows.append(
                {
                    "engine": "processes apart, by row",
                    "workers": n_workers,
                    "seconds": seconds,
                    "efficiency": efficiency,
                    "CPU of workers": cpu,
                    "CPU": cpu,
                }
            )
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
                            "CPU": cpu + own_cpu,
                            "model, CPU": steps.cpu,
                            "MB": sent / 1e6,
                            "model, MB": (steps.moved + steps.gathered) / 1e6,
                        }
                    )
    return rows


def _one_process(data):
    """Seconds, seconds of CPU, the share of rows left before each step, nanoseconds a code."""
    _select(data, LocalEngine())
    best = min(_clock(lambda: _select(data, LocalEngine())) for _ in range(REPEATS))
    cpu = min(
        _clock(lambda: _select(data, LocalEngine()), time.process_time) for _ in range(REPEATS)
    )
    counts, left, counting = LocalEngine().open(data), [], 0.0
    candidates = np.arange(N_FEATURES)
    for feature in _select(data, LocalEngine()).ranking:
        left.append(counts._conditioning.n_left / N_ROWS)
        score = partial(counts.label_scores, candidates)
        counting += min(_clock(score, time.process_time) for _ in range(REPEATS))
        counts.condition_on(feature)
        candidates = candidates[candidates != feature]
    n_codes = sum(share * N_ROWS * (N_FEATURES - k) for k, share in enumerate(left))
    return best, cpu, left, 1e9 * counting / n_codes


def _at_once(store, n_processes):
    """Seconds of the slowest and CPU of all processes, each with its share of rows, at once.

    They know nothing of one another: what a scheduler could reach at best on this machine.
    """
    context = get_context("spawn")
    begin = context.Barrier(n_processes)
    with ProcessPoolExecutor(
        n_processes, context, initializer=_begin_together, initargs=(begin,)
    ) as pool:
        shares = [(store.path, part) for part in even_slices(store.n_rows, n_processes)]
        took = [pool.submit(_of_rows, *share) for share in shares]
        seconds, cpu = np.array([each.result() for each in took]).min(axis=1).T
    return float(seconds.max()), float(cpu.sum())


def _begin_together(barrier):
    global BARRIER
    BARRIER = barrier


def _of_rows(path, rows):
    """Select from some rows, as often as the others do; seconds and CPU of each time."""
    data = CodedStore.open(path).data.take(np.arange(rows.start, rows.stop))
    _select(data, LocalEngine())
    took = []
    for _ in range(REPEATS):
        BARRIER.wait()
        cpu = time.process_time()
        took.append((_clock(lambda: _select(data, LocalEngine())), time.process_time() - cpu))
    return took


def _select(data, engine):
    return dea_cs(data, Setting(N_STEPS, **PUBLISHED), engine=engine)


def _clock(work, clock=time.perf_counter):
    start = clock()
    work()
    return clock() - start


class _Opened:
    """An engine whose table is on the workers already, so that the clock sees only steps."""

    capabilities = DaskEngine.capabilities

    def __init__(self, counts):
        self.counts = counts

    def encode(self, X, y, **how):
        raise NotImplementedError

    def open(self, data, label_score="one-vs-rest", n_jobs=None, estimator="plug-in"):
        # Else a worker may still have the columns that the last selection sent it.
        getattr(self.counts, "_columns", {}).clear()
        return self.counts.fresh()


def _run(client, store, by):
    counts = DaskEngine(client, by=by).open(store)
    wait(counts._parts if by == "row" else counts._blocks)
    engine = _Opened(counts)
    _select(store, engine)  # compiles, or reads what was compiled
    best = min(_clock(lambda: _select(store, engine)) for _ in range(REPEATS))
    return best, *_spent(client, lambda: _select(store, engine))


def _spent(client, work):
    """CPU of the workers, CPU of the client, and bytes sent: the least of each.

    What they compute while there is nothing to do (heartbeats, profiles) is taken off: else the
    longer other programs make them wait, the more they seem to have done.
    """
    idle = _during(client, lambda: time.sleep(1))
    spent = []
    for _ in range(REPEATS):
        during = _during(client, work)
        spent.append(during - idle * during[-1] / idle[-1])
    return np.min(spent, axis=0)[:-1].tolist()


def _during(client, work):
    before = _so_far(client)
    work()
    return _so_far(client) - before


def _so_far(client):
    sent = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
    cpu = client.run(time.process_time)
    return np.array(
        [sum(cpu.values()), time.process_time(), sum(sent.values()), time.perf_counter()]
    )


def _measured_machines(client, n_workers, ns_a_code):
    """Measure what a task, an answer, a hop and a byte cost."""
    workers, n = sorted(client.nthreads()), 20

    def task(work, arg, k):
        return client.submit(work, arg, workers=[workers[k % n_workers]], pure=False)

    def burst():
        client.gather([task(abs, k, k) for k in range(10 * n)])

    def rounds():
        for _ in range(n):
            client.gather(task(sum, [task(abs, k, k) for k in range(n_workers)], 0))

    def chain():
        last = 1
        for k in range(n):
            last = task(abs, last, k)
        client.gather(last)

    _, of_tasks, _ = _spent(client, burst)
    on_workers, of_rounds, _ = _spent(client, rounds)
    a_task, n_tasks = of_tasks / (10 * n), n * (n_workers + 1)
    wire, a_byte = 1.25e9, 0.0
    if n_workers > 1:

        def send():
            array = task(np.ones, SENT // 8, 0)
            wait(array)
            took.append(_clock(task(len, array, 1).result))

        took = []
        computed, _, _ = _spent(client, send)
        wire, a_byte = SENT / min(took), 1e9 * computed / SENT
    return Machines(
        n_workers,
        n_cores=N_CORES,
        ns_a_code=ns_a_code,
        bytes_a_second=wire,
        ns_a_byte=a_byte,
        task_seconds=a_task,
        worker_seconds=on_workers / n_tasks,
        answer_seconds=max(0.0, of_rounds - n_tasks * a_task) / n,
        hop_seconds=min(_clock(chain) for _ in range(REPEATS)) / n,
    )
