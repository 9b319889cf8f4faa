"""A reading that the DEA-CS paper leaves open: the score of a linear program without a solution.

If only one candidate is informative about a label, its program has no solution: its
super-efficiency is infinite, and it wins. An implementation that takes the solver's return value
unchecked may treat it as zero, so that it loses. The other open questions are options of `DEACS`,
or column types of the data sets in the registry.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deacs.greedy.judges import Radial

__all__ = ["FiniteRadial"]

Floats = NDArray[np.float64]


class FiniteRadial(Radial):
    """Super-efficiency, with 0 instead of infinity."""

    def best(self, R: Floats, x: Floats | None) -> tuple[int, float]:
        """Return the row with the largest finite super-efficiency, and its super-efficiency."""
        return super(Radial, self).best(R, x)

    def score(self, R: Floats, x: Floats | None, row: int) -> float:
        """Return the super-efficiency of one row, 0 if infinite."""
        return float(self.scores(R, x)[row])

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the super-efficiency of every row, 0 if infinite."""
        theta = super().scores(R, x)
        return np.where(np.isinf(theta), 0.0, theta)
