"""What the commands write: on the terminal, as JSON and to files.

Column names, classes, units and paths are untrusted. An escape sequence in them could move the
cursor, colour the screen or change the terminal's settings, so control characters are replaced
here, at the last step before the screen.
"""

import io
import json
import math
import os
import stat
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any

import typer
from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from deacs import __version__
from deacs.cli.options import in_options
from deacs.exceptions import InputError, Note
from deacs.report.files import regular_file
from deacs.report.names import is_hidden, visible

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "PAGES",
    "SEPARATORS",
    "check_outputs",
    "collected_notes",
    "document",
    "ensure_width",
    "fits",
    "json_number",
    "json_text",
    "new_table",
    "print_json",
    "progress",
    "show_notes",
    "split_to_fit",
    "tagged",
    "terminal",
    "worded",
    "writable",
    "written",
]

STREAMS = "the standard output", "the error stream"

LEAST_WIDTH = 40
"""The least number of columns for which text is laid out."""

PLAIN = str.maketrans(
    {"█": "#", "░": ".", "±": "+/-", "↑": " ^", "↓": " v", "↔": " <>", "↕": " ><"}
)


# The terminal


class _VisibleText(Console):
    """A console that writes only its own control sequences."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(visible(text), style)

    def print(self, *objects: Any, **options: Any) -> None:
        with _stream_named(STREAMS[self.stderr]):
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
def _stream_named(name: str = STREAMS[0]) -> Iterator[None]:
    """Name the stream in system errors, which do not say which disk is full."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = name
        raise


PATIENCE_SECONDS = 1.0


@contextmanager
def progress(
    what: str, *, quiet: bool, total: float | None = None
) -> Iterator[Callable[..., None]]:
    """Yield a function `(what, done, total)` that shows a bar for work longer than a second.

    It is on the error stream, if that is a terminal, and leaves no trace. Only the elapsed time is
    shown while no total is known.
    """
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed
    from rich.progress import TimeRemainingColumn as Remaining

    console = terminal(stderr=True)
    is_hidden = quiet or not console.is_terminal
    description = TextColumn("{task.description}", markup=False)
    columns = (description, BarColumn(), TaskProgressColumn(), Elapsed(), Remaining())
    bar = Progress(*columns, console=console, transient=True, disable=is_hidden)
    task = bar.add_task(what, total=total)

    def show(what: str, done: float, total: float | None = total) -> None:
        bar.update(task, description=what, completed=done, total=total)

    if is_hidden:
        yield show
        return
    timer = Timer(PATIENCE_SECONDS, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield show
    finally:
        timer.cancel()
        bar.stop()


# Tables: one that is wider than the terminal is shown in parts

MAX_WIDTH = 1000
"""The width at which tables are measured: none of theirs is wider."""

NARROW = 16
"""The width of columns whose cells may break, where there is no room for more."""


def new_table(*columns: Column) -> Table:
    """Return a table without rows, in the style of all commands."""
    return Table(
        *columns, box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0)
    )


def fits(table: Table, console: Console) -> bool:
    """Whether a table is shown without line breaks in its cells, except in very long names."""
    unbounded = console.options.update(width=MAX_WIDTH)
    return Measurement.get(console, unbounded, table).maximum <= console.width


def split_to_fit(table: Table, console: Console, n_keys: int = 1) -> Group:
    """Return the table, or several that fit the terminal and begin with its first `n_keys` columns.

    Only the cells of columns with `overflow="fold"` may break.
    """
    for column in table.columns:
        column.no_wrap = column.overflow != "fold"
    keys = table.columns[:n_keys]
    parts: list[list[Column]] = [[]]
    for column in table.columns[n_keys:]:
        narrow = _part(table, [*keys, *parts[-1], column], most=NARROW)
        if parts[-1] and not fits(narrow, console):
            parts.append([])
        parts[-1].append(column)
    tables = (_part(table, [*keys, *part]) for part in parts)
    spaced = [piece for part in tables for piece in (Text(), part)]
    return Group(*spaced[1:])


def _part(table: Table, columns: list[Column], most: int | None = None) -> Table:
    """Return some columns of a table; those that may break at most this wide, if given."""
    part = new_table(*(column.copy() for column in columns))
    for column in part.columns:
        if most is not None and not column.no_wrap:
            column.max_width = most
    for row, *cells in zip(table.rows, *(column.cells for column in columns), strict=True):
        part.add_row(*cells, style=row.style, end_section=row.end_section)
    return part


# Caveats: the library's warnings and notes, with parameters as options


@contextmanager
def collected_notes() -> Iterator[list[Note]]:
    """Yield a list that collects warnings as notes, each once, when the work is done."""
    notes: list[Note] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield notes
    said = ((getattr(each.message, "args", ()) or (each.message,))[0] for each in caught)
    notes += dict.fromkeys(map(worded, said))


def worded(note: Any) -> Note:
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


# JSON: `docs/cli.md` describes the documents key by key, and a test compares the output with it. A
# version grows when a key is removed or changes its meaning; new keys may be added at any time.


def document(name: str, version: int, content: dict[str, Any]) -> dict[str, Any]:
    """Return the content with a header: the schema, its version and that of deacs."""
    head = {"schema": {"name": f"deacs.{name}", "version": version}, "deacs_version": __version__}
    return head | content


def json_number(value: float) -> float | str | None:
    """Return infinity, which JSON lacks, as a string that number parsers accept; NaN is null."""
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return float(value)


def json_text(made: dict[str, Any]) -> bytes:
    """Return a document as UTF-8, whatever the terminal's encoding.

    Lone surrogates and control characters are escaped, which does not change the JSON value.
    """
    text = json.dumps(made, indent=2, ensure_ascii=False, allow_nan=False)
    if not text.replace("\n", "").isprintable():
        text = "".join(f"\\u{ord(c):04x}" if is_hidden(c) else c for c in text)
    return text.encode() + b"\n"


def print_json(made: dict[str, Any]) -> None:
    """Print a document on the standard output."""
    with _stream_named():
        typer.echo(json_text(made), nl=False)


# Files: checked before the work begins

SEPARATORS = {".csv": ",", ".tsv": "\t", ".parquet": ""}
"""Suffixes that tables may have, and the separator of each."""

PAGES = (".html", ".htm")
"""Suffixes that --report may have."""


def check_outputs(
    outputs: Mapping[str, tuple[Path | None, Iterable[str]]],
    inputs: Iterable[str | Path | None] = (),
) -> None:
    """Raise InputError if a file to write, by option, cannot be written or would destroy another.

    With each file are the suffixes that it may have. `inputs` are the files and folders of codes
    that the command reads.
    """
    places = {
        option: regular_file(path, option)
        for option, (path, _) in outputs.items()
        if path is not None
    }
    sources = [Path(source) for source in inputs if source is not None]
    for option, place in places.items():
        for source in sources:
            if _is_same(place, source) or _is_within(place, source):
                raise InputError(f"{option} must not be the input file {source}; name another file")
        for number, stream in enumerate(STREAMS, start=1):
            if _is_stream(place, number):
                raise InputError(f"{option}: {stream} goes to {place} already; name another file")
    for (one, first), (other, second) in combinations(places.items(), 2):
        if _is_same(first, second):
            raise InputError(f"{one} and {other} are the same file, {first}; name two")
    for option, (path, suffixes) in outputs.items():
        if path is not None and path.suffix not in suffixes:
            raise InputError(f"{option} must end in {' or '.join(suffixes)}, got {path.name!r}")


def written(table: "pl.DataFrame", output: Path) -> bytes:
    """Return a table as bytes in the format of the suffix."""
    if output.suffix != ".parquet":
        return table.write_csv(separator=SEPARATORS[output.suffix]).encode()
    file = io.BytesIO()
    table.write_parquet(file)
    return file.getvalue()


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them does not exist yet
        return os.path.realpath(one) == os.path.realpath(other)


def _is_within(place: Path, folder: Path) -> bool:
    return folder.is_dir() and place.is_relative_to(os.path.realpath(folder))


def _is_stream(place: Path, number: int) -> bool:
    try:
        stream = os.fstat(number)
        return stat.S_ISREG(stream.st_mode) and os.path.samestat(stream, place.stat())
    except OSError:  # the file does not exist yet, or the stream is closed
        return False
