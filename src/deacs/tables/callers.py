"""The stack level at which a warning points to the user's own code."""

import sys

__all__ = ["frames_to_user"]

BETWEEN = ("deacs", "sklearn", "joblib")
"""Packages whose frames are skipped on the way to the user's line."""


def frames_to_user() -> int:
    """Return the `stacklevel` of a warning raised by the caller."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        level, frame = level + 1, frame.f_back
    return level
