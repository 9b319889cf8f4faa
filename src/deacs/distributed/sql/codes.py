"""Values of columns to codes, as expressions, and the values that travel to find them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlglot import exp

from deacs.coding import FeatureCoding
from deacs.distributed.sql.expressions import (
    Expression,
    case,
    column,
    is_nan,
    literal,
    staircase,
    values_table,
)

__all__ = ["MANY", "Join", "code_of", "coded", "compared", "series_of", "travelling"]

MANY = 24
"""Values that are looked up one after another; more are joined."""

Join = tuple[Expression, Expression]
"""A table to join, and on which condition."""


def travelling(value: Expression, kind: str) -> Expression:
    """Return what is read of a column: values that any driver gives as they are."""
    if kind == "wide integer":
        return exp.cast(value, "varchar")
    return value.copy() if kind == "boolean" else compared(value, kind)


def compared(value: Expression, kind: str) -> Expression:
    """Return what is compared with cut points and with values."""
    if kind == "moment":
        epoch = exp.Extract(this=exp.var("epoch"), expression=value.copy())
        return exp.cast(epoch, "double")
    types = {
        "boolean": "int",
        "integer": "bigint",
        "float": "double",
        "text": "varchar",
        "enum": "varchar",
    }
    return exp.cast(value.copy(), types[kind]) if kind in types else value.copy()


def series_of(name: str, values: NDArray[Any], kind: str, in_order: bool = False) -> pl.Series:
    """Return distinct values as a column of a frame in memory; `encode` takes it from there."""
    listed = values.tolist()
    if kind in ("float", "moment"):
        floats = [math.nan if value is None else value for value in listed]
        return pl.Series(name, floats, dtype=pl.Float64)
    if kind == "wide integer":
        return pl.Series(name, [None if v is None else int(v) for v in listed], dtype=pl.Object)
    if kind == "enum":
        declared = list(dict.fromkeys(value for value in listed if value is not None))
        return pl.Series(name, listed, dtype=pl.Enum(declared))
    dtype = {"boolean": pl.Boolean, "integer": pl.Int64, "text": pl.String}[kind]
    return pl.Series(name, listed, dtype=dtype)


def code_of(
    value: Expression, kind: str, feature: FeatureCoding, alias: str
) -> tuple[Expression, Join | None]:
    """Return the code of a column's value as an expression, and what must be joined for it."""
    seen = compared(value, kind)
    joined = None
    if feature.kind == "continuous":
        cuts = feature.values.tolist()
        if kind in ("boolean", "integer", "wide integer"):
            cuts = [math.floor(cut) for cut in cuts]
        code = staircase(seen, cuts)
    else:
        code, joined = coded(seen, feature.values.tolist(), alias)
    if feature.has_missing:
        absent: Expression = value.copy().is_(exp.null())
        if kind == "float":
            absent = exp.or_(absent, is_nan(seen))
        code = exp.Case(default=code).when(absent, literal(feature.n_values - 1))
    return exp.cast(code, _width(feature.n_values)), joined


def coded(value: Expression, values: list[Any], alias: str) -> tuple[Expression, Join | None]:
    """Return the place of a value among those that are known, and what must be joined for it."""
    whole = bool(values) and all(type(each) is int for each in values)
    if whole and values[-1] - values[0] == len(values) - 1:
        return (value - literal(values[0])) if values[0] else value, None
    outcomes = [(each, k) for k, each in enumerate(values)]
    if len(values) <= MANY:
        return case(value, outcomes, -1), None
    known = values_table(outcomes, alias, ("v", "c"))
    place = exp.Coalesce(this=column("c", alias), expressions=[literal(-1)])
    return place, (known, value.copy().eq(column("v", alias)))


def _width(n_values: int) -> str:
    """The narrowest signed type: -1 is a value that nobody knows."""
    if n_values <= np.iinfo(np.int8).max:
        return "tinyint"
    return "smallint" if n_values <= np.iinfo(np.int16).max else "int"
