"""The order view of columns that are read in parts, which is that of their codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.information import OrderConditioning
from deacs.information.products_of_codes import (
    LABELS,
    ProductsOfCodes,
    ReadColumns,
    add_by_code,
)

__all__ = ["order_of_codes"]

Integers = NDArray[np.int64]


def order_of_codes(data: CodedData, read: ReadColumns, n_jobs: int | None) -> OrderConditioning:
    """Return the order view of a table whose columns are read in parts, with S empty."""

    def sums_by_code(column: Any, stand_for: NDArray[np.int16], features: Integers) -> Integers:
        if isinstance(column, int):
            column = data.labels if column == LABELS else next(read(np.array([column])))[1][0]
        return add_by_code(data, read(features), features, column, stand_for, n_jobs)

    total = data.n_rows if data.weights is None else int(data.weights.sum())
    n_rows = total if data.weights_are_counts else data.n_rows
    return OrderConditioning(ProductsOfCodes(data, sums_by_code, total, n_rows))
