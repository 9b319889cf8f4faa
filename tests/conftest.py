"""Settings for all tests."""

import os

import pytest
from hypothesis import settings

from deacs.information import grouping
from deacs.kernels import threads

# The first example of a test may compile a kernel, which takes longer than any deadline.
N_EXAMPLES = int(os.environ.get("DEACS_EXAMPLES", "20"))  # more of them for a search at length
settings.register_profile("deacs", deadline=None, max_examples=N_EXAMPLES)
settings.register_profile("quick", deadline=None, max_examples=10)
settings.load_profile("deacs")


@pytest.fixture
def work_is_shared(monkeypatch):
    """Share even the smallest work among threads, and see that it was."""
    used = []
    pool = threads._pool
    monkeypatch.setattr(threads, "LEAST_NS", 1.0)
    for module in (threads, grouping):
        monkeypatch.setattr(module, "WORTH_NS", 0.0)
    monkeypatch.setattr(threads, "_pool", lambda workers: used.append(workers) or pool(workers))
    yield
    assert used
