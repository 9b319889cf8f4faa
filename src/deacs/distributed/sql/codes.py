"""SQL expressions that turn column values into codes."""

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
    cast,
    is_nan,
    literal,
    staircase,
    value,
)
from deacs.distributed.sql.lookups import Join, Lookups

__all__ = ["MANY_STEPS", "code_of", "coded", "compared", "score_of", "series_of", "travelling"]

Found = tuple[Expression, Join | None]
"""The expression of a value's code or score, and the table to join for it, if any."""

MANY = 24
"""Up to this many values are found by a `CASE`; more by a join."""

MANY_STEPS = 256
"""Up to this many scores are found by bisection; more by a join."""


def travelling(value: Expression, kind: str) -> Expression:
    """Return the expression to fetch: values that every driver returns exactly."""
    if kind == "wide integer":
        return cast(value.copy(), "varchar")
    return value.copy() if kind == "boolean" else compared(value, kind)


def compared(value: Expression, kind: str) -> Expression:
    """Return the expression to compare with cut points and known values."""
    if kind == "moment":
        epoch = exp.Extract(this=exp.var("epoch"), expression=value.copy())
        return cast(epoch, "double")
    types = {
        "boolean": "int",
        "integer": "bigint",
        "float": "double",
        "text": "varchar",
        "enum": "varchar",
    }
    return cast(value.copy(), types[kind]) if kind in types else value.copy()


def series_of(name: str, values: NDArray[Any], kind: str) -> pl.Series:
    """Return distinct values as a column of a frame in memory, for `encode`."""
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
    value: Expression, kind: str, feature: FeatureCoding, lookups: Lookups, alias: str
) -> Found:
    """Return the code of a column's value, and the table to join for it, if any."""
    seen = compared(value, kind)
    joined = None
    if feature.kind == "continuous":
        cuts = feature.values.tolist()
        if kind in ("boolean", "integer", "wide integer"):
            cuts = [math.floor(cut) for cut in cuts]
        code = staircase(seen, cuts, range(len(cuts) + 1))
    else:
        code, joined = coded(seen, feature.values.tolist(), lookups, alias)
    if feature.has_missing:
        code = exp.Case(default=code).when(
            _absent(value, kind), literal(feature.n_values - 1), copy=False
        )
    return cast(code, _width(feature.n_values)), joined


def coded(seen: Expression, values: list[Any], lookups: Lookups, alias: str) -> Found:
    """Return the position of an expression among known values (else -1), and the join, if any."""
    whole = bool(values) and all(type(each) is int for each in values)
    if whole and values[-1] - values[0] == len(values) - 1:
        return (seen - value(values[0])) if values[0] else seen, None
    places = range(len(values))
    if len(values) <= MANY:
        return case(seen, zip(values, places, strict=True), -1), None
    place, joined = lookups.found(seen, values, places, alias)
    return exp.Coalesce(this=place, expressions=[literal(-1)]), joined


def score_of(
    value: Expression,
    kind: str,
    values: NDArray[Any],
    scores: NDArray[np.int64],
    lookups: Lookups | None,
    alias: str = "",
    type: str = "smallint",
) -> Found:
    """Return the score of a column's value (0 if missing), and the table to join for it, if any.

    `values` ascend, and so do their scores; a value in between has the score of the next one above.
    Without `lookups` nothing is joined.
    """
    seen, joined = compared(value, kind), None
    if kind in ("text", "enum"):  # two values, in any order
        known = zip(values.tolist(), scores.tolist(), strict=True)
        return cast(case(seen, known, 0), type), None
    ends = np.flatnonzero(np.diff(scores))  # where equal scores end
    if lookups is None or len(ends) < MANY_STEPS:
        outcomes = [*scores[ends].tolist(), *scores[-1:].tolist()] or [0]
        score = staircase(seen, values[ends].tolist(), outcomes)
    else:
        score, joined = lookups.found(seen, values, scores, alias)
    score = exp.Case(default=score).when(_absent(value, kind), literal(0), copy=False)
    return cast(score, type), joined


def _absent(value: Expression, kind: str) -> Expression:
    """Return the condition that a value is missing."""
    absent: Expression = value.copy().is_(exp.null())
    return exp.or_(absent, is_nan(compared(value, kind))) if kind == "float" else absent


def _width(n_values: int) -> str:
    """Return the narrowest signed type, as -1 stands for an unknown value."""
    if n_values <= np.iinfo(np.int8).max:
        return "tinyint"
    return "smallint" if n_values <= np.iinfo(np.int16).max else "int"
