"""How much two threads give, beside what the machine gives to anybody at that moment."""

import hashlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import patch

import numpy as np

from benchmarks.tables import coded_table
from deacs import DEACS
from deacs._kernels.threads import map_blocks
from deacs.counts import conditioning, counting
from deacs.counts.groups import split

TITLE = "Two threads against one"
NOTE = """
Rounds of one fit on one thread and one on two, straight after each other; *times* is the median
over the rounds of their ratio, with quartiles, *of the best* the ratio of the best times.
*between*: the share of the time on one thread that is not inside a pass over features or groups,
and *limit* what it leaves for two threads, 2 / (1 + between). The first two rows are the machine:
the same work twice, one after the other and side by side on two threads, once in registers and once
streaming 256 MB. Where they are far from 2, somebody else is at work.
"""
SHAPES = {
    "6,000 x 5,000, 2 classes": (6000, 5000, 2, (2, 6)),
    "1,000,000 x 100, 5 classes": (1_000_000, 100, 5, (4, 4)),
}
ROUNDS = {"6,000 x 5,000, 2 classes": 40, "1,000,000 x 100, 5 classes": 8}


def run() -> list[dict[str, object]]:
    """Race one thread against two."""
    rows = [
        _machine("registers", _spin, 1_000_000),
        _machine("memory", _stream, np.ones(1 << 25, np.int64)),
    ]
    for name, shape in SHAPES.items():
        data = coded_table(*shape)
        one = DEACS.published(n_jobs=1).fit(data)
        two = DEACS.published(n_jobs=2).fit(data)
        same = all(
            np.array_equal(getattr(one, name), getattr(two, name))
            for name in ("ranking_", "scores_")
        )
        between = _between(lambda data=data: DEACS.published(n_jobs=1).fit(data))
        rows.append(
            {
                **_rounds(
                    name,
                    lambda data=data: DEACS.published(n_jobs=1).fit(data),
                    lambda data=data: DEACS.published(n_jobs=2).fit(data),
                    ROUNDS[name],
                ),
                "between": between,
                "limit": 2 / (1 + between),
                "same bits": same,
            }
        )
    return rows


def _rounds(
    name: str, one: Callable[[], object], two: Callable[[], object], n: int
) -> dict[str, object]:
    times = np.array([[_seconds(one), _seconds(two)] for _ in range(n)])
    ratios = times[:, 0] / times[:, 1]
    low, middle, high = np.quantile(ratios, (0.25, 0.5, 0.75))
    best_one, best_two = times.min(axis=0)
    return {
        "what": name,
        "1 thread, s": float(best_one),
        "2 threads, s": float(best_two),
        "times": float(middle),
        "quartiles": f"{low:.2f} to {high:.2f}",
        "of the best": float(best_one / best_two),
        "rounds": n,
        "between": "",
        "limit": "",
        "same bits": "",
    }


def _machine(name: str, work: Callable[[object], object], size: object) -> dict[str, object]:
    work(size)
    with ThreadPoolExecutor(1) as other:

        def one() -> None:
            work(size)
            work(size)

        def two() -> None:
            second = other.submit(work, size)
            work(size)
            second.result()

        return _rounds(f"the machine: {name}", one, two, 20)


def _between(fit: Callable[[], object]) -> float:
    """The share of the best time that is not inside a pass."""
    inside: list[float] = []
    shares = []

    def timed(work):
        def call(*arguments):
            start = time.perf_counter()
            found = work(*arguments)
            inside.append(time.perf_counter() - start)
            return found

        return call

    with (
        patch.object(counting, "map_blocks", timed(map_blocks)),
        patch.object(conditioning, "split", timed(split)),
    ):
        for _ in range(5):
            inside.clear()
            seconds = _seconds(fit)
            shares.append((seconds, 1 - sum(inside) / seconds))
    return min(shares)[1]


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# Neither needs the global lock while it runs.


def _spin(n):
    return hashlib.pbkdf2_hmac("sha256", b"", b"", n)


def _stream(numbers):
    return numbers.sum()
