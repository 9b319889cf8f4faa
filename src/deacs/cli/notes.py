"""What a careful reader should know, below the table: warnings of the library in options."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from deacs.cli.wording import in_options

__all__ = ["collected_notes", "show_notes", "tagged"]


@contextmanager
def collected_notes() -> Iterator[list[str]]:
    """Yield a list that holds, when the work is done, what was warned of; each note once."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield notes
    notes += dict.fromkeys(in_options(str(warning.message)) for warning in caught)


def tagged(note: str) -> Text:
    """Return a note as the screen shows it."""
    return Text.assemble(("Note: ", "yellow"), note)


def show_notes(notes: Sequence[str], console: Console) -> None:
    """Print notes, one below the other."""
    for note in notes:
        console.print(tagged(note))
