"""Cut points: where they lie, and which interval a value falls in. No estimator in here."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.cuts import mdlp_cuts
from deacs.kernels.fixed_point import FixedPoint, fixed_point
from deacs.kernels.threads import map_blocks
from deacs.tables import Column, Labels

__all__ = ["bins", "mdlp_cut_points", "midpoints"]

NS_SORT = 100.0
"""About what sorting and cutting costs for each row, for sharing work among threads."""


def mdlp_cut_points(
    columns: Sequence[Column], labels: Labels, n_jobs: int | None = None
) -> list[NDArray[np.float64]]:
    """Return the cut points of each numeric column, by Fayyad and Irani's rule (see `MDLP`)."""
    n_labels = len(labels.classes)
    fixed = fixed_point(len(labels.codes), n_labels)
    log_powers = np.array([0.0] + [math.log2(3**k - 2) for k in range(1, n_labels + 1)])
    cut_points: list[NDArray[np.float64]] = [np.empty(0)] * len(columns)

    def work(part: slice) -> None:
        for j in range(part.start, part.stop):
            cut_points[j] = _cut_column(columns[j], labels, fixed, log_powers)

    map_blocks(work, len(columns), n_jobs, NS_SORT * max(len(labels.codes), 1))
    return cut_points


def _cut_column(
    column: Column, labels: Labels, fixed: FixedPoint, log_powers: NDArray[np.float64]
) -> NDArray[np.float64]:
    values, codes = column.values, labels.codes
    if column.missing is not None:
        values, codes = values[~column.missing], codes[~column.missing]
    # Any order of equal values gives the same cuts, so the sort need not be stable.
    order = np.argsort(values)
    values = values[order].astype(np.float64)
    n, n_labels = len(values), len(labels.classes)
    cuts, ends = np.empty(n, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    total, left = np.empty(n_labels, dtype=np.int64), np.empty(n_labels, dtype=np.int64)
    n_cuts = mdlp_cuts(values, codes[order], fixed, log_powers, total, left, ends, cuts)
    at = cuts[:n_cuts]
    return midpoints(values[at], values[at + 1])


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
