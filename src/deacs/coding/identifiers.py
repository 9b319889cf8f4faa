"""Warn about columns that identify rows instead of describing them; none is dropped.

A value of its own in every row separates the classes of these rows perfectly. The numbers of the
rows do the same wherever the table is sorted by class. Neither is informative about new rows.
"""

import warnings
from collections.abc import Sequence

import numpy as np

from deacs.coding.data import FeatureCoding
from deacs.coding.kinds import MAX_DISCRETE_INTEGERS
from deacs.exceptions import Drop, IdentifierWarning, Note, Parameter
from deacs.tables import Column
from deacs.tables.callers import frames_to_user
from deacs.tables.names import listed

__all__ = ["identifier_note", "warn_of_identifiers", "warn_of_row_numbers"]


def warn_of_identifiers(
    names: Sequence[str], features: Sequence[FeatureCoding], n_rows: int
) -> None:
    """Warn about discrete columns with a different value in every row."""
    suspects = [
        j
        for j, feature in enumerate(features)
        if feature.n_values == n_rows > 2 and feature.kind == "discrete"
    ]
    # In a table of a few rows, integers that differ may well be quantities.
    integers = [names[j] for j in suspects if features[j].values.dtype.kind in "iu"]
    others = [names[j] for j in suspects if features[j].values.dtype.kind not in "iu"]
    if others:
        _warn(identifier_note(others, n_rows))
    if integers:
        _warn(_integer_note(integers, n_rows))


def _integer_note(names: Sequence[str], n_rows: int) -> Note:
    are, identify = ("is", "identifies") if len(names) == 1 else ("are", "identify")
    they = "it" if len(names) == 1 else "they"
    return Note(
        f"{listed(names)}: integers that differ in every row ({n_rows}), each read as a category; "
        f"if {they} {are} measured, name only the other columns in ",
        Parameter("discrete_features"),
        f"; if {they} {identify} rows, ",
        Drop(names),
        kind="integers",
        columns=names,
    )


def identifier_note(names: Sequence[str], n_rows: int) -> Note:
    """Return a note on columns with a different value in every row."""
    alike, says = "like identifiers, so they separate", "say"
    if len(names) == 1:
        alike, says = "like an identifier, so it separates", "says"
    what = (
        f"as many values as rows ({n_rows}), {alike} the classes of these rows perfectly and "
        f"{says} nothing about new ones"
    )
    return _note(names, what, kind="identifiers")


def warn_of_row_numbers(columns: Sequence[Column], features: Sequence[FeatureCoding]) -> None:
    """Warn about columns that number the rows, in any order, if they were cut into intervals.

    Other integers that differ in every row, such as incomes, may well be quantities.
    """
    suspects = [
        column.name
        for column, feature in zip(columns, features, strict=True)
        if feature.kind == "continuous" and feature.n_values > 1 and _numbers_the_rows(column)
    ]
    if not suspects:
        return
    gives, says = ("it gives", "says") if len(suspects) == 1 else ("they give", "say")
    what = (
        f"the whole numbers of one range, each in one row, like row numbers, so {gives} the order "
        f"of these rows and {says} nothing about new ones"
    )
    _warn(_note(suspects, what, kind="row numbers"))


def _numbers_the_rows(column: Column) -> bool:
    values, n_rows = column.values, len(column.values)
    is_known = column.kind == "integer" and column.missing is None
    if not is_known or n_rows <= MAX_DISCRETE_INTEGERS:
        return False
    lowest, highest = int(values.min()), int(values.max())  # NumPy integers might overflow
    if highest - lowest != n_rows - 1:
        return False
    return len(np.unique(values)) == n_rows


def _note(names: Sequence[str], what: str, *, kind: str) -> Note:
    return Note(f"{listed(names)}: {what}; ", Drop(names), kind=kind, columns=names)


def _warn(note: Note) -> None:
    warnings.warn(IdentifierWarning(note, columns=note.columns), stacklevel=frames_to_user())
