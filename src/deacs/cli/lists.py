"""Lists of names on the line: how they are taken apart, and how advice writes them."""

import csv
import io
import shlex
from collections.abc import Sequence

__all__ = ["as_option", "listed"]

MOST_NAMED = 8


def listed(given: list[str] | None) -> list[str]:
    """Take names apart at commas; a name with a comma needs quotes, as in a CSV file.

    An empty argument is the column without a name.
    """
    rows = csv.reader([name or '" "' for name in given or []], skipinitialspace=True)
    return [name.strip() for row in rows for name in row if name]


def as_option(names: Sequence[str]) -> str:
    """Write names so that the shell hands them to `listed` as they are."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names[:MOST_NAMED])
    return shlex.quote(line.getvalue() if any(names) else "")
