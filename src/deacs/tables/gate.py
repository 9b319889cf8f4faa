"""Arrays and data frames to typed columns. Frames are read through narwhals."""

from collections.abc import Iterable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError
from deacs.tables.columns import Column, Table
from deacs.tables.missing import drop_mask, missing_objects

__all__ = ["is_frame", "read_columns"]


def is_frame(X: Any) -> bool:
    """Return whether `X` is an eager data frame (pandas, polars, pyarrow, ...)."""
    return bool(nw.dependencies.is_into_dataframe(X))


def read_columns(X: Any) -> Table:
    """Read a two-dimensional array or a data frame as typed columns.

    Raises
    ------
    InputError
        If there are no rows or no columns, names repeat, or a column's type cannot be used.
    """
    if is_frame(X):
        return _from_frame(X)
    if isinstance(X, nw.LazyFrame) or type(X).__name__ == "LazyFrame":
        raise InputError("X must be in memory, got a lazy frame; call X.collect() first")
    return _from_array(X)


def _from_array(X: Any) -> Table:
    from sklearn.utils import check_array  # a frame can do without scikit-learn

    X = check_array(X, dtype=None, ensure_all_finite=False, input_name="X")
    columns = tuple(_array_column(f"x{j}", X[:, j]) for j in range(X.shape[1]))
    return Table(columns, X.shape[0])


def _from_frame(X: Any) -> Table:
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else []
    if hasattr(X, "column_names"):  # pyarrow calls the arrays columns
        names = list(X.column_names)
    repeated = sorted({name for name in names if names.count(name) > 1}) if names else []
    if repeated:
        raise InputError(
            f"X must have unique column names, got {_listed(repeated)} more than once; rename them"
        )
    frame = nw.from_native(X, eager_only=True)
    n_rows, n_columns = frame.shape
    if n_columns == 0:
        raise InputError(f"X must have at least one column, got a frame of shape {frame.shape}")
    if n_rows == 0:
        raise InputError(f"X must have at least one row, got a frame of shape {frame.shape}")
    series = frame.iter_columns()
    return Table(
        tuple(_series_column(name, s) for name, s in zip(names, series, strict=True)), n_rows
    )


def _series_column(name: str, series: nw.Series[Any]) -> Column:
    dtype = series.dtype
    if dtype == nw.Boolean or dtype.is_integer():
        missing = drop_mask(series.is_null().to_numpy())
        filled = (
            series if missing is None else series.fill_null(False if dtype == nw.Boolean else 0)
        )
        kind = "boolean" if dtype == nw.Boolean else "integer"
        return Column(name, kind, _plain(filled.to_numpy(), kind), missing)  # type: ignore[arg-type]
    if dtype.is_float() or dtype == nw.Decimal:
        values = series.cast(nw.Float64).to_numpy().astype(np.float64, copy=False)
        return Column(name, "float", values, drop_mask(np.isnan(values)))
    if series.null_count() == len(series):  # a column of nothing may have no type of its own
        return _nominal(name, [None] * len(series), np.ones(len(series), dtype=bool))
    if dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object):
        return _object_column(name, np.asarray(series.to_list(), dtype=object))
    raise InputError(_unusable(name, str(dtype)))


def _plain(values: NDArray[Any], kind: str) -> NDArray[Any]:
    # pandas' nullable extension types arrive as object arrays.
    return values if values.dtype != object else values.astype(bool if kind == "boolean" else int)


def _array_column(name: str, values: NDArray[Any]) -> Column:
    code = values.dtype.kind
    if code == "b":
        return Column(name, "boolean", values)
    if code in "iu":
        return Column(name, "integer", values)
    if code == "f":
        return Column(name, "float", values, drop_mask(np.isnan(values)))
    if code in "UST":
        return _nominal(name, values.tolist(), None)
    if code == "O":
        return _object_column(name, values)
    raise InputError(_unusable(name, str(values.dtype)))


def _object_column(name: str, values: NDArray[Any]) -> Column:
    """Find the one type that all present values share."""
    missing = missing_objects(values)
    present = values if missing is None else values[~missing]
    types = {type(value) for value in present.tolist()}
    if all(issubclass(t, (bool, np.bool_)) for t in types):
        return Column(name, "boolean", _fill(values, missing, False).astype(bool), missing)
    if all(issubclass(t, (int, np.integer)) and not issubclass(t, bool) for t in types):
        return Column(name, "integer", _fill(values, missing, 0).astype(np.int64), missing)
    if all(issubclass(t, (int, float, np.number)) and not issubclass(t, bool) for t in types):
        return Column(name, "float", _fill(values, missing, np.nan).astype(np.float64), missing)
    if all(issubclass(t, str) for t in types):
        return _nominal(name, values.tolist(), missing)
    first = type(present[0])
    other = next(value for value in present.tolist() if not _same_kind(type(value), first))
    # scikit-learn's checks look for this wording of the second half.
    raise TypeError(
        f"column {name!r} mixes types: it begins with {first.__name__} and holds {other!r} "
        f"({type(other).__name__}); each value's argument must be a string or a number, "
        "and one kind in a column. Convert the column, e.g. with X.astype(str)"
    )


def _same_kind(one: type, other: type) -> bool:
    numbers = (int, float, np.number)
    if any(issubclass(t, (bool, np.bool_)) for t in (one, other)):
        return one is other
    both_numbers = issubclass(one, numbers) and issubclass(other, numbers)
    return both_numbers or (issubclass(one, str) and issubclass(other, str))


def _fill(values: NDArray[Any], missing: NDArray[np.bool_] | None, with_: Any) -> NDArray[Any]:
    return values if missing is None else np.where(missing, with_, values)


def _nominal(name: str, values: list[Any], missing: NDArray[np.bool_] | None) -> Column:
    lookup: dict[Any, int] = {}
    first_seen = np.fromiter(
        (lookup.setdefault(value, len(lookup)) for value in values), np.int64, len(values)
    )
    if missing is None:
        categories = np.array(list(lookup), dtype=object)
    else:
        absent = {first_seen[row] for row in np.flatnonzero(missing)}
        categories = np.array([v for v, k in lookup.items() if k not in absent], dtype=object)
    categories.sort()
    position = {value: k for k, value in enumerate(categories.tolist())}
    recode = np.array([position.get(value, 0) for value in lookup], dtype=np.int64)
    return Column(name, "nominal", recode[first_seen], missing, categories)


def _unusable(name: str, dtype: str) -> str:
    advice = "turn it into numbers or categories, or drop it"
    if any(word in dtype for word in ("Date", "Time", "Duration", "datetime", "timedelta")):
        advice = "derive numbers from it (year, weekday, seconds since a day), or drop it"
    return f"column {name!r} has type {dtype}, which is neither numeric nor nominal; {advice}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names)
