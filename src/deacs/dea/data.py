"""Read tables of units: their inputs and outputs, and what they are called."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError, Parameter

__all__ = ["Columns", "Floats", "Table", "column_sizes", "read_columns", "read_rows", "read_table"]

Floats = NDArray[np.float64]
Columns = tuple[Floats, Floats, Floats]
"""Numbers of inputs, outputs and undesirable outputs."""


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
    names = None if names is None else _names(names)
    y = read_columns(outputs, "output", signed=signed, names=names)
    x, bad = np.ones((len(y), 1)), np.empty((len(y), 0))
    if inputs is not None:
        x = read_columns(inputs, "input", signed=signed, names=names)
    if undesirable is not None:
        bad = read_columns(undesirable, "undesirable output", signed=signed, names=names)
    for name, columns in (("inputs", x), ("undesirable", bad)):
        if len(columns) != len(y):
            message = f"{name} and outputs must have a row for each unit"
            raise InputError(f"{message}, got {len(columns)} and {len(y)} rows")
    if names is not None and len(names) != len(y):
        raise InputError(
            f"names must hold one name for each of the {len(y)} units, got {len(names)}"
        )
    without = np.flatnonzero(~x.any(axis=1))
    if len(without) and not signed:
        raise InputError(
            Parameter("inputs"),
            " must have a positive number for each unit, got only zeros for "
            + _unit(int(without[0]), names),
        )
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


def read_columns(
    values: Any, kind: str, *, signed: bool = False, names: Sequence[Any] | None = None
) -> Floats:
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
            unit, column = np.argwhere(wrong)[0].tolist()
            where = f"{kind} {column}"
            if (given := _given_names(values)) is not None:
                where = f"column {given[column]!r}"
            raise InputError(
                Parameter(name),
                f" must {rule}, got {table[unit, column]} for {_unit(unit, names)}, {where}",
            )
    return table


def _unit(unit: int, names: Sequence[Any] | None) -> str:
    return f"unit {unit}" if names is None or unit >= len(names) else repr(names[unit])


def _unmasked(values: Any) -> Any:
    """Return NaN in place of masked numbers, which are missing; anything else unchanged."""
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(np.float64), np.nan)
    return values


def _names(values: Any) -> tuple[Any, ...]:
    array = _from_frame(values)
    if not isinstance(array, Iterable) or getattr(array, "ndim", 1) != 1:
        raise InputError(
            f"names must hold one name for each unit, got {type(values).__name__}; give a list or "
            "one column"
        )
    return tuple(array)


def _from_frame(values: Any) -> Any:
    """Turn a frame or series of any library into an array; return anything else unchanged."""
    if isinstance(values, (np.ndarray, list, tuple)):
        return values
    import narwhals.stable.v2 as nw  # only frames need it

    native = nw.from_native(values, eager_only=True, allow_series=True, pass_through=True)
    return native.to_numpy() if isinstance(native, (nw.DataFrame, nw.Series)) else values


def _column_names(values: Any, kind: str, table: Floats) -> tuple[str, ...]:
    """Return the column names of a frame or series; numbered names if there are none."""
    return _given_names(values) or tuple(f"{kind}_{column}" for column in range(table.shape[1]))


def _given_names(values: Any) -> tuple[str, ...] | None:
    if hasattr(values, "columns"):
        return tuple(str(name) for name in values.columns)
    name = getattr(values, "name", None)
    return (name,) if isinstance(name, str) else None
