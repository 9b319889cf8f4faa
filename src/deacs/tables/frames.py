"""Read data frames of any library as typed columns, through narwhals."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from deacs.exceptions import InputError
from deacs.tables.arrays import number_columns
from deacs.tables.columns import EXACT_FLOATS, Column, Table, drop_mask, number_column
from deacs.tables.names import listed, refuse_repeated
from deacs.tables.objects import nominal_column, object_column, unusable

__all__ = ["column_names", "from_frame", "in_memory", "is_frame"]

BOOLEANS_AND_INTEGERS = frozenset(
    (nw.Boolean, nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64)
)


def is_frame(X: Any) -> bool:
    """Return whether `X` is an eager data frame (pandas, polars, pyarrow, ..., or narwhals')."""
    if isinstance(X, np.ndarray):  # the checks of narwhals are slow
        return False
    if nw.dependencies.is_narwhals_dataframe(X):
        return True
    return not nw.dependencies.is_narwhals_lazyframe(X) and bool(
        nw.dependencies.is_into_dataframe(X)
    )


def in_memory(X: Any) -> Any:
    """Collect a lazy frame and unwrap a narwhals frame; return anything else unchanged.

    Estimators call this first, since scikit-learn's validation supports neither.
    """
    if isinstance(X, np.ndarray):
        return X
    if nw.dependencies.is_narwhals_lazyframe(X):
        return X.collect().to_native()
    if is_frame(X) and not nw.dependencies.is_narwhals_dataframe(X):
        return X
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return nw.to_native(frame, pass_through=True)


def column_names(X: Any) -> list[str]:
    """Return the names of an eager frame's columns as text; repeated ones are refused."""
    # In pyarrow, `columns` are the arrays; in pandas, `column_names` may be a column.
    columns = X.column_names if nw.dependencies.is_pyarrow_table(X) else X.columns
    names = [str(name) for name in columns]
    refuse_repeated(names, "X")
    return names


def from_frame(X: Any) -> Table:
    """Read an eager frame; numeric columns are not copied if their library allows it."""
    names = column_names(X)
    frame = nw.from_native(X, eager_only=True)
    n_rows, n_columns = frame.shape
    if n_columns == 0 or n_rows == 0:
        needed = "row" if n_columns else "column"
        raise InputError(f"X must have at least one {needed}, got a frame of shape {frame.shape}")
    if nw.dependencies.is_pandas_dataframe(X):
        return Table(_pandas_columns(names, X), n_rows)
    readers = [partial(_column, *named) for named in zip(names, frame.iter_columns(), strict=True)]
    return Table(_all_read(readers), n_rows)


def _all_read(readers: Sequence[Callable[[], Column]]) -> tuple[Column, ...]:
    """Read all columns, or raise one error that names every column that cannot be used."""
    columns: list[Column] = []
    errors: list[InputError] = []
    for read in readers:
        try:
            columns.append(read())
        except InputError as error:
            errors.append(error)
    if len(errors) == 1:
        raise errors[0]
    if errors:
        others = [name for error in errors[1:] for name in error.columns]
        raise InputError(
            f"{errors[0]}; {listed(others)} cannot be used either",
            columns=[name for error in errors for name in error.columns],
        )
    return tuple(columns)


def _pandas_columns(names: list[str], X: Any) -> tuple[Column, ...]:
    """Read columns of NumPy types directly, which is faster than through narwhals."""
    dtypes = X.dtypes.tolist()
    plain = [isinstance(dtype, np.dtype) and dtype.kind in "biuf" for dtype in dtypes]
    if all(plain) and len(set(dtypes)) == 1:
        return number_columns(names, X.to_numpy())
    categorical = nw.dependencies.get_pandas().CategoricalDtype
    return _all_read(
        [
            partial(number_column, name, series.to_numpy())
            if is_plain
            else partial(_pandas_categories, name, series)
            if isinstance(dtype, categorical)
            else partial(_column, name, nw.from_native(series, series_only=True))
            for name, is_plain, dtype, (_, series) in zip(
                names, plain, dtypes, X.items(), strict=True
            )
        ]
    )


def _pandas_categories(name: str, series: Any) -> Column:
    """Read the codes of a categorical column; only categories that occur are checked."""
    array = series.array  # pandas creates a new array at each access
    codes, categories = array.codes, array.categories.tolist()
    missing = drop_mask(codes < 0)
    present = codes if missing is None else codes[~missing]
    occurs = np.bincount(present, minlength=len(categories)) > 0
    try:
        declared = categories if array.ordered else None
        found = nominal_column(name, list(compress(categories, occurs)), None, declared)
    except TypeError:  # the categories cannot be sorted
        found = None
    if found is None or not occurs.any():
        return _column(name, nw.from_native(series, series_only=True))
    place = found.values[np.where(occurs, np.cumsum(occurs) - 1, 0)]
    return replace(found, values=place[codes], missing=missing)


def _column(name: str, series: nw.Series[Any]) -> Column:
    dtype = series.dtype
    n_missing = series.null_count()
    if dtype.is_float():
        return number_column(name, series.to_numpy())
    if type(dtype) in BOOLEANS_AND_INTEGERS:
        return _holed(name, series) if n_missing else number_column(name, series.to_numpy())
    if dtype.is_integer():  # wider than any NumPy type
        return object_column(name, _objects(series))
    if dtype.is_numeric():  # decimals
        return number_column(name, series.cast(nw.Float64).to_numpy())
    if n_missing == len(series):  # an empty column may have no type
        return nominal_column(name, [None] * len(series), np.ones(len(series), dtype=bool))
    if dtype in (nw.Categorical, nw.Enum):
        return _categories(name, series)
    if dtype in (nw.String, nw.Object, nw.Time):  # libraries differ in the unit of a time of day
        return object_column(name, _objects(series))
    if dtype.is_temporal():
        return number_column(name, _times(series))
    values = series.to_numpy() if dtype == nw.Unknown else np.empty(0, dtype=object)
    if values.dtype.kind in "biuf":  # pandas' sparse columns
        return number_column(name, values)
    native = series.to_native()
    if dtype == nw.Unknown:
        dtype = getattr(native, "dtype", getattr(native, "type", dtype))
    raise InputError(unusable(name, str(dtype)), columns=[name])


def _times(series: nw.Series[Any]) -> Any:
    """Return dates and times (in UTC) or durations in NumPy's types, in their own unit."""
    dtype = series.dtype
    if dtype == nw.Date:  # pandas would return objects
        series = series.cast(nw.Datetime("us"))
    elif isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return series.to_numpy()


def _holed(name: str, series: nw.Series[Any]) -> Column:
    """Read booleans or integers with missing values."""
    values = series.to_numpy()
    if values.dtype.kind == "f":
        # Faster than filling the gaps first, and exact for integers that floats represent.
        missing = np.isnan(values)
        values = np.where(missing, 0, values)
        if np.abs(values).max() < EXACT_FLOATS:
            return number_column(name, values.astype(np.int64), missing)
    missing = series.is_null().to_numpy().astype(bool, copy=False)
    values = series.fill_null(False if series.dtype == nw.Boolean else 0).to_numpy()
    if values.dtype == object:  # from the nullable types of pandas
        values = values.astype(bool if series.dtype == nw.Boolean else np.int64)
    return number_column(name, values, missing)


def _categories(name: str, series: nw.Series[Any]) -> Column:
    """Read categories as nominal values, even if they are numbers."""
    values = _objects(series)
    missing = drop_mask(series.is_null().to_numpy().astype(bool, copy=False))
    present = values if missing is None else values[~missing]
    # In pyarrow, the array type says so; elsewhere narwhals reports an Enum.
    ordered = getattr(getattr(series.to_native(), "type", None), "ordered", False)
    ordered = ordered or series.dtype == nw.Enum
    declared = series.cat.get_categories().to_list() if ordered else None
    try:
        return nominal_column(name, values.tolist(), missing, declared)
    except TypeError:  # the categories cannot be sorted
        object_column(name, present)
        raise


def _objects(series: nw.Series[Any]) -> Any:
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    return values
