"""Code new rows with the coding of the training rows, and codes as columns of 0 and 1.

Numbers are coded by the cut points, or by the transformer, of the training rows. A category that
these lack is *unknown*, and so is a missing value in a column where they have none: its code is
`n_values`, which no training row has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding.cuts import bins
from deacs.coding.data import CodedData, FeatureCoding
from deacs.exceptions import InputError
from deacs.tables import Column, read_columns
from deacs.tables.columns import are_long_integers

__all__ = ["code_column", "code_new_rows", "one_hot"]


def code_new_rows(
    data: CodedData, X: Any, features: Sequence[int], *, are_chosen: bool = False
) -> NDArray[np.int64]:
    """Code some columns of new rows as `data` codes them.

    Parameters
    ----------
    data : CodedData
        The coded training rows.
    X : array or frame of shape (n_rows, n_features)
        New rows, with the columns that `data` was made from.
    features : sequence of int
        Which columns to code.
    are_chosen : bool, default=False
        Whether X has just these columns, in this order.

    Returns
    -------
    ndarray of shape (n_rows, len(features))
        Codes; `data.features[j].n_values` is unknown.

    Examples
    --------
    >>> import polars as pl
    >>> from deacs import encode
    >>> from deacs.coding.new_rows import code_new_rows
    >>> data = encode(pl.DataFrame({"colour": ["blue", "red", "red"]}), y=[0, 1, 1])
    >>> code_new_rows(data, pl.DataFrame({"colour": ["red", "green", None]}), [0]).tolist()
    [[1], [2], [2]]
    """
    columns: Sequence[Column] = read_columns(X).columns
    if are_chosen:
        chosen = zip(columns, features, strict=True)
        return np.column_stack([code_column(column, data.features[j]) for column, j in chosen])
    if data.transformed is not None:
        columns = data.transformed.of(columns)
    return np.column_stack([code_column(columns[j], data.features[j]) for j in features])


def code_column(column: Column, coding: FeatureCoding) -> NDArray[np.int64]:
    """Return the codes of a column; `coding.n_values` is unknown."""
    if coding.kind == "continuous":
        if column.categories is not None and len(column.categories):
            raise InputError(
                f"column {column.name!r} must hold numbers, as in the table that was coded, got "
                f"text such as {column.categories[0]!r}"
            )
        codes = bins(column.values, coding.values).astype(np.int64)
    elif column.categories is not None:
        # A column of nothing has no categories, and only missing rows.
        codes = np.append(_look_up(column.categories, coding), coding.n_values)[column.values]
    elif coding.values.dtype == object:
        values = column.values
        if column.kind == "integer" and are_long_integers(coding.values.tolist()):
            values = values.astype(str)  # as it would be beside longer ones
        codes = _look_up(values, coding)
    else:
        codes = _place(column.values, coding)
    if column.missing is not None:
        codes[column.missing] = coding.n_values - coding.has_missing
    return codes


def _look_up(values: NDArray[Any], coding: FeatureCoding) -> NDArray[np.int64]:
    place = {value: code for code, value in enumerate(coding.values.tolist())}
    found = [place.get(value, coding.n_values) for value in values.tolist()]
    return np.array(found, dtype=np.int64)


def _place(values: NDArray[Any], coding: FeatureCoding) -> NDArray[np.int64]:
    """Return the position of each number among the known ones, which ascend."""
    known = coding.values
    if len(known) == 0:
        return np.full(len(values), coding.n_values, dtype=np.int64)
    codes = np.minimum(np.searchsorted(known, values), len(known) - 1).astype(np.int64)
    codes[known[codes] != values] = coding.n_values
    return codes


def one_hot(codes: NDArray[np.int64], n_values: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a column of 0 and 1 for each value of each feature; unknown values are 0 in all.

    Parameters
    ----------
    codes : ndarray of shape (n_rows, n_features)
        Codes from 0; those from `n_values` on are unknown.
    n_values : ndarray of int of shape (n_features,)
        The number of values, hence columns, of each feature.

    Examples
    --------
    >>> one_hot(np.array([[0, 1], [2, 0]]), np.array([2, 2])).astype(int).tolist()
    [[1, 0, 0, 1], [0, 0, 1, 0]]
    """
    starts = np.concatenate([[0], np.cumsum(n_values)])
    columns = np.zeros((len(codes), starts[-1]))
    rows, features = np.nonzero(codes < n_values)
    columns[rows, starts[features] + codes[rows, features]] = 1.0
    return columns
