"""Read the target as integer labels: classes, multiple labels per row, or numbers."""

import warnings
from collections.abc import Collection
from decimal import Decimal
from fractions import Fraction
from numbers import Number
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError, Note, Parameter, shown
from deacs.tables.columns import (
    Column,
    distinct_integers,
    first_seen,
    missing_objects,
    number_column,
    object_column,
    text_of_integers,
)
from deacs.tables.gate import (
    column_names,
    in_memory,
    is_frame,
    is_sparse,
    read_columns,
)
from deacs.tables.names import frames_to_user, listed
from deacs.tables.targets import TARGETS, Labels, Target, TargetOption, number_labels

__all__ = [
    "labels_of",
    "labels_that_vary",
    "looks_like_quantity",
    "read_labels",
    "refuse_identifiers",
]

MANY_VALUES = 20
"""Up to this many distinct integers are classes."""
MOST_CLASSES = 32
"""More distinct integers are numbers, unless they number classes from 0 or 1."""
FEW_ROWS = 5
"""An integer in fewer rows is rare."""
FEW_ROWS_A_CLASS = 10
"""Distinct numbers with fewer rows each, on average, may be a quantity."""
NO_LABEL = "(none)"
"""The name of the empty label set."""


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
        value has a fraction, or if `looks_like_quantity` says so of integers; else classes.
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
    if target == "labels" or _has_several_labels(y):
        if target not in ("auto", "labels"):
            raise InputError(
                Parameter("y"),
                " must be one column, the class of each row, got several columns or sets of "
                "labels; DEACS and the information filters take them with ",
                Parameter("target", "labels"),
            )
        return _label_sets(y, n_rows)
    values = _one_dimension(y)
    _refuse_length(len(values), n_rows)
    if target == "numbers":
        return number_labels(_numbers(values), counts)
    values = _classes_of_one_type(values)
    if values.dtype.kind == "f" and (fractional := values != np.floor(values)).any():
        if target == "classes":
            # scikit-learn's estimator checks expect this name.
            raise InputError(
                "Unknown label type: continuous. ",
                Parameter("y"),
                f" must hold classes, got numbers such as {values[fractional][0]}; use ",
                Parameter("target", "numbers"),
                " where there is one (RReliefF instead of ReliefF), or cut them into a few classes "
                "first, such as low, middle and high",
            )
        return number_labels(_numbers(values), counts)
    classes, codes = _distinct(values)
    labels = labels_that_vary(Labels(codes.astype(np.int32), classes))
    if target == "auto" and values.dtype.kind in "iuf" and len(classes) > MANY_VALUES:
        is_quantity = looks_like_quantity(classes, np.bincount(codes))
        if is_quantity or n_rows < FEW_ROWS_A_CLASS * len(classes) or not _is_numbered(classes):
            _warn_of_choice(len(classes), n_rows, is_quantity)
        if is_quantity:
            return number_labels(_numbers(values), counts)
    return labels


def looks_like_quantity(values: NDArray[Any], rows: NDArray[np.integer[Any]]) -> bool:
    """Whether distinct integers, ascending, look like a quantity, given the rows of each.

    Up to 20 are classes, as grades and counts of a few are. More are a quantity if at least half
    of them are in fewer than 5 rows, or if there are more than 32, as of ages and percentages.
    But integers from 0 or 1 on without a gap are numbers of classes, unless many are rare and
    their rows differ as those of classes by design would not: some in one row, or some in more
    than twice as many as others.

    Examples
    --------
    >>> ages, persons = np.arange(25, 81), np.arange(40)
    >>> looks_like_quantity(ages, np.full(56, 7)), looks_like_quantity(persons, np.full(40, 4))
    (True, False)
    """
    if len(values) <= MANY_VALUES:
        return False
    are_rare = 2 * int((rows < FEW_ROWS).sum()) >= len(values)
    if _is_numbered(values):
        return are_rare and not (rows.min() >= 2 and rows.max() <= 2 * rows.min())
    return are_rare or len(values) > MOST_CLASSES


def _is_numbered(classes: NDArray[Any]) -> bool:
    """Whether the distinct integers are 0, 1, ... or 1, 2, ... without a gap."""
    return bool(classes[0] in (0, 1) and classes[-1] - classes[0] == len(classes) - 1)


def _warn_of_choice(n: int, n_rows: int, is_quantity: bool) -> None:
    taken = "which are taken for a quantity" if is_quantity else "and each is taken for a class"
    warnings.warn(
        Note(
            Parameter("y"),
            f" has {n} different whole numbers in {n_rows} rows, {taken}; pass ",
            Parameter("target", "numbers"),
            " if it is a quantity, ",
            Parameter("target", "classes"),
            " if each number is a class",
            kind="numbers" if is_quantity else "classes",
        ),
        stacklevel=frames_to_user(),
    )


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


def _refuse_length(n: int, n_rows: int) -> None:
    if n != n_rows:
        raise InputError(f"X and y must have equal lengths, got {n_rows} rows in X and {n} in y")


def _refuse_unusable(
    values: NDArray[Any],
    unusable: NDArray[np.bool_] | None,
    advice: str = "drop these rows or name their class",
) -> None:
    """Raise an error for the first missing or infinite value of the target."""
    if unusable is not None and unusable.any():
        first = int(unusable.argmax())
        raise InputError(
            Parameter("y"),
            f" must not have missing or infinite values, got {int(unusable.sum())} (the first in "
            f"row {first}: {values[first]}); {advice}",
        )


def _unwrapped(y: Any) -> Any:
    """Return a series of lists or of wide integers, which NumPy does not hold, as a list."""
    if isinstance(y, np.ndarray):
        return y
    series = nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and series.dtype in (nw.List, nw.Array, nw.Int128, nw.UInt128):
        return series.to_list()
    return y


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
    # NumPy would convert a list of numbers and text to text; objects keep the types.
    values = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    if values.ndim != 1:
        from sklearn.utils import column_or_1d

        values = column_or_1d(values, warn=True)
    return values


def _classes_of_one_type(values: NDArray[Any]) -> NDArray[Any]:
    """Return classes or numbers in an array of their type, if none is missing or infinite."""
    if values.dtype == object:
        _refuse_unusable(values, missing_objects(values))
        values = _typed(values)
    if values.dtype == np.uint64 and values.max(initial=0) >= 1 << 63:
        return np.array(text_of_integers(values), dtype=object)
    if values.dtype.kind == "f":
        _refuse_unusable(values, ~np.isfinite(values))
    if values.dtype.kind in "mM":
        _refuse_unusable(values, np.isnat(values))
    if values.dtype.kind in "cV":
        raise InputError(
            "Unknown label type: ",
            Parameter("y"),
            f" must hold text, whole numbers or booleans, got {values.dtype}",
        )
    return values


def _typed(values: NDArray[Any]) -> NDArray[Any]:
    """Convert objects to their common type; integers beyond 64 bits are text."""
    types = {type(value) for value in values.tolist()}
    if all(issubclass(t, str) for t in types):
        return values
    if len(types) > 1 and not all(issubclass(t, Number | np.number) for t in types):
        names = ", ".join(sorted(t.__name__ for t in types))
        raise InputError(
            Parameter("y"),
            f" must hold labels of one type, got {names}; convert it with astype(str)",
        )
    if any(issubclass(t, Decimal | Fraction) for t in types):
        return values.astype(np.float64)
    if types <= {int}:
        try:
            return np.array(values.tolist(), dtype=np.int64)
        except OverflowError:
            return np.array(text_of_integers(values), dtype=object)
    return np.array(values.tolist())


def _distinct(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the sorted classes, and the index of each row's class."""
    if values.dtype.kind in "iub":
        classes, codes = distinct_integers(values)
        return classes.astype(values.dtype), codes
    if values.dtype != object:
        return np.unique(values, return_inverse=True)
    # Text: a dictionary is faster than sorting.
    found, codes = first_seen(values.tolist())
    order = sorted(range(len(found)), key=found.__getitem__)
    classes = np.empty(len(found), dtype=object)
    classes[:] = [found[k] for k in order]
    return classes, np.argsort(order)[codes]


def _numbers(values: NDArray[Any]) -> Column:
    """Read one number for each row, if none is missing or infinite and not all are equal."""
    column = None
    if values.dtype.kind in "biufmM":
        column = number_column("y", values)
    elif values.dtype == object:
        try:
            column = object_column("y", values)
        except TypeError:  # several types, refused below
            column = None
    if column is None or (column.categories is not None and len(column.categories)):
        came = values.tolist()
        other = next((value for value in came if not isinstance(value, Number | None)), came[0])
        raise InputError(
            Parameter("y"),
            f" must hold numbers, got {other!r}; turn it into numbers that int64 holds, or use a "
            "selector for classes",
        )
    unusable = column.missing
    if column.kind == "float":
        infinite = np.isinf(column.values)
        unusable = infinite if unusable is None else unusable | infinite
    _refuse_unusable(values, unusable, "drop these rows")
    if len(values) == 0 or (column.values == column.values[0]).all():
        n = len(values)
        came = f"{values[0]} in all {n} rows" if n > 1 else f"{n} sample{'s' if n == 0 else ''}"
        raise InputError(
            Parameter("y"),
            f" must have at least two different numbers, got {came}; there is nothing to tell "
            "apart",
        )
    return column


def _has_several_labels(y: Any) -> bool:
    """Whether a target has several columns, or holds sets of labels."""
    if is_sparse(y):
        return True
    if is_frame(y):
        return len(column_names(y)) > 1
    if isinstance(y, np.ndarray) and y.ndim == 2:
        return bool(y.shape[1] > 1)
    entries = _entries(y)
    holds_rows = any(isinstance(e, list | tuple | np.ndarray) and len(e) > 1 for e in entries[:1])
    return holds_rows or _are_sets(entries)


def _entries(y: Any) -> list[Any]:
    """Return the entries of a target of one dimension that may hold sets; none of any other."""
    if isinstance(y, np.ndarray) and (y.dtype != object or y.ndim != 1):
        return []
    is_other = isinstance(y, str) or is_sparse(y) or is_frame(y) or not hasattr(y, "__len__")
    return [] if is_other else list(y)


def _are_sets(entries: list[Any]) -> bool:
    """Whether each entry is a set or list of labels."""
    lists = [entry for entry in entries if isinstance(entry, list | tuple)]
    return any(isinstance(entry, set | frozenset) for entry in entries) or (
        any(isinstance(label, str) for entry in lists for label in entry)
        or len({len(entry) for entry in lists}) > 1
    )


def _label_sets(y: Any, n_rows: int) -> Labels:
    """Read the labels of each row; rows with the same labels are one run."""
    entries = _entries(y)
    names, matrix = _from_sets(entries) if _are_sets(entries) else _from_matrix(y)
    _refuse_length(len(matrix), n_rows)
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


def _from_sets(entries: list[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
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
    return np.array(known, dtype=object if isinstance(known[0], str) else None), matrix


def _from_matrix(y: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Read an indicator matrix of any type, and the names of its columns."""
    if not is_frame(y) and (len(shape := getattr(y, "shape", np.shape(y))) != 2 or 0 in shape):
        raise InputError(
            Parameter("y"),
            f" must have a column for each label, or hold the set of each row's labels, got shape "
            f"{shape}; use ",
            Parameter("target", "classes"),
            " if each row has one class",
        )
    columns = read_columns(y, "y").columns
    names = [column.name if is_frame(y) else j for j, column in enumerate(columns)]
    matrix = np.empty((columns[0].n_rows, len(columns)), dtype=np.bool_)
    for j, (name, column) in enumerate(zip(names, columns, strict=True)):
        missing = column.missing
        if missing is not None:
            raise InputError(
                Parameter("y"),
                f" must not have missing labels, got {missing.sum()} in column {name!r} (the first "
                f"in row {missing.argmax()}); say 0 or 1, or drop these rows",
            )
        if column.categories is not None:
            raise _not_indicators(f"text or categories in column {name!r}")
        values = column.values
        strange = (values != 0) & (values != 1)
        if strange.any():
            row = int(strange.argmax())
            raise _not_indicators(f"{values[row]} in row {row}, column {name!r}")
        matrix[:, j] = values == 1
    return np.array(names, dtype=object if is_frame(y) else None), matrix


def _not_indicators(came: str) -> InputError:
    # scikit-learn's estimator checks expect this beginning of the message.
    return InputError(
        "Unknown label type: a ",
        Parameter("y"),
        f" of several columns must say by 0 and 1 (or booleans) which labels a row has, got {came}",
    )
