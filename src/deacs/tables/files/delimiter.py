"""The character that separates the fields of a text table.

A delimiter must split the header into two or more fields, and every line into as many. If several
do, the one with the most fields wins; a space only if nothing else splits the header. If none does,
the one that fits most lines wins, and the error names the other lines.
"""

import csv
import io
from typing import TYPE_CHECKING

from deacs.exceptions import InputError, Parameter

if TYPE_CHECKING:
    from _csv import Reader

__all__ = ["DELIMITERS", "records", "resolve_delimiter", "sniff_delimiter"]

DELIMITERS = (",", "\t", ";", "|", " ")
NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
SAMPLE_BYTES = 1 << 18
SAMPLE_RECORDS = 100


def resolve_delimiter(delimiter: str) -> str:
    """Return the delimiter given by the caller as one character."""
    character = NAMED.get(delimiter.lower(), delimiter)
    if len(character) != 1 or character in '"\n\r' or not character.isascii():
        raise InputError(
            Parameter("delimiter"),
            " must be one ASCII character other than a quote or a line end, or 'tab', got "
            f"{delimiter!r}; leave it out to detect it",
        )
    return character


def sniff_delimiter(text: bytes) -> str:
    """Find the delimiter of a table from its first hundred lines."""
    sample = text[:SAMPLE_BYTES]
    # The last line of a sample may be incomplete.
    whole = sample[: sample.rfind(b"\n") + 1] if len(text) > SAMPLE_BYTES else sample
    lines = (whole or sample).decode("utf-8", errors="replace")
    return max(DELIMITERS, key=lambda delimiter: _fitness(lines, delimiter))


def records(text: bytes, delimiter: str) -> "Reader":
    """Read records with the csv module, which raises an error for malformed quotes."""
    file = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
    return csv.reader(file, delimiter=delimiter, strict=True, skipinitialspace=delimiter == " ")


def _fitness(lines: str, delimiter: str) -> tuple[bool, bool, float, int]:
    """Rank a delimiter: it splits the header, is visible, fits many lines, makes many fields."""
    reader = records(lines.encode(), delimiter)
    lengths = []
    try:
        for fields in reader:
            if fields:
                lengths.append(len(fields))
            if len(lengths) > SAMPLE_RECORDS:
                break
    except csv.Error:
        pass  # the reader reports malformed quotes
    if not lengths or lengths[0] < 2:
        return False, False, 0.0, 0
    share = sum(n == lengths[0] for n in lengths) / len(lengths)
    return True, delimiter != " ", share, lengths[0]
