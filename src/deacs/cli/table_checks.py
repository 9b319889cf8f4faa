"""Warn about suspicious columns in a table; nothing is repaired.

Selected identifiers, numbers and dates read as text, categories of a row or two, one category
written in two ways, and a target that is a quantity: each makes a selection look better or worse
than it is on new rows.
"""

import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from deacs.cli.lists import as_option, joined
from deacs.cli.notes import worded
from deacs.exceptions import Note
from deacs.tables.names import listed

if TYPE_CHECKING:
    import polars as pl

    from deacs import CodedData

__all__ = ["table_checks"]

MANY = 32
"""The number of values up to which whole numbers are categories and not checked."""

FEW_ROWS = 5
"""Rows per class or category below which chance alone separates classes."""

MOST_MARKERS = 5
"""The most markers that have a note of their own, and the most columns that it names."""

DATE = r"^(\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.](\d\d){1,2})([T ].*)?$"
# A currency sign before, a unit after; a letter before makes it a name, such as p17.
LIKE_A_NUMBER = r"^\s*[^\s\w]{0,3}\s*[+-]?\d[\d.,' ]*\s*[^\s\d]{0,8}\s*$"


def table_checks(
    X: "pl.DataFrame",
    data: "CodedData",
    target: str,
    selected: Sequence[str],
    declared: Sequence[str] = (),
    warned: Sequence[Note] = (),
    how_to_read: Mapping[str, Any] | None = None,
) -> list[str]:
    """Return a sentence for each problem, after what the coding `warned` of.

    The user `declared` some columns categories, and said `how_to_read` the file. Numbers
    and dates read as text differ from row to row but are worth keeping, so warnings about
    identifiers leave them out.
    """
    notes: list[str] = []
    n_rows, n_classes = data.n_rows, data.n_classes
    # The coding itself warns about numbers; text and dates are left.
    is_named = data.about.kind == "classes" and data.classes.dtype.kind in "MOTU"
    if is_named and n_classes > MANY and n_rows < FEW_ROWS * n_classes:
        notes.append(
            f"--target {target} has {n_classes} classes in {n_rows:,} rows, fewer than {FEW_ROWS} "
            "rows a class; if it is a quantity, cut it into a few classes first"
        )
    numbered = [name for name in selected if _differs_in_every_row(X[name])]
    if numbered:
        if_one = "it is one, leave it" if len(numbered) == 1 else "they are, leave them"
        notes.append(
            f"{listed(numbered)}: another whole number in every row, as row numbers and "
            f"identifiers have; if {if_one} out with --exclude {as_option(numbered)}"
        )
    notes += _written_in_two_ways(X, data, target)
    said = {name for note in warned if note.kind == "read as text" for name in note.columns}
    as_text = _read_as_text(X, {*declared, *said}, how_to_read or {})
    notes += as_text
    explained = {name for note in as_text for name in note.columns} | said
    scattered = [
        name
        for name, feature in zip(data.feature_names, data.features, strict=True)
        if name in set(selected) - explained
        and feature.kind == "discrete"
        and MANY < feature.n_values < n_rows < FEW_ROWS * feature.n_values
    ]
    if scattered:
        notes.append(
            f"{listed(scattered)}: with that many values there are fewer than {FEW_ROWS} rows for "
            "each, which separates the classes by chance; join values, or leave "
            f"{'it' if len(scattered) == 1 else 'them'} out with --exclude {as_option(scattered)}"
        )
    return [*_about_others(warned, explained, n_rows), *notes]


def _about_others(warned: Sequence[Note], explained: set[str], n_rows: int) -> list[str]:
    """Return the warnings of the coding, those of identifiers without the explained columns."""
    from deacs.coding.identifiers import identifier_note

    notes: list[str] = []
    for note in warned:
        if note.kind != "identifiers" or explained.isdisjoint(note.columns):
            notes.append(note)
        elif others := [name for name in note.columns if name not in explained]:
            left = identifier_note(others, n_rows)
            notes.append(Note(worded(left), kind=left.kind, columns=others))
    return notes


def _differs_in_every_row(column: "pl.Series") -> bool:
    """Whether it may be an identifier; about consecutive numbers the coding itself warns."""
    if not column.dtype.is_integer() or column.null_count() or len(column) <= MANY:
        return False
    lowest, highest = int(column.min()), int(column.max())  # type: ignore[arg-type]
    return highest - lowest >= len(column) == column.n_unique()


def _written_in_two_ways(X: "pl.DataFrame", data: "CodedData", target: str) -> list[str]:
    """Return warnings about classes and categories that differ only in case or spaces."""
    import polars as pl

    notes = []
    twins = _twins([str(label) for label in data.outputs])
    if twins:
        notes.append(
            f"--target {target} has {data.about.nouns} that differ only in case or spaces, such as "
            f"{twins}; they count as different: write them alike"
        )
    texts = X.select(pl.col(pl.String))
    found = {
        column.name: twins
        for column in texts
        if (values := column.drop_nulls().unique()).len() * 2 < X.height
        and (twins := _twins(values.sort().to_list()))
    }
    if found:
        notes.append(
            f"{listed(list(found))}: values that differ only in case or spaces, such as "
            f"{next(iter(found.values()))}, count as different; write them alike"
        )
    return notes


def _twins(values: Sequence[str]) -> str:
    """Name the first two values that a reader would take for one."""
    seen: dict[str, str] = {}
    for value in values:
        first = seen.setdefault(" ".join(value.casefold().split()), value)
        if first != value:
            return f"{first!r} and {value!r}"
    return ""


def _read_as_text(
    X: "pl.DataFrame", declared: Collection[str], how_to_read: Mapping[str, Any]
) -> list[Note]:
    """Return warnings about numbers and dates that were read as text."""
    marked, wrapped, dated = _numbers_as_text(X, declared)
    if marked and how_to_read.get("header") is False and _only_in_first_row(X, marked):
        notes = [_header_as_data(marked)]
    else:
        notes = _but_for_markers(marked, how_to_read.get("missing_markers"))
    if wrapped:
        words = (
            f"{listed(list(wrapped))}: read as text, every value a category, for values such as "
            f"{next(iter(wrapped.values()))!r}; write plain numbers, such as 1234.5, to have them "
            "cut into intervals"
        )
        notes.append(Note(words, kind="read as text", columns=list(wrapped)))
    if dated:
        words = (
            f"{listed(dated)}: dates, read as text, every day a category; write all of them as "
            "year-month-day, such as 2007-11-25, or leave them out with "
            f"--exclude {as_option(dated)}"
        )
        notes.append(Note(words, kind="read as text", columns=dated))
    return notes


def _but_for_markers(
    marked: Mapping[str, Sequence[str]], in_force: Sequence[str] | None
) -> list[Note]:
    """Return a note for each of the first markers, and one for all others."""
    from deacs.tables.files.delimited import MISSING_MARKERS

    # The option replaces the list, so the advice repeats it; the empty field is always missing.
    known = [marker for marker in (MISSING_MARKERS if in_force is None else in_force) if marker]
    by_columns = sorted(marked.items(), key=lambda item: -len(item[1]))
    notes = [
        Note(
            f"{listed(names, MOST_MARKERS)} would be numbers, but for {marker!r}; if that stands "
            "for a missing value, say so with --missing-marker "
            f"{shlex.quote(joined([*known, marker]))}",
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


def _only_in_first_row(X: "pl.DataFrame", marked: Mapping[str, Sequence[str]]) -> bool:
    """Whether each column would be numbers but for its first value, as if that were its name."""
    return all(
        (X[name].str.strip_chars() == marker).arg_true().to_list() == [0]
        for marker, names in marked.items()
        for name in names
    )


def _header_as_data(marked: Mapping[str, Sequence[str]]) -> Note:
    """Return one note about the columns whose names were read as data."""
    columns = [name for names in marked.values() for name in names]
    words = (
        f"the first line looks like a header: {listed(columns, MOST_MARKERS)} would be numbers, "
        f"but for {listed(list(marked), MOST_MARKERS)} there; leave out --no-header"
    )
    return Note(words, kind="read as text", columns=columns)


def _numbers_as_text(
    X: "pl.DataFrame", declared: Collection[str]
) -> tuple[dict[str, list[str]], dict[str, str], list[str]]:
    """Find columns that would be numbers except for a marker (the columns of each), or for units or
    commas (an example of each column), and dates.
    """
    import polars as pl

    marked: dict[str, list[str]] = {}
    wrapped: dict[str, str] = {}
    dated: list[str] = []
    for column in X.select(pl.col(pl.String)):
        if column.name in declared or column.n_unique() <= MANY:
            continue
        texts = column.drop_nulls().str.strip_chars()
        is_number = texts.cast(pl.Float64, strict=False).is_not_null()
        is_like = texts.str.contains(LIKE_A_NUMBER)
        others = texts.filter(is_like & ~is_number)
        if texts.str.contains(DATE).sum() * 2 > len(texts):
            dated.append(column.name)
        elif len(others) and (is_like | is_number).sum() * 2 > len(texts):
            wrapped[column.name] = _commonest(others)
        elif is_number.sum() * 2 > len(texts):
            marked.setdefault(_commonest(texts.filter(~is_number)), []).append(column.name)
    return marked, wrapped, dated


def _commonest(texts: "pl.Series") -> str:
    """Return the value of most rows; of several, the first in the alphabet."""
    counts = texts.alias("text").value_counts(name="rows")
    return str(counts.sort("rows", "text", descending=[True, False])[0, 0])
