"""Codes of sorted columns: the numbers of the intervals between their cuts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding.blocks import CODE_WIDTHS, narrowest
from deacs.discretize.cuts import CutColumns
from deacs.kernels.cut_columns import Ordered, number_intervals
from deacs.tables import Column

__all__ = ["MOST_IN_BYTES", "codes_of_cut", "number_columns"]

Codes = NDArray[np.unsignedinteger[Any]]

MOST_IN_BYTES = 1 << 8
"""The most codes of a column that its search for cuts can write, in bytes."""


def number_columns(
    order: Ordered, columns: NDArray[np.int64], is_last: NDArray[np.bool_]
) -> tuple[Codes, NDArray[np.int64]]:
    """Number the intervals of k sorted columns, given the last row of each interval.

    Return codes of shape (k, n_rows) and the number of codes of each column. A missing value has
    the last code.
    """
    n_values = np.zeros(len(columns), dtype=np.int64)
    for width in CODE_WIDTHS:
        codes = np.empty(is_last.shape, dtype=width)
        number_intervals(order, columns, is_last, codes, n_values)
        if n_values.max(initial=0) <= np.iinfo(width).max + 1:
            break
    return codes, n_values


def codes_of_cut(cut: CutColumns, columns: Sequence[Column]) -> list[Codes | None]:
    """Return the codes of columns that were cut, each as narrow as it can be.

    Integers that floats cannot represent have none: their cut points are compared exactly.
    """
    codes: list[Codes] = list(cut.codes)
    by_frequency = cut.is_uncut & cut.is_last.any(axis=1)
    again = np.flatnonzero(by_frequency | (cut.n_values > MOST_IN_BYTES))
    if len(again):
        wide, n_values = number_columns(cut.sorted.order, again, cut.is_last[again])
        for k, column, n in zip(again.tolist(), wide, n_values.tolist(), strict=True):
            codes[k] = column.astype(narrowest(n), copy=False)
    return [None if c.offset else found for c, found in zip(columns, codes, strict=True)]
