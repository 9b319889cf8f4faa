"""Numeric targets: recognise them, read them, and place thresholds in their range.

The outputs are thresholds, [y <= q_1], [y <= q_2], ...; rows between the same two thresholds are
one run. Thresholds are values of the target, at quantiles as equally spaced as possible.
"""

from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError, Parameter
from deacs.tables.columns import Column, number_column
from deacs.tables.objects import object_column
from deacs.tables.targets import Labels, Target

__all__ = [
    "MANY_VALUES",
    "N_INTERVALS",
    "above_least",
    "are_balanced",
    "has_fractions",
    "is_quantity",
    "nearest_shares",
    "number_labels",
    "read_numbers",
    "refuse_unusable",
]

N_INTERVALS = 6
"""The number of intervals of a target's range; fewer if many rows have equal values."""

MANY_VALUES = 20
"""Up to this many distinct integers are classes."""
FEW_ROWS = 5
"""An integer in fewer rows is rare."""


def has_fractions(values: NDArray[Any]) -> bool:
    """Whether any of the numbers is not an integer."""
    return values.dtype.kind == "f" and bool((values != np.floor(values)).any())


def is_quantity(counts: NDArray[np.integer[Any]]) -> bool:
    """Whether integers look like a quantity, given the number of rows of each distinct one.

    They do if there are more than 20, at least half of them in fewer than 5 rows.

    Examples
    --------
    >>> is_quantity(np.ones(30)), is_quantity(np.full(30, 8)), is_quantity(np.ones(20))
    (True, False, False)
    """
    return len(counts) > MANY_VALUES and 2 * int((counts < FEW_ROWS).sum()) >= len(counts)


def are_balanced(counts: NDArray[np.integer[Any]]) -> bool:
    """Whether distinct integers have as similar numbers of rows as classes by design.

    Each has two rows or more, and none has more than twice as many as another.
    """
    return bool(counts.min() >= 2 and counts.max() <= 2 * counts.min())


def read_numbers(values: NDArray[Any]) -> Column:
    """Read one number for each row.

    Raises
    ------
    InputError
        If a value is not a number, is missing or infinite, or all are equal.
    """
    column = _number_column(values)
    unusable = column.missing
    if column.kind == "float":
        infinite = np.isinf(column.values)
        unusable = infinite if unusable is None else unusable | infinite
    refuse_unusable(values, unusable, "drop these rows")
    if len(values) == 0 or (column.values == column.values[0]).all():
        n = len(values)
        came = f"{values[0]} in all {n} rows" if n > 1 else f"{n} sample{'s' if n == 0 else ''}"
        raise InputError(
            Parameter("y"),
            f" must have at least two different numbers, got {came}; there is nothing to tell "
            "apart",
        )
    return column


def above_least(numbers: NDArray[Any]) -> NDArray[np.float64]:
    """Return floats as they are, and how far integers of any size are above the least."""
    if numbers.dtype.kind == "f":
        return numbers
    return (numbers.astype(object) - int(numbers.min())).astype(np.float64)


def refuse_unusable(values: NDArray[Any], unusable: NDArray[np.bool_] | None, advice: str) -> None:
    """Raise an error for the first missing or infinite value of the target."""
    if unusable is not None and unusable.any():
        first = int(unusable.argmax())
        raise InputError(
            Parameter("y"),
            f" must not have missing or infinite values, got {int(unusable.sum())} (the first in "
            f"row {first}: {values[first]}); {advice}",
        )


def number_labels(column: Column, counts: NDArray[np.int64] | None = None) -> Labels:
    """Return numbers, none of them missing, as runs with thresholds as outputs.

    `counts` are row weights.

    Examples
    --------
    >>> y = np.array([0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 60])
    >>> labels = number_labels(Column("y", "integer", y))
    >>> labels.target.names.tolist(), labels.codes.tolist()
    (['<= 0', '<= 2', '<= 4'], [0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3])
    """
    values, codes = np.unique(column.values, return_inverse=True)
    of_value = np.bincount(codes, counts).astype(np.int64)
    counted = np.flatnonzero(of_value)
    below = np.cumsum(of_value[counted])
    last = counted[nearest_shares(below[:-1], int(below[-1]), N_INTERVALS)]
    runs = np.searchsorted(last, np.arange(len(values)))[codes].astype(np.int32)
    ends = _written(values[last])
    intervals = np.array(
        [f"<= {ends[0]}", *map("({}, {}]".format, ends, ends[1:]), f"> {ends[-1]}"], dtype=object
    )
    membership = np.arange(len(intervals))[:, np.newaxis] <= np.arange(len(last))
    names = np.array([f"<= {end}" for end in ends], dtype=object)
    return Labels(runs, intervals, Target("numbers", names, membership), column.values)


def nearest_shares(below: NDArray[np.int64], total: int, n_parts: int) -> NDArray[np.intp]:
    """Return the places that divide a total most evenly; the lower one of equally good places.

    `below`, ascending and not empty, is the cumulative count at each possible place.
    """
    reached, wanted = n_parts * below, np.arange(1, n_parts) * total
    after = np.minimum(np.searchsorted(reached, wanted), len(below) - 1)
    before = np.maximum(after - 1, 0)
    nearer = wanted - reached[before] <= reached[after] - wanted
    return np.unique(np.where(nearer, before, after))


def _written(values: NDArray[Any]) -> list[str]:
    """Return numbers with six digits, or with as many as distinguish them."""
    if values.dtype.kind != "f":
        return [str(value) for value in values.tolist()]
    for digits in range(6, 18):
        ends = [f"{value:.{digits}g}" for value in values.tolist()]
        if len(set(ends)) == len(ends):
            break
    return ends


def _number_column(values: NDArray[Any]) -> Column:
    if values.dtype.kind in "biufmM":
        return number_column("y", values)
    if values.dtype == object:
        try:
            column = object_column("y", values)
        except TypeError:  # several types, refused below
            column = None
        if column is not None and (column.categories is None or not len(column.categories)):
            return column
    came = values.tolist()
    other = next((value for value in came if not isinstance(value, Number | None)), came[0])
    raise InputError(
        Parameter("y"),
        f" must hold numbers, got {other!r}; turn it into numbers, or use a selector for classes",
    )
