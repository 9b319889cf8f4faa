"""The stack level of a warning: the first frame of the user's own code."""

import sys

__all__ = ["frames_to_user"]

BETWEEN = ("deacs", "sklearn", "joblib")
"""Packages whose frames stand between a warning and the user's line."""


def frames_to_user() -> int:
    """Count the frames from the caller that warns up to the user's first frame."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        level, frame = level + 1, frame.f_back
    return level
