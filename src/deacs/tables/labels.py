"""The class column to integer labels."""

import warnings
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError, Note, Parameter
from deacs.tables.callers import frames_to_user
from deacs.tables.frames import in_memory
from deacs.tables.missing import missing_objects
from deacs.tables.objects import first_seen

__all__ = ["Labels", "read_labels"]


MANY_CLASSES = 20
FEW_ROWS = 10
"""Numbers with more values than that, and on average fewer rows for each, look like a quantity."""


@dataclass(frozen=True, slots=True)
class Labels:
    """The class of each row as an index into the sorted classes."""

    codes: NDArray[np.int32]
    classes: NDArray[Any]


def read_labels(y: Any, n_rows: int) -> Labels:
    """Read the class of each row.

    Raises
    ------
    InputError
        If a label is missing, the length is not `n_rows`, or there is only one class.

    Warns
    -----
    UserWarning
        If there are more than 20 different numbers, and fewer than 10 rows for each on average.
    """
    values = _one_dimension(y)
    if len(values) != n_rows:
        raise InputError(
            f"X and y must have equal lengths, got {n_rows} rows in X and {len(values)} in y"
        )
    if values.dtype == object:
        _refuse(values, missing_objects(values))
        values = _one_type(values)
    if values.dtype.kind == "f":
        _refuse(values, ~np.isfinite(values))
        _refuse_quantities(values)
    if values.dtype.kind in "cV":
        raise InputError(
            "Unknown label type: ",
            Parameter("y"),
            f" must hold text, whole numbers or booleans, got {values.dtype}",
        )
    if values.dtype.kind in "mM":
        _refuse(values, np.isnat(values))
    classes, codes = _distinct(values)
    if len(classes) < 2:
        raise InputError(
            Parameter("y"),
            f" must have at least two classes, got 1 class: {classes.tolist()[0]!r} in all "
            f"{n_rows} rows; there is nothing to tell apart",
        )
    if values.dtype.kind in "iuf":
        _warn_of_quantities(len(classes), n_rows)
    return Labels(codes.astype(np.int32), classes)


def _one_dimension(y: Any) -> NDArray[Any]:
    if isinstance(y, str):
        raise InputError(
            Parameter("y"), f" must hold the class of each row, got {y!r}; pass X[{y!r}] as y"
        )
    y = in_memory(y)
    if isinstance(y, np.ma.MaskedArray) and np.ma.getmaskarray(y).any():
        mask, y = np.ma.getmaskarray(y), np.array(y.data, dtype=object)
        y[mask] = None
    series = nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and series.dtype in (nw.Int128, nw.UInt128):
        y = series.to_list()
    # NumPy would turn a list that mixes numbers and text into text; keep its objects to see it.
    values = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    if values.ndim != 1:
        from sklearn.utils import column_or_1d

        values = column_or_1d(values, warn=True)
    return values


def _distinct(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the sorted classes, and each row's place among them."""
    if values.dtype != object:
        return np.unique(values, return_inverse=True)
    # Text: to look it up is ten times faster than to sort it.
    lookup, codes = first_seen(values.tolist())
    classes = np.array(sorted(lookup), dtype=object)
    place = {label: k for k, label in enumerate(classes.tolist())}
    return classes, np.array([place[label] for label in lookup], dtype=np.int64)[codes]


def _refuse(values: NDArray[Any], unusable: NDArray[np.bool_] | None) -> None:
    if unusable is not None and unusable.any():
        first = int(np.flatnonzero(unusable)[0])
        raise InputError(
            Parameter("y"),
            f" must not have missing or infinite values, got {int(unusable.sum())} (the "
            f"first in row {first}: {values[first]}); drop these rows or name their class",
        )


def _refuse_quantities(values: NDArray[np.floating[Any]]) -> None:
    fractional = values[values != np.floor(values)]
    if len(fractional):
        # scikit-learn's name for it, which its own checks look for.
        raise InputError(
            "Unknown label type: continuous. ",
            Parameter("y"),
            f" must hold classes, got numbers such as {fractional[0]}; cut them into a few "
            "classes first, such as low, middle and high",
        )


def _warn_of_quantities(n_classes: int, n_rows: int) -> None:
    if n_classes > MANY_CLASSES and n_rows < FEW_ROWS * n_classes:
        warnings.warn(
            Note(
                Parameter("y"),
                f" has {n_classes} different numbers in {n_rows} rows, like a quantity, and each "
                "is taken for a class of its own, so scores mean little; cut it into a few classes "
                "first, such as low, middle and high, or turn it into text if these are names",
            ),
            stacklevel=frames_to_user(),
        )


def _one_type(values: NDArray[Any]) -> NDArray[Any]:
    """Give an object array of labels the type that its entries share."""
    types = {type(value) for value in values.tolist()}
    if all(issubclass(t, str) for t in types):
        return values
    if len(types) > 1 and not all(issubclass(t, (int, float, np.number)) for t in types):
        names = ", ".join(sorted(t.__name__ for t in types))
        raise InputError(
            Parameter("y"),
            f" must hold labels of one type, got {names}; convert it with astype(str)",
        )
    return np.array(values.tolist())
