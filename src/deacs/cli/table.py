"""A table from the command line: columns with a special role, and what there is to note."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deacs.cli.options import listed
from deacs.exceptions import InputError, Note, Parameter

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "as_written",
    "kinds_of",
    "read_prices",
    "refuse_text",
    "table_and_target",
    "told_once",
    "warn_if_excluded",
    "with_leading_zeros",
    "without",
]

MOST_NAMED = 5
"""The most columns that a note names."""


def table_and_target(
    options: Any,
) -> "tuple[pl.DataFrame, pl.Series | pl.DataFrame, list[pl.Series]]":
    """Read a file: the features, the classes or labels, and the columns that hold these."""
    from deacs.tables.files import read_table

    if options.target is None and options.targets_matching is None:
        raise InputError(
            "Missing option '--target' / '-t', the class column; only codes know their own"
        )
    if options.target is not None and options.targets_matching is not None:
        raise InputError(
            Parameter("targets_matching"),
            " finds the labels that ",
            Parameter("target"),
            " would name, got both; leave one of them out",
        )
    named = [] if options.target is None else listed([options.target])
    targets = {options.target, *named}
    how: dict[str, Any] = {
        "exclude": [name for name in listed(options.exclude) if name not in targets],
        **options.how_to_read,
    }
    if len(named) == 1:
        # In quotes, a name with a comma is one; other quotes are part of the name.
        target = named[0] if "," in named[0] else str(options.target)
        how["drop_unlabelled"] = options.drop_unlabelled
        X, y = read_table(options.file, target=target, **how)
        return X, as_written(y, options.file, **how), [y]
    table = read_table(options.file, **how)
    labels = _label_columns(options, table.columns)
    if options.drop_unlabelled:
        table = table.drop_nulls(labels)
    if isinstance(labels, str):  # one column, whose name has a comma
        return table.drop(labels), table[labels], [table[labels]]
    return table.drop(labels), table.select(labels), table.select(labels).get_columns()


def _label_columns(options: Any, columns: list[str]) -> list[str] | str:
    """Return the label columns that the options name."""
    from fnmatch import fnmatchcase

    from deacs.coding import named_features

    if options.targets_matching is None:
        target = options.target or ""
        if target in columns:
            return target
        places = named_features(listed([target]), columns, "--target")
        return [columns[j] for j in places]
    matching = [name for name in columns if fnmatchcase(name, options.targets_matching)]
    if not matching:
        raise InputError(
            Parameter("targets_matching", options.targets_matching),
            f" matches none of the {len(columns)} columns, which begin with "
            + ", ".join(map(repr, columns[:8])),
        )
    return matching


def as_written(y: "pl.Series", file: str, **how: Any) -> "pl.Series":
    """Return boolean classes as the file spells them, such as TRUE; other classes as they are.

    The file is read again, with the arguments of `read_table` in `how`; a stream cannot be.
    """
    import polars as pl

    from deacs.tables.files import read_table

    if y.dtype != pl.Boolean or not Path(file).is_file():
        return y
    _, texts = read_table(file, target=y.name, nominal=[y.name], **how)
    words = texts.unique().sort().to_list()
    # One class may be spelled in several ways, and false must remain the first.
    is_spelled_once = [word.strip().lower() for word in words] == ["false", "true"]
    return texts if is_spelled_once else y


def with_leading_zeros(
    table: "pl.DataFrame", file: str, labels: Sequence[str], **how: Any
) -> "pl.DataFrame":
    """Return the table with numbers such as 00038, which are codes, as the file spells them.

    The file is read again, with the arguments of `read_table` in `how`, and without the rows in
    which one of `labels` is missing; a stream cannot be.
    """
    from deacs.tables.files import read_table

    integers = [column.name for column in table if column.dtype.is_integer()]
    if not integers or not Path(file).is_file():
        return table
    with warnings.catch_warnings(action="ignore"):  # what it warns of was said at first reading
        texts = read_table(file, nominal=integers, **how)
    if labels:
        texts = texts.drop_nulls(labels)
    padded = [name for name in integers if texts[name].str.contains(r"^\s*[+-]?0[0-9]").any()]
    return table.with_columns(texts.select(padded))


def warn_if_excluded(exclude: list[str] | None, target: Sequence[str]) -> None:
    """Warn that excluding the target has no effect."""
    if named := [name for name in target if name in listed(exclude)]:
        shown = ", ".join(map(repr, named))
        warnings.warn(
            f"--exclude names the target {shown}, which is never a feature: it has no effect",
            stacklevel=2,
        )


def kinds_of(X: "pl.DataFrame", discrete: list[str] | None) -> Any:
    """Return which columns are discrete: those named, and those that `encode` would choose."""
    if not discrete:
        return "auto"
    from deacs.coding import named_features
    from deacs.coding.kinds import discrete_mask
    from deacs.tables import read_columns

    table = read_columns(X)
    named = {X.columns[j] for j in named_features(listed(discrete), X.columns, "--discrete")}
    chosen = discrete_mask(table)
    return [
        column.name
        for column, is_discrete in zip(table.columns, chosen, strict=True)
        if column.name in named or (is_discrete and column.kind != "nominal")
    ]


def without(X: "pl.DataFrame", column: str | None) -> "tuple[pl.DataFrame, pl.Series | None]":
    """Split the column of weights off the table."""
    if column is None:
        return X, None
    from deacs.coding import named_features

    named_features([column], X.columns, "--weights")
    weights = X[column]
    refuse_text(weights, "--weights")
    return X.drop(column), weights


def refuse_text(column: "pl.Series", option: str) -> None:
    """Raise an error for a column that does not hold numbers."""
    import polars as pl

    if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
        example = next((value for value in column if value is not None), None)
        raise InputError(
            f"{option} names {column.name!r}, which is not a column of numbers: it holds "
            f"{str(example)!r}; name another, or write plain numbers"
        )


def read_prices(file: Path) -> dict[str, Any]:
    """Read the costs of columns from a file."""
    from deacs.tables.files import read_table

    table = read_table(file)
    if table.width < 2:
        raise InputError(f"--costs {file} must have a column of names and one of costs or more")
    names, prices = table.to_series(0).cast(str).to_list(), table[:, 1:].rows()
    return dict(zip(names, prices, strict=True))


def told_once(notes: Sequence[str], X: "pl.DataFrame", how_to_read: Mapping[str, Any]) -> list[str]:
    """Return each note once, the first on text in a column, or one on a header read as data."""
    from deacs.tables.names import listed as shown

    said: set[str] = set()
    as_text: list[Note] = []
    once: list[str] = []
    for note in dict.fromkeys(notes):
        if isinstance(note, Note) and note.kind == "read as text":
            if said.issuperset(note.columns):  # by what read the file, in more detail
                continue
            said.update(note.columns)
            as_text.append(note)
        once.append(note)
    columns = list(dict.fromkeys(name for note in as_text for name in note.columns))
    if how_to_read.get("header") is not False or not columns or not _first_only(X, columns):
        return once
    named = [str(X[name][0]) for name in columns]
    words = (
        f"the first line looks like a header: {shown(columns, MOST_NAMED)} would be numbers, "
        f"but for {shown(named, MOST_NAMED)} there; leave out --no-header"
    )
    note = Note(words, kind="read as text", columns=columns)
    return [note, *(other for other in once if other not in as_text)]


def _first_only(X: "pl.DataFrame", columns: Sequence[str]) -> bool:
    """Whether each column would be numbers but for its first value, as if that were its name."""
    import polars as pl

    is_text = X.select(pl.col(columns).str.strip_chars().cast(pl.Float64, strict=False).is_null())
    return all(
        (is_text[name] & X[name].is_not_null()).arg_true().to_list() == [0] for name in columns
    )
