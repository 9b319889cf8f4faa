"""One table, all contestants of the counting, in one run."""

import gc

import numpy as np

from benchmarks.plain import numpy_seconds, plain_seconds
from benchmarks.timing import side_by_side
from deacs import DEACS, CodedData

__all__ = ["race"]


def race(data: CodedData, n_sampled: int, repeats: int = 3) -> list[dict[str, object]]:
    """Time DEA-CS until exhausted beside the plain kernel and NumPy at equal work."""
    ranking = DEACS.published().fit(data).ranking_  # compile, and what the others shall do
    gc.collect()
    times = side_by_side(
        {
            "plain kernel, 1 thread": lambda: plain_seconds(data, ranking),
            "deacs, 1 thread": lambda: DEACS.published(n_jobs=1).fit(data),
            "deacs, 2 threads": lambda: DEACS.published(n_jobs=2).fit(data),
        },
        repeats,
    )
    times["NumPy (from a sample)"] = numpy_seconds(data, ranking, n_sampled)
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
