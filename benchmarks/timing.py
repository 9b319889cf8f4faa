"""Clocks: the best of a few repeats, for contestants that take turns."""

import time
from collections.abc import Callable

__all__ = ["side_by_side"]


def side_by_side(
    contestants: dict[str, Callable[[], object]],
    repeats: int = 3,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Return the best time of each contestant in seconds; they take turns, so load hits all."""
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(repeats):
        for name, work in contestants.items():
            start = clock()
            work()
            best[name] = min(best[name], clock() - start)
    return best
