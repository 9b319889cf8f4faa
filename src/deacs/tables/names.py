"""Names of columns in messages, and the user's line in warnings."""

import sys
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from deacs.exceptions import InputError

__all__ = ["frames_to_user", "listed", "refuse_repeated", "unknown_name"]

MOST_NAMED = 8


def listed(names: Sequence[Any], most: int = MOST_NAMED) -> str:
    """Return the first names in quotes, and the number of others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def refuse_repeated(names: Sequence[str], where: str, advice: str = "; rename them") -> None:
    """Raise an error if two columns of a table or file, `where`, have the same name."""
    if len(set(names)) < len(names):
        repeated = sorted(name for name, n in Counter(names).items() if n > 1)
        raise InputError(
            f"{where} must have unique column names, got {listed(repeated)} more than once", advice
        )


def unknown_name(name: str, names: Sequence[str]) -> str:
    """Return a message that a name is unknown, with a suggestion."""
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    if not close:
        folded = {other.casefold(): other for other in names}
        close = [folded[c] for c in get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)]
    if close:
        return f"which is not a column; did you mean {close[0]!r}?"
    return f"which is not a column; the columns are {listed(names)}"


BETWEEN = ("deacs", "sklearn", "joblib")
"""Packages whose frames are skipped on the way to the user's line."""


def frames_to_user() -> int:
    """Return the `stacklevel` of a warning raised by the caller."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in BETWEEN:
        level, frame = level + 1, frame.f_back
    return level
