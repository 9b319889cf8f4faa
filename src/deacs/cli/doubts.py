"""What may be wrong with a table that was read without complaint: said, never repaired.

Row numbers that were selected, numbers that were read as text, categories of a row or two, and a
target that is a quantity: each makes a selection look better than it is on new rows.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from deacs.cli.wording import as_option

if TYPE_CHECKING:
    import polars as pl

    from deacs import CodedData

__all__ = ["doubts"]

Named = dict[str, list[str]]
"""Columns by what makes them doubtful."""

MANY = 32
"""Values up to which whole numbers are categories: fewer are no reason to doubt."""

FEW_ROWS = 5
"""Rows for each class, or each category, below which chance alone tells rows apart."""

MOST_NAMED = 8

LIKE_A_NUMBER = r"^\s*[^\s\d]{0,3}\s*[+-]?\d[\d.,' ]*\s*[^\s\d]{0,3}\s*$"


def doubts(
    X: "pl.DataFrame",
    data: "CodedData",
    target: str,
    selected: Sequence[str],
    declared: Sequence[str] = (),
) -> list[str]:
    """Return a sentence for each doubt.

    Parameters
    ----------
    X : polars.DataFrame
        The table as it was read, without the target.
    data : CodedData
        The table as it was counted.
    target : str
        The class column's name.
    selected, declared : sequences of str
        The selected columns, and those that the user declared to be categories.
    """
    notes = []
    n_rows, n_classes = data.n_rows, data.n_classes
    if n_classes > MANY and n_rows < FEW_ROWS * n_classes:
        notes.append(
            f"--target {target} has {n_classes} classes in {n_rows:,} rows, fewer than {FEW_ROWS} "
            "rows a class; if it is a quantity, cut it into a few classes first"
        )
    numbered = [name for name in selected if _differs_in_every_row(X[name])]
    if numbered:
        notes.append(
            f"{_named(numbered)}: another whole number in every row, as row numbers and "
            f"identifiers have; if it is one, leave it out with --exclude {as_option(numbered)}"
        )
    marked, wrapped = _numbers_as_text(X, declared)
    for marker, names in marked.items():
        notes.append(
            f"{_named(names)} would be numbers, but for {marker!r}; if that stands for a missing "
            f"value, say so with --missing-marker {as_option([marker])}"
        )
    for example, names in wrapped.items():
        notes.append(
            f"{_named(names)} is read as text, for values such as {example!r}; write plain numbers "
            "to have them cut into intervals"
        )
    told = {name for names in (*marked.values(), *wrapped.values()) for name in names}
    scattered = [
        name
        for name, feature in zip(data.feature_names, data.features, strict=True)
        if name in set(selected) - told
        and feature.kind == "discrete"
        and MANY < feature.n_values < n_rows < FEW_ROWS * feature.n_values
    ]
    if scattered:
        notes.append(
            f"{_named(scattered)}: so many values that there are fewer than {FEW_ROWS} rows for "
            "each, which tells these rows apart by chance; join values, or leave it out with "
            f"--exclude {as_option(scattered)}"
        )
    return notes


def _differs_in_every_row(column: "pl.Series") -> bool:
    return (
        column.dtype.is_integer()
        and len(column) > MANY
        and column.null_count() == 0
        and column.n_unique() == len(column)
    )


def _numbers_as_text(X: "pl.DataFrame", declared: Sequence[str]) -> tuple[Named, Named]:
    """Find columns that would be numbers but for a marker, and those with units or commas."""
    import polars as pl

    marked: Named = {}
    wrapped: Named = {}
    for column in X.select(pl.col(pl.String)):
        if column.name in declared or column.n_unique() <= MANY:
            continue
        texts = column.drop_nulls().str.strip_chars()
        is_number = texts.cast(pl.Float64, strict=False).is_not_null()
        odd: str = texts.filter(~is_number).value_counts(sort=True)[0, 0]
        is_like = texts.str.contains(LIKE_A_NUMBER)
        if is_number.sum() * 2 > len(texts) and is_like.sum() < len(texts):
            marked.setdefault(odd, []).append(column.name)
        elif is_like.sum() * 2 > len(texts):
            wrapped.setdefault(odd, []).append(column.name)
    return marked, wrapped


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown
