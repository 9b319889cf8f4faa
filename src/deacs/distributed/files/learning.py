"""The first pass over files: what every batch of rows tells of kinds, categories and cuts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from deacs.coding.data import narrowest
from deacs.distributed.files.batches import TableFile
from deacs.distributed.files.spill import Entries, sorted_entries
from deacs.distributed.files.text_types import ANYTHING, TEXT, as_type, best_type, fitting_types
from deacs.exceptions import InputError
from deacs.kernels.threads import map_blocks
from deacs.tables import Column, read_columns
from deacs.tables.objects import first_seen

__all__ = ["LearnedBatch", "categories_of", "kind_of", "learn_batch", "number_column", "typed"]

NS_LEARN = 150.0
"""About what a field costs to sort, for sharing work among threads."""

LearnedBatch = tuple[NDArray[np.int32], NDArray[Any], list[Entries | None], list[dict[str, Any]]]
"""The class of each row, the classes, the runs, and what is noted of each column."""


def learn_batch(
    table: TableFile,
    frame: pl.DataFrame,
    target: str,
    names: list[str],
    types: Mapping[str, str],
    n_jobs: int | None,
) -> LearnedBatch:
    """Say what a batch tells.

    `types` are those that columns of a text file are known to have; others are found.
    """
    noted = [_noted(table, frame[name], types.get(name)) for name in names]
    y = _noted(table, frame[target], types.get(target))
    rows, classes = _classes(table, typed(frame[target], y["type"]), target)
    runs: list[Entries | None] = [None] * len(names)

    def work(part: slice) -> None:
        for j in range(part.start, part.stop):
            series = typed(frame[names[j]], noted[j]["type"])
            runs[j] = _learn(series, noted[j], rows, len(classes))

    map_blocks(work, len(names), n_jobs, NS_LEARN * max(frame.height, 1))
    return rows, classes, runs, [*noted, y]


def typed(series: pl.Series, type_: str | None) -> pl.Series:
    """Read a column of a text file as the type it has; others have one."""
    return series if type_ is None else as_type(series, type_)


def kind_of(series: pl.Series) -> str:
    """Return how the gate reads a column: boolean, integer, float or nominal."""
    dtype = series.dtype
    if dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        return "nominal"
    if dtype == pl.Boolean:
        return "boolean"
    if dtype.is_integer() and dtype not in _WIDE:
        return "integer"
    if dtype.is_numeric() or dtype.is_temporal():
        return "float"
    read_columns(series.head(1).to_frame())  # says why it is of no use
    raise InputError(f"column {series.name!r} has type {dtype}, which cannot be used; drop it")


_WIDE = (pl.Int128, pl.UInt128) if hasattr(pl, "UInt128") else (pl.Int128,)


def number_column(series: pl.Series, kind: str) -> Column:
    """Read a column of numbers or booleans."""
    column = read_columns(series.to_frame()).columns[0]
    if column.kind != kind or column.values.dtype == object:
        raise InputError(
            f"column {series.name!r} has integers beyond 2**63, which files larger than memory "
            "must not have; store them as floats or as text, or use deacs.encode on what "
            "read_table gives",
            columns=[series.name],
        )
    return column


def categories_of(series: pl.Series) -> list[str] | None:
    """Return the declared order of categories, if there is one."""
    return series.dtype.categories.to_list() if isinstance(series.dtype, pl.Enum) else None


def _noted(table: TableFile, series: pl.Series, type_: str | None) -> dict[str, Any]:
    """What there is to know of a column before its values: types that fit, missing values."""
    noted: dict[str, Any] = {"type": None, "missing": series.null_count()}
    if table.is_text:
        candidates = ANYTHING if table.decimal_comma else ANYTHING[:-1]
        if series.name in table.nominal or type_ == TEXT:
            candidates = ""
        noted["fitting"] = fitting_types(series, candidates)
        # Where all is missing anything fits, and nothing is lost by reading it as text.
        is_empty = noted["missing"] == len(series)
        noted["type"] = TEXT if is_empty else type_ or best_type(noted["fitting"])
    return noted


def _learn(
    series: pl.Series, noted: dict[str, Any], labels: NDArray[np.int32], n_labels: int
) -> Entries | None:
    """Sort numbers with their labels; note the distinct values of text."""
    noted["kind"] = kind = kind_of(series)
    if kind == "nominal":
        noted["values"] = series.drop_nulls().cast(pl.String).unique().to_list()
        noted["declared"] = categories_of(series)
        return None
    column = number_column(series, kind)
    values, missing = column.values, column.missing
    noted["dtype"] = values.dtype.str
    noted["missing"] = 0 if missing is None else int(missing.sum())
    labels = labels.astype(narrowest(n_labels))
    if missing is not None:
        values, labels = values[~missing], labels[~missing]
    wide = values.astype(np.float64 if kind == "float" else np.int64, copy=False)
    return sorted_entries(wide, labels, n_labels)


def _classes(
    table: TableFile, series: pl.Series, target: str
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """The class of each row, and the classes in any order."""
    if series.null_count() > 0:
        first = int(series.is_null().arg_max() or 0)
        raise InputError(
            f"target {target!r} must not have missing values, but {table.path} has "
            f"{series.null_count()} in one batch (the first in its row {first + 1}); drop these "
            "rows or name their class"
        )
    values = np.empty(0, "c8") if series.dtype in _WIDE else np.asarray(series)
    if values.dtype.kind not in "OUbiuf" or series.dtype.is_decimal():
        raise InputError(
            f"target {target!r} must hold text, whole numbers or booleans, but in {table.path} it "
            f"has type {series.dtype}; convert it"
        )
    if values.dtype != object:
        classes, rows = np.unique(values, return_inverse=True)
        return rows.astype(np.int32), classes
    lookup, codes = first_seen(values.tolist())
    classes = np.empty(len(lookup), dtype=object)
    classes[:] = list(lookup)
    return codes.astype(np.int32), classes
