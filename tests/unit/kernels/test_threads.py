import pytest

from deacs._kernels.threads import map_blocks, n_threads
from tests.each import each


@each("n_jobs", [None, 1, 2, 7])
@each("item_cost", [1.0, 1e5, 1e9])
def test_every_item_is_worked_on_once(n_jobs, item_cost):
    done = [0] * 200

    def work(part):
        for item in range(part.start, part.stop):
            done[item] += 1

    map_blocks(work, len(done), n_jobs, item_cost)
    assert done == [1] * 200


def test_an_error_in_a_thread_reaches_the_caller():
    def work(part):
        raise RuntimeError(f"block {part.start}")

    with pytest.raises(RuntimeError, match="block 0"):
        map_blocks(work, 100, 2, item_cost=1e6)


def test_negative_n_jobs_counts_back_from_all_cores():
    assert n_threads(None) == 1
    assert n_threads(3) == 3
    assert n_threads(-1) >= 1
    assert n_threads(-1000) == 1


def test_no_threads_at_all_is_an_error():
    with pytest.raises(ValueError, match="n_jobs must be positive or negative, got 0"):
        n_threads(0)
