"""Intervals between cut points: the interval of a value, and interval labels.

An interval is closed above: with cuts 1 and 2 the value 1 lies in interval 0. The outer intervals
have no end.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import cuts

__all__ = ["bins", "interval_labels", "midpoints"]

LARGE = 1e15
"""Numbers below are written out to the unit: timestamps in seconds and milliseconds."""


def midpoints(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cuts half-way between neighbours, never at or above the upper one.

    An interval is closed above, so where the half-way point does not exist in floating point
    (adjacent numbers, infinities) the lower neighbour itself is the cut.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        cuts = (lower + upper) / 2
    return np.where((cuts >= lower) & (cuts < upper), cuts, lower)


def bins(values: NDArray[Any], cut_points: NDArray[Any]) -> NDArray[np.int64]:
    """Return the interval of each value, the number of cut points below it; arbitrary for NaN."""
    if object in (values.dtype, cut_points.dtype):  # integers beyond floats
        return np.searchsorted(cut_points, values).astype(np.int64)
    found = np.empty(len(values), dtype=np.int64)
    floats = np.ascontiguousarray(values, dtype=np.float64)
    cuts.count_below(floats, cut_points, found)
    return found


def interval_labels(cut_points: NDArray[Any]) -> list[str]:
    """Return distinct labels of the intervals, e.g. `'(2.5, 7.1]'`.

    Cut points have six digits; more where they are large, or where rounding would move one by more
    than a hundredth of the way to its neighbours.

    Examples
    --------
    >>> interval_labels(np.array([2.5, 7.1]))
    ['(-inf, 2.5]', '(2.5, 7.1]', '(7.1, inf)']
    >>> interval_labels(np.array([1600000000.5, 1600086400.5]))[1]
    '(1600000000, 1600086400]'
    """
    ends = _rounded(cut_points)
    return [
        f"({low}, {high}{')' if high == 'inf' else ']'}"
        for low, high in zip(["-inf", *ends], [*ends, "inf"], strict=True)
    ]


def _rounded(cut_points: NDArray[Any]) -> list[str]:
    if cut_points.dtype == object:
        return [str(cut) for cut in cut_points]
    largest = np.abs(cut_points).max(initial=0)
    with np.errstate(over="ignore"):  # cuts of either sign may be further apart than a float
        gaps = np.diff(cut_points)
    for digits in range(max(6, len(str(int(largest)))) if largest < LARGE else 6, 18):
        ends = [f"{cut:.{digits}g}" for cut in cut_points]
        moved = np.abs(np.array(ends, dtype=np.float64) - cut_points)
        if len(set(ends)) == len(ends) and (np.maximum(moved[1:], moved[:-1]) <= gaps / 100).all():
            break
    return ends
