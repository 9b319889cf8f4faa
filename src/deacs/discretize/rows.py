"""The rows of columns used to find cut points, in ascending order of value."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import cuts
from deacs.tables import Column
from deacs.tables.weights import Weights

__all__ = ["Ordered", "SortedColumns", "present", "sort_columns"]


class Ordered(NamedTuple):
    """The order of the values of some columns, which is all that the search for cuts needs."""

    rows: NDArray[np.int32]
    """The rows of each column by ascending value, missing ones last, (n_columns, n_rows)."""
    ranks: NDArray[np.int32]
    """Which of the distinct values these rows have, (n_columns, n_rows)."""
    n_present: NDArray[np.int64]
    """How many rows of each column have a value."""


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
    words, values = np.empty(shape, dtype=np.uint64), np.empty(shape)
    rows, ranks = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.int32)
    is_sorted = np.empty(len(columns), dtype=np.bool_)
    row_bits = cuts.pack_rows(unsorted.view(np.int64), words)
    words.sort(axis=1)
    cuts.unpack_rows(words, row_bits, unsorted, rows, values, ranks, is_sorted)
    for k in np.flatnonzero(~is_sorted).tolist():
        rows[k] = np.argsort(unsorted[k])
        values[k] = unsorted[k, rows[k]]
        ranks[k] = np.append(0, np.cumsum(values[k, 1:] > values[k, :-1]))
    return SortedColumns(Ordered(rows, ranks, n_present), values)
