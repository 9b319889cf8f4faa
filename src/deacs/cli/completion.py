"""Shell completion of column names, from the file on the command line."""

import os
import shlex
from pathlib import Path

__all__ = ["complete_column", "complete_columns"]

MOST_OFFERED = 200


def complete_column(incomplete: str) -> list[str]:
    """Return the columns that start with the typed text."""
    return [name for name in _columns() if name.startswith(incomplete)][:MOST_OFFERED]


def complete_columns(incomplete: str) -> list[str]:
    """Return completions for the last column of a comma-separated list."""
    before, comma, last = incomplete.rpartition(",")
    typed = before.split(",")
    return [before + comma + name for name in complete_column(last) if name not in typed]


def _columns() -> list[str]:
    """Return the columns of the first file on the line; none if it cannot be read.

    The line is not yet parsed if it ends in an option without its value, so the words come from the
    shell's variables. Names that need quotes are left out: each shell has rules of its own.
    """
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    try:
        files = (Path(word).expanduser() for word in shlex.split(line)[1:])
        file = next(file for file in files if file.is_file())
        return [
            name
            for name in _header(file)
            if name.isprintable() and "," not in name and shlex.quote(name) == name
        ]
    except Exception:  # Completion must never raise; the command itself will report the error.
        return []


def _header(file: Path) -> list[str]:
    from deacs.tables.files import read_table, resolve_format
    from deacs.tables.files.delimited import records, sniff_delimiter
    from deacs.tables.files.source import Source

    kind = resolve_format(file, None)
    if kind not in ("csv", "tsv"):
        return read_table(file).columns
    head = Source(file, kind).first_bytes(1 << 16).removeprefix(b"\xef\xbb\xbf")
    return next(records(head, "\t" if kind == "tsv" else sniff_delimiter(head)), [])
