"""Code the columns of files: numbers by `encode`, text by its distinct values.

A column is coded as a whole, so it gets the same codes as in memory. Text is coded by its distinct
values, because Python strings for all rows would take about a hundred bytes each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from deacs.coding import FeatureCoding, Missing, encode
from deacs.coding.data import narrowest
from deacs.coding.encode import code_values
from deacs.coding.kinds import discrete_mask
from deacs.coding.notes import column_notes, declared_in, warn_of
from deacs.distributed.files.columnar import Columns
from deacs.distributed.options import discrete_among
from deacs.exceptions import InputError, Parameter
from deacs.tables import Column, Labels, Table, TargetOption, read_labels

__all__ = ["CodedColumn", "Coder", "read_target"]

TEXT = (pl.String, pl.Categorical, pl.Enum, pl.Null)
WIDE = (pl.Int128, pl.UInt128) if hasattr(pl, "UInt128") else (pl.Int128,)


@dataclass(frozen=True)
class CodedColumn:
    """The codes of a column, what they stand for, and the ignored code (or -1)."""

    codes: NDArray[np.unsignedinteger[Any]]
    feature: FeatureCoding
    ignored: int


@dataclass(frozen=True)
class Coder:
    """Codes columns as `encode` codes them in memory."""

    files: Sequence[Columns]
    """The files, whose rows follow one another."""
    names: Sequence[str]
    """The names of the features, in their order."""
    labels: Labels
    discrete_features: Any
    missing: Missing
    how: dict[str, Any]
    """Other options of `encode`."""
    nominal: Sequence[str] = ()
    """Columns that are read as text, whatever they hold."""

    def code(self, begin: int, end: int) -> list[CodedColumn]:
        """Code the features from `begin` up to, but not including, `end`."""
        parts = [file.read(self.names[begin:end]) for file in self.files]
        names = [file.name for file in self.files]
        columns = [_joined(names, column) for column in zip(*parts, strict=True)]
        del parts
        text = [j for j, column in enumerate(columns) if column.dtype in TEXT]
        others = [j for j, column in enumerate(columns) if column.dtype not in TEXT]
        coded: dict[int, CodedColumn] = {}
        if text:
            coded |= self._by_category([columns[j] for j in text], [begin + j for j in text])
        if others:
            coded |= self._by_encode([columns[j] for j in others], [begin + j for j in others])
        return [coded[j] for j in range(begin, end)]

    def _by_encode(self, columns: list[pl.Series], places: list[int]) -> dict[int, CodedColumn]:
        data = encode(
            pl.DataFrame(columns),
            self.labels,
            discrete_features=self._discrete(places),
            missing=self.missing,
            **self.how,
        )
        return {
            place: CodedColumn(data.column(k), data.features[k], data.ignored(k))
            for k, place in enumerate(places)
        }

    def _by_category(self, columns: list[pl.Series], places: list[int]) -> dict[int, CodedColumn]:
        nominal = tuple(Column(column.name, "nominal", np.empty(0)) for column in columns)
        discrete_mask(Table(nominal, 0), self._discrete(places))  # raises if text is to be cut
        coded = {}
        for column, place in zip(columns, places, strict=True):
            self._refuse_missing(column)
            [(_, feature)] = code_values(column.unique().to_frame())
            last = feature.n_values - 1
            categories = pl.Enum(feature.values.tolist())
            codes = column.cast(pl.String).cast(categories).to_physical().cast(pl.UInt32)
            coded[place] = CodedColumn(
                codes.fill_null(last).to_numpy().astype(narrowest(feature.n_values)),
                feature,
                last if self.missing == "ignore" and feature.has_missing else -1,
            )
        features = [found.feature for found in coded.values()]
        names = [column.name for column in columns]
        declared = {*self.nominal, *declared_in(self.discrete_features, self.names)}
        warn_of(column_notes(names, features, len(columns[0]), declared=declared))
        return coded

    def _discrete(self, places: list[int]) -> Any:
        return discrete_among(self.discrete_features, self.names, places)

    def _refuse_missing(self, column: pl.Series) -> None:
        if self.missing == "error" and column.null_count() > 0:
            raise InputError(
                "the files must not have missing values with ",
                Parameter("missing", "error"),
                f", but column {column.name!r} has {column.null_count()}; fill them, or use ",
                Parameter("missing", "category"),
                " or ",
                Parameter("missing", "ignore"),
                columns=[column.name],
            )


def read_target(files: Sequence[Columns], target: str, kind: TargetOption = "auto") -> Labels:
    """Read the target of each row of all files."""
    parts = []
    for file in files:
        [column] = file.read([target])
        if (n_missing := column.null_count()) > 0:
            first = int(column.is_null().arg_max() or 0)
            raise InputError(
                Parameter("target"),
                f" {target!r} must not have missing values, but {file.name} has {n_missing} (the "
                f"first in its data row {first + 1}); drop these rows, or give them a class",
            )
        parts.append(column)
    y = _joined([file.name for file in files], parts)
    if not (y.dtype in (*TEXT, pl.Boolean) or y.dtype.is_integer() or y.dtype.is_float()) or (
        y.dtype in WIDE
    ):
        raise InputError(
            Parameter("target"),
            f" {target!r} must hold text, booleans, floats or integers of at most 64 bits, got "
            f"{y.dtype}; convert it",
        )
    if y.dtype not in TEXT:
        return read_labels(y.to_numpy(), len(y), kind)
    distinct = y.cast(pl.String).unique()
    if len(distinct) == 1:
        return read_labels(np.broadcast_to(distinct.to_numpy(), len(y)), len(y), kind)  # raises
    labels = read_labels(distinct, len(distinct), kind)
    codes = y.cast(pl.String).replace_strict(distinct, labels.codes, return_dtype=pl.Int32)
    return Labels(codes.to_numpy(), labels.classes)


def _joined(files: Sequence[str], parts: Sequence[pl.Series]) -> pl.Series:
    """Concatenate the parts of a column from all files.

    Integers in one file and fractions in another become floats; a part without values takes the
    type of the others.
    """
    if len(parts) == 1:
        return parts[0]
    known = {file: part for file, part in zip(files, parts, strict=True) if _has_values(part)}
    kinds = {file: _kind(part.dtype) for file, part in known.items()}
    for file, kind in kinds.items():
        first = next(iter(kinds))
        if kind != kinds[first]:
            raise InputError(
                f"column {parts[0].name!r} holds {kinds[first]} in {first} but {kind} in {file}; "
                "all files must agree: make it text everywhere with ",
                Parameter("nominal"),
                ", or leave it out with ",
                Parameter("exclude"),
                columns=[parts[0].name],
            )
    types = {part.dtype for part in known.values()} or {parts[0].dtype}
    if len(types) > 1 and "text" in kinds.values():
        dtype: Any = pl.String
    else:
        empty = [pl.DataFrame(schema={"": each}) for each in types]
        dtype = pl.concat(empty, how="vertical_relaxed").dtypes[0]
    return pl.concat([part.cast(dtype) for part in parts])


def _has_values(part: pl.Series) -> bool:
    return part.null_count() < len(part)


def _kind(dtype: pl.DataType) -> str:
    if dtype in TEXT:
        return "text"
    if dtype == pl.Boolean:
        return "booleans"
    return "numbers" if dtype.is_numeric() else str(dtype)
