"""Notes on columns that are not what they seem; none is dropped.

A value of its own in every row separates the classes of these rows perfectly. The numbers of the
rows do the same wherever the table is sorted by class. Neither is informative about new rows.
Numbers and dates that are stored as text are categories, and say as little.
"""

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding.data import FeatureCoding
from deacs.coding.kinds import MAX_DISCRETE_INTEGERS, named_features
from deacs.exceptions import IdentifierWarning, Note, Parameter, TableWarning
from deacs.tables import Column
from deacs.tables.columns import are_long_integers
from deacs.tables.names import frames_to_user, listed

__all__ = ["MANY", "column_notes", "declared_in", "numbered_note", "warn_of"]

MANY = MAX_DISCRETE_INTEGERS
"""The number of values up to which a column may be one of categories."""

MOST_MARKERS = 5
"""The most markers that have a note of their own, and the most columns that it names."""

SAMPLE = 256
"""How many values tell first whether all are to be read."""

DATE = re.compile(r"(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](\d\d){1,2})([T ].*)?")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
# A currency sign before, a unit after; a letter before makes it a name, such as p17.
LIKE_A_NUMBER = re.compile(rf"[^\s\w]{{0,3}}\s*[+-]?\d[\d.,' ]*\s*[^\s\d]{{0,8}}|{NUMBER.pattern}")

WARNINGS: dict[str, type[TableWarning]] = {
    "identifiers": IdentifierWarning,
    "integers": IdentifierWarning,
    "row numbers": IdentifierWarning,
    "scattered": IdentifierWarning,
    "read as text": TableWarning,
    "constant labels": TableWarning,
    "leak": TableWarning,
}
"""The kinds of notes that a user should see who did not ask for any."""


def warn_of(notes: Iterable[Note]) -> None:
    """Warn of the notes that a user should see who did not ask for any."""
    for note in notes:
        if note.kind in WARNINGS:
            warning = WARNINGS[note.kind](note, columns=note.columns)
            warnings.warn(warning, stacklevel=frames_to_user())


def column_notes(
    names: Sequence[str],
    features: Sequence[FeatureCoding],
    n_rows: int,
    *,
    columns: Iterable[Column] = (),
    declared: Collection[str] = (),
    counts: Callable[[int], NDArray[Any]] | None = None,
) -> tuple[Note, ...]:
    """Return notes on columns that identify rows, and on numbers and dates stored as text.

    `columns` are those whose numbers are at hand, `declared` those that the user calls discrete,
    and `counts` returns the rows of each value of a column.
    """
    as_text = _text_notes(names, features, declared, counts)
    explained = {name for note in as_text for name in note.columns}
    suspects = [
        j
        for j, feature in enumerate(features)
        if feature.n_values == n_rows > 2 and feature.kind == "discrete"
    ]
    # In a table of a few rows, integers that differ may well be quantities.
    integers = [names[j] for j in suspects if features[j].values.dtype.kind in "iu"]
    others = [names[j] for j in suspects if features[j].values.dtype.kind not in "iu"]
    others = [name for name in others if name not in explained]
    numbered = [column for column in columns if _differs_in_every_row(column)]
    kinds = dict(zip(names, features, strict=True)) if numbered else {}
    cut = [column for column in numbered if kinds[column.name].kind == "continuous"]
    in_order = [column.name for column in cut if _spans(column) == n_rows]
    notes = [
        _row_number_note([name for name in in_order if kinds[name].n_values > 1]),
        _identifier_note(others, n_rows),
        _integer_note(integers, n_rows),
        *as_text,
        numbered_note([column.name for column in cut if _spans(column) > n_rows]),
    ]
    return tuple(note for note in notes if note is not None)


def declared_in(discrete_features: Any, names: Sequence[str]) -> set[str]:
    """Return the columns that a user calls discrete by name, index or mask."""
    if isinstance(discrete_features, str | bool | np.bool_):
        return set()
    if np.asarray(discrete_features).dtype == bool:
        marked = zip(names, discrete_features, strict=True)
        return {name for name, is_discrete in marked if is_discrete}
    return {names[j] for j in named_features(list(discrete_features), names, "discrete_features")}


def numbered_note(names: Sequence[str]) -> Note | None:
    """Return a note on whole numbers that differ in every row; it is told of selected columns."""
    if not names:
        return None
    what = "another whole number in every row, as row numbers and identifiers have; if"
    are = "it is one" if len(names) == 1 else "they are"
    return _note(names, f"{what} {are}, ", kind="numbered")


def _identifier_note(names: Sequence[str], n_rows: int) -> Note | None:
    if not names:
        return None
    alike, says = "like identifiers, so they separate", "say"
    if len(names) == 1:
        alike, says = "like an identifier, so it separates", "says"
    what = (
        f"as many values as rows ({n_rows}), {alike} the classes of these rows perfectly and "
        f"{says} nothing about new ones; "
    )
    return _note(names, what, kind="identifiers")


def _integer_note(names: Sequence[str], n_rows: int) -> Note | None:
    if not names:
        return None
    are, identify = ("is", "identifies") if len(names) == 1 else ("are", "identify")
    they = "it" if len(names) == 1 else "they"
    return Note(
        f"{listed(names)}: integers that differ in every row ({n_rows}), each read as a category; "
        f"if {they} {are} measured, name only the other columns in ",
        Parameter("discrete_features"),
        f"; if {they} {identify} rows, leave {'it' if len(names) == 1 else 'them'} out with ",
        Parameter("exclude", list(names)),
        kind="integers",
        columns=names,
    )


def _row_number_note(names: Sequence[str]) -> Note | None:
    """Return a note on columns that number the rows, in any order."""
    if not names:
        return None
    gives, says = ("it gives", "says") if len(names) == 1 else ("they give", "say")
    what = (
        f"the whole numbers of one range, each in one row, like row numbers, so {gives} the order "
        f"of these rows and {says} nothing about new ones; "
    )
    return _note(names, what, kind="row numbers")


def _differs_in_every_row(column: Column) -> bool:
    values = column.values
    is_known = column.kind == "integer" and column.missing is None
    if not is_known or len(values) <= MANY or _spans(column) < len(values):
        return False
    # Most quantities repeat among their first values.
    return all(len(np.unique(some)) == len(some) for some in (values[:SAMPLE], values))


def _spans(column: Column) -> int:
    """Return the number of integers from the lowest value to the highest."""
    return int(column.values.max()) - int(column.values.min()) + 1  # NumPy's might overflow


def _note(names: Sequence[str], what: str, *, kind: str) -> Note:
    them = "it" if len(names) == 1 else "them"
    advice = Parameter("exclude", list(names))
    return Note(f"{listed(names)}: {what}leave {them} out with ", advice, kind=kind, columns=names)


def _text_notes(
    names: Sequence[str],
    features: Sequence[FeatureCoding],
    declared: Collection[str],
    counts: Callable[[int], NDArray[Any]] | None,
) -> list[Note]:
    """Return notes on text that would be numbers or dates; leading zeros make it codes."""
    plain: list[str] = []
    marked: dict[str, list[str]] = {}
    wrapped: dict[str, str] = {}
    dated: list[str] = []
    long: list[str] = []
    for j, (name, feature) in enumerate(zip(names, features, strict=True)):
        if feature.kind != "discrete" or feature.values.dtype.kind not in "OUT":
            continue
        if feature.n_values <= MANY or name in declared:
            continue
        texts = feature.values.tolist()
        if not all(isinstance(text, str) for text in texts):
            continue
        texts = [text.strip() for text in texts]
        if _most(texts[:: 1 + len(texts) // SAMPLE]) is None:
            continue
        odd = [k for k, text in enumerate(texts) if not NUMBER.fullmatch(text)]
        like = [k for k in odd if LIKE_A_NUMBER.fullmatch(texts[k])]
        if (alike := _most(texts)) is DATE:
            dated.append(name)
        elif alike is not None and not odd:
            if are_long_integers(texts):
                long.append(name)
            elif not any(re.match(r"[+-]?0\d", text) for text in texts):
                plain.append(name)
        elif alike is not None:
            rows = np.ones(len(texts)) if counts is None else counts(j)
            commonest = texts[max(like or odd, key=lambda k: rows[k])]
            if like:
                wrapped[name] = commonest
            else:
                marked.setdefault(commonest, []).append(name)
    notes = _marker_notes(marked)
    if plain:
        what = "numbers stored as text, so every value is a category; convert {} to numbers"
        notes.append(_as_text(plain, what.format("it" if len(plain) == 1 else "them")))
    if wrapped:
        what = (
            "read as text, every value a category, for values such as "
            f"{next(iter(wrapped.values()))!r}; write plain numbers, such as 1234.5, to have them "
            "cut into intervals"
        )
        notes.append(_as_text(list(wrapped), what))
    if long:
        what = "integers beyond 64 bits, read as text, every value a category; "
        notes.append(_note(long, what, kind="read as text"))
    if dated:
        what = (
            "dates, read as text, every day a category; write all of them as year-month-day, such "
            "as 2007-11-25, or "
        )
        notes.append(_note(dated, what, kind="read as text"))
    return notes


def _most(texts: Sequence[str]) -> re.Pattern[str] | None:
    """Return what more than half of the values look like, if anything."""
    for pattern in (DATE, LIKE_A_NUMBER):
        if 2 * sum(pattern.fullmatch(text) is not None for text in texts) > len(texts):
            return pattern
    return None


def _as_text(names: Sequence[str], what: str) -> Note:
    return Note(f"{listed(names)}: {what}", kind="read as text", columns=names)


def _marker_notes(marked: Mapping[str, Sequence[str]]) -> list[Note]:
    """Return a note for each of the first markers, and one for all others."""
    by_columns = sorted(marked.items(), key=lambda item: -len(item[1]))
    notes = [
        Note(
            f"{listed(names, MOST_MARKERS)} would be numbers, but for {marker!r}; if that stands "
            "for a missing value, add it to ",
            Parameter("missing_markers"),
            kind="read as text",
            columns=names,
        )
        for marker, names in by_columns[:MOST_MARKERS]
    ]
    others = [name for _, names in by_columns[MOST_MARKERS:] for name in names]
    if others:
        noun = "column" if len(others) == 1 else "columns"
        words = f"{len(others):,} more {noun} would be numbers, but for other such values"
        notes.append(Note(words, kind="read as text", columns=others))
    return notes
