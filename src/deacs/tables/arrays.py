"""Read NumPy arrays, masked arrays and nested lists as typed columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError
from deacs.tables.columns import EXACT_FLOATS, Column, Table, number_column
from deacs.tables.objects import nominal_column, object_column, unusable

__all__ = ["from_array", "number_columns"]


def from_array(X: Any) -> Table:
    """Read a two-dimensional array; masked entries are missing."""
    from sklearn.utils import check_array  # not needed for frames

    fields = getattr(getattr(X, "dtype", None), "names", None)
    if fields:
        raise InputError(
            f"X must be a matrix or a frame, got a structured array with the fields "
            f"{', '.join(map(repr, fields[:8]))}; make it a frame, e.g. pandas.DataFrame(X)"
        )
    mask = np.ma.getmaskarray(X) if isinstance(X, np.ma.MaskedArray) else None
    matrix = check_array(X, dtype=None, ensure_all_finite=False, input_name="X")
    if isinstance(X, (list, tuple)) and _merges_values(matrix):
        matrix = np.array(X, dtype=object)
    names = [f"x{j}" for j in range(matrix.shape[1])]
    if matrix.dtype.kind in "biufmM":
        return Table(number_columns(names, matrix, mask), len(matrix))
    columns = tuple(
        _column(name, matrix[:, j], None if mask is None else mask[:, j])
        for j, name in enumerate(names)
    )
    return Table(columns, len(matrix))


def _merges_values(matrix: NDArray[Any]) -> bool:
    """Whether NumPy may have turned numbers into text, or integers into floats that are equal."""
    if matrix.dtype.kind == "f":
        return bool((np.abs(matrix) >= EXACT_FLOATS).any())
    return matrix.dtype.kind in "US"


def number_columns(
    names: Sequence[str], matrix: NDArray[Any], mask: NDArray[np.bool_] | None = None
) -> tuple[Column, ...]:
    """Make columns of a numeric matrix; one pass finds the columns with NaN."""
    plain = (
        matrix.dtype.isnative and matrix.dtype.itemsize in (1, 4, 8) and matrix.dtype.kind in "biuf"
    )
    if mask is not None or not plain or matrix.dtype == np.uint64:
        return tuple(
            number_column(
                name, matrix[:, j], None if mask is None or not mask[:, j].any() else mask[:, j]
            )
            for j, name in enumerate(names)
        )
    if matrix.dtype.kind == "f":
        # A column with NaN has a NaN sum, and one pass computes all sums.
        with np.errstate(invalid="ignore", over="ignore"):
            suspect = np.isnan(matrix.sum(axis=0)).tolist()
        return tuple(
            number_column(name, matrix[:, j]) if suspect[j] else Column(name, "float", matrix[:, j])
            for j, name in enumerate(names)
        )
    kind: Any = "boolean" if matrix.dtype.kind == "b" else "integer"
    return tuple(Column(name, kind, matrix[:, j]) for j, name in enumerate(names))


def _column(name: str, values: NDArray[Any], mask: NDArray[np.bool_] | None) -> Column:
    if values.dtype.kind == "U":
        return nominal_column(
            name, values.tolist(), mask if mask is not None and mask.any() else None
        )
    if values.dtype.kind in "TO":
        values = values.astype(object)
        if mask is not None:
            values[mask] = None
        return object_column(name, values)
    raise InputError(
        unusable(name, f"bytes ({values.dtype})" if values.dtype.kind == "S" else str(values.dtype))
    )
