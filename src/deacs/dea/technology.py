"""Production possibilities: inputs and outputs as columns, returns to scale as a bound on Σ λ.

Columns are scaled by powers of two, which is exact, to a maximum in [1, 2), so that programs have
columns of comparable magnitude for any units of measurement.
"""

from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import dea as kernels
from deacs.dea.data import Floats, Table
from deacs.exceptions import InputError, Parameter

__all__ = [
    "SAFE",
    "SMALL",
    "References",
    "ReturnsToScale",
    "Technology",
    "one_of",
    "possible_peers",
]

ReturnsToScale = Literal["crs", "vrs", "nirs", "ndrs"]

TOTALS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "crs": ((), ()),
    "vrs": ((1.0,), (1.0,)),
    "nirs": ((-np.inf,), (1.0,)),
    "ndrs": ((1.0,), (np.inf,)),
}
"""Lower and upper bound of Σ λ; constant returns have no such row."""

SAFE = 1e-90
"""Products of numbers above this share of their column maxima do not underflow."""

SMALL = 1e-7
"""A slack of a number below this share of its column is no more than a rounding error beside it."""


def one_of(value: str, accepted: object, parameter: str) -> str:
    """Return the value of a parameter, or raise an error that lists the accepted values."""
    choices = get_args(accepted)
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise InputError(Parameter(parameter), f" must be one of {listed}, got {value!r}")
    return value


class References(NamedTuple):
    """Possible peers, as the simplex method reads them: the core, and some extras of one unit."""

    columns: Floats
    """(n_units, n_rows)"""
    blocks: Floats
    """(n_blocks, n_rows, LANES) columns of the core, in its order, padded with zeros."""
    listed: NDArray[np.int64]
    """Units: the core, then the extras."""
    spans: NDArray[np.int64]
    """(n_units, 3) the place in the core of a unit that is not compared with itself, else -1; where
    in `listed` its extras begin, and where they end."""
    makers: NDArray[np.int64]
    """(2, n_rows) the units with the most and second most of each output; for a constant input."""


def possible_peers(columns: Floats, merits: Floats | None) -> References:
    """Prepare units for the simplex method.

    `merits` are quantities to be large, (n_units, any); None if no unit can replace another. Unit p
    needs no reference j that another reference k dominates, since k can replace j in any program.
    So all units are compared with the units that are not dominated (the core), and a member of the
    core also with the units that only it dominates.
    """
    n, n_rows = columns.shape
    lanes = kernels.LANES
    core = np.arange(n)
    extras, starts = core[:0], np.zeros(n + 1, dtype=np.int64)
    if merits is not None:
        shadow = np.empty(n, dtype=np.int64)
        strongest_first = np.argsort(-merits.sum(axis=1), kind="stable")
        merits_in_rows = np.ascontiguousarray(merits)
        core = core[: kernels.maximal_units(merits_in_rows, strongest_first, core, shadow)]
        if len(core) > lanes and merits is columns and n_rows == 2:
            # Similar units next to each other.
            core = core[np.argsort(columns[core, 0], kind="stable")]
        extras = np.argsort(shadow, kind="stable")[np.count_nonzero(shadow < 0) :]
        starts[1:] = np.bincount(shadow[extras], minlength=n).cumsum()
    spans = np.column_stack((np.full(n, -1), starts[:-1], starts[1:]))
    spans[:, 1:] += len(core)
    spans[core, 0] = np.arange(len(core))
    padded = np.zeros((-(-len(core) // lanes) * lanes, n_rows))
    padded[: len(core)] = columns[core]
    blocks = np.ascontiguousarray(padded.reshape(-1, lanes, n_rows).swapaxes(1, 2))
    nobody = np.empty((2, 0), dtype=np.int64)
    return References(columns, blocks, np.concatenate((core, extras)), spans, nobody)


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
    matrix : (n_units, n_rows) array
        Scaled columns, a 1 for Σ λ if it is bounded, and the extra rows.
    least, most : arrays of length 0 or 1
        Bounds of Σ λ.
    usable : bool
        Whether products of numbers stay within the range of doubles; if not, no program is solved.
    has_small : (n_units,) bool array
        Units with a number so small that a slack of it is lost in the rounding of its column.
    """

    def __init__(
        self, table: Table, returns_to_scale: str, *, strict: bool = False, n_extra: int = 0
    ) -> None:
        one_of(returns_to_scale, ReturnsToScale, "returns_to_scale")
        self.table = table
        points = np.hstack(table.groups)
        highest = np.abs(points).max(axis=0)
        exponents = np.where(highest > 0, np.frexp(highest)[1] - 1, 0)
        self.scale = np.ldexp(1.0, exponents)
        scaled = np.ldexp(points, -exponents)
        m, s = table.inputs.shape[1], table.outputs.shape[1]
        self.inputs, self.outputs, self.undesirable = np.split(scaled, (m, m + s), axis=1)
        least, most = TOTALS[returns_to_scale]
        self.least, self.most = np.array(least), np.array(most)
        n = table.n_units
        self.matrix = np.ascontiguousarray(
            np.hstack([scaled, np.ones((n, len(least))), np.zeros((n, n_extra))])
        )
        present, sizes = points != 0, np.abs(scaled)
        self.usable = bool((sizes >= SAFE)[present].all())
        self.has_small = ((sizes < SMALL) & present).any(axis=1)
        self._merits = (
            None if strict else np.hstack([self.outputs, -self.inputs, -self.undesirable])
        )

    @cached_property
    def sizes(self) -> Floats:
        """A power of two for each unit that scales its largest number below 1."""
        return np.asarray(np.ldexp(1.0, -np.frexp(np.abs(self.matrix).max(axis=1))[1]))

    @cached_property
    def _others(self) -> References:
        return possible_peers(self.matrix * self.sizes[:, None], self._merits)

    @cached_property
    def _all(self) -> References:
        spans = np.zeros_like(self._others.spans)
        spans[:, 0] = -1
        return self._others._replace(spans=spans)

    def references(self, *, itself: bool) -> References:
        """Return the units times `sizes`, each compared with all, or with all but `itself`."""
        return self._others if itself else self._all

    @cached_property
    def _pool(self) -> tuple[NDArray[np.intp], Floats]:
        pool = self._others.listed[: np.count_nonzero(self._others.spans[:, 0] >= 0)]
        return pool, self.matrix[pool]

    def candidates(self, p: int, *, itself: bool) -> tuple[NDArray[np.intp], Floats]:
        """Return the possible peers of unit p, and their columns."""
        pool, columns = self._pool
        if not itself:
            return pool, columns
        _, begin, end = self._others.spans[p]
        exposed = self._others.listed[begin:end]
        kept = pool != p
        return np.r_[pool[kept], exposed], np.vstack([columns[kept], self.matrix[exposed]])

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

    def limit(self, units: NDArray[np.intp] | int) -> Floats:
        """Return upper bounds on the rows of the peers, at a score of 1 or below."""
        limit = np.full(self.matrix[units].shape, np.inf)
        m, total = self.inputs.shape[1], len(self.most)
        after = len(self.scale)
        limit[..., :m] = np.where((self.inputs >= 0).all(axis=0), self.inputs[units], np.inf)
        limit[..., after : after + total] = self.most
        return limit
