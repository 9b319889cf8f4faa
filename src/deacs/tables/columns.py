"""Typed columns: name, kind, values and a mask of missing values (None, NaN, pandas' markers)."""

import numbers
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError, Note, Parameter

__all__ = [
    "EXACT_FLOATS",
    "Column",
    "Kind",
    "Table",
    "are_long_integers",
    "distinct_integers",
    "drop_mask",
    "first_seen",
    "missing_objects",
    "nominal_column",
    "number_column",
    "object_column",
    "seconds",
    "text_of_integers",
    "unusable",
]

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
        Numbers; for a nominal column, indices into `categories`. Arbitrary where `missing`.
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
        if offset := self.offset:
            # Unsigned subtraction cannot overflow for any two int64.
            values = values.astype(np.uint64) - np.uint64(offset % (1 << 64))
        return np.ascontiguousarray(values, dtype=np.float64)

    def take(self, rows: NDArray[np.intp]) -> "Column":
        """Return a subset of the rows, with the categories that occur in it."""
        values = self.values[rows]
        missing = None if self.missing is None else drop_mask(self.missing[rows])
        if self.categories is None:
            return Column(self.name, self.kind, values, missing)
        return nominal_column(self.name, self.categories.tolist(), values, missing, self.ordered)


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


def drop_mask(missing: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Return the mask, or None if nothing is missing."""
    return missing if missing.any() else None


def number_column(
    name: str, values: NDArray[Any], missing: NDArray[np.bool_] | None = None
) -> Column:
    """Make a column of booleans, integers, floats or times (in seconds); NaN and NaT are missing.

    Values are copied only to convert them to a type that the kernels support. Integers beyond
    int64, which are identifiers rather than quantities, become text.
    """
    if values.dtype.kind in "mM":
        values = seconds(name, values)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    code = values.dtype.kind
    if code == "b":
        return Column(name, "boolean", values, missing)
    if values.dtype == np.uint64:
        if values.max(initial=0) >= 1 << 63:
            return nominal_column(name, *first_seen(text_of_integers(values)), missing)
        values = values.view(np.int64)
    if code in "iu":
        return Column(name, "integer", values, missing)
    if values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float32 if values.dtype.itemsize == 2 else np.float64)
    nan = np.isnan(values)
    return Column(name, "float", values, drop_mask(nan if missing is None else nan | missing))


def nominal_column(
    name: str,
    categories: Sequence[Any],
    codes: NDArray[np.integer[Any]],
    missing: NDArray[np.bool_] | None,
    ordered: bool = False,
) -> Column:
    """Return a nominal column with the categories that occur, sorted if they are not `ordered`.

    `codes` are indices into `categories`, any of them where `missing`.
    """
    present = codes if missing is None else codes[~missing]
    occurring = np.flatnonzero(np.bincount(present, minlength=len(categories))).tolist()
    if not ordered:
        occurring.sort(key=categories.__getitem__)
    position = np.zeros(max(len(categories), 1), dtype=np.int64)
    position[occurring] = np.arange(len(occurring))
    kept = np.empty(len(occurring), dtype=object)
    kept[:] = [categories[k] for k in occurring]
    return Column(name, "nominal", position[codes], missing, kept, ordered)


def first_seen(values: Sequence[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the distinct values in the order of their first occurrence, and the codes of all."""
    lookup: dict[Any, int] = {}
    codes = (lookup.setdefault(value, len(lookup)) for value in values)
    places = np.fromiter(codes, np.int64, len(values))
    return list(lookup), places


def are_long_integers(texts: Sequence[Any]) -> bool:
    """Whether all are integers written as text, and some need more than 64 bits."""
    if not all(isinstance(text, str) and re.fullmatch(r"[+-]?\d+", text) for text in texts):
        return False
    return any(len(text) > 18 and not -(1 << 63) <= int(text) < 1 << 63 for text in texts)


def text_of_integers(values: NDArray[Any]) -> list[str]:
    """Return integers of any size as text."""
    return [str(int(value)) for value in values]


def distinct_integers(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct values in ascending order, and the index of each value among them.

    Values in a short range are looked up in a table, which is faster than sorting; the distinct
    ones are then int64.
    """
    if values.dtype == bool:
        values = values.view(np.uint8)
    if len(values) == 0:
        return values, values
    lowest = values.min()
    if int(values.max()) - int(lowest) >= max(256, len(values)):
        return np.unique(values, return_inverse=True)
    lowest = lowest.astype(np.int64)
    offsets = values.astype(np.int64) - lowest
    n_each = np.bincount(offsets)
    occurring = np.flatnonzero(n_each)
    if len(occurring) == len(n_each):
        return occurring + lowest, offsets
    return occurring + lowest, (np.cumsum(n_each > 0) - 1)[offsets]


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


# Recognised by name, so that pandas need not be imported.
MARKERS = ("NoneType", "NAType", "NaTType")
NUMBERS = (numbers.Real, np.floating, np.integer, Decimal)
KINDS = {"boolean", "integer", "float", "text", "moment", "span", "time of day"}


def missing_objects(values: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Return which entries of an object array are missing, or None if none is."""
    entries = values.tolist()
    # Types are few, and most columns have none of which a value can be missing.
    floats = {t for t in set(map(type, entries)) if issubclass(t, (float, np.floating))}
    markers = {t for t in set(map(type, entries)) if t.__name__ in MARKERS}
    if not floats and not markers:
        return None
    missing = (type(v) in markers or (type(v) in floats and bool(np.isnan(v))) for v in entries)
    return drop_mask(np.fromiter(missing, bool, len(entries)))


def object_column(name: str, values: NDArray[Any]) -> Column:
    """Return a typed column, if all values are booleans, numbers, text, dates or times."""
    missing = missing_objects(values)
    present = values if missing is None else values[~missing]
    kinds = {_kind(t) for t in set(map(type, present.tolist()))}
    if kinds <= {"text"}:
        return nominal_column(name, *first_seen(values.tolist()), missing)
    if not kinds <= KINDS or (len(kinds) > 1 and kinds != {"integer", "float"}):
        raise TypeError(_offence(name, values, missing))
    try:
        typed = _typed(present, kinds)
    except (TypeError, ValueError, OverflowError) as error:  # such as an integer of 400 digits
        raise InputError(
            f"column {name!r} has values that cannot be converted ({error}); turn it into floats "
            "or text",
            columns=[name],
        ) from None
    if missing is not None:
        filled = np.zeros(len(values), dtype=typed.dtype)
        filled[~missing] = typed
        typed = filled
    if typed.dtype == object:
        return nominal_column(name, *first_seen(typed.tolist()), missing)
    return number_column(name, typed, missing)


def _kind(t: type) -> str:
    if issubclass(t, bool | np.bool_):
        return "boolean"
    if issubclass(t, date | np.datetime64):
        return "moment"
    if issubclass(t, timedelta | np.timedelta64):  # to NumPy, the latter is an integer too
        return "span"
    if issubclass(t, int | np.integer):
        return "integer"
    if issubclass(t, NUMBERS):
        return "float"
    if issubclass(t, time):
        return "time of day"
    return "text" if issubclass(t, str) else t.__name__


def _typed(values: NDArray[Any], kinds: set[str]) -> NDArray[Any]:
    """Return values of one kind in NumPy's type for it; integers beyond int64 as text."""
    if kinds == {"boolean"}:
        return values.astype(bool)
    if kinds == {"integer"}:
        try:
            return np.array([int(value) for value in values], dtype=np.int64)
        except OverflowError:
            return np.array(text_of_integers(values), dtype=object)
    if "float" in kinds:
        return values.astype(np.float64)
    as_numpy = np.datetime64 if kinds == {"moment"} else np.timedelta64
    times = np.array([as_numpy(_plain_time(value)) for value in values])  # in the finest unit
    if times.dtype == object:
        raise TypeError("times in units that have no common one")
    return times


def _plain_time(value: Any) -> Any:
    """Return a moment in UTC or a time of day since midnight, as NumPy takes them."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    if isinstance(value, time):
        return datetime.combine(date.min, value.replace(tzinfo=None)) - datetime.min
    # Those of pandas know nanoseconds.
    exact = getattr(value, "to_datetime64", getattr(value, "to_timedelta64", None))
    return value if exact is None else exact()


def _offence(name: str, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> str:
    """Return a message about the first value of another type.

    scikit-learn's estimator checks expect "argument must be a string or a number".
    """
    rows = range(len(values)) if missing is None else np.flatnonzero(~missing).tolist()
    first = values[rows[0]]
    kind = _kind(type(first))
    if kind not in KINDS:
        return (
            f"{unusable(name, type(first).__name__)}. It holds {first!r} in row {rows[0]}; each "
            "value's argument must be a string or a number"
        )
    same = {"integer", "float"} if kind in ("integer", "float") else {kind}
    row = next(row for row in rows if _kind(type(values[row])) not in same)
    other = values[row]
    return (
        f"column {name!r} mixes types: it begins with {type(first).__name__} and holds {other!r} "
        f"({type(other).__name__}) in row {row}; each value's argument must be a string or a "
        "number, and one kind in a column. Convert the column, e.g. with X.astype(str)"
    )


def unusable(name: str, dtype: str) -> Note:
    """Return a message that a column's type is not supported, and what to do."""
    advice = "turn it into numbers or categories"
    if any(word in dtype.lower() for word in ("date", "time", "duration", "period")):
        advice = "derive numbers from it (year, weekday, seconds since a day)"
    elif any(word in dtype.lower() for word in ("binary", "bytes")):
        advice = "decode it to text"
    elif any(word in dtype.lower() for word in ("list", "array", "struct", "dict")):
        advice = "give each part a column of its own"
    what = f"column {name!r} has type {dtype}, which is neither numeric nor nominal; {advice}, or "
    return Note(what, "leave it out with ", Parameter("exclude", [name]))
