"""Typed columns: name, kind, values and a mask of missing values (None, NaN, pandas' markers)."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError

__all__ = [
    "EXACT_FLOATS",
    "Column",
    "Kind",
    "Table",
    "distinct_integers",
    "drop_mask",
    "missing_objects",
    "number_column",
    "seconds",
]

# Recognised by name, so that pandas need not be imported.
_MARKERS = ("NoneType", "NAType", "NaTType")


def drop_mask(missing: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Return the mask, or None if nothing is missing."""
    return missing if missing.any() else None


def missing_objects(values: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Return which entries of an object array are missing, or None if none is."""
    entries = values.tolist()
    # Types are few, and most columns have none of which a value can be missing.
    floats = {t for t in set(map(type, entries)) if issubclass(t, (float, np.floating))}
    markers = {t for t in set(map(type, entries)) if t.__name__ in _MARKERS}
    if not floats and not markers:
        return None
    missing = (type(v) in markers or (type(v) in floats and bool(np.isnan(v))) for v in entries)
    return drop_mask(np.fromiter(missing, bool, len(entries)))


EXACT_FLOATS = 1 << 53
"""Floats represent every integer up to this one exactly."""

SECONDS_OF_UNIT = {
    **{"W": (604_800, 1), "D": (86_400, 1), "h": (3_600, 1), "m": (60, 1), "generic": (1, 1)},
    **{
        unit: (1, 10 ** (3 * k)) for k, unit in enumerate(("s", "ms", "us", "ns", "ps", "fs", "as"))
    },
}
"""Seconds in a unit of time, and units in a second."""

Kind = Literal["boolean", "integer", "float", "nominal"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
        The column's name; `x0`, `x1`, ... for arrays without names.
    kind : {"boolean", "integer", "float", "nominal"}
        The type of the values.
    values : ndarray of shape (n_rows,)
        Numbers, as Python objects if integers do not fit in int64. For a nominal column, indices
        into `categories`. Arbitrary where `missing`.
    missing : ndarray of bool of shape (n_rows,), or None
        Which values are missing; None if none is.
    categories : ndarray or None
        The values of a nominal column that occur: in the declared order if `ordered`, else
        sorted.
    ordered : bool
        Whether the categories have a declared order (an ordinal column).
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None
    categories: NDArray[Any] | None = None
    ordered: bool = False

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.values)

    @property
    def present(self) -> NDArray[Any]:
        """The values that are not missing."""
        return self.values if self.missing is None else self.values[~self.missing]

    @property
    def offset(self) -> int:
        """The least value if floats cannot represent all integers of the column exactly, else 0."""
        if self.kind != "integer" or self.values.dtype.itemsize < 8:
            return 0
        present = self.present
        if len(present) == 0:
            return 0
        low, high = int(present.min()), int(present.max())
        return low if max(-low, high) > EXACT_FLOATS else 0

    def floats(self) -> NDArray[np.float64]:
        """Return the values minus `offset` as a contiguous array of floats."""
        values = self.values
        floats = np.ascontiguousarray(values, dtype=np.float64)
        is_wide = self.kind == "integer" and values.dtype.itemsize == 8
        if not is_wide or np.abs(floats).max(initial=0) < EXACT_FLOATS:
            return floats
        if values.dtype != object:
            # Unsigned subtraction cannot overflow for any two int64.
            values = values.astype(np.uint64) - np.uint64(self.offset % (1 << 64))
        else:
            values = values - self.offset
        return np.ascontiguousarray(values, dtype=np.float64)

    def take(self, rows: NDArray[np.intp]) -> "Column":
        """Return a subset of the rows, with the categories that occur in it."""
        values = self.values[rows]
        missing = None if self.missing is None else drop_mask(self.missing[rows])
        if self.categories is None:
            return Column(self.name, self.kind, values, missing)
        present = values if missing is None else values[~missing]
        occurs = np.bincount(present, minlength=max(len(self.categories), 1)) > 0
        codes = np.maximum(np.cumsum(occurs) - 1, 0)[values]
        categories = self.categories[np.flatnonzero(occurs)]
        return Column(self.name, self.kind, codes, missing, categories, self.ordered)


@dataclass(frozen=True, slots=True)
class Table:
    """Typed columns of equal length."""

    columns: tuple[Column, ...]
    n_rows: int

    @property
    def names(self) -> list[str]:
        """The columns' names, in order."""
        return [column.name for column in self.columns]

    def take(self, rows: NDArray[np.intp]) -> "Table":
        """Return a subset of the rows."""
        return Table(tuple(column.take(rows) for column in self.columns), len(rows))


def number_column(
    name: str, values: NDArray[Any], missing: NDArray[np.bool_] | None = None
) -> Column:
    """Make a column of booleans, integers, floats or times (in seconds); NaN and NaT are missing.

    Values are copied only to convert them to a type that the kernels support. Integers beyond
    int64 become Python integers, so that they stay distinct.
    """
    if values.dtype.kind in "mM":
        values = seconds(name, values)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    code = values.dtype.kind
    if code == "b":
        return Column(name, "boolean", values, missing)
    if code == "u" and values.dtype.itemsize == 8:
        fits = values.max(initial=0) < 1 << 63
        values = values.view(np.int64) if fits else values.astype(object)
    if code in "iuO":
        return Column(name, "integer", values, missing)
    if values.dtype.itemsize == 2:
        values = values.astype(np.float32)
    elif values.dtype.itemsize > 8:
        values = values.astype(np.float64)
    nan = np.isnan(values)
    return Column(name, "float", values, drop_mask(nan if missing is None else nan | missing))


def seconds(name: str, times: NDArray[Any]) -> NDArray[np.float64]:
    """Return dates as seconds since 1970 and durations as seconds; NaT becomes NaN.

    The same time has the same value in every unit, and today's are exact to 0.24 microseconds.
    """
    unit, step = np.datetime_data(times.dtype)
    if unit in ("M", "Y"):
        if times.dtype.kind == "m":
            raise InputError(
                f"column {name!r} has type {times.dtype}, and months and years differ in length; "
                "turn it into days or into a number",
                columns=[name],
            )
        times, (unit, step) = times.astype("M8[D]"), ("D", 1)
    n_seconds, per_second = SECONDS_OF_UNIT[unit]
    # Whole seconds apart, as a float does not hold all nanoseconds since 1970.
    ticks = times.astype(np.int64)
    rest = np.fmod(ticks, per_second)
    whole = (ticks - rest) // per_second
    found: NDArray[np.float64] = whole * float(step * n_seconds) + rest * float(step) / per_second
    found[np.isnat(times)] = np.nan
    return found


def distinct_integers(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct values in ascending order, and the index of each value among them.

    Values in a short range are looked up in a table, which is faster than sorting; the distinct
    ones are then int64, modulo 2**64.
    """
    if values.dtype == bool:
        values = values.view(np.uint8)
    if len(values) == 0:
        return values, values
    lowest = values.min()
    if values.dtype == object or int(values.max()) - int(lowest) >= max(256, len(values)):
        return np.unique(values, return_inverse=True)
    lowest = lowest.astype(np.int64)
    offsets = values.astype(np.int64) - lowest
    n_each = np.bincount(offsets)
    occurring = np.flatnonzero(n_each)
    if len(occurring) == len(n_each):
        return occurring + lowest, offsets
    return occurring + lowest, (np.cumsum(n_each > 0) - 1)[offsets]
