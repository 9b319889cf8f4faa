"""Reference units as columns of linear programs, limited to possible peers."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats
from deacs.dea.program import Program
from deacs.kernels.dominance import maximal_units
from deacs.kernels.pivots import LANES
from deacs.kernels.simplex import References as Prepared

__all__ = ["References", "possible_peers"]


def possible_peers(columns: Floats, merits: Floats | None) -> Prepared:
    """Prepare units for the simplex method.

    `merits` are quantities to be large, (n_units, any); None if no unit can replace another. Unit p
    needs no reference j that another reference k dominates, since k can replace j in any program.
    So all units are compared with the units that are not dominated (the core), and a member of the
    core also with the units that only it dominates.
    """
    n, n_rows = columns.shape
    core = np.arange(n)
    extras, starts = core[:0], np.zeros(n + 1, dtype=np.int64)
    if merits is not None:
        shadow = np.empty(n, dtype=np.int64)
        strongest_first = np.argsort(-merits.sum(axis=1), kind="stable")
        n_core = maximal_units(np.ascontiguousarray(merits), strongest_first, core, shadow)
        core = core[:n_core]
        if n_core > LANES and merits is columns and n_rows == 2:
            # Similar units next to each other.
            core = core[np.argsort(columns[core, 0], kind="stable")]
        extras = np.argsort(shadow, kind="stable")[np.count_nonzero(shadow < 0) :]
        starts[1:] = np.bincount(shadow[extras], minlength=n).cumsum()
    spans = np.column_stack((np.full(n, -1), starts[:-1], starts[1:]))
    spans[:, 1:] += len(core)
    spans[core, 0] = np.arange(len(core))
    padded = np.zeros((-(-len(core) // LANES) * LANES, n_rows))
    padded[: len(core)] = columns[core]
    blocks = np.ascontiguousarray(padded.reshape(-1, LANES, n_rows).swapaxes(1, 2))
    nobody = np.empty((2, 0), dtype=np.int64)
    return Prepared(columns, blocks, np.concatenate((core, extras)), spans, nobody)


class References:
    """The units as columns of the programs, of comparable magnitude.

    `merits`: see `possible_peers`. `usable`: the matrix represents the table; if not, every program
    fails. `in_doubles`: products of its numbers stay in range; if not, programs are solved exactly.
    """

    def __init__(
        self,
        matrix: Floats,
        merits: Floats | None = None,
        *,
        usable: bool = True,
        in_doubles: bool = True,
    ) -> None:
        self.matrix, self._merits = matrix, merits
        self.usable, self.in_doubles = usable, in_doubles

    @cached_property
    def sizes(self) -> Floats:
        """A power of two for each unit that scales its largest number below 1."""
        return np.asarray(np.ldexp(1.0, -np.frexp(np.abs(self.matrix).max(axis=1))[1]))

    @cached_property
    def _others(self) -> Prepared:
        return possible_peers(self.matrix * self.sizes[:, None], self._merits)

    @cached_property
    def _all(self) -> Prepared:
        spans = np.zeros_like(self._others.spans)
        spans[:, 0] = -1
        return self._others._replace(spans=spans)

    def prepared(self, *, itself: bool) -> Prepared:
        """Return the units times `sizes`, each compared with all or with all but itself."""
        return self._others if itself else self._all

    @cached_property
    def _pool(self) -> tuple[NDArray[np.intp], Floats]:
        pool = self._others.listed[: np.count_nonzero(self._others.spans[:, 0] >= 0)]
        return pool, self.matrix[pool]

    def candidates(self, p: int, program: Program) -> tuple[NDArray[np.intp], Floats]:
        """Return the possible peers of unit p, and their columns."""
        pool, columns = self._pool
        if program.itself:
            _, begin, end = self._others.spans[p]
            exposed = self._others.listed[begin:end]
            pool, columns = np.r_[pool, exposed], np.vstack([columns, self.matrix[exposed]])
        elif program.barred is None:
            return pool, columns
        kept = ~self.barred(p, program)[pool]
        return pool[kept], columns[kept]

    def barred(self, p: int, program: Program) -> NDArray[np.bool_]:
        """Mark units that must not be peers of unit p."""
        barred = np.zeros(len(self.matrix), dtype=np.bool_)
        if program.barred is not None:
            barred |= program.barred
        barred[p] |= program.itself
        return barred
