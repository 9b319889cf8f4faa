"""Damaged and random input in quantity: nothing dies, nothing is answered wrongly.

A target is a module with a function `run(rng, count) -> dict[str, int]`. It tries `count` inputs
drawn from `rng`, returns how often each outcome came, and raises AssertionError at the first
outcome that must not be. `make fuzz` runs all targets for minutes; `test_slices.py` runs a few
inputs of each with the ordinary tests.
"""

from importlib import import_module
from importlib.util import find_spec

TARGETS = ("files", "tables", "codes", "dea")


def find_targets(names=TARGETS):
    """Return the modules of the targets that exist, by name."""
    found = [name for name in names if find_spec(f"{__name__}.{name}") is not None]
    return {name: import_module(f"{__name__}.{name}") for name in found}


def run_chunk(name, seed, chunk, count):
    """Run one chunk of a target; its seed alone decides which inputs it draws."""
    import numpy as np

    return find_targets([name])[name].run(np.random.default_rng([seed, chunk]), count)
