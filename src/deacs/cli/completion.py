"""Shell completion of column names, from the file on the command line."""

import os
import shlex
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

__all__ = ["complete_column", "complete_columns"]

MOST_OFFERED = 200


def complete_column(incomplete: str) -> list[str]:
    """Return the columns that start with the typed text."""
    return list(islice((n for n in _columns() if n.startswith(incomplete)), MOST_OFFERED))


def complete_columns(incomplete: str) -> list[str]:
    """Return completions for the last column of a comma-separated list."""
    *typed, last = incomplete.split(",")
    before = "".join(f"{name}," for name in typed)
    offered = (n for n in _columns() if n.startswith(last) and n not in typed)
    return [before + name for name in islice(offered, MOST_OFFERED)]


def _columns() -> Iterator[str]:
    """Yield the columns of the first file on the line; none if its header cannot be read.

    Names with control characters are skipped: they cannot be typed anyway.

    The line is not yet parsed if it ends in an option without its value, so the words come from the
    shell's variables.
    """
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    try:
        files = (Path(word).expanduser() for word in shlex.split(line)[1:])
        file = next((file for file in files if file.is_file()), None)
        yield from () if file is None else filter(str.isprintable, _header(file))
    except Exception:  # Completion must never raise; the command itself will report the error.
        return


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
