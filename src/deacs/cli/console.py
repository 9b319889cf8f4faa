"""The console of the command line, which shows untrusted names safely.

Column names, classes, units and paths are untrusted. An escape sequence in them could move the
cursor, colour the screen or change the terminal's settings, so control characters are replaced
here, at the last step before the screen.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from deacs.report.names import visible

__all__ = ["ensure_width", "stream_named", "terminal", "writable"]

STREAMS = "the standard output", "the error stream"

LEAST_WIDTH = 40
"""The least number of columns for which text is laid out."""

PLAIN = str.maketrans({"█": "#", "░": ".", "±": "+/-"})


class _VisibleText(Console):
    """A console that writes only its own control sequences."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(visible(text), style)

    def print(self, *objects: Any, **options: Any) -> None:
        with stream_named(STREAMS[self.stderr]):
            super().print(*objects, **options)


def ensure_width() -> None:
    """Widen a terminal that states too few columns: with none, nothing at all would be shown."""
    stated = os.environ.get("COLUMNS", "")
    if stated.isdecimal() and int(stated) < LEAST_WIDTH:
        os.environ["COLUMNS"] = str(LEAST_WIDTH)


def terminal(*, stderr: bool = False, soft_wrap: bool = False) -> Console:
    """Return the console of the standard output, or of the error stream.

    Strings are plain text: markup and emoji codes are not interpreted.
    """
    return _VisibleText(
        stderr=stderr, soft_wrap=soft_wrap, highlight=False, markup=False, emoji=False
    )


def writable(text: str, console: Console) -> str:
    """Return the text, with plain signs if the console's encoding lacks those for bars and errors.

    Called before tables are laid out, since a plain sign may be longer.
    """
    try:
        text.encode(console.encoding)
    except UnicodeEncodeError:
        return text.translate(PLAIN)
    return text


@contextmanager
def stream_named(name: str = STREAMS[0]) -> Iterator[None]:
    """Name the stream in system errors, which do not say which disk is full."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = name
        raise
