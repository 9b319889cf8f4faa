"""`encode`: any table and its classes to `CodedData`."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding.data import CodedData, FeatureCoding, feature_major, narrowest
from deacs.coding.kinds import MAX_DISCRETE_INTEGERS, discrete_mask
from deacs.discretize.cuts import bins, mdlp_cut_points
from deacs.exceptions import IdentifierWarning
from deacs.kernels.spans import close_gaps
from deacs.tables import Column, Labels, is_frame, read_columns, read_labels

__all__ = ["code_values", "encode"]

Coded = tuple[NDArray[np.unsignedinteger[Any]], FeatureCoding]


def encode(
    X: Any, y: Any, *, discrete_features: Any = "auto", n_jobs: int | None = None
) -> CodedData:
    """Code a table once, for any number of fits.

    Parameters
    ----------
    X : array or frame of shape (n_rows, n_features)
        NumPy, pandas, polars, pyarrow. Strings, categories, booleans, numbers; missing values.
    y : array-like of shape (n_rows,)
        The classes; none may be missing.
    discrete_features : "auto", bool, mask, names or indices, default="auto"
        Which columns are discrete. `"auto"`: floats are continuous; booleans, strings and
        categories discrete; integers discrete up to 32 distinct values.
    n_jobs : int or None, default=None
        Threads; the answer does not depend on it.

    Returns
    -------
    CodedData
        Discrete columns by value, continuous ones cut by `MDLP`; missing is a value of its own.

    Warns
    -----
    IdentifierWarning
        If a discrete column has as many values as rows.

    Examples
    --------
    >>> import polars as pl
    >>> from deacs import encode
    >>> X = pl.DataFrame({"colour": ["red", "blue", None, "red"], "size": [1, 3, 3, 2]})
    >>> data = encode(X, y=["a", "b", "b", "a"])
    >>> data.column(0).tolist(), data.column(1).tolist()
    ([1, 0, 2, 1], [0, 2, 2, 1])
    """
    short = _short_integers(X, discrete_features)
    if short is not None:
        return _coded_data([f"x{j}" for j in range(len(short))], short, read_labels(y, len(X)))
    table = read_columns(X)
    labels = read_labels(y, table.n_rows)
    discrete = discrete_mask(table, discrete_features)
    continuous = tuple(
        c for c, is_discrete in zip(table.columns, discrete, strict=True) if not is_discrete
    )
    cut_points = iter(mdlp_cut_points(continuous, labels, n_jobs=n_jobs))
    coded = [
        _by_value(column) if is_discrete else _by_interval(column, next(cut_points))
        for column, is_discrete in zip(table.columns, discrete, strict=True)
    ]
    return _coded_data(table.names, coded, labels, is_named=is_frame(X))


def _coded_data(
    names: list[str], coded: list[Coded], labels: Labels, is_named: bool = False
) -> CodedData:
    columns, features = [codes for codes, _ in coded], [feature for _, feature in coded]
    _warn_of_identifiers(names, features, len(labels.codes))
    return CodedData.from_columns(columns, features, labels, names, is_named=is_named)


def _short_integers(X: Any, discrete_features: Any) -> list[Coded] | None:
    """Code a matrix of integers whose columns all have a short range, or say that it is not one.

    What the general way does column by column, for the whole matrix at once: a table of codes,
    counts or flags with thousands of columns takes as long as two copies of it.
    """
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "iub" or X.size == 0:
        return None
    if discrete_features is True:
        longest = 256
    elif isinstance(discrete_features, str) and discrete_features == "auto":
        longest = MAX_DISCRETE_INTEGERS
    else:
        return None
    matrix = X.view(np.uint8) if X.dtype == bool else X
    lowest, highest = matrix.min(axis=0), matrix.max(axis=0)
    if not (highest.astype(np.float64) - lowest.astype(np.float64) < longest).all():
        return None
    codes = feature_major(matrix, np.uint8, lowest if lowest.any() else None)
    spans = (highest - lowest).astype(np.int64) + 1
    occurs = np.zeros((len(spans), longest), dtype=np.bool_)
    close_gaps(codes, spans, occurs)
    n_values = occurs.sum(axis=1).tolist()
    return [
        (column, FeatureCoding("discrete", np.flatnonzero(seen) + low, n))
        for column, seen, low, n in zip(codes, occurs, lowest.tolist(), n_values, strict=True)
    ]


def code_values(X: Any) -> list[Coded]:
    """Code every column by value, whatever its kind: each distinct value, and missing, a code."""
    return [_by_value(column) for column in read_columns(X).columns]


def _by_value(column: Column) -> Coded:
    present = column.values if column.missing is None else column.values[~column.missing]
    if column.kind == "nominal":
        values, codes = column.categories, present
    elif column.kind == "float":
        values, codes = np.unique(present, return_inverse=True)
    else:
        values, codes = _distinct_integers(present)
    return _with_missing(codes, len(values), column, FeatureCoding("discrete", values, 0))  # type: ignore[arg-type]


def _by_interval(column: Column, cut_points: NDArray[np.float64]) -> Coded:
    present = column.values if column.missing is None else column.values[~column.missing]
    codes = bins(present, cut_points)
    return _with_missing(
        codes, len(cut_points) + 1, column, FeatureCoding("continuous", cut_points, 0)
    )


def _with_missing(
    present: NDArray[Any], n_present: int, column: Column, coding: FeatureCoding
) -> Coded:
    """Give missing values the last code."""
    has_missing = column.missing is not None
    n_values = n_present + has_missing
    width = narrowest(n_values)
    if column.missing is None:
        codes = present.astype(width)
    else:
        codes = np.full(len(column.values), n_values - 1, dtype=width)
        codes[~column.missing] = present
    return codes, FeatureCoding(coding.kind, coding.values, n_values, has_missing)


def _distinct_integers(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct values and each value's place among them.

    A short range is looked up instead of sorted: ten times faster, and most columns have one.
    """
    if values.dtype == bool:
        values = values.view(np.uint8)
    if len(values) == 0:
        return values, values
    low, high = int(values.min()), int(values.max())
    if high - low >= max(256, len(values)):
        return np.unique(values, return_inverse=True)
    offsets = values.astype(np.int64) - low
    occurs = np.zeros(high - low + 1, dtype=bool)
    occurs[offsets] = True
    distinct = np.flatnonzero(occurs)
    return distinct + low, (np.cumsum(occurs) - 1)[offsets]


def _warn_of_identifiers(names: list[str], features: list[FeatureCoding], n_rows: int) -> None:
    suspects = [
        name
        for name, feature in zip(names, features, strict=True)
        if feature.kind == "discrete" and feature.n_values == n_rows > 2
    ]
    if suspects:
        shown = ", ".join(repr(name) for name in suspects[:8])
        more = f" and {len(suspects) - 8} more" if len(suspects) > 8 else ""
        warnings.warn(
            f"{shown}{more}: as many values as rows ({n_rows}), like an identifier, so it "
            "separates the classes of these rows perfectly and tells nothing about new ones; "
            "drop it before selecting",
            IdentifierWarning,
            stacklevel=4,
        )
