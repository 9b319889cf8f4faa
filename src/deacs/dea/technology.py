"""Production possibilities: inputs and outputs as columns, returns to scale as a bound on Σ λ.

Columns are scaled by powers of two, which is exact, to a maximum in [1, 2), so that programs have
columns of comparable magnitude for any units of measurement. A column that spans more than 300
decades gets a larger maximum, so that its smallest numbers do not underflow.
"""

from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import SAFE, Floats, Table
from deacs.dea.references import References
from deacs.exceptions import InputError, Parameter

__all__ = ["WIDE", "ReturnsToScale", "Technology", "one_of"]

ReturnsToScale = Literal["crs", "vrs", "nirs", "ndrs"]

TOTALS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "crs": ((), ()),
    "vrs": ((1.0,), (1.0,)),
    "nirs": ((-np.inf,), (1.0,)),
    "ndrs": ((1.0,), (np.inf,)),
}
"""Lower and upper bound of Σ λ; constant returns have no such row."""

WIDE = 1e-7
"""A positive number below this share of its column can hide a slack from floating point."""


def one_of(value: str, accepted: object, parameter: str) -> str:
    """Return the value of a parameter, or raise an error that lists the accepted values."""
    choices = get_args(accepted)
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise InputError(Parameter(parameter), f" must be one of {listed}, got {value!r}")
    return value


class Technology:
    """A table with its returns to scale, as columns of linear programs.

    `strict` keeps dominated references, because undesirable outputs or slacks would differ without
    them. `n_extra` adds rows of zeros at the end, for conditions on a unit's own columns.

    Attributes
    ----------
    inputs, outputs, undesirable : arrays
        Scaled columns.
    scale : (n_columns,) array
        The factors by which columns were divided: inputs, outputs, undesirable outputs.
    least, most : arrays of length 0 or 1
        Bounds of Σ λ.
    lacks : (n_units, n_inputs) bool array
        Inputs that are zero.
    wide : bool
        Whether a column spans so wide a range that statuses must be decided exactly.
    """

    def __init__(
        self, table: Table, returns_to_scale: str, *, strict: bool = False, n_extra: int = 0
    ) -> None:
        one_of(returns_to_scale, ReturnsToScale, "returns_to_scale")
        self.table = table
        scaled = [_scaled(columns) for columns in table.groups]
        self.inputs, self.outputs, self.undesirable = (columns for columns, _ in scaled)
        self.scale = np.concatenate([scale for _, scale in scaled])
        least, most = TOTALS[returns_to_scale]
        self.least, self.most = np.array(least), np.array(most)
        self.matrix = np.ascontiguousarray(
            np.hstack(
                [
                    self.inputs,
                    self.outputs,
                    self.undesirable,
                    np.ones((table.n_units, len(least))),
                    np.zeros((table.n_units, n_extra)),
                ]
            )
        )
        sizes, present = np.abs(self.matrix), self.matrix != 0
        highest = sizes.max(axis=0)
        self.wide = bool((sizes < WIDE * highest)[present].any())
        given = sum(np.count_nonzero(part) for part in table.groups) + table.n_units * len(least)
        # A number that has lost digits would no longer be that of the table.
        self._usable = np.count_nonzero(present) == given and all(
            np.array_equal(columns * scale, part)
            for (columns, scale), part in zip(scaled, table.groups, strict=True)
        )
        self._in_doubles = bool((sizes >= SAFE * highest)[present].all())
        self._strict = strict
        self.lacks = (table.inputs == 0) & (table.inputs >= 0).all(axis=0)

    @cached_property
    def references(self) -> References:
        """The possible peers: units that no other dominates."""
        merits = (
            None if self._strict else np.hstack([self.outputs, -self.inputs, -self.undesirable])
        )
        return References(self.matrix, merits, usable=self._usable, in_doubles=self._in_doubles)

    def bounds(
        self, inputs: Floats, outputs: Floats, undesirable: Floats, *, equal: bool = False
    ) -> tuple[Floats, Floats]:
        """Return the bounds of the rows of peers that use at most and produce at least as much.

        `equal`: they produce exactly as much of undesirable outputs, else at most.
        """
        total = np.zeros((len(inputs), len(self.least)))
        below = undesirable if equal else np.full(undesirable.shape, -np.inf)
        lower = [np.full(inputs.shape, -np.inf), outputs, below, total + self.least]
        upper = [inputs, np.full(outputs.shape, np.inf), undesirable, total + self.most]
        return np.hstack(lower), np.hstack(upper)

    def barred(self, units: NDArray[np.intp] | int) -> NDArray[np.bool_] | None:
        """Mark units that use an input which the given units do not, so cannot be their peers."""
        lacks = self.lacks[units]
        if not lacks.any():
            return None
        return np.asarray(lacks @ (self.inputs != 0).T)

    def limit(self, units: NDArray[np.intp] | int) -> Floats:
        """Return upper bounds on the rows of the peers, at a score of 1 or below."""
        limit = np.full(self.matrix[units].shape, np.inf)
        m, total = self.inputs.shape[1], len(self.most)
        after = m + self.outputs.shape[1] + self.undesirable.shape[1]
        limit[..., :m] = np.where((self.inputs >= 0).all(axis=0), self.inputs[units], np.inf)
        limit[..., after : after + total] = self.most
        return limit


def _scaled(columns: Floats) -> tuple[Floats, Floats]:
    sizes = np.abs(columns)
    highest = sizes.max(axis=0, initial=0.0)
    lowest = np.where(sizes > 0, sizes, np.inf).min(axis=0, initial=np.inf)
    exponents = np.where(highest > 0, np.frexp(highest)[1] - 1, 0)
    span = exponents - np.where(highest > 0, np.frexp(lowest)[1] - 1, 0)
    exponents = exponents - np.clip(span - 1021, 0, 1023)
    return np.ldexp(columns, -exponents), np.ldexp(1.0, exponents)
