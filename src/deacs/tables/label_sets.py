"""Multilabel targets: a matrix of 0 and 1, or sets, to runs of rows with equal label sets."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError, Parameter
from deacs.tables.columns import Column
from deacs.tables.frames import column_names, from_frame, is_frame
from deacs.tables.names import listed
from deacs.tables.sparse import checked_sparse, is_sparse
from deacs.tables.targets import Labels, Target

__all__ = ["has_several_labels", "labels_of", "read_label_sets"]

NO_LABEL = "(none)"
"""The name of the empty label set."""


def has_several_labels(y: Any) -> bool:
    """Whether a target has several columns, or holds sets of labels."""
    if is_sparse(y):
        return True
    if is_frame(y):
        return len(column_names(y)) > 1
    if isinstance(y, np.ndarray) and y.dtype != object:
        return y.ndim == 2 and y.shape[1] > 1
    if isinstance(y, str) or not hasattr(y, "__len__") or len(y) == 0:
        return False
    return _holds_sets(y) or _holds_rows(y)


def read_label_sets(y: Any, n_rows: int) -> Labels:
    """Read the labels of each row; rows with the same labels are one run."""
    names, matrix = _from_sets(y) if _holds_sets(y) else _from_matrix(y)
    if len(matrix) != n_rows:
        raise InputError(
            f"X and y must have equal lengths, got {n_rows} rows in X and {len(matrix)} in y"
        )
    if (matrix == matrix[:1]).all():
        have = listed(names[matrix[0]].tolist()) if matrix.any() else "no label at all"
        raise InputError(
            Parameter("y"),
            f" must have rows with different labels, got the same in all {n_rows} rows ({have}); "
            "there is nothing to tell apart",
        )
    return labels_of(matrix, names)


def labels_of(matrix: NDArray[np.bool_], names: NDArray[Any]) -> Labels:
    """Number the distinct rows of a label matrix.

    If every row has exactly one label, runs are numbered like the labels.
    """
    if (matrix.sum(axis=1) == 1).all() and matrix.any(axis=0).all():
        codes = matrix.argmax(axis=1).astype(np.int32)
        return Labels(codes, names, Target("labels", names))
    packed = np.ascontiguousarray(np.packbits(matrix, axis=1))
    as_one = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, codes = np.unique(as_one, return_index=True, return_inverse=True)
    membership = matrix[first]
    sets = np.empty(len(first), dtype=object)
    sets[:] = [" + ".join(map(str, names[members])) or NO_LABEL for members in membership]
    return Labels(codes.astype(np.int32), sets, Target("labels", names, membership))


def _holds_sets(y: Any) -> bool:
    """Whether each entry is a set or list of labels."""
    if is_sparse(y) or is_frame(y) or isinstance(y, str) or not hasattr(y, "__len__"):
        return False
    if isinstance(y, np.ndarray) and (y.dtype != object or y.ndim != 1):
        return False
    entries = list(y)
    if any(isinstance(entry, set | frozenset) for entry in entries):
        return True
    lists = [entry for entry in entries if isinstance(entry, list | tuple)]
    return len(lists) > 0 and (
        any(isinstance(label, str) for entry in lists for label in entry)
        or len({len(entry) for entry in lists}) > 1
    )


def _holds_rows(y: Any) -> bool:
    """Whether a list or an object array has two dimensions and several columns."""
    first = y[0] if isinstance(y, list | tuple | np.ndarray) else None
    return isinstance(first, list | tuple | np.ndarray) and len(first) > 1


def _from_sets(y: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    entries = list(y)
    for row, entry in enumerate(entries):
        if not isinstance(entry, Collection) or isinstance(entry, str | bytes):
            raise InputError(
                Parameter("y"),
                f" must hold the set of each row's labels, got {entry!r} in row {row}; give an "
                "empty set to a row without a label",
            )
    try:
        known = sorted({label for entry in entries for label in entry})
    except TypeError:
        types = ", ".join(sorted({type(label).__name__ for entry in entries for label in entry}))
        raise InputError(
            Parameter("y"), f" must hold labels of one type, got {types}; convert them to text"
        ) from None
    if not known:
        raise InputError(Parameter("y"), " must hold labels, got an empty set in every row")
    place = {label: i for i, label in enumerate(known)}
    matrix = np.zeros((len(entries), len(known)), dtype=np.bool_)
    for row, entry in enumerate(entries):
        matrix[row, [place[label] for label in entry]] = True
    names = np.array(known, dtype=object if isinstance(known[0], str) else None)
    return names, matrix


def _from_matrix(y: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Read an indicator matrix of any type, and the names of its columns."""
    if is_frame(y):
        columns = from_frame(y).columns
        for column in columns:
            if column.categories is not None and column.missing is None:
                raise _not_indicators(f"text or categories in column {column.name!r}")
        names = np.array([column.name for column in columns], dtype=object)
        return names, _indicators(np.column_stack([_with_nan(column) for column in columns]), names)
    if isinstance(y, np.ma.MaskedArray):
        y = np.ma.filled(y.astype(np.float64), np.nan)
    values = np.asarray(checked_sparse(y, "y").toarray() if is_sparse(y) else y)
    if values.ndim != 2 or 0 in values.shape:
        raise InputError(
            Parameter("y"),
            " must have a column for each label, or hold the set of each row's labels, got shape "
            f"{values.shape}; use ",
            Parameter("target", "classes"),
            " if each row has one class",
        )
    if values.dtype == object:
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError):
            raise _not_indicators("text or objects") from None
    if values.dtype.kind not in "biuf":
        raise _not_indicators(str(values.dtype))
    names = np.arange(values.shape[1])
    return names, _indicators(values, names)


def _with_nan(column: Column) -> NDArray[Any]:
    return (
        column.values if column.missing is None else np.where(column.missing, np.nan, column.values)
    )


def _indicators(values: NDArray[Any], names: NDArray[Any]) -> NDArray[np.bool_]:
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(1, dtype=np.bool_)
    if missing.any():
        row, column = np.argwhere(missing)[0].tolist()
        raise InputError(
            Parameter("y"),
            f" must not have missing labels, got {missing.sum()} (the first in row {row}, column "
            f"{names.tolist()[column]!r}); say 0 or 1, or drop these rows",
        )
    strange = (values != 0) & (values != 1)
    if strange.any():
        row, column = np.argwhere(strange)[0].tolist()
        where = f"row {row}, column {names.tolist()[column]!r}"
        raise _not_indicators(f"{values[row, column]} in {where}")
    return np.asarray(values == 1)


def _not_indicators(came: str) -> InputError:
    # scikit-learn's estimator checks expect this beginning of the message.
    return InputError(
        "Unknown label type: a ",
        Parameter("y"),
        f" of several columns must say by 0 and 1 (or booleans) which labels a row has, got {came}",
    )
