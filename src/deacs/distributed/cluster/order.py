"""The order view of a table on workers, from sums by code, which add over parts of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.distributed.cluster.parts import CodedPart
from deacs.distributed.cluster.protocol import THREADS
from deacs.distributed.cluster.source import Source
from deacs.information import OrderConditioning
from deacs.information.products_of_codes import ProductsOfCodes, SumsByCode, add_by_code

__all__ = ["code_sums_of", "order_of"]

Integers = NDArray[np.int64]


def order_of(source: Source, sums_by_code: SumsByCode) -> OrderConditioning:
    """Return the order view of a table with S empty.

    It is that of the values if the client has them, else that of the codes.
    """
    if source.ordered is not None:
        return OrderConditioning(source.ordered)
    n_rows = source.total if source.weights_are_counts else source.table.n_rows
    products = ProductsOfCodes(source.table, sums_by_code, source.total, n_rows)
    return OrderConditioning(products)


def code_sums_of(
    part: CodedPart, codes: NDArray[Any], stand_for: NDArray[np.int16], features: Integers
) -> Integers:
    """Sum what the codes of one column stand for by the codes of each of some features."""
    columns = [part.column(j) for j in features.tolist()]
    read = iter([(np.arange(len(columns)), columns)])
    return add_by_code(part, read, features, codes, stand_for, THREADS.get())
