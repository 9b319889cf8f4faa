"""The rows of a column used to find cut points, in ascending order of value."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.sorting import pack_rows, unpack_rows
from deacs.tables import Column
from deacs.tables.weights import Weights

__all__ = ["ascending", "present"]

Ascending = tuple[NDArray[np.signedinteger[Any]], NDArray[np.float64], NDArray[np.int64] | None]

FEW_ROWS = 2048
"""Fewer rows are sorted by NumPy, so that a first call on a small table compiles less."""


def present(
    column: Column, weights: Weights | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Return the values that are neither missing nor of weight zero, and their rows (None: all).

    Values are floats, relative to `Column.offset`.
    """
    values = column.floats()
    missing = column.missing
    if missing is None and (weights is None or weights.counts.all()):
        return values, None
    if weights is not None:
        missing = weights.counts == 0 if missing is None else missing | (weights.counts == 0)
    rows = np.flatnonzero(~missing)  # type: ignore[operator]
    return values[rows], rows


def ascending(column: Column, weights: Weights | None = None) -> Ascending:
    """Return the rows of `present` by ascending value, these values, and the rows' weights.

    The order of equal values is arbitrary: no cut lies between them.
    """
    values, there = present(column, weights)
    n = len(values)
    if n < FEW_ROWS:
        order = np.argsort(values)
        return _taken(order, values[order], there, weights)
    words = np.empty(n, dtype=np.uint64)
    order, ordered = np.empty(n, dtype=np.int32), np.empty(n)
    row_bits = pack_rows(values, words)
    words.sort()
    if not unpack_rows(words, row_bits, values, order, ordered):
        order = np.argsort(values)
        ordered = values[order]
    return _taken(order, ordered, there, weights)


def _taken(
    order: NDArray[Any],
    ordered: NDArray[np.float64],
    there: NDArray[np.intp] | None,
    weights: Weights | None,
) -> Ascending:
    rows = order if there is None else there[order]
    return rows, ordered, None if weights is None else weights.counts[rows]
