"""The gate of the package: any table of inputs and outputs to one normal form.

A radial score under constant returns to scale does not change when a column is measured in other
units, when a column is repeated, or when a unit is replaced by a multiple of itself. `units` uses
all three, so that the models behind it meet columns of comparable magnitude, distinct columns only,
and, when there is a single input, a constant input of 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError

__all__ = ["Units", "units"]

Floats = NDArray[np.float64]


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
        What each unit was divided by.
    totals : (n_units,) array
        Sum of the outputs of each unit, as they came.
    idle : (n_units,) bool array
        The units whose outputs are all zero.
    sole : (n_units,) bool array
        The units that alone, among those which need no other inputs, produce some output.
    """

    inputs: Floats
    outputs: Floats
    sizes: Floats
    totals: Floats
    idle: NDArray[np.bool_]
    sole: NDArray[np.bool_]


def units(inputs: Any, outputs: Any) -> Units:
    """Validate a table of units and bring it to normal form.

    Parameters
    ----------
    inputs, outputs : array-like or frame of shape (n_units, n_columns)
        Non-negative finite numbers; one dimension means one column; inputs=None a constant input.

    Returns
    -------
    Units

    Raises
    ------
    InputError
        If a table has the wrong shape, a number that is negative or not finite, or a unit without
        any positive input.

    Examples
    --------
    >>> table = units([2.0, 4.0], [[1.0, 0.0], [1.0, 3.0]])
    >>> table.inputs.tolist(), table.sole.tolist()
    ([[1.0], [1.0]], [False, True])
    """
    y = _table(outputs, "output")
    x = np.ones((len(y), 1)) if inputs is None else _table(inputs, "input")
    if len(x) != len(y):
        message = (
            f"inputs and outputs must have a row for each unit, got {len(x)} and {len(y)} rows"
        )
        raise InputError(message)
    needless = np.flatnonzero(~x.any(axis=1))
    if len(needless):
        message = "inputs must have a positive number for each unit, got only zeros for unit"
        raise InputError(f"{message} {needless[0]}")
    # The verdicts on zeros come from the table as given, before any division can underflow.
    idle, sole = (y == 0).all(axis=1), _sole_producers(x > 0, y > 0)
    with np.errstate(over="ignore"):  # the certificate finds out
        totals = y.sum(axis=1)
        y = _distinct(y)
        sizes = np.ones(len(y))
        if inputs is not None:
            x = _distinct(x)
            sizes = x.max(axis=1)
            x = _distinct(x / sizes[:, None])
            y = _distinct(y / sizes[:, None])
    return Units(x, y, sizes, totals, idle, sole)


def _table(values: Any, kind: str) -> Floats:
    """Read `values` as a finite, non-negative matrix; `kind` names its columns in messages."""
    name = f"{kind}s"
    try:
        # By columns: sums and tests over a few outputs of many units are then vector operations.
        table = np.asarray(_from_frame(values), dtype=np.float64, order="F")
    except (TypeError, ValueError) as error:
        message = f"{name} must be a table of numbers, one row for each unit, got {error}"
        raise InputError(message) from error
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or 0 in table.shape:
        message = f"{name} must have one row for each unit and one column for each {kind}"
        raise InputError(f"{message}, at least one of both, got shape {table.shape}")
    if table.min() >= 0 and table.max() < np.inf:
        return table
    for wrong, rule in ((~np.isfinite(table), "be finite"), (table < 0, "not be negative")):
        if wrong.any():
            unit, column = np.argwhere(wrong)[0]
            message = f"{name} must {rule}, got {table[unit, column]} for unit {unit}"
            raise InputError(f"{message}, {kind} {column}")
    return table


def _from_frame(values: Any) -> Any:
    """Turn a frame or a series of any library into an array; leave everything else as it is."""
    if isinstance(values, (np.ndarray, list, tuple)):
        return values
    import narwhals.stable.v2 as nw  # only frames need it

    native = nw.from_native(values, eager_only=True, allow_series=True, pass_through=True)
    return native.to_numpy() if isinstance(native, (nw.DataFrame, nw.Series)) else values


def _sole_producers(consumes: NDArray[np.bool_], produces: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark p if it makes an output that no other unit with a subset of p's inputs makes."""
    if consumes.all():  # one pattern: everybody is among everybody's references
        return np.asarray((produces & (produces.sum(axis=0) == 1)).any(axis=1))
    sole = np.zeros(len(consumes), dtype=np.bool_)
    patterns, member = np.unique(consumes, axis=0, return_inverse=True)
    for index, pattern in enumerate(patterns):
        among = ~(consumes & ~pattern).any(axis=1)
        once = produces[among].sum(axis=0) == 1
        sole |= (member.ravel() == index) & (produces & once).any(axis=1)
    return sole


def _distinct(table: Floats) -> Floats:
    """Scale each column to a maximum in [1, 2); drop repeated columns and columns of zeros."""
    # By powers of two: exact, and columns that were equal stay equal to the last bit.
    highest = table.max(axis=0)
    scaled = np.ldexp(table, 1 - np.frexp(highest)[1])
    columns = np.ascontiguousarray(scaled.T)
    first = {columns[c].tobytes(): c for c in reversed(range(table.shape[1])) if highest[c] > 0}
    if len(first) == table.shape[1]:
        return np.ascontiguousarray(scaled)
    return np.ascontiguousarray(scaled[:, sorted(first.values())])
