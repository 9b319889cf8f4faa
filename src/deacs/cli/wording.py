"""Options for parameters: how the command line takes names, and says what the library says."""

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager

from deacs.exceptions import InputError

__all__ = ["in_options", "listed", "said_in_options"]

PARAMETERS = "target|exclude|format|delimiter|encoding|costs|budget|missing"


def listed(given: list[str] | None) -> list[str]:
    """Take names apart at commas; a name with a comma needs quotes, as in a CSV file."""
    rows = csv.reader(given or [], skipinitialspace=True)
    return [name.strip() for row in rows for name in row if name.strip()]


@contextmanager
def said_in_options() -> Iterator[None]:
    """Say errors of the library in options."""
    try:
        yield
    except InputError as error:
        raise InputError(in_options(str(error))) from error


def in_options(text: str, identifiers: str = "") -> str:
    """Say in options what the library says in parameters."""
    text = text.replace("judge='sum'", "--judge sum").replace("missing_markers", "--missing-marker")
    text = text.replace("weight_ratio", "--weight-ratio").replace("sample_weight", "--weights")
    text = text.replace("n_features_to_select", "-k")
    text = text.replace("drop it before selecting", f"leave it out with --exclude {identifiers}")
    text = re.sub(rf"\b({PARAMETERS})=\[?'([^']*)'\]?", r"--\1 \2", text)
    text = re.sub(rf"^({PARAMETERS})(?= names| must| needs| applies| '|=)", r"--\1", text)
    return re.sub(rf"\b(?<!-)({PARAMETERS})=", r"--\1", text)
