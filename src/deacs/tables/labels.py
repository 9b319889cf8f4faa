"""Read the target as integer labels: classes, multiple labels per row, or numbers."""

import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError, Note, Parameter, shown
from deacs.tables.columns import distinct_integers, missing_objects
from deacs.tables.frames import in_memory
from deacs.tables.label_sets import has_several_labels, read_label_sets
from deacs.tables.names import frames_to_user
from deacs.tables.numbers import (
    MANY_VALUES,
    are_balanced,
    has_fractions,
    is_quantity,
    number_labels,
    read_numbers,
    refuse_unusable,
)
from deacs.tables.objects import first_seen
from deacs.tables.targets import TARGETS, Labels, TargetOption

__all__ = ["Labels", "labels_that_vary", "read_labels", "refuse_identifiers"]


FEW_ROWS_A_CLASS = 10
"""Distinct numbers with fewer rows each, on average, may be a quantity."""
CLASS_ADVICE = "drop these rows or name their class"


def read_labels(
    y: Any,
    n_rows: int,
    target: TargetOption = "auto",
    counts: NDArray[np.int64] | None = None,
) -> Labels:
    """Read the target of each row.

    Parameters
    ----------
    y : array-like of shape (n_rows,) or (n_rows, n_labels), frame, sparse matrix or list of sets
        The class of each row; or its labels, as an indicator matrix or a set. `Labels` are
        returned unchanged.
    n_rows : int
        The number of rows.
    target : {"auto", "classes", "labels", "numbers"}, default="auto"
        The kind of target. `"auto"`: labels if y has several columns or holds sets; numbers if any
        value has a fraction, or if there are more than 20 distinct integers, at least half of
        them in fewer than 5 rows, unless they run from 0 or 1 without gaps in about equally many
        rows each; else classes.
    counts : ndarray of int64 of shape (n_rows,), optional
        Row weights, which affect the thresholds of a numeric target.

    Raises
    ------
    InputError
        If a label is missing, the length is not `n_rows`, there is only one class or number, or an
        indicator matrix has values other than 0 and 1.

    Warns
    -----
    UserWarning
        If integers are treated as a quantity, or as more than 20 classes that may be a quantity.
    """
    if not isinstance(target, str) or target not in TARGETS:
        raise InputError(
            Parameter("target"),
            f" must be one of {', '.join(TARGETS)}, got {shown(target)}",
            accepted=TARGETS,
        )
    if isinstance(y, Labels):
        return y
    y = _unwrapped(in_memory(y))
    are_several = target != "labels" and has_several_labels(y)
    if target == "labels" or (target == "auto" and are_several):
        return read_label_sets(y, n_rows)
    if are_several:
        raise InputError(
            Parameter("y"),
            " must be one column, the class of each row, got several columns or sets of labels; "
            "DEACS and the information filters take them with ",
            Parameter("target", "labels"),
        )
    values = _one_dimension(y)
    if len(values) != n_rows:
        raise InputError(
            f"X and y must have equal lengths, got {n_rows} rows in X and {len(values)} in y"
        )
    if target == "numbers":
        return number_labels(read_numbers(values), counts)
    typed = _usable(values)
    # Exact numbers of Python are measured as floats, and kept as they are if they are classes.
    is_exact = typed.dtype == object and isinstance(typed[0], Decimal | Fraction)
    measured = typed.astype(np.float64) if is_exact else typed
    if target == "auto" and has_fractions(measured):
        return number_labels(read_numbers(values), counts)
    if typed.dtype.kind == "f":
        _refuse_quantities(typed)
    classes, codes = _distinct(typed)
    labels = labels_that_vary(Labels(codes.astype(np.int32), classes))
    are_numbers = measured.dtype.kind in "iuf" or isinstance(classes[0], int)  # beyond 64 bits
    if target == "auto" and are_numbers and len(classes) > MANY_VALUES:
        rows = np.bincount(codes)
        if is_quantity(rows) and not (_are_numbered(classes) and are_balanced(rows)):
            reason = "most of them in few rows, and is taken for a quantity"
            _warn_of_choice(len(classes), n_rows, reason, "numbers")
            return number_labels(read_numbers(values), counts)
        _warn_of_quantities(classes, n_rows)
    return labels


def _unwrapped(y: Any) -> Any:
    """Return a series of lists or of wide integers, which NumPy does not hold, as a list."""
    if isinstance(y, np.ndarray):
        return y
    series = nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and series.dtype in (nw.List, nw.Array, nw.Int128, nw.UInt128):
        return series.to_list()
    return y


def _usable(values: NDArray[Any]) -> NDArray[Any]:
    """Return classes or numbers in an array of their type, if none is missing or infinite."""
    if values.dtype == object:
        refuse_unusable(values, missing_objects(values), CLASS_ADVICE)
        values = _one_type(values)
    if values.dtype.kind == "f":
        refuse_unusable(values, ~np.isfinite(values), CLASS_ADVICE)
    if values.dtype.kind in "mM":
        refuse_unusable(values, np.isnat(values), CLASS_ADVICE)
    if values.dtype.kind in "cV":
        raise InputError(
            "Unknown label type: ",
            Parameter("y"),
            f" must hold text, whole numbers or booleans, got {values.dtype}",
        )
    return values


def labels_that_vary(labels: Labels) -> Labels:
    """Return labels if there are at least two classes, else raise."""
    if len(labels.classes) < 2:
        raise InputError(
            Parameter("y"),
            f" must have at least two classes, got 1 class: {labels.classes.tolist()[0]!r} in all "
            f"{len(labels.codes)} rows; there is nothing to tell apart",
        )
    return labels


def refuse_identifiers(labels: Labels) -> None:
    """Raise an error if each of many rows has a class of its own."""
    classes, n_rows = labels.classes, len(labels.codes)
    if labels.target.kind == "classes" and len(classes) == n_rows > MANY_VALUES:
        numbers = (", or pass ", Parameter("target", "numbers"), " if it is a quantity")
        raise InputError(
            Parameter("y"),
            f" must have several rows of a class, got another value in each of the {n_rows} rows, "
            f"such as {str(classes[0])!r}; name the column of classes",
            *(numbers if classes.dtype.kind in "iufmM" else ()),
        )


def _one_dimension(y: Any) -> NDArray[Any]:
    """Return a target as a one-dimensional array."""
    if isinstance(y, str):
        raise InputError(
            Parameter("y"), f" must hold the class of each row, got {y!r}; pass X[{y!r}] as y"
        )
    if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
        mask, y = np.ma.getmaskarray(y), np.array(y.data, dtype=object)
        y[mask] = None
    if isinstance(y, np.ndarray) and y.dtype.kind == "T":  # NumPy cannot sort its missing values
        y = y.astype(object)
    if isinstance(y, np.ndarray) and y.ndim == 1:
        return np.asarray(y)
    # NumPy would convert a list of numbers and text to text; objects keep the types.
    values = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    if values.ndim != 1:
        from sklearn.utils import column_or_1d

        values = column_or_1d(values, warn=True)
    return values


def _distinct(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the sorted classes, and the index of each row's class."""
    if values.dtype.kind in "iub":
        classes, codes = distinct_integers(values)
        return classes.astype(values.dtype), codes
    if values.dtype != object:
        return np.unique(values, return_inverse=True)
    # Text: a dictionary is faster than sorting.
    lookup, codes = first_seen(values.tolist())
    classes = np.array(sorted(lookup), dtype=object)
    place = {label: k for k, label in enumerate(classes.tolist())}
    return classes, np.array([place[label] for label in lookup], dtype=np.int64)[codes]


def _refuse_quantities(values: NDArray[np.floating[Any]]) -> None:
    fractional = values[values != np.floor(values)]
    if len(fractional):
        # scikit-learn's estimator checks expect this name.
        raise InputError(
            "Unknown label type: continuous. ",
            Parameter("y"),
            f" must hold classes, got numbers such as {fractional[0]}; use ",
            Parameter("target", "numbers"),
            " where there is one (RReliefF instead of ReliefF), or cut them into a few classes "
            "first, such as low, middle and high",
        )


def _warn_of_quantities(classes: NDArray[Any], n_rows: int) -> None:
    """Warn about many distinct integers, unless they are numbers of classes from 0 or 1."""
    n = len(classes)
    if n_rows < FEW_ROWS_A_CLASS * n or not _are_numbered(classes):
        _warn_of_choice(n, n_rows, "and each is taken for a class", "classes")


def _are_numbered(classes: NDArray[Any]) -> bool:
    """Whether the distinct integers are 0, 1, ... or 1, 2, ... without a gap."""
    return bool(classes[0] in (0, 1) and classes[-1] - classes[0] == len(classes) - 1)


def _warn_of_choice(n: int, n_rows: int, reason: str, kind: str) -> None:
    warnings.warn(
        Note(
            Parameter("y"),
            f" has {n} different whole numbers in {n_rows} rows, {reason}; pass ",
            Parameter("target", "numbers"),
            " if it is a quantity, ",
            Parameter("target", "classes"),
            " if each number is a class",
            kind=kind,
        ),
        stacklevel=frames_to_user(),
    )


def _one_type(values: NDArray[Any]) -> NDArray[Any]:
    """Convert an object array of labels to the common type of its entries."""
    types = {type(value) for value in values.tolist()}
    if all(issubclass(t, str) for t in types):
        return values
    if len(types) > 1 and not all(issubclass(t, (int, float, np.number)) for t in types):
        names = ", ".join(sorted(t.__name__ for t in types))
        raise InputError(
            Parameter("y"),
            f" must hold labels of one type, got {names}; convert it with astype(str)",
        )
    typed = np.array(values.tolist())
    # NumPy turns integers of which one is negative and another beyond int64 into floats.
    are_integers = all(issubclass(t, (int, np.integer)) for t in types)
    return values if typed.dtype.kind == "f" and are_integers else typed
