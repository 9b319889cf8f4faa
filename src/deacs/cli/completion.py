"""Shell completion of column names, from the file on the command line."""

import csv
import os
import shlex
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from deacs.cli.lists import joined

__all__ = ["complete_column", "complete_columns"]

MOST_OFFERED = 200


class _Offered(str):
    """A completion that may begin with a quote, which the typed text lacks."""

    __slots__ = ()

    def startswith(self, *_: Any) -> bool:
        """Pass the filter of typer; names were compared with the typed text before."""
        return True


def complete_column(incomplete: str) -> list[str]:
    """Return the columns that start with the typed text."""
    return _offered(name for name in _columns() if name.startswith(incomplete))


def complete_columns(incomplete: str) -> list[str]:
    """Return completions for the last column of a comma-separated list."""
    *typed, last = next(csv.reader([incomplete]), None) or [""]
    names = (name for name in _columns() if name.startswith(last) and name not in typed)
    return _offered(joined([*typed, name]) for name in names)


def _offered(texts: Iterable[str]) -> list[str]:
    """Return what to insert into the line, quoted for bash; other shells quote it themselves."""
    last_word = os.environ.get("COMP_WORDS", "").rpartition("\n")[2]
    has_quote = last_word.startswith(("'", '"'))  # which bash keeps, and closes
    is_bash = os.environ.get("_DEACS_COMPLETE") == "complete_bash"
    quote = shlex.quote if is_bash and not has_quote else str
    return [_Offered(quote(text)) for text in islice(texts, MOST_OFFERED)]


def _columns() -> Iterator[str]:
    """Yield the columns of the first file on the line; none if its header cannot be read.

    Names with control characters are skipped: they cannot be typed anyway.

    The line is not yet parsed if it ends in an option without its value, so the words come from the
    shell's variables.
    """
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    try:
        files = (Path(word).expanduser() for word in _words(line)[1:])
        file = next((file for file in files if file.is_file()), None)
        yield from () if file is None else filter(str.isprintable, _header(file))
    except Exception:  # Completion must never raise; the command itself will report the error.
        return


def _words(line: str) -> list[str]:
    """Split a line into words; the last may have an open quote."""
    for end in ("", "'", '"'):
        with suppress(ValueError):
            return shlex.split(line + end)
    return []


def _header(file: Path) -> list[str]:
    from deacs.tables.files import read_table, resolve_format
    from deacs.tables.files.delimiter import records, sniff_delimiter
    from deacs.tables.files.source import Source

    kind = resolve_format(file, None)
    if kind == "parquet":
        import polars as pl

        return list(pl.read_parquet_schema(file))
    if kind in ("csv", "tsv"):
        head = Source(file, kind).first_bytes(1 << 16).removeprefix(b"\xef\xbb\xbf")
        return next(records(head, "\t" if kind == "tsv" else sniff_delimiter(head)), [])
    return ["label"] if kind == "libsvm" else read_table(file).columns
