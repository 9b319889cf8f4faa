"""Suggestions for a name that is not a column."""

from collections.abc import Sequence
from difflib import get_close_matches

__all__ = ["unknown_name"]


def unknown_name(name: str, names: Sequence[str]) -> str:
    """Return a message that a name is unknown, with a suggestion."""
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    if not close:
        folded = {other.casefold(): other for other in names}
        close = [folded[c] for c in get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)]
    if close:
        return f"which is not a column; did you mean {close[0]!r}?"
    shown = ", ".join(repr(other) for other in names[:8])
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return f"which is not a column; the columns are {shown}{more}"
