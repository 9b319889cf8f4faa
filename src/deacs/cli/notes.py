"""Caveats below the table: the library's warnings and notes, with parameters as options."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from deacs.cli.verbs import in_options
from deacs.exceptions import Note

__all__ = ["collected_notes", "show_notes", "tagged", "worded"]


@contextmanager
def collected_notes() -> Iterator[list[Note]]:
    """Yield a list that collects warnings as notes, each once, when the work is done."""
    notes: list[Note] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield notes
    notes += dict.fromkeys(_note(warning.message) for warning in caught)


def _note(warning: Warning | str) -> Note:
    said = warning.args[0] if isinstance(warning, Warning) and warning.args else str(warning)
    return worded(said)


def worded(note: str) -> Note:
    """Return a note with the options of the running command in place of parameters."""
    if not isinstance(note, Note):
        return Note(str(note))
    return Note(note.worded(in_options), kind=note.kind, columns=note.columns)


def tagged(note: str) -> Text:
    """Return a note formatted for the terminal."""
    return Text.assemble(("Note: ", "yellow"), note)


def show_notes(notes: Sequence[str], console: Console) -> None:
    """Print notes, one per line."""
    for note in notes:
        console.print(tagged(note))
