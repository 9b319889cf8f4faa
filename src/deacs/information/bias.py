"""Estimators of label scores that are corrected for chance.

The plug-in estimate of I(F; C_i | S) is too high if counts are small. *Miller-Madow* subtracts
(m_FCS - m_FS - m_CS + m_S) / (2 N ln 2), with m the numbers of occupied cells (G. A. Miller,
"Note on the bias of information estimates", 1955). *Excess* subtracts the expectation of the
plug-in estimate under labels shuffled within each group of S, exactly, as the adjusted mutual
information does (N. X. Vinh, J. Epps, J. Bailey, JMLR 11 (2010) 2837-2854). Neither goes below 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData
from deacs.exceptions import InputError, Parameter
from deacs.information.counting import Given, columns_of, members_of
from deacs.information.parts import Sizes
from deacs.information.plan import rounding
from deacs.kernels.bias import LN2, Chance, cell_biases, mixed_sums
from deacs.kernels.codes import row_scratch
from deacs.kernels.fixed_point import FixedPoint, tables
from deacs.kernels.groups import SMALL
from deacs.kernels.threads import map_blocks

__all__ = [
    "ESTIMATORS",
    "Estimator",
    "ScoreSums",
    "bits_by_chance",
    "chance_of",
    "check_corrected",
    "counts_per_row",
    "miller_madow_units",
    "mixed_cells",
    "read_estimator",
    "values_counted",
]

Integers = NDArray[np.int64]
Estimator = Literal["plug-in", "miller-madow", "excess"]
ESTIMATORS: tuple[Estimator, ...] = ("plug-in", "miller-madow", "excess")

NS_ROW = 4.0
"""Approximate cost per row and feature, for dividing work among threads."""

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
    return freedom / (2 * n_rows * LN2)


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


class ScoreSums(NamedTuple):
    """Sums from which scores of features are computed; sums of disjoint groups add up."""

    units: Integers
    """N times the scores in fixed point, (n, n_outputs), up to rounding; minus their expectation,
    if that is the correction."""
    dependent: NDArray[np.bool_]
    """Whether F and the label are dependent in some group; not used with an expectation."""
    mixed: Integers | None
    """The numbers of cells for the Miller-Madow correction, if it is used."""
    n_left: int
    """The total weight of the remaining rows, if the correction needs it."""

    def corrected(
        self, fixed: FixedPoint, estimator: Estimator, per_row: float | None = None
    ) -> Integers:
        """Return scores in fixed point, not below 0; `per_row`: see `counts_per_row`."""
        units = self.units
        if estimator != "excess" or self.mixed is not None:
            units = np.where(self.dependent, np.maximum(units, 1), 0)
        if self.mixed is not None:
            units -= miller_madow_units(self.mixed, fixed, per_row or 1.0)
        if estimator != "plug-in":
            units = np.where(units <= rounding(self.n_left), 0, units)
        return units


def mixed_cells(
    given: Given, blocks: tuple[CodeBlock, ...], features: Integers, n_jobs: int | None
) -> Integers:
    """Return the numbers of cells that Miller and Madow correct for, (n_features, n_labels)."""
    cells = np.zeros((len(features), given.n_labels), dtype=np.int64)
    for block in blocks:
        members, places = members_of(block, features)
        if len(members):
            cells[places] = _mixed_cells(given, block, members, n_jobs)
    return cells


def miller_madow_units(cells: Integers, fixed: FixedPoint, counts_per_row: float = 1.0) -> Integers:
    """Return the correction in fixed point, from numbers of cells (`kernels.bias`)."""
    per_cell = counts_per_row * 2.0**fixed.scale_bits / (2 * LN2)
    return np.asarray(np.rint(cells * per_cell), dtype=np.int64)


def _mixed_cells(given: Given, block: CodeBlock, members: Integers, n_jobs: int | None) -> Integers:
    sums = np.zeros((len(members), given.n_labels), dtype=np.int64)
    widest = int(block.n_values[members].max())

    def work(part: slice) -> None:
        scratch = row_scratch(widest, given.n_left, block.codes.dtype)
        columns = columns_of(block, members[part])
        mixed_sums(columns, given.groups, given.parts, given.weights, scratch, sums[part])

    map_blocks(work, len(members), n_jobs, NS_ROW * given.n_left)
    return sums


def chance_of(counted: Sizes, n_values: int, fixed: FixedPoint) -> Chance:
    """Tabulate the expectation under shuffled labels by the sizes of groups and their parts.

    `n_values` is the number of values of all features that will be scored. Entries of large groups
    are computed when first needed.
    """
    sizes_of_parts, n_g = counted.sizes, counted.of_groups()
    small = _small_biases(fixed.scale_bits)
    starts = np.where(n_g <= SMALL, (n_g * (SMALL + 1) + sizes_of_parts) * (SMALL + 1), -1)
    large = np.flatnonzero(n_g > SMALL)
    # A label and the rest have the same bias.
    n_i = np.minimum(sizes_of_parts[large], n_g[large] - sizes_of_parts[large])
    keys, place, n_parts = np.unique(
        n_g[large] << 32 | n_i, return_inverse=True, return_counts=True
    )
    for most in ENTRIES_A_LOOK_UP:
        sizes = np.where(keys >> 32 < most * n_values * n_parts, (keys >> 32) + 1, 0)
        ends = np.cumsum(sizes)
        if len(ends) > 0 and ends[-1] <= MAX_ENTRIES:
            starts[large] = np.where(sizes > 0, ends - sizes, -1)[place]
            return Chance(starts, small, np.full(ends[-1], -1))
    return Chance(starts, small, np.empty(0, dtype=np.int64))


@lru_cache(maxsize=4)
def _small_biases(scale_bits: int) -> Integers:
    """Return b[n_g, n_i, n_f] of groups of at most 64 rows, flat."""
    side = SMALL + 1
    n_g, n_i, n_f = np.indices((side, side, side)).reshape(3, -1)
    biases = np.zeros(len(n_g), dtype=np.int64)
    half = (n_i > 0) & (2 * n_i <= n_g) & (n_f <= n_g)
    table = tables(side, scale_bits)[0]
    biases[half] = cell_biases(n_g[half], n_i[half], n_f[half], table)
    # A label and the rest have the same bias.
    n_i = np.where(n_i <= n_g, np.minimum(n_i, n_g - n_i), 0)
    return np.asarray(biases[(n_g * side + n_i) * side + n_f])
