"""Rows as points: numbers scaled to [0, 1] by their range, codes of nominal values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs._kernels.neighbours import ROWS_AT_ONCE as ROWS
from deacs.coding import CodedData
from deacs.exceptions import InputError, Note
from deacs.tables import Column

__all__ = [
    "STEPS",
    "Instances",
    "Points",
    "Sketch",
    "as_numbers",
    "by_value",
    "from_codes",
    "to_unit_range",
]

STEPS = 255
"""The byte of a numeric value is the value times this."""
NO_CODE = 255
"""The byte of a missing code."""

ROWS_AT_ONCE = 64
NUMBERS_AT_ONCE = 1 << 16


class Points(NamedTuple):
    """Rows as points, and the parameters of their differences."""

    values: NDArray[np.float64]
    """(n_rows, n_features): numbers scaled to [0, 1], codes of nominal values; NaN is missing."""
    unknown: NDArray[np.float64]
    """(n_features,): nominal: the difference from a missing value; numeric: -1."""
    ramps: NDArray[np.float64]
    """(n_features,): a difference above it counts as 1 in the weights."""
    plain: bool
    """Whether all features are numeric and complete and no ramp is below 1."""


class Sketch(NamedTuple):
    """Rows in bytes, eight in a word."""

    words: NDArray[np.uint64]
    """(n_words, n_rows and more, a multiple of ROWS): numeric values to the nearest step, then
    nominal ones, unequal only where the codes are; or NO_CODE."""
    n_steps: int
    """Words of numeric values."""
    slack: NDArray[np.int64]
    """(n_rows and more,): by how much, at most, bytes overstate a row's distances, in steps."""


@dataclass(frozen=True)
class Instances:
    """The columns of a table as coordinates."""

    columns: NDArray[np.float64]
    """Numbers scaled to [0, 1] or codes, (n_features, n_rows); NaN is missing."""
    n_values: NDArray[np.int64]
    """The number of values of nominal features; -1 for numeric ones."""
    labels: NDArray[np.int32]
    """The class of each row."""
    n_classes: int
    target: NDArray[np.float64] | None = None
    """A numeric target, scaled to [0, 1]; all rows are then of one class."""
    notes: Callable[[NDArray[np.int64]], list[Note]] = lambda ranking: []
    """Returns the notes on a ranking."""

    @property
    def numeric(self) -> NDArray[np.bool_]:
        """Which features are numeric."""
        return self.n_values < 0

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The same numbers row by row, shape (n_rows, n_features)."""
        rows = np.empty(self.columns.shape[::-1])
        for begin in range(0, len(rows), ROWS_AT_ONCE):
            rows[begin : begin + ROWS_AT_ONCE] = self.columns[:, begin : begin + ROWS_AT_ONCE].T
        return rows

    @property
    def unknown(self) -> NDArray[np.float64]:
        """The difference of a missing nominal value from any; -1 for numeric features."""
        # Two values drawn uniformly are equal with probability 1 / n_values. A column without any
        # values counts as having one.
        return np.where(self.numeric, -1.0, 1.0 - 1.0 / np.maximum(self.n_values, 1))

    def points(self, ramps: NDArray[np.float64] | None = None) -> Points:
        """Return the rows as points; `ramps` are the differences that count as 1."""
        plain = bool(self.numeric.all() and ramps is None and not np.isnan(self.columns).any())
        if ramps is None:
            ramps = np.full(len(self.columns), np.inf)
        return Points(self.values, self.unknown, ramps, plain)

    def sketch(self) -> Sketch:
        """Return the rows as bytes, for lower bounds on their distances.

        A missing number is put in the middle of the range: max(x, 1 - x) = |x - 1/2| + 1/2, and
        the slack adds the second 1/2. A missing code differs from every code by 1, and the slack
        subtracts 1 - unknown. The distance of two missing values is understated.
        """
        n_features, n_rows = self.columns.shape
        numeric, nominal = np.flatnonzero(self.numeric), np.flatnonzero(~self.numeric)
        n_steps, n_codes = -(-len(numeric) // 8), -(-len(nominal) // 8)
        n_padded = -(-n_rows // ROWS) * ROWS
        words = np.zeros((n_steps + n_codes, n_padded, 8), dtype=np.uint8)
        slack = np.zeros(n_padded, dtype=np.int64)
        at_once = max(1, NUMBERS_AT_ONCE // n_features)
        for part in (slice(k, min(k + at_once, n_rows)) for k in range(0, n_rows, at_once)):
            exact = STEPS * self.values[part, numeric]
            is_missing = np.isnan(exact)
            exact[is_missing] = STEPS / 2
            rounded = np.rint(exact)
            lost = np.abs(exact - rounded).sum(axis=1) - STEPS / 2 * is_missing.sum(axis=1)
            _put(rounded, words[:n_steps, part])
            code = self.values[part, nominal]
            is_missing = np.isnan(code)
            _put(np.where(is_missing, NO_CODE, code % NO_CODE), words[n_steps:, part])
            lost += STEPS * (is_missing @ (1.0 - self.unknown[nominal]))
            slack[part] = np.ceil(lost)
        return Sketch(words.view(np.uint64)[..., 0], n_steps, slack)


def _put(numbers: NDArray[np.float64], words: NDArray[np.uint8]) -> None:
    """Write numbers, a row for each row of the table, as words of eight bytes."""
    padded = np.zeros((len(numbers), 8 * len(words)), dtype=np.uint8)
    padded[:, : numbers.shape[1]] = numbers
    words[:] = padded.reshape(len(numbers), -1, 8).swapaxes(0, 1)


def from_codes(data: CodedData, j: int) -> tuple[NDArray[np.float64], int]:
    coding = data.features[j]
    codes = data.column(j).astype(np.float64)
    n_known = coding.n_values - coding.has_missing
    if coding.has_missing:
        codes[codes == n_known] = np.nan
    return codes, n_known


def by_value(column: Column) -> tuple[NDArray[np.float64], int]:
    values, missing = column.values, column.missing
    known = np.ones(len(values), dtype=bool) if missing is None else ~missing
    codes = np.full(len(values), np.nan)
    distinct, codes[known] = np.unique(values[known], return_inverse=True)
    return codes, len(distinct)


def as_numbers(column: Column) -> tuple[NDArray[np.float64], int]:
    values = column.floats()
    if column.missing is not None:
        values = np.where(column.missing, np.nan, values)
    if np.isinf(values).any():
        raise InputError(
            f"X must be finite where it is continuous, got an infinite value in column "
            f"{column.name!r}; differences are shares of a column's range: mark such values as "
            "missing, or clip them"
        )
    return values, -1


def to_unit_range(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale each column to [0, 1]; a constant is 0."""
    with np.errstate(over="ignore"):
        ranges = np.fmax.reduce(columns, axis=1) - np.fmin.reduce(columns, axis=1)
    if np.isinf(ranges).any():  # the range itself may overflow
        return to_unit_range(columns / 4.0)
    low = np.fmin.reduce(columns, axis=1, keepdims=True)
    return (columns - low) / np.where(ranges > 0, ranges, 1.0)[:, None]
