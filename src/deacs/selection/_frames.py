"""Results as data frames, of the library the user works with."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from deacs.exceptions import InputError

__all__ = ["frame"]


def frame(columns: dict[str, Any], library: str | None = None) -> Any:
    """Make a pandas or polars frame; without a choice pandas if it is installed, else polars."""
    if library not in ("pandas", "polars"):
        if library not in (None, "pyarrow"):
            raise InputError(f"library must be 'pandas' or 'polars', got {library!r}")
        library = "pandas" if find_spec("pandas") else "polars"
    return import_module(library).DataFrame(columns)
