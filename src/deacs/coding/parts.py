"""Subsets of the rows or columns of any table, as the same kind of table."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deacs.coding.data import CodedData
from deacs.tables import is_frame

__all__ = ["take_columns", "take_rows"]

Rows = NDArray[np.int64]


def take_rows(X: Any, rows: Rows) -> Any:
    """Return some rows of a table of any kind, as the same kind; coded data loses its weights."""
    if isinstance(X, CodedData):
        return X.take(rows)
    if is_frame(X):
        return nw.from_native(X, eager_only=True)[rows.tolist()].to_native()
    if sparse.issparse(X):
        return X.tocsr()[rows]
    return [X[row] for row in rows] if isinstance(X, list | tuple) else np.asanyarray(X)[rows]


def take_columns(X: Any, columns: Rows) -> Any:
    """Return some columns of a table in memory; of coded data, their codes."""
    if isinstance(X, CodedData):
        return np.column_stack([X.column(int(j)) for j in columns]).astype(np.int64)
    if is_frame(X):
        return nw.from_native(X, eager_only=True)[:, columns.tolist()].to_native()
    if sparse.issparse(X):
        return X.tocsc()[:, columns]
    if isinstance(X, list | tuple):
        return [[row[j] for j in columns] for row in X]
    return np.asanyarray(X)[:, columns]
