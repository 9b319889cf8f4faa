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


def pytest_ignore_collect(collection_path):
    """Leave out pages about packages that are not installed; the dev extra has all of them."""
    from importlib.util import find_spec

    needs = {"interchange.md": ("skops", "skl2onnx", "onnxruntime")}
    if any(find_spec(name) is None for name in needs.get(collection_path.name, ())):
        return True
    return None
