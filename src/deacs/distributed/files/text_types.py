"""What the fields of a text file may be, decided a batch at a time as `read_table` does at once.

A column is what fits all its fields: booleans, else integers (of 64 bits, else of 128), else floats
(with a decimal point, or in files of semicolons with a decimal comma), else text. What fits a whole
column is what fits each of its batches, so batches note what fits them and the notes are
intersected.
"""

import polars as pl

from deacs.tables.files.delimited import DECIMAL_COMMA

__all__ = ["ANYTHING", "TEXT", "as_type", "best_type", "fitting_types"]

BOOLEAN, INTEGER, WIDE, POINT, COMMA, TEXT = "b", "i", "w", "p", "c", "t"
ANYTHING = BOOLEAN + INTEGER + WIDE + POINT + COMMA
"""All that text may turn out to be; what nothing fits is text."""
NUMBERS = {INTEGER: pl.Int64, WIDE: pl.Int128}


def best_type(fitting: str) -> str:
    """Return the narrowest of the types that fit."""
    return fitting[0] if fitting else TEXT


def fitting_types(column: pl.Series, candidates: str) -> str:
    """Return those candidates that fit every field, in order; missing fields fit all."""
    present = column.drop_nulls()
    if len(present) == 0:
        return candidates
    # The first field rules most types out without a look at the others.
    likely = [t for t in candidates if _fits(present[:1], t)]
    if INTEGER in likely and _fits(present, INTEGER):  # whatever holds integers holds them
        return "".join(t for t in likely if t != BOOLEAN)
    return "".join(t for t in likely if t != INTEGER and _fits(present, t))


def as_type(column: pl.Series, type_: str) -> pl.Series:
    """Read text as a type that fits it."""
    if type_ == TEXT:
        return column
    stripped = column.str.strip_chars()
    if type_ == BOOLEAN:
        return stripped.str.to_lowercase() == "true"
    if type_ == COMMA:
        stripped = stripped.str.replace(",", ".", literal=True)
    return stripped.cast(NUMBERS.get(type_, pl.Float64), strict=False)


def _fits(present: pl.Series, type_: str) -> bool:
    if type_ == BOOLEAN:
        return bool(present.str.strip_chars().str.contains("^(?i:true|false)$").all())
    if type_ == COMMA and not present.str.contains(DECIMAL_COMMA).all():
        return False
    return as_type(present, type_).null_count() == 0
