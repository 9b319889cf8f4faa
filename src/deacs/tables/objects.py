"""Columns of Python objects: find the type that all values share, or raise an error."""

import numbers
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError, Note, Parameter
from deacs.tables.columns import Column, missing_objects, number_column

__all__ = ["first_seen", "nominal_column", "object_column", "unusable"]

BOOLEANS = (bool, np.bool_)
NUMBERS = (numbers.Real, np.floating, np.integer, Decimal)
TIMES = {"moment", "span", "time of day"}
KINDS = {"boolean", "integer", "float", "text", *TIMES}
INT64 = range(-(1 << 63), 1 << 63)
LARGEST_INTEGER = 10**300


def object_column(name: str, values: NDArray[Any]) -> Column:
    """Return a typed column, if all values are booleans, numbers, text, dates or times."""
    missing = missing_objects(values)
    present = _present(values, missing)
    kinds = {_kind(t) for t in {type(value) for value in present.tolist()}}
    if kinds == {"boolean"}:
        return number_column(name, _fill(values, missing, False).astype(bool), missing)
    if kinds == {"integer"}:
        filled = _fill(values, missing, 0)
        if filled.max() in INT64 and filled.min() in INT64:
            return number_column(name, filled.astype(np.int64), missing)
        return _wide_integers(name, filled, missing)
    if kinds and kinds <= {"integer", "float"}:
        return number_column(name, _floats(name, _fill(values, missing, np.nan)), missing)
    if kinds <= {"text"}:
        return nominal_column(name, values.tolist(), missing)
    if len(kinds) == 1 and kinds <= TIMES:
        return number_column(name, _times(name, values, missing, kinds.pop()))
    raise TypeError(_offence(name, values, missing))


def _wide_integers(name: str, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> Column:
    if max(abs(int(values.max())), abs(int(values.min()))) > LARGEST_INTEGER:
        raise InputError(
            f"column {name!r} has integers of more than 300 digits, which are no quantities; turn "
            "them into text",
            columns=[name],
        )
    whole = np.empty(len(values), dtype=object)
    whole[:] = [int(value) for value in values]
    return number_column(name, whole, missing)


def _floats(name: str, values: NDArray[Any]) -> NDArray[np.float64]:
    try:
        return values.astype(np.float64)
    except (ValueError, OverflowError) as error:  # a signalling NaN, an integer of 400 digits
        raise InputError(
            f"column {name!r} has a number that is not a float ({error}); turn the column into "
            "floats or text",
            columns=[name],
        ) from None


def nominal_column(
    name: str,
    values: Sequence[Any],
    missing: NDArray[np.bool_] | None,
    declared: Iterable[Any] | None = None,
) -> Column:
    """Return a nominal column with the categories that occur, in declared order or sorted."""
    lookup, codes = first_seen(values)
    absent = set() if missing is None else {int(codes[row]) for row in np.flatnonzero(missing)}
    found = [value for value, k in lookup.items() if k not in absent]
    ordered = [value for value in declared if value in lookup] if declared else sorted(found)
    position = {value: k for k, value in enumerate(ordered)}
    recode = np.array([position.get(value, 0) for value in lookup], dtype=np.int64)
    categories = np.empty(len(ordered), dtype=object)
    categories[:] = ordered
    return Column(name, "nominal", recode[codes], missing, categories, declared is not None)


def first_seen(values: Sequence[Any]) -> tuple[dict[Any, int], NDArray[np.int64]]:
    """Number distinct values by first occurrence; return the numbers and the codes of all."""
    lookup: dict[Any, int] = {}
    codes = (lookup.setdefault(value, len(lookup)) for value in values)
    return lookup, np.fromiter(codes, np.int64, len(values))


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


def _kind(t: type) -> str:
    if issubclass(t, BOOLEANS):
        return "boolean"
    if issubclass(t, (date, np.datetime64)):
        return "moment"
    if issubclass(t, (timedelta, np.timedelta64)):  # to NumPy, the latter is an integer too
        return "span"
    if issubclass(t, (int, np.integer)):
        return "integer"
    if issubclass(t, NUMBERS):
        return "float"
    if issubclass(t, time):
        return "time of day"
    return "text" if issubclass(t, str) else t.__name__


def _times(
    name: str, values: NDArray[Any], missing: NDArray[np.bool_] | None, kind: str
) -> NDArray[Any]:
    """Convert dates and times to NumPy types: moments in UTC, times of day since midnight."""
    as_numpy = np.datetime64 if kind == "moment" else np.timedelta64
    plain = [as_numpy(_plain_time(value)) for value in _present(values, missing)]
    try:
        known = np.array(plain)  # in the finest of their units
    except OverflowError:
        known = np.array(plain, dtype=object)
    if known.dtype == object:
        units = ", ".join(sorted({np.datetime_data(value.dtype)[0] for value in plain}))
        raise InputError(
            f"column {name!r} has times in units that have no common one ({units}); turn them into "
            "one unit",
            columns=[name],
        )
    # NumPy 2.0 makes 0 of NaT in another unit.
    known[[bool(np.isnat(value)) for value in plain]] = "NaT"
    times = np.full(len(values), "NaT", dtype=known.dtype)
    times[slice(None) if missing is None else ~missing] = known
    return times


def _plain_time(value: Any) -> Any:
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    if isinstance(value, time):
        return datetime.combine(date.min, value.replace(tzinfo=None)) - datetime.min
    # Those of pandas know nanoseconds.
    exact = getattr(value, "to_datetime64", getattr(value, "to_timedelta64", None))
    return value if exact is None else exact()


def _present(values: NDArray[Any], missing: NDArray[np.bool_] | None) -> NDArray[Any]:
    return values if missing is None else values[~missing]


def _fill(values: NDArray[Any], missing: NDArray[np.bool_] | None, with_: Any) -> NDArray[Any]:
    return values if missing is None else np.where(missing, with_, values)


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
