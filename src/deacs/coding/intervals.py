"""Codes of sorted columns: the numbers of the intervals between their cuts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import cuts
from deacs.coding.blocks import narrowest
from deacs.discretize.cuts import CutColumns
from deacs.discretize.rows import Ordered
from deacs.tables import Column

__all__ = ["codes_of_cut", "number_columns"]

Codes = NDArray[np.unsignedinteger[Any]]


def number_columns(
    order: Ordered, columns: NDArray[np.int64], is_last: NDArray[np.bool_]
) -> tuple[Codes, NDArray[np.int64]]:
    """Number the intervals of k sorted columns, given the last row of each interval.

    Return codes of shape (k, n_rows) and the number of codes of each column. A missing value has
    the last code.
    """
    has_missing = order.n_present[columns] < is_last.shape[1]
    n_values = np.count_nonzero(is_last, axis=1) + 1 + has_missing
    codes = np.empty(is_last.shape, dtype=narrowest(int(n_values.max(initial=1))))
    cuts.number_intervals(order, columns, is_last, n_values, codes)
    return codes, n_values


def codes_of_cut(cut: CutColumns, columns: Sequence[Column]) -> list[Codes | None]:
    """Return the codes of columns that were cut, each as narrow as it can be.

    Integers that floats cannot represent have none: their cut points are compared exactly.
    """
    codes, n_values = number_columns(cut.sorted.order, np.arange(len(columns)), cut.is_last)
    found = zip(columns, codes, n_values.tolist(), strict=True)
    return [None if c.offset else own.astype(narrowest(n), copy=False) for c, own, n in found]
