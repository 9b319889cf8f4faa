"""Notes of a file: each once, and one on the header if it was read as data."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from deacs.exceptions import Note
from deacs.tables.names import listed

if TYPE_CHECKING:
    import polars as pl

__all__ = ["told_once"]

MOST_NAMED = 5


def told_once(notes: Sequence[str], X: "pl.DataFrame", how_to_read: Mapping[str, Any]) -> list[str]:
    """Return each note once, the first on text in a column, or one on a header read as data."""
    said: set[str] = set()
    as_text: list[Note] = []
    once: list[str] = []
    for note in dict.fromkeys(notes):
        if isinstance(note, Note) and note.kind == "read as text":
            if said.issuperset(note.columns):  # by what read the file, in more detail
                continue
            said.update(note.columns)
            as_text.append(note)
        once.append(note)
    columns = list(dict.fromkeys(name for note in as_text for name in note.columns))
    if how_to_read.get("header") is not False or not columns or not _first_only(X, columns):
        return once
    named = [str(X[name][0]) for name in columns]
    words = (
        f"the first line looks like a header: {listed(columns, MOST_NAMED)} would be numbers, "
        f"but for {listed(named, MOST_NAMED)} there; leave out --no-header"
    )
    note = Note(words, kind="read as text", columns=columns)
    return [note, *(other for other in once if other not in as_text)]


def _first_only(X: "pl.DataFrame", columns: Sequence[str]) -> bool:
    """Whether each column would be numbers but for its first value, as if that were its name."""
    import polars as pl

    is_text = X.select(pl.col(columns).str.strip_chars().cast(pl.Float64, strict=False).is_null())
    return all(
        (is_text[name] & X[name].is_not_null()).arg_true().to_list() == [0] for name in columns
    )
