"""Options for parameters: how the command line takes names, and says what the library says."""

import csv
import io
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from deacs.exceptions import InputError

__all__ = ["as_option", "in_options", "listed", "said_in_options"]

PARAMETERS = (
    "target|exclude|include|format|delimiter|encoding|costs|budget|missing|alpha|estimator|"
    "conditioning"
)
RENAMED = {
    "judge='sum'": "--judge sum",
    "missing_markers": "--missing-marker",
    "weight_ratio": "--weight-ratio",
    "min_group_size": "--min-group-size",
    "sample_weight": "--weights",
    "n_features_to_select": "-k",
    "n_jobs must be None, positive": "--jobs must be positive",
    "Unknown label type: continuous. y must": "--target must",
}
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


@contextmanager
def said_in_options() -> Iterator[None]:
    """Say errors of the library in options."""
    try:
        yield
    except InputError as error:
        raise InputError(in_options(str(error))) from error


def in_options(text: str, identifiers: Sequence[str] = ()) -> str:
    """Say in options what the library says in parameters."""
    for parameter, option in RENAMED.items():
        text = text.replace(parameter, option)
    leave_out = f"leave it out with --exclude {as_option(identifiers)}"
    text = text.replace("drop it before selecting", leave_out)
    text = re.sub(r"^y (?=must|has)", "--target ", text)
    text = re.sub(rf"\b({PARAMETERS})=\[?'([^']*)'\]?", r"--\1 \2", text)
    text = re.sub(rf"^({PARAMETERS})(?= names| must| needs| applies| '|=)", r"--\1", text)
    return re.sub(rf"\b(?<!-)({PARAMETERS})=", r"--\1", text)
