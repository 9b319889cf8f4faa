"""Examples in pages draw without a screen and leave no figure open."""

import os

import pytest

os.environ.setdefault("MPLBACKEND", "agg")
collect_ignore_glob = ["*.py"]  # what builds the site needs its own tools


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    """Close what an example drew."""
    yield
    import sys

    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
