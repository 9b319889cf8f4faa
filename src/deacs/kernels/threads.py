"""A plain thread pool over fixed blocks; the kernels release the lock."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

__all__ = ["map_blocks", "n_threads"]

BLOCK_NS = 2e6
MIN_BLOCKS = 16
SHARED_NS = 2e6


def n_threads(n_jobs: int | None) -> int:
    """Read `n_jobs` as scikit-learn does: None is 1, -1 all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return n_jobs if n_jobs > 0 else max(1, (cores or 1) + 1 + n_jobs)


def map_blocks(
    work: Callable[[slice], None],
    n_items: int,
    n_jobs: int | None,
    item_cost: float,
) -> None:
    """Call `work(slice)` for every block of items, on `n_jobs` threads.

    `item_cost` is about how many nanoseconds an item takes. A block is worth a few milliseconds,
    so that handing it out costs nothing beside it, and there are enough blocks to share evenly;
    work too small to share stays in this thread. Each block writes only its own items, so the
    answer does not depend on any of this.
    """
    block = int(min(max(BLOCK_NS / item_cost, 1), max(-(-n_items // MIN_BLOCKS), 1)))
    workers = min(n_threads(n_jobs), -(-n_items // block))
    if workers <= 1 or n_items * item_cost < SHARED_NS:
        work(slice(0, n_items))
        return
    blocks = [slice(k, min(k + block, n_items)) for k in range(0, n_items, block)]
    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(work, blocks):
            pass
