"""Input validation for DEA: read a table of inputs and outputs, and bring it to normal form.

`read_table` keeps the numbers and the names of a table. `units` also normalises it: a radial score
under constant returns to scale does not change if a column is rescaled, if a column is repeated, or
if a unit is multiplied by a factor. So models get only distinct columns of comparable magnitude
and, if there is a single input, a constant input of 1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError, Numbered, Parameter

__all__ = [
    "SAFE",
    "TINY",
    "Columns",
    "Floats",
    "Table",
    "Units",
    "column_sizes",
    "read_rows",
    "read_table",
    "units",
]

Floats = NDArray[np.float64]
Columns = tuple[Floats, Floats, Floats]
"""Numbers of inputs, outputs and undesirable outputs."""

TINY = float(np.finfo(np.float64).tiny)
"""Smaller doubles are subnormal and have fewer digits."""

SAFE = 1e-90
"""Products of numbers above this share of their column maxima do not underflow."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Units as given: numbers and names.

    Attributes
    ----------
    inputs, outputs, undesirable : (n_units, n_columns) arrays
        Without undesirable outputs, that array has no columns.
    input_names, output_names, undesirable_names : tuples of str
        Columns of a frame, or input_0, input_1, ...
    names : tuple or None
        Names of the units.
    """

    inputs: Floats
    outputs: Floats
    undesirable: Floats
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]
    undesirable_names: tuple[str, ...]
    names: tuple[Any, ...] | None

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.outputs)

    @property
    def groups(self) -> Columns:
        """Inputs, outputs and undesirable outputs."""
        return self.inputs, self.outputs, self.undesirable


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Units in normal form: unit j is `sizes[j]` times the row j of `inputs` and `outputs`.

    Attributes
    ----------
    inputs : (n_units, n_inputs) array
        Distinct inputs, in [0, 2); a single one is constant, a column of ones.
    outputs : (n_units, n_outputs) array
        Distinct outputs, in [0, 2).
    sizes : (n_units,) array
        The factor by which each unit was divided.
    totals : (n_units,) array
        Sum of the outputs of each unit, as given.
    idle : (n_units,) bool array
        The units whose outputs are all zero.
    sole : (n_units,) bool array
        Units with an output that no other unit with a subset of their inputs produces.
    given : pair of arrays
        Inputs and outputs as given.
    usable : bool
        Whether products of normalised numbers stay within the range of doubles.
    """

    inputs: Floats
    outputs: Floats
    sizes: Floats
    totals: Floats
    idle: NDArray[np.bool_]
    sole: NDArray[np.bool_]
    given: tuple[Floats, Floats]
    usable: bool


def read_table(
    inputs: Any,
    outputs: Any,
    *,
    undesirable: Any = None,
    names: Sequence[Any] | None = None,
    signed: bool = False,
) -> Table:
    """Validate a table of units and keep its names.

    One dimension means one column, inputs=None a constant input of 1. `signed` allows negative
    numbers and units without inputs.
    """
    x, y = _inputs_and_outputs(inputs, outputs, signed=signed)
    bad = np.empty((len(y), 0))
    if undesirable is not None:
        bad = _table(undesirable, "undesirable output", signed=signed)
    if len(bad) != len(y):
        message = "undesirable and outputs must have a row for each unit"
        raise InputError(f"{message}, got {len(bad)} and {len(y)} rows")
    if names is not None:
        names = _names(names, len(y))
    return Table(
        x,
        y,
        bad,
        ("constant",) if inputs is None else _column_names(inputs, "input", x),
        _column_names(outputs, "output", y),
        _column_names(undesirable, "undesirable", bad),
        names,
    )


def read_rows(values: Any, columns: Floats, parameter: str, accepted: str) -> Floats:
    """Read non-negative numbers for some columns, the same for all units (one row) or for each.

    One dimension with a number for each unit is accepted if there is a single column.
    """
    try:
        rows = np.asarray(_unmasked(values), dtype=np.float64)
        if columns.shape[1] == 1 and rows.shape == columns.shape[:1]:
            rows = rows[:, None]
        rows = np.broadcast_to(rows, columns.shape)
    except (TypeError, ValueError, OverflowError) as error:
        shapes = f"{columns.shape} or {columns.shape[1:]}"
        raise InputError(
            Parameter(parameter), f" must be {accepted} of shape {shapes}, got {error}"
        ) from error
    wrong = ~(np.isfinite(rows) & (rows >= 0))
    if wrong.any():
        raise InputError(
            Parameter(parameter), f" must be finite and not negative, got {rows[wrong][0]}"
        )
    return rows


def column_sizes(columns: Floats) -> Floats:
    """Return the largest magnitude in each column, 1 for a column of zeros."""
    highest = np.abs(columns).max(axis=0)
    return np.where(highest > 0, highest, 1.0)


def units(inputs: Any, outputs: Any) -> Units:
    """Validate a table of units, as `read_table` does, and bring it to normal form.

    >>> table = units([2.0, 4.0], [[1.0, 0.0], [1.0, 3.0]])
    >>> table.inputs.tolist(), table.sole.tolist()
    ([[1.0], [1.0]], [False, True])
    """
    x, y = _inputs_and_outputs(inputs, outputs)
    # Zeros are judged in the table as given, before any division can underflow.
    idle, sole = (y == 0).all(axis=1), _sole_producers(x > 0, y > 0)
    given = x, y
    with np.errstate(over="ignore"):  # `usable` is then False
        totals = y.sum(axis=1)
        y, usable = _distinct(y)
        sizes = np.ones(len(y))
        if inputs is not None:
            x, is_safe = _distinct(x)
            usable &= is_safe
        if inputs is not None and usable:
            sizes = x.max(axis=1)
            (x, x_safe), (y, y_safe) = (_distinct(part / sizes[:, None]) for part in (x, y))
            usable = x_safe and y_safe
            sizes = sizes if usable else np.ones(len(y))
    return Units(x, y, sizes, totals, idle, sole, given, usable)


def _inputs_and_outputs(
    inputs: Any, outputs: Any, *, signed: bool = False
) -> tuple[Floats, Floats]:
    y = _table(outputs, "output", signed=signed)
    x = np.ones((len(y), 1)) if inputs is None else _table(inputs, "input", signed=signed)
    if len(x) != len(y):
        message = "inputs and outputs must have a row for each unit"
        raise InputError(f"{message}, got {len(x)} and {len(y)} rows")
    without = np.flatnonzero(~x.any(axis=1))
    if len(without) and not signed:
        raise InputError(
            Parameter("inputs"),
            " must have a positive number for each unit, got only zeros for ",
            Numbered("unit", int(without[0])),
        )
    return x, y


def _table(values: Any, kind: str, *, signed: bool = False) -> Floats:
    """Read `values` as a finite matrix, non-negative unless signed; `kind` names its columns."""
    name = f"{kind}s"
    message = f"{name} must be a table of numbers, one row for each unit, got"
    try:
        array = _from_frame(values)
        dtype = getattr(array, "dtype", None)
        if isinstance(dtype, np.dtype) and dtype.kind in "cmM":
            raise TypeError(f"{dtype} is not a type of real numbers")
        # Column-major: sums and tests over few outputs of many units are then vectorised.
        table = np.asarray(_unmasked(array), dtype=np.float64, order="F")
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{message} {type(values).__name__}: {error}") from error
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or 0 in table.shape:
        message = f"{name} must have one row for each unit and one column for each {kind}"
        raise InputError(f"{message}, at least one of both, got shape {table.shape}")
    if table.min() >= 0 and table.max() < np.inf:
        return table
    for wrong, rule in ((~np.isfinite(table), "be finite"), (table < 0, "not be negative")):
        if wrong.any() and not (signed and rule == "not be negative"):
            unit, column = np.argwhere(wrong)[0]
            raise InputError(
                Parameter(name),
                f" must {rule}, got {table[unit, column]} for ",
                Numbered("unit", int(unit)),
                ", ",
                Numbered(kind, int(column)),
            )
    return table


def _unmasked(values: Any) -> Any:
    """Return NaN in place of masked numbers, which are missing; anything else unchanged."""
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(np.float64), np.nan)
    return values


def _names(values: Any, n_units: int) -> tuple[Any, ...]:
    array = _from_frame(values)
    accepted = f"names must hold one name for each of the {n_units} units, got"
    if not isinstance(array, Iterable) or getattr(array, "ndim", 1) != 1:
        raise InputError(f"{accepted} {type(values).__name__}; give a list or one column")
    names = tuple(array)
    if len(names) != n_units:
        raise InputError(f"{accepted} {len(names)}")
    return names


def _from_frame(values: Any) -> Any:
    """Turn a frame or series of any library into an array; return anything else unchanged."""
    if isinstance(values, (np.ndarray, list, tuple)):
        return values
    import narwhals.stable.v2 as nw  # only frames need it

    native = nw.from_native(values, eager_only=True, allow_series=True, pass_through=True)
    return native.to_numpy() if isinstance(native, (nw.DataFrame, nw.Series)) else values


def _column_names(values: Any, kind: str, table: Floats) -> tuple[str, ...]:
    """Return the column names of a frame or series; numbered names if there are none."""
    if hasattr(values, "columns"):
        return tuple(str(name) for name in values.columns)
    name = getattr(values, "name", None)
    if isinstance(name, str) and table.shape[1] == 1:
        return (name,)
    return tuple(f"{kind}_{column}" for column in range(table.shape[1]))


def _sole_producers(consumes: NDArray[np.bool_], produces: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark units with an output that no other unit with a subset of their inputs produces."""
    if consumes.all():  # one pattern of inputs: each unit is a reference of every other
        return np.asarray((produces & (produces.sum(axis=0) == 1)).any(axis=1))
    sole = np.zeros(len(consumes), dtype=np.bool_)
    patterns, member = np.unique(consumes, axis=0, return_inverse=True)
    for index, pattern in enumerate(patterns):
        among = ~(consumes & ~pattern).any(axis=1)
        once = produces[among].sum(axis=0) == 1
        sole |= (member.ravel() == index) & (produces & once).any(axis=1)
    return sole


def _distinct(table: Floats) -> tuple[Floats, bool]:
    """Scale each column to a maximum in [1, 2); drop repeated columns and columns of zeros.

    Also return whether all numbers are large enough to compute with.
    """
    # Powers of two are exact, so equal columns stay equal.
    highest = table.max(axis=0)
    power = 1 - np.frexp(highest)[1]
    # A finite factor suffices, and multiplication is faster.
    ordinary = np.abs(power).max(initial=0) < 1000
    scaled = table * np.ldexp(1.0, power) if ordinary else np.ldexp(table, power)
    is_safe = bool(np.count_nonzero(scaled >= SAFE) == np.count_nonzero(table > 0))
    columns = np.ascontiguousarray(scaled.T)
    first = {columns[c].tobytes(): c for c in reversed(range(table.shape[1])) if highest[c] > 0}
    if len(first) == table.shape[1]:
        return np.ascontiguousarray(scaled), is_safe
    return np.ascontiguousarray(scaled[:, sorted(first.values())]), is_safe
