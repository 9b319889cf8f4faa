"""A reading that the DEA-CS paper leaves open: the score of a linear program without a solution.

Where one candidate alone is informative about a label, its program has no solution. Its
super-efficiency is infinite then, and it wins. Whoever takes a solver's answer as it comes may
count it as nothing instead, and it loses. The other readings are options of `DEACS`, and other
typings of the data sets in the registry.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deacs.greedy.judges import Radial

__all__ = ["FiniteRadial"]

Floats = NDArray[np.float64]


class FiniteRadial(Radial):
    """Super-efficiency, and 0 where it is infinite."""

    def best(self, R: Floats, x: Floats | None) -> tuple[int, float]:
        """Return the row with the largest finite super-efficiency, and that."""
        return super(Radial, self).best(R, x)

    def score(self, R: Floats, x: Floats | None, row: int) -> float:
        """Return the super-efficiency of one row."""
        return float(self.scores(R, x)[row])

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the super-efficiency of every row."""
        theta = super().scores(R, x)
        return np.where(np.isinf(theta), 0.0, theta)
