"""The rows of columns used to find cut points, in ascending order of value."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.cut_columns import Ordered
from deacs.kernels.sorting import pack_rows, unpack_rows
from deacs.tables import Column
from deacs.tables.weights import Weights

__all__ = ["SortedColumns", "present", "sort_columns"]

FEW_ROWS = 2048
"""Fewer rows are sorted by NumPy until the kernels are at hand, so that a first call on a small
table compiles less."""


class SortedColumns(NamedTuple):
    """Columns by ascending value; rows that are not `present` come last."""

    order: Ordered
    values: NDArray[np.float64]
    """The values in this order, arbitrary where there is none, (n_columns, n_rows)."""

    @property
    def is_whole(self) -> bool:
        """Whether all columns have all rows."""
        return bool((self.order.n_present == self.values.shape[1]).all())


def present(
    column: Column, weights: Weights | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Return the values that are neither missing nor of weight zero, and their rows (None: all).

    Values are floats, relative to `Column.offset`.
    """
    values, absent = column.floats(), _absent(column, weights)
    if absent is None:
        return values, None
    rows = np.flatnonzero(~absent)
    return values[rows], rows


def _absent(column: Column, weights: Weights | None) -> NDArray[np.bool_] | None:
    """Return which values are missing or of weight zero; None if none is."""
    if weights is None or weights.counts.all():
        return column.missing
    is_zero: NDArray[np.bool_] = weights.counts == 0
    return is_zero if column.missing is None else column.missing | is_zero


def sort_columns(columns: Sequence[Column], weights: Weights | None = None) -> SortedColumns:
    """Sort columns of equal length; the order of equal values is arbitrary."""
    shape = len(columns), columns[0].n_rows
    unsorted, n_present = np.empty(shape), np.full(len(columns), shape[1])
    for k, column in enumerate(columns):
        unsorted[k] = column.floats()
        absent = _absent(column, weights)
        if absent is not None:
            unsorted[k, absent] = np.nan  # sorted last
            n_present[k] -= np.count_nonzero(absent)
    if shape[1] < FEW_ROWS and not unpack_rows.is_ready:
        places = np.argsort(unsorted, axis=1)
        rows, values = places.astype(np.int32), np.take_along_axis(unsorted, places, axis=1)
    else:
        rows, values = _by_words(unsorted)
    ranks = np.zeros(shape, dtype=np.int32)
    np.cumsum(values[:, 1:] > values[:, :-1], axis=1, dtype=np.int32, out=ranks[:, 1:])
    return SortedColumns(Ordered(rows, ranks, n_present), values)


def _by_words(unsorted: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the rows of each column by ascending value, and these values."""
    words, rows = (
        np.empty(unsorted.shape, dtype=np.uint64),
        np.empty(unsorted.shape, dtype=np.int32),
    )
    values, is_sorted = np.empty_like(unsorted), np.empty(len(unsorted), dtype=np.bool_)
    row_bits = pack_rows(unsorted.view(np.int64), words)
    words.sort(axis=1)
    unpack_rows(words, row_bits, unsorted, rows, values, is_sorted)
    for k in np.flatnonzero(~is_sorted).tolist():
        rows[k] = np.argsort(unsorted[k])
        values[k] = unsorted[k, rows[k]]
    return rows, values
