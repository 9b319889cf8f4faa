"""Threads over blocks of items; the kernels release the global interpreter lock.

The caller is one of the threads. Each free thread takes the next block; blocks get smaller towards
the end, so that all threads, even a delayed one, end at about the same time.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache

from deacs.exceptions import InputError, Parameter

__all__ = ["WORTH_NS", "map_blocks", "n_threads"]

LEAST_NS = 1e5
"""The least work of a block; its overhead is about a tenth of that."""

WORTH_NS = 6e5
"""The least work that is shared; waking a thread takes about a third of that."""

SHARE = 2
"""A block is this fraction of a thread's share of the remaining items."""


def n_threads(n_jobs: int | None) -> int:
    """Read `n_jobs` as scikit-learn does: None is 1, -1 all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise InputError(
            Parameter("n_jobs"), " must be positive or negative, got 0; -1 is all cores"
        )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return n_jobs if n_jobs > 0 else max(1, (cores or 1) + 1 + n_jobs)


def map_blocks(
    work: Callable[[slice], None],
    n_items: int,
    n_jobs: int | None,
    item_cost: float,
) -> None:
    """Call `work(slice)` for every block of items, on `n_jobs` threads.

    `item_cost` is the approximate time of an item, in nanoseconds. Small work stays in this thread.
    Each block writes only its own items, so the result does not depend on the number of threads.
    """
    workers, least = n_threads(n_jobs), max(int(LEAST_NS / item_cost), 1)
    if workers == 1 or n_items < 2 or n_items * item_cost < WORTH_NS:
        work(slice(0, n_items))
        return
    blocks = deque(_blocks(n_items, SHARE * workers, least))

    def share(block: slice | None) -> None:
        try:
            while block is not None:
                work(block)
                block = _take(blocks)
        except BaseException:
            blocks.clear()  # the remaining blocks are not needed
            raise

    first, n_helpers = blocks.popleft(), min(workers - 1, len(blocks))
    helpers = [_pool(workers).submit(lambda: share(_take(blocks))) for _ in range(n_helpers)]
    try:
        share(first)
    finally:
        # A helper that has not begun has nothing left to do, and waiting for it could deadlock if
        # the caller is itself a thread of the pool.
        begun = [helper for helper in helpers if not helper.cancel()]
        wait(begun)
    for helper in begun:
        helper.result()


def _blocks(n_items: int, parts: int, least: int) -> Iterator[slice]:
    """Yield blocks, each a fraction of the remaining items, down to the least size."""
    begin = 0
    while begin < n_items:
        end = min(begin + max(-(-(n_items - begin) // parts), least), n_items)
        yield slice(begin, end)
        begin = end


def _take(blocks: deque[slice]) -> slice | None:
    try:
        return blocks.popleft()
    except IndexError:  # another thread took the last
        return None


@lru_cache(maxsize=4)
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, thread_name_prefix="deacs")


if hasattr(os, "register_at_fork"):
    # A forked child has the pool but not its threads.
    os.register_at_fork(after_in_child=_pool.cache_clear)
