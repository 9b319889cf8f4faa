"""A plain thread pool over fixed blocks; the kernels release the lock."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

__all__ = ["map_blocks", "n_threads"]

BLOCKS_A_THREAD = 4
LEAST_NS = 5e5


def n_threads(n_jobs: int | None) -> int:
    """Read `n_jobs` as scikit-learn does: None is 1, -1 all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError("n_jobs must be None, positive or negative, got 0; -1 is all cores")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return n_jobs if n_jobs > 0 else max(1, (cores or 1) + 1 + n_jobs)


def map_blocks(
    work: Callable[[slice], None],
    n_items: int,
    n_jobs: int | None,
    item_cost: float,
) -> None:
    """Call `work(slice)` for every block of items, on `n_jobs` threads.

    `item_cost` is about how many nanoseconds an item takes. There are blocks enough to share
    evenly, each worth about a millisecond or more, so that handing it out and its work space cost
    nothing beside it; work too small to share stays in this thread. Each block writes only its
    own items, so the answer does not depend on any of this.
    """
    workers = n_threads(n_jobs)
    block = max(-(-n_items // (BLOCKS_A_THREAD * workers)), int(LEAST_NS / item_cost), 1)
    if workers == 1 or block >= n_items:
        work(slice(0, n_items))
        return
    blocks = [slice(k, min(k + block, n_items)) for k in range(0, n_items, block)]
    for _ in _pool(workers).map(work, blocks):
        pass


@lru_cache(maxsize=4)
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="deacs")


if hasattr(os, "register_at_fork"):
    # A forked child has the pool but not its threads.
    os.register_at_fork(after_in_child=_pool.cache_clear)
