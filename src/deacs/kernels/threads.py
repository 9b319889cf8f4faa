"""A plain thread pool over fixed blocks; the kernels release the lock."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

__all__ = ["map_blocks", "n_threads"]


def n_threads(n_jobs: int | None) -> int:
    """Read `n_jobs` as scikit-learn does: None is 1, -1 all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return n_jobs if n_jobs > 0 else max(1, (cores or 1) + 1 + n_jobs)


def map_blocks(
    work: Callable[[slice], None], n_items: int, n_jobs: int | None, block: int = 64
) -> None:
    """Call `work(slice)` for every block of at most `block` items, on `n_jobs` threads.

    Blocks do not depend on `n_jobs`, and each writes only its own items.
    """
    blocks = [slice(k, min(k + block, n_items)) for k in range(0, n_items, block)]
    workers = min(n_threads(n_jobs), len(blocks))
    if workers <= 1:
        for part in blocks:
            work(part)
        return
    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(work, blocks):
            pass
