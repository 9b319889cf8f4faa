"""Intervals between cut points: which one a value falls in, and what each is called.

An interval is closed above: with cuts 1 and 2 the value 1 lies in interval 0. The outer intervals
have no end.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["bins", "interval_labels", "midpoints"]


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


def interval_labels(cut_points: NDArray[np.float64]) -> list[str]:
    """Return what each interval is called, e.g. `'(2.5, 7.1]'`, no two alike.

    Six digits, and more where two cut points would look the same.

    Examples
    --------
    >>> interval_labels(np.array([2.5, 7.1]))
    ['(-inf, 2.5]', '(2.5, 7.1]', '(7.1, inf)']
    """
    for digits in range(6, 18):
        ends = [f"{cut:.{digits}g}" for cut in cut_points]
        if len(set(ends)) == len(ends):
            break
    return [
        f"({low}, {high}{')' if high == 'inf' else ']'}"
        for low, high in zip(["-inf", *ends], [*ends, "inf"], strict=True)
    ]
