"""Comma-separated lists of names on the command line: parsing and formatting."""

import csv
import io
import shlex
from collections.abc import Sequence

__all__ = ["as_option", "joined", "listed"]

MOST_NAMED = 40
"""The most names in advice to type, which should name all columns that it is about."""


def listed(given: list[str] | None) -> list[str]:
    """Split names at commas; a name with a comma needs quotes, as in a CSV file.

    An empty argument means the column without a name.
    """
    rows = csv.reader([name or '" "' for name in given or []], skipinitialspace=True)
    return [name.strip() for row in rows for name in row if name]


def joined(names: Sequence[str]) -> str:
    """Return names as a list that `listed` splits into the same names."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue() if any(names) else ""


def as_option(names: Sequence[str]) -> str:
    """Quote names so that `listed` gets them back from the shell unchanged."""
    return shlex.quote(joined(names[:MOST_NAMED]))
