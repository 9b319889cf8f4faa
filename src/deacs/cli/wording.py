"""Options for parameters: how the command line takes names, and says what the library says."""

import csv
import io
import re
import shlex
from ast import literal_eval
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from deacs.exceptions import InputError

__all__ = ["as_option", "in_options", "listed", "said_in_options", "suspects"]

PARAMETERS = (
    "target|exclude|include|format|delimiter|encoding|costs|budget|missing|alpha|estimator|"
    "conditioning|sets|methods|classifiers"
)
RENAMED = {
    "judge='sum'": "--judge sum",
    "missing_markers": "--missing-marker",
    "weight_ratio": "--weight-ratio",
    "min_group_size": "--min-group-size",
    "sample_weight": "--weights",
    "n_features_to_select": "-k",
    "n_jobs must be None, positive": "--jobs must be positive",
    "n_jobs must": "--jobs must",
    "n_splits must": "--folds must",
    "n_repeats must": "--repeats must",
    "max_features must": "--max-features must",
    "header=False": "--no-header",
    "header applies": "--no-header applies",
    "drop_unlabelled=True": "--drop-unlabelled",
    "overwrite=True": "--overwrite",
    "; pass a selector of your own as {name: selector}": "",
    "Unknown label type: continuous. y must": "--target must",
}
SUSPECTED = r"(?: and \d+ more)?: (?:as many values as rows|the whole numbers of one range)"
"""What follows the names in a warning of identifiers."""
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
    """Say errors of the library in options; kernels raise plain ValueError."""
    try:
        yield
    except ValueError as error:
        raise InputError(in_options(str(error))) from error


def in_options(text: str) -> str:
    """Say in options what the library says in parameters."""
    for parameter, option in RENAMED.items():
        text = text.replace(parameter, option)
    if column := re.match(r"column (.*) has type .*, or drop it$", text):
        leave_out = f"leave it out with --exclude {as_option([literal_eval(column[1])])}"
        text = f"{text.removesuffix('drop it')}{leave_out}"
    if names := suspects(text):
        leave_out = f"leave it out with --exclude {as_option(names)}"
        text = text.replace("drop it before selecting", leave_out)
    text = re.sub(r"^y (?=must|has)", "--target ", text)
    text = re.sub(rf"\b({PARAMETERS})=\[?'([^']*)'\]?", r"--\1 \2", text)
    text = re.sub(rf"^({PARAMETERS})(?= names| must| needs| applies| '|=)", r"--\1", text)
    return re.sub(rf"\b(?<!-)({PARAMETERS})=", r"--\1", text)


def suspects(text: str) -> list[str]:
    """Return the columns that a warning of identifiers names, eight at most."""
    found = re.match(rf"(.*?){SUSPECTED}", text)
    return list(literal_eval(f"[{found[1]}]")) if found else []
