r"""Programs with one unknown besides the intensities: the distance to the frontier along a ray.

.. math:: \min c\,τ \quad \text{s.t.} \quad l_p \le \sum_j λ_j a_j + τ d_p \le u_p, \quad λ \ge 0,
          \quad τ \ge 0.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats
from deacs.dea.program import Program
from deacs.dea.technology import Technology

__all__ = ["Rays"]


@dataclass(frozen=True, slots=True, eq=False)
class Rays:
    """The rays of all units.

    Attributes
    ----------
    technology : Technology
    cost : float
        c, 1 or -1.
    directions : (n_units, n_rows) array
        d.
    lower, upper : (n_units, n_rows) arrays
        l and u; where both are finite they are equal.
    ceiling : (n_units,) array
        The largest τ.
    unit : float
        As in `Program`.
    """

    technology: Technology
    cost: float
    directions: Floats
    lower: Floats
    upper: Floats
    ceiling: Floats
    unit: float = 0.0

    def programs(self, units: NDArray[np.intp], *, itself: bool) -> Program:
        """Return the programs of some units; `itself` excludes each from its own references."""
        n = len(units)
        return Program(
            cost=np.full((n, 1), self.cost),
            own=self.directions[units][:, None, :],
            floor=np.zeros((n, 1)),
            ceiling=self.ceiling[units][:, None],
            lower=self.lower[units],
            upper=self.upper[units],
            start=np.empty((n, 0), dtype=np.intp),  # any guess will do
            barred=self.technology.barred(units),
            itself=itself,
            unit=self.unit,
            limit=self.technology.limit(units),
        )

    def normalised(self, p: int, prices: Floats) -> Floats:
        """Return prices at which a step of unit p along its ray costs c, as at any τ > 0.

        If the prices along the ray are all zero, its terms share the cost equally.
        """
        along = self.directions[p]
        worth = float(along @ prices)
        if worth == 0:
            shares = np.divide(self.cost, along, out=np.zeros(along.shape), where=along != 0)
            return np.where(along != 0, shares / np.count_nonzero(along), prices)
        return np.where(along != 0, prices * (self.cost / worth), prices)
