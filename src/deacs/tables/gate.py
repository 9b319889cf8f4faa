"""The one gate: arrays, sparse matrices and data frames of any library become typed columns."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError
from deacs.tables.columns import (
    EXACT_FLOATS,
    Column,
    Kind,
    Table,
    drop_mask,
    first_seen,
    nominal_column,
    number_column,
    object_column,
    unusable,
)
from deacs.tables.names import listed, refuse_repeated

__all__ = [
    "SparseColumn",
    "column_names",
    "in_memory",
    "is_frame",
    "is_sparse",
    "read_columns",
]

KINDS: dict[str, Kind] = {"b": "boolean", "i": "integer", "u": "integer", "f": "float"}


def read_columns(X: Any, name: str = "X") -> Table:
    """Read a table as typed columns.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_rows, n_columns)
        NumPy arrays (masked entries are missing) or nested lists; SciPy sparse matrices; frames
        of pandas, polars, pyarrow or any other library that narwhals supports. Lazy frames are
        collected.
    name : str, default="X"
        What messages call it.

    Returns
    -------
    Table
        Numeric columns share memory with X if possible.

    Raises
    ------
    InputError
        If there are no rows or no columns, names repeat, or a column's type cannot be used.
    TypeError
        If a column mixes types; the message names the first value that does not fit.
    """
    if is_sparse(X):
        return _from_sparse(X, name)
    X = in_memory(X)
    return _from_frame(X, name) if is_frame(X) else _from_array(X, name)


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


def _from_array(X: Any, name: str) -> Table:
    """Read a two-dimensional array; masked entries are missing."""
    from sklearn.utils import check_array  # not needed for frames

    if fields := getattr(getattr(X, "dtype", None), "names", None):
        raise InputError(
            f"{name} must be a matrix or a frame, got a structured array with the fields "
            f"{listed(fields)}; make it a frame, e.g. pandas.DataFrame(X)"
        )
    mask = np.ma.getmaskarray(X) if isinstance(X, np.ma.MaskedArray) else None
    matrix = check_array(X, dtype=None, ensure_all_finite=False, input_name=name)
    if isinstance(X, (list, tuple)) and (
        matrix.dtype.kind in "US"
        or (matrix.dtype.kind == "f" and (np.abs(matrix) >= EXACT_FLOATS).any())
    ):
        # NumPy made text of numbers, or equal floats of integers.
        matrix = np.array(X, dtype=object)
    names = [f"x{j}" for j in range(matrix.shape[1])]
    if matrix.dtype.kind in "biufmM":
        return Table(_number_columns(names, matrix, mask), len(matrix))
    if matrix.dtype.kind not in "UTO":
        kind = f"bytes ({matrix.dtype})" if matrix.dtype.kind == "S" else str(matrix.dtype)
        raise InputError(unusable("x0", kind))
    matrix = matrix.astype(object)
    if mask is not None:
        matrix[mask] = None
    columns = tuple(object_column(name, matrix[:, j]) for j, name in enumerate(names))
    return Table(columns, len(matrix))


def _number_columns(
    names: Sequence[str], matrix: NDArray[Any], mask: NDArray[np.bool_] | None = None
) -> tuple[Column, ...]:
    """Make columns of a numeric matrix; one pass finds those of plain floats with NaN."""
    is_plain = matrix.dtype in (np.float32, np.float64) and matrix.dtype.isnative and mask is None
    if not is_plain:
        masks = [None if mask is None else drop_mask(mask[:, j]) for j in range(len(names))]
        return tuple(number_column(name, matrix[:, j], masks[j]) for j, name in enumerate(names))
    # A column with NaN has a NaN sum, and one pass computes all sums.
    with np.errstate(invalid="ignore", over="ignore"):
        suspect = np.isnan(matrix.sum(axis=0)).tolist()
    return tuple(
        number_column(name, matrix[:, j]) if suspect[j] else Column(name, "float", matrix[:, j])
        for j, name in enumerate(names)
    )


def column_names(X: Any) -> list[str]:
    """Return the names of an eager frame's columns as text; repeated ones are refused."""
    # In pyarrow, `columns` are the arrays; in pandas, `column_names` may be a column.
    columns = X.column_names if nw.dependencies.is_pyarrow_table(X) else X.columns
    names = [str(name) for name in columns]
    refuse_repeated(names, "X")
    return names


def _from_frame(X: Any, name: str) -> Table:
    """Read an eager frame; numeric columns are not copied if their library allows it."""
    names = column_names(X)
    frame = nw.from_native(X, eager_only=True)
    n_rows, n_columns = frame.shape
    if n_columns == 0 or n_rows == 0:
        needed = "row" if n_columns else "column"
        raise InputError(
            f"{name} must have at least one {needed}, got a frame of shape {frame.shape}"
        )
    each: Any = frame.iter_columns()
    if nw.dependencies.is_pandas_dataframe(X):
        each = (series for _, series in X.items())
        dtypes = set(X.dtypes.tolist())
        only = dtypes.pop() if len(dtypes) == 1 else None
        if isinstance(only, np.dtype) and only.kind in "biuf":
            return Table(_number_columns(names, X.to_numpy()), n_rows)
    columns: list[Column] = []
    errors: list[InputError] = []
    for name, series in zip(names, each, strict=True):
        try:
            columns.append(_column(name, series))
        except InputError as error:
            errors.append(error)
    if len(errors) > 1:
        others = [name for error in errors[1:] for name in error.columns]
        raise InputError(
            f"{errors[0]}; {listed(others)} cannot be used either",
            columns=[name for error in errors for name in error.columns],
        )
    if errors:
        raise errors[0]
    return Table(tuple(columns), n_rows)


def _column(name: str, series: Any) -> Column:
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biuf":
        # Of pandas: four times as fast as through narwhals, which tells with thousands of columns.
        return number_column(name, series.to_numpy())
    series = nw.from_native(series, series_only=True)
    dtype = series.dtype
    if dtype.is_float():
        return number_column(name, series.to_numpy())
    if dtype.is_decimal():
        return number_column(name, series.cast(nw.Float64).to_numpy())
    if dtype in (nw.Int128, nw.UInt128):
        return object_column(name, _objects(series))
    if dtype.is_integer() or dtype == nw.Boolean:
        return _whole_numbers(name, series)
    if series.null_count() == len(series):  # an empty column may have no type
        return nominal_column(
            name, [], np.zeros(len(series), dtype=np.int64), np.ones(len(series), dtype=bool)
        )
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


def _whole_numbers(name: str, series: nw.Series[Any]) -> Column:
    """Read booleans or integers, with missing values or without."""
    missing = None
    if series.null_count():
        missing = series.is_null().to_numpy().astype(bool, copy=False)
        series = series.fill_null(False if series.dtype == nw.Boolean else 0)
    values = series.to_numpy()
    if values.dtype == object:  # from the nullable types of pandas
        values = values.astype(bool if series.dtype == nw.Boolean else np.int64)
    return number_column(name, values, missing)


def _times(series: nw.Series[Any]) -> Any:
    """Return dates and times (in UTC) or durations in NumPy's types, in their own unit."""
    dtype = series.dtype
    if dtype == nw.Date:  # pandas would return objects
        series = series.cast(nw.Datetime("us"))
    elif isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return series.to_numpy()


def _categories(name: str, series: nw.Series[Any]) -> Column:
    """Read categories as nominal values, even if they are numbers."""
    native = series.to_native()
    if nw.dependencies.is_pandas_series(native) and hasattr(native.array, "codes"):
        # A million values are read in a tenth of the time by their codes.
        array = native.array
        codes, categories = array.codes, array.categories.tolist()
        ordered, missing = array.ordered, drop_mask(codes < 0)
        codes = np.where(codes < 0, 0, codes)
    else:
        missing = drop_mask(series.is_null().to_numpy().astype(bool, copy=False))
        # In pyarrow, the array type says so; elsewhere narwhals reports an Enum.
        ordered = getattr(getattr(native, "type", None), "ordered", False)
        ordered = ordered or series.dtype == nw.Enum
        declared = series.cat.get_categories().to_list() if ordered else []
        categories, codes = first_seen([*declared, *series.to_list()])
        codes = codes[len(declared) :]
    try:
        return nominal_column(name, categories, codes, missing, bool(ordered))
    except TypeError:  # the categories cannot be sorted
        object_column(name, _objects(series))
        raise


def _objects(series: nw.Series[Any]) -> Any:
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    return values


def is_sparse(X: Any) -> bool:
    """Return whether `X` is a SciPy sparse matrix or array."""
    return hasattr(X, "tocsc") and hasattr(X, "nnz")


class SparseColumn(Column):
    """A column of a sparse matrix; NaN is missing.

    `values` and `missing` are created at each access, so that a table holds only stored entries.
    """

    __slots__ = ("_entries", "_n_rows", "_rows")
    _n_rows: int
    _rows: NDArray[np.integer[Any]]
    _entries: NDArray[Any]

    def __init__(
        self,
        name: str,
        kind: Kind,
        n_rows: int,
        rows: NDArray[np.integer[Any]],
        entries: NDArray[Any],
    ) -> None:
        fix = object.__setattr__  # the base class is frozen
        fix(self, "name", name)
        fix(self, "kind", kind)
        fix(self, "categories", None)
        fix(self, "ordered", False)
        fix(self, "_n_rows", n_rows)
        fix(self, "_rows", rows)
        fix(self, "_entries", entries)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._n_rows

    @property
    def values(self) -> NDArray[Any]:
        """The values of all rows."""
        values = np.zeros(self._n_rows, dtype=self._entries.dtype)
        values[self._rows] = self._entries
        return values

    @property
    def missing(self) -> NDArray[np.bool_] | None:
        """Mask of missing values; None if there are none."""
        if self.kind != "float" or not np.isnan(self._entries).any():
            return None
        return np.asarray(np.isnan(self.values))


def _from_sparse(X: Any, name: str) -> Table:
    """Read a sparse matrix of booleans, integers or floats."""
    if len(X.shape) != 2 or 0 in X.shape:
        raise InputError(
            f"{name} must have two dimensions, at least one row and one column, got shape {X.shape}"
        )
    if X.dtype.kind not in "biuf":
        raise InputError(unusable("x0", str(X.dtype)))
    matrix = _checked_sparse(X, name).tocsc()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # duplicates are summed in place, and X may be the caller's
        matrix.sum_duplicates()
    entries = number_column("entries", matrix.data)
    if entries.kind == "nominal":
        raise InputError(f"{name} must hold integers of at most 63 bits, got larger ones")
    indptr, n_rows = matrix.indptr.tolist(), matrix.shape[0]
    places = [slice(*ends) for ends in pairwise(indptr)]
    columns = tuple(
        SparseColumn(
            f"x{j}", KINDS[matrix.dtype.kind], n_rows, matrix.indices[here], entries.values[here]
        )
        for j, here in enumerate(places)
    )
    return Table(columns, n_rows)


def _checked_sparse(X: Any, name: str) -> Any:
    """Return a sparse matrix whose indices lie inside its shape; SciPy does not look."""
    try:
        if hasattr(X, "check_format"):  # CSC, CSR and BSR
            X.check_format(full_check=True)
            return X
        entries = X.tocoo()
        for places, n in zip((entries.row, entries.col), X.shape, strict=True):
            if len(places) and not 0 <= places.min() <= places.max() < n:
                raise ValueError(f"indices must lie between 0 and {n - 1}")
    except (ValueError, IndexError) as error:
        raise InputError(
            f"{name} must be a sparse matrix with indices inside its shape {X.shape}, got a "
            f"damaged one ({error}); build it again"
        ) from None
    return entries
