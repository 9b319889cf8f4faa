"""A seeded slice of every fuzzing target; `make fuzz` runs more."""

import pytest

from tests.system.fuzz import find_targets, run_chunk

INPUTS = 40


@pytest.mark.parametrize("name", find_targets())
def test_a_slice_ends_as_promised(name):
    outcomes = run_chunk(name, seed=0, chunk=0, count=INPUTS)
    assert sum(outcomes.values()) == INPUTS
