"""Read sparse matrices as typed columns, each dense only while it is used.

The matrix is converted to CSC once; each access to a column's values then makes a dense copy.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError
from deacs.tables.columns import Column, Kind, Table
from deacs.tables.objects import unusable

__all__ = ["SparseColumn", "checked_sparse", "from_sparse", "is_sparse"]

KINDS: dict[str, Kind] = {"b": "boolean", "i": "integer", "u": "integer", "f": "float"}


def is_sparse(X: Any) -> bool:
    """Return whether `X` is a SciPy sparse matrix or array."""
    return hasattr(X, "tocsc") and hasattr(X, "nnz")


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """The stored entries of all columns, in CSC format."""

    n_rows: int
    indptr: NDArray[np.integer[Any]]
    indices: NDArray[np.integer[Any]]
    data: NDArray[Any]

    def of(self, column: int) -> slice:
        """Return the slice of a column's entries."""
        return slice(self.indptr[column], self.indptr[column + 1])


class SparseColumn(Column):
    """A column of a sparse matrix; NaN is missing.

    `values` and `missing` are created at each access, so that a table holds only stored entries.
    """

    __slots__ = ("_column", "_entries", "_has_missing")
    _entries: _Entries
    _column: int
    _has_missing: bool

    def __init__(
        self, name: str, kind: Kind, entries: _Entries, column: int, has_missing: bool
    ) -> None:
        fix = object.__setattr__  # the base class is frozen
        fix(self, "name", name)
        fix(self, "kind", kind)
        fix(self, "categories", None)
        fix(self, "ordered", False)
        fix(self, "_entries", entries)
        fix(self, "_column", column)
        fix(self, "_has_missing", has_missing)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._entries.n_rows

    @property
    def values(self) -> NDArray[Any]:
        """The values of all rows."""
        here = self._entries.of(self._column)
        values = np.zeros(self._entries.n_rows, dtype=self._entries.data.dtype)
        values[self._entries.indices[here]] = self._entries.data[here]
        return values

    @property
    def missing(self) -> NDArray[np.bool_] | None:
        """Mask of missing values; None if there are none."""
        return np.isnan(self.values) if self._has_missing else None


def from_sparse(X: Any) -> Table:
    """Read a sparse matrix of booleans, integers or floats."""
    if len(X.shape) != 2 or 0 in X.shape:
        raise InputError(
            f"X must have two dimensions, at least one row and one column, got shape {X.shape}"
        )
    if X.dtype.kind not in "biuf":
        raise InputError(unusable("x0", str(X.dtype)))
    matrix = checked_sparse(X).tocsc()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # duplicates are summed in place, and X may be the caller's
        matrix.sum_duplicates()
    kind, data = KINDS[matrix.dtype.kind], _narrow(matrix.data)
    entries = _Entries(matrix.shape[0], matrix.indptr, matrix.indices, data)
    holed: set[int] = set()
    if kind == "float":
        places = np.flatnonzero(np.isnan(data))
        holed = set((np.searchsorted(matrix.indptr, places, side="right") - 1).tolist())
    columns = tuple(
        SparseColumn(f"x{j}", kind, entries, j, j in holed) for j in range(matrix.shape[1])
    )
    return Table(columns, matrix.shape[0])


def checked_sparse(X: Any, name: str = "X") -> Any:
    """Return a sparse matrix whose indices lie inside its shape; SciPy does not look."""
    try:
        if hasattr(X, "check_format"):  # CSC, CSR and BSR
            X.check_format(full_check=True)
            return X
        entries = X.tocoo()
        for places, n in zip((entries.row, entries.col), X.shape, strict=True):
            if len(places) and not 0 <= places.min() <= places.max() < n:
                raise ValueError(f"indices must lie between 0 and {n - 1}")
    except (ValueError, IndexError) as error:
        raise InputError(
            f"{name} must be a sparse matrix with indices inside its shape {X.shape}, got a "
            f"damaged one ({error}); build it again"
        ) from None
    return entries


def _narrow(data: NDArray[Any]) -> NDArray[Any]:
    """Convert integers to the narrowest type that holds them; dense columns are then smaller."""
    if data.dtype.kind in "iu" and len(data):
        low, high = min(int(data.min()), 0), max(int(data.max()), 0)
        for width in (np.int8, np.int16, np.int32, np.int64):
            if np.iinfo(width).min <= low and high <= np.iinfo(width).max:
                return data.astype(width, copy=False)
        return data.astype(object)
    if data.dtype.kind == "f" and data.dtype.itemsize not in (4, 8):
        return data.astype(np.float32 if data.dtype.itemsize == 2 else np.float64)
    return data
