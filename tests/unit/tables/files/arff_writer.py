"""Frames as ARFF text, dense or sparse: the other half of round trips."""

import re

import polars as pl

PLAIN = re.compile(r"[A-Za-z0-9_.+-]+")
ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def arff_text(table):
    """Dense rows; `?` where a value is missing."""
    rows = (", ".join("?" if v is None else word(v) for v in row) for row in table.rows())
    return header(table) + "\n".join(rows) + "\n"


def sparse_arff_text(table):
    """Rows that leave out what a reader must put there itself."""
    omitted = [_omitted(dtype) for dtype in table.dtypes]
    rows = (
        "{"
        + ", ".join(
            f"{j} {'?' if v is None else word(v)}"
            for j, v in enumerate(row)
            if v is None or v != omitted[j]
        )
        + "}"
        for row in table.rows()
    )
    return header(table) + "\n".join(rows) + "\n"


def header(table):
    kinds = (f"@attribute {word(name)} {_kind(dtype)}" for name, dtype in table.schema.items())
    return "@relation table\n" + "\n".join(kinds) + "\n@data\n"


def word(value):
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return repr(value)
    if PLAIN.fullmatch(value):
        return value
    return "'" + "".join(ESCAPES.get(character, character) for character in value) + "'"


def _kind(dtype):
    if isinstance(dtype, pl.Enum):
        return "{" + ", ".join(word(value) for value in dtype.categories) + "}"
    return {pl.Boolean: "{false, true}", pl.String: "string", pl.Int64: "integer"}.get(
        dtype, "real"
    )


def _omitted(dtype):
    if isinstance(dtype, pl.Enum):
        return dtype.categories[0]
    return {pl.Boolean: False, pl.String: None}.get(dtype, 0)
