"""Cut points: where they lie between two values, and which interval a value falls in."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["bins", "midpoints"]


def midpoints(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cuts half-way between neighbours, never at or above the upper one.

    An interval is closed above, so where the half-way point does not exist in floating point
    (adjacent numbers, infinities) the lower neighbour itself is the cut.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        cuts = (lower + upper) / 2
    return np.where((cuts >= lower) & (cuts < upper), cuts, lower)


def bins(values: NDArray[Any], cut_points: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the interval of each value: the number of cut points below it."""
    return np.searchsorted(cut_points, values, side="left")
