"""Results as data frames of the user's library."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from deacs.exceptions import InputError

__all__ = ["frame"]

LIBRARIES = ("pandas", "polars")


def frame(columns: dict[str, Any], library: str | None = None) -> Any:
    """Make a pandas or polars frame; without a choice pandas if it is installed, else polars."""
    if library is not None and library not in LIBRARIES:
        raise InputError(f"library must be 'pandas', 'polars' or None, got {library!r}")
    wanted = LIBRARIES if library is None else (library,)
    found = next((name for name in wanted if find_spec(name)), None)
    if found is None:
        raise ModuleNotFoundError(
            f"to_frame needs {' or '.join(wanted)}, which is not installed; "
            f"pip install {' or '.join(wanted)}",
            name=wanted[0],
        )
    return import_module(found).DataFrame(columns)
