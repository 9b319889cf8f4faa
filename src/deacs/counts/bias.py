"""Estimators of label scores that are corrected for chance.

The plug-in estimate of I(F; C_i | S) is too high if counts are small. *Miller-Madow* subtracts
(m_FCS - m_FS - m_CS + m_S) / (2 N ln 2), with m the numbers of occupied cells (G. A. Miller,
"Note on the bias of information estimates", 1955). *Excess* subtracts the expectation of the
plug-in estimate under labels shuffled within each group of S, exactly, as the adjusted mutual
information does (N. X. Vinh, J. Epps, J. Bailey, JMLR 11 (2010) 2837-2854). Neither goes below 0.
"""

from __future__ import annotations

import math
from functools import lru_cache
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import counting as compiled
from deacs._kernels.arrays import SMALL, Chance, Parts
from deacs._kernels.fixed_point import FixedPoint
from deacs.coding import CodedData
from deacs.counts.counting import Sums, rounding
from deacs.exceptions import InputError, Parameter

__all__ = [
    "ESTIMATORS",
    "Estimator",
    "bits_by_chance",
    "chance_of",
    "check_corrected",
    "corrected",
    "counts_per_row",
    "read_estimator",
    "values_counted",
]

Integers = NDArray[np.int64]
Estimator = Literal["plug-in", "miller-madow", "excess"]
ESTIMATORS: tuple[Estimator, ...] = ("plug-in", "miller-madow", "excess")

MAX_ENTRIES = 1 << 24
"""The most entries of all tables, 128 MB; otherwise b is computed where it is needed."""

ENTRIES_A_LOOK_UP = (8, 1)
"""Sizes get a table with up to so many entries for each time that b is needed, or with fewer if
those were too many: computing b takes half a microsecond, and most look-ups meet few entries."""


def read_estimator(estimator: Any) -> Estimator:
    """Return the estimator if it is valid, else raise an error."""
    if estimator not in ESTIMATORS:
        raise InputError(
            Parameter("estimator"),
            f" must be one of {', '.join(ESTIMATORS)}, got {estimator!r}",
            accepted=ESTIMATORS,
        )
    return estimator  # type: ignore[no-any-return]


def check_corrected(kind: str, estimator: Estimator) -> None:
    """Raise an error for kinds of label scores that have no correction for chance."""
    if estimator != "plug-in" and kind != "one-vs-rest":
        raise InputError(
            Parameter("estimator", estimator),
            f" needs one-vs-rest label scores, got {kind!r}; use ",
            Parameter("estimator", "plug-in"),
        )


def bits_by_chance(data: CodedData, freedom: Any) -> Any:
    """Return the information expected by chance from degrees of freedom, to leading order."""
    n_rows = data.n_rows if data.weights is None else int(data.weights.sum())
    return freedom / (2 * n_rows * math.log(2))


def values_counted(data: CodedData) -> NDArray[np.float64]:
    """Return the number of values of each feature, without ignored missing values."""
    n_values = data.n_values.astype(np.float64)
    for block in data.blocks:
        n_values[block.features] -= block.ignored >= 0
    return n_values


def counts_per_row(weights: Integers | None) -> float | None:
    """Return the number of counts per row if weights are fractional, else None.

    Parts of rows cannot be shuffled, so either estimator takes the leading term of the bias, for
    as many rows as have the same variance (L. Kish, "Survey sampling", 1965).
    """
    if weights is None:
        return None
    size = weights.astype(np.float64)
    return float((size**2).sum() / size.sum())


def corrected(
    sums: Sums, fixed: FixedPoint, estimator: Estimator, n_left: int, per_row: float | None = None
) -> Integers:
    """Return scores in fixed point, not below 0; `n_left` rows are left, by weight.

    `per_row`: see `counts_per_row`.
    """
    units = sums.units
    if estimator != "excess" or sums.mixed is not None:
        units = np.where(sums.dependent, np.maximum(units, 1), 0)
    if sums.mixed is not None:
        per_cell = (per_row or 1.0) * 2.0**fixed.scale_bits / (2 * math.log(2))
        units -= np.asarray(np.rint(sums.mixed * per_cell), dtype=np.int64)
    if estimator != "plug-in":
        units = np.where(units <= rounding(n_left), 0, units)
    return units


def chance_of(parts: Parts, n_values: int, fixed: FixedPoint) -> Chance:
    """Tabulate the expectation under shuffled labels by the sizes of groups and their parts.

    `n_values` is the number of values of all features that will be scored. Entries of large groups
    are computed when first needed.
    """
    starts = np.empty(len(parts.sizes), dtype=np.int64)
    small = _small_biases(fixed.scale_bits)
    with _FILLING:
        compiled.small_biases(parts, fixed, small, starts)
    large = np.flatnonzero(starts < 0)
    n_g = np.repeat(parts.group_sizes, np.diff(parts.groups))[large]
    # A label and the rest have the same bias.
    n_i = np.minimum(parts.sizes[large], n_g - parts.sizes[large])
    keys, place, n_parts = np.unique(n_g << 32 | n_i, return_inverse=True, return_counts=True)
    for most in ENTRIES_A_LOOK_UP:
        sizes = np.where(keys >> 32 < most * n_values * n_parts, (keys >> 32) + 1, 0)
        ends = np.cumsum(sizes)
        if len(ends) > 0 and ends[-1] <= MAX_ENTRIES:
            starts[large] = np.where(sizes > 0, ends - sizes, -1)[place]
            return Chance(starts, small, np.full(ends[-1], -1))
    return Chance(starts, small, np.empty(0, dtype=np.int64))


_FILLING = Lock()


@lru_cache(maxsize=4)
def _small_biases(scale_bits: int) -> Integers:
    """Return room for b[n_g, n_i, n_f] of groups of at most 64 rows, flat."""
    return np.full((SMALL + 1) ** 3, -1)
