"""Tasks whose speed is kept over commits: run by `python -m benchmarks history`, in any version.

Prints JSON: for each task the CPU seconds, and those of a yardstick that knows nothing of deacs and
took turns with it. Public names only, so that old commits can run it.
"""

import json
import time
from collections.abc import Callable

import numpy as np

__all__ = ["main"]

REPEATS = 7


def main() -> None:
    """Time every task that this version knows."""
    best = {}
    yardstick = _yardstick()
    for name, work in _tasks().items():
        try:
            work()  # compiles
        except AttributeError:  # this version does not know it
            continue
        seconds = {"task": float("inf"), "yardstick": float("inf")}
        for _ in range(REPEATS):
            for who, what in (("task", work), ("yardstick", yardstick)):
                start = time.process_time()
                what()
                seconds[who] = min(seconds[who], time.process_time() - start)
        best[name] = seconds
    print(json.dumps(best))


def _yardstick() -> Callable[[], object]:
    """Return work for one core and its caches: sorting, and adding up by code."""
    rng = np.random.default_rng(0)
    values, codes = rng.random(1_000_000), rng.integers(0, 1_000, 1_000_000)
    return lambda: (np.sort(values), np.bincount(codes, values))


def _tasks() -> dict[str, Callable[[], object]]:
    from deacs import DEACS, JMI, MDLP, MRMR, encode
    from deacs.dea import super_efficiency

    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 3_000)
    X = rng.normal(size=(3_000, 300)) + y[:, None] * rng.random(300)
    data = encode(X, y)
    inputs, outputs = rng.random((400, 2)) + 0.1, rng.random((400, 4)) + 0.1
    return {
        "encode": lambda: encode(X, y),
        "MDLP": lambda: MDLP().fit(X, y),
        "DEACS": lambda: DEACS(10).fit(X, y),
        "DEACS.published": lambda: DEACS.published(10).fit(data),
        "MRMR": lambda: MRMR(20).fit(data),
        "JMI": lambda: JMI(20).fit(data),
        "super_efficiency": lambda: super_efficiency(inputs, outputs),
    }


if __name__ == "__main__":
    main()
