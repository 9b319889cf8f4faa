"""Pickles that record the version of deacs that wrote them."""

from typing import Any
from warnings import warn

from deacs._version import __version__
from deacs.exceptions import VersionWarning

__all__ = ["Versioned"]

KEY = "_deacs_version"


class Versioned:
    """Mixin of estimators: a pickle of another version is read, and a warning says so.

    It stands before `BaseEstimator` among the bases.
    """

    def __getstate__(self) -> Any:
        state: Any = super().__getstate__()
        return {**state, KEY: __version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        written = state.get(KEY)
        if written != __version__:
            warn(VersionWarning(type(self).__name__, written, __version__), stacklevel=2)
        kept = {name: value for name, value in state.items() if name != KEY}
        super().__setstate__(kept)  # type: ignore[misc]
