"""One table, all contestants of the counting, in one run.

NumPy scores every candidate at every step of the same selection: it counts each feature with
`bincount` over (group, value, label).
"""

import gc
import time

import numpy as np

from benchmarks.timing import side_by_side
from deacs import DEACS, CodedData

__all__ = ["race"]


def race(data: CodedData, n_sampled: int, repeats: int = 3) -> list[dict[str, object]]:
    """Time DEA-CS until exhausted beside NumPy at equal work."""
    ranking = DEACS.published().fit(data).ranking_
    gc.collect()
    times = side_by_side(
        {
            "deacs, 1 thread": lambda: DEACS.published(n_jobs=1).fit(data),
            "deacs, 2 threads": lambda: DEACS.published(n_jobs=2).fit(data),
        },
        repeats,
    )
    times["NumPy (from a sample)"] = _numpy_seconds(data, ranking, n_sampled)
    ours = times["deacs, 1 thread"]
    same = np.array_equal(ranking, DEACS.published(n_jobs=2).fit(data).ranking_)
    return [
        {
            "who": who,
            "seconds": seconds,
            "times deacs on 1 thread": seconds / ours,
            "features": len(ranking),
            "same selection on 2 threads": same,
        }
        for who, seconds in sorted(times.items(), key=lambda item: item[1])
    ]


def _numpy_seconds(data: CodedData, ranking: np.ndarray, n_sampled: int) -> float:
    """Time all steps in NumPy, for a sample of the candidates, and scale up to all of them."""
    group = np.zeros(data.n_rows, dtype=np.int64)
    sample = np.linspace(0, data.n_features - 1, n_sampled).astype(int)
    seconds = 0.0
    for step, feature in enumerate(ranking):
        start = time.perf_counter()
        for j in sample:
            _numpy_scores(group, data.column(int(j)), data.labels, data.n_classes)
        elapsed = time.perf_counter() - start
        seconds += elapsed / n_sampled * (data.n_features - step)
        column = data.column(int(feature))
        group = np.unique(group * (int(column.max()) + 1) + column, return_inverse=True)[1]
    return seconds


def _numpy_scores(group, x, y, n_labels):
    cell = np.unique(group * (int(x.max()) + 1) + x, return_inverse=True)[1]
    n_fi = np.bincount(cell * n_labels + y, minlength=(cell.max() + 1) * n_labels)
    n_fi = n_fi.reshape(-1, n_labels)
    n_f = n_fi.sum(axis=1, keepdims=True)
    return (_xlogx(n_fi) + _xlogx(n_f - n_fi) - _xlogx(n_f)).sum(axis=0)


def _xlogx(n):
    return n * np.log2(np.maximum(n, 1))
