"""Count the features of a block given S.

There are four ways, which sum the same integers (`_kernels/counting.pyx`). Features with at most 16
values are counted by masks, if every row counts once: in the order of the table while S has few
groups, else gathered by group. Of the others, one table of values and
labels is counted while S is empty, unless most of its cells would be empty. The rest is counted row
by row: given S, more values and rows with weights; ignored values; and occupied cells.

**Zero.** Sums carry rounding: at most 9 units for each row that is left. A score above that is
certainly positive. Below that, exact integers decide, but mostly they are not needed: if a label
depends on a feature in a group of n rows, then n_fi n_g and n_f n_i differ by at least 1 in some
cell, and by Pinsker's inequality the group adds at least 2.8 / n**3 bits. If that exceeds the
rounding, the sum itself decides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import counting as compiled
from deacs._kernels.arrays import Chance, Columns, Groups, Parts
from deacs._kernels.fixed_point import FixedPoint
from deacs._kernels.threads import map_blocks
from deacs.coding import CodeBlock
from deacs.counts.groups import masks_of, planes_of

__all__ = [
    "KINDS",
    "MAX_VALUES",
    "Given",
    "LabelScore",
    "ScoreKind",
    "Sums",
    "base_sums",
    "columns_of",
    "count",
    "count_by_masks",
    "count_by_planes",
    "count_by_rows",
    "count_in_tables",
    "count_present",
    "members_of",
    "rounding",
]

LabelScore = Literal["one-vs-rest", "divergence"]
ScoreKind = Literal["one-vs-rest", "divergence", "joint"]

KINDS: dict[ScoreKind, int] = {"one-vs-rest": 0, "divergence": 1, "joint": 2}
"""The numbers that `_kernels/counting.pyx` gives them."""

Integers = NDArray[np.int64]

MAX_VALUES = 16
"""Features with more values are not counted by masks."""
MOST_PLANES = 32
"""The most runs times values, less one, for each row that is left, to be counted by planes."""
FEW_FEATURES = 8
"""Planes are made for more features than these."""
MOST_CELLS = 4
"""The most cells per row for a table; beyond that, most are empty."""

NS_PLANES, NS_MASKS, NS_ROWS, NS_TABLE = 0.3, 1.5, 5.0, 0.7
"""Approximate cost of a row of a feature, for dividing work among threads."""

ROUNDING_UNITS = 9


class Given(NamedTuple):
    """The remaining rows given S."""

    groups: Groups
    parts: Parts
    """The rows of each output; of each run for "joint"."""
    weights: Integers | None
    base: Integers
    """The sums of a constant feature, (n_outputs,), from `base_sums`."""
    fixed: FixedPoint
    chance: Chance | None = None
    """The expectation under shuffled labels, if it is subtracted."""
    labels: NDArray[np.int32] | None = None
    """The label of each row while S is empty, if labels are the outputs."""

    @property
    def n_left(self) -> int:
        """The number of rows in groups with more than one label."""
        return len(self.groups.rows)


class Sums(NamedTuple):
    """Sums over groups of S, of features (n, n_outputs)."""

    units: Integers
    """N times the scores in fixed point, up to rounding, less the expectation if there is one."""
    dependent: NDArray[np.bool_]
    """Whether F and the label depend on each other in some group; nothing with an expectation."""
    mixed: Integers | None = None
    """The numbers of cells for the Miller-Madow correction, if they are wanted."""


Way = Callable[[Given, CodeBlock, Integers, ScoreKind, "int | None"], Sums]


def count(
    given: Given,
    block: CodeBlock,
    members: Integers,
    kind: ScoreKind,
    n_jobs: int | None,
    *,
    with_cells: bool = False,
) -> Sums:
    """Count some features of a block, each in the way that suits it."""
    if with_cells:
        return count_by_rows(given, block, members, kind, n_jobs, with_cells=True)
    n_values, is_whole = block.n_values[members], block.ignored[members] < 0
    by_masks = is_whole & (n_values <= MAX_VALUES) & (given.weights is None)
    by_planes, in_tables = np.zeros((2, len(members)), dtype=np.bool_)
    if given.parts.positions is None and block.codes.itemsize == 1:
        n_cells = (n_values - 1) * len(given.parts.sizes) * block.codes.shape[1]
        by_planes = by_masks & (n_cells <= MOST_PLANES * given.n_left)
        by_planes &= by_planes.sum() > FEW_FEATURES
    if given.labels is not None:
        n_cells = n_values * len(given.parts.sizes)
        in_tables = is_whole & ~by_masks & (n_cells <= MOST_CELLS * len(given.labels))
    ways: list[tuple[Way, NDArray[np.bool_]]] = [
        (count_by_planes, by_planes),
        (count_by_masks, by_masks & ~by_planes),
        (count_in_tables, in_tables),
        (count_by_rows, ~(by_masks | in_tables)),
    ]
    for way, mine in ways:
        if mine.all():
            return way(given, block, members, kind, n_jobs)
    sums = _nothing(given, members)
    for way, mine in ways:
        if mine.any():
            sums.units[mine], sums.dependent[mine], _ = way(
                given, block, members[mine], kind, n_jobs
            )
    return sums


def count_in_tables(
    given: Given, block: CodeBlock, members: Integers, kind: ScoreKind, n_jobs: int | None
) -> Sums:
    """Count all rows, in one table of values and labels for each feature."""
    assert given.labels is not None
    sums = _nothing(given, members)
    run_of = np.zeros(int(given.parts.outputs[-1]) + 1, dtype=np.uint32)
    run_of[given.parts.outputs] = np.arange(len(given.parts.outputs))
    width = int(block.n_values[members].max())
    starts = (run_of * np.uint32(width))[given.labels]

    def work(part: slice) -> None:
        compiled.table_sums(
            columns_of(block, members[part]),
            starts,
            width,
            given.parts,
            given.weights,
            KINDS[kind],
            given.fixed,
            given.chance,
            sums.units[part],
            sums.dependent[part],
        )

    map_blocks(work, len(members), n_jobs, NS_TABLE * len(given.labels))
    return sums._replace(units=sums.units - given.base)


def count_by_planes(
    given: Given, block: CodeBlock, members: Integers, kind: ScoreKind, n_jobs: int | None
) -> Sums:
    """Count by masks in the order of the table."""
    units = _nothing(given, members).units
    planes = planes_of(given.groups, block.codes.shape[1])

    def work(part: slice) -> None:
        compiled.plane_sums(
            columns_of(block, members[part]),
            given.parts,
            planes,
            KINDS[kind],
            given.fixed,
            given.chance,
            units[part],
        )

    map_blocks(work, len(members), n_jobs, NS_PLANES * block.codes.shape[1])
    return _with_zeros(units, given, block, members, kind, n_jobs)


def count_by_masks(
    given: Given, block: CodeBlock, members: Integers, kind: ScoreKind, n_jobs: int | None
) -> Sums:
    """Count by masks, of codes that are gathered by group."""
    units, masks = _nothing(given, members).units, masks_of(given.groups, given.parts)

    def work(part: slice) -> None:
        compiled.mask_sums(
            columns_of(block, members[part]),
            given.groups,
            given.parts,
            masks,
            KINDS[kind],
            given.fixed,
            given.chance,
            units[part],
        )

    map_blocks(work, len(members), n_jobs, NS_MASKS * given.n_left)
    return _with_zeros(units, given, block, members, kind, n_jobs)


def _with_zeros(
    units: Integers,
    given: Given,
    block: CodeBlock,
    members: Integers,
    kind: ScoreKind,
    n_jobs: int | None,
) -> Sums:
    """Complete sums of masks; zeros are decided in integers only if the sums are inconclusive."""
    units -= given.base
    is_open = units <= rounding(given.n_left)
    sums = Sums(units, ~is_open)
    if given.chance is None and not _sum_tells_zero(given):
        outputs = np.zeros(1, np.intp)
        if kind != "joint":  # outputs that no longer occur are zero
            outputs = np.flatnonzero(np.bincount(given.parts.outputs))
        doubtful = is_open[:, outputs].any(axis=1)
        if doubtful.any():
            units[doubtful], sums.dependent[doubtful], _ = count_by_rows(
                given, block, members[doubtful], kind, n_jobs
            )
    return sums


def count_by_rows(
    given: Given,
    block: CodeBlock,
    members: Integers,
    kind: ScoreKind,
    n_jobs: int | None,
    *,
    with_cells: bool = False,
) -> Sums:
    """Count row by row, and decide in integers which scores are zero."""
    sums = _nothing(given, members)
    mixed = np.zeros_like(sums.units) if with_cells else None

    def work(part: slice) -> None:
        compiled.row_sums(
            columns_of(block, members[part]),
            given.groups,
            given.parts,
            given.weights,
            KINDS[kind],
            given.fixed,
            given.chance,
            sums.units[part],
            sums.dependent[part],
            None if mixed is None else mixed[part],
        )

    map_blocks(work, len(members), n_jobs, NS_ROWS * given.n_left)
    # Where values are ignored, the base depends on the feature, and the kernel subtracts it.
    is_partial = block.ignored[members, np.newaxis] >= 0
    units = sums.units - np.where(is_partial, 0, given.base)
    return Sums(units, sums.dependent, mixed)


def _nothing(given: Given, members: Integers) -> Sums:
    shape = len(members), len(given.base)
    return Sums(np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.bool_))


def base_sums(parts: Parts, kind: ScoreKind, fixed: FixedPoint, n_outputs: int) -> Integers:
    """Sum the terms of a constant feature over groups and outputs, in fixed point.

    For "one-vs-rest" this is -N H(C_i | S) for every output i, for "joint" -N H(C | S), of runs.
    """
    sums = np.zeros(1 if kind == "joint" else n_outputs, dtype=np.int64)
    compiled.base_sums(parts, KINDS[kind], fixed, sums)
    return sums


def count_present(
    block: CodeBlock,
    members: Integers,
    labels: NDArray[np.int32],
    n_labels: int,
    weights: Integers | None,
    n_jobs: int | None = None,
) -> Integers:
    """Return the count of each label where a feature is present, without negative labels."""
    counts = np.zeros((len(members), n_labels), dtype=np.int64)

    def work(part: slice) -> None:
        compiled.present_counts(columns_of(block, members[part]), labels, weights, counts[part])

    map_blocks(work, len(members), n_jobs, NS_MASKS * len(labels))
    return counts


def columns_of(block: CodeBlock, members: Integers) -> Columns:
    """Return some features of a block as arguments of kernels."""
    return Columns(block.codes, members, block.n_values, block.ignored)


def members_of(block: CodeBlock, features: Integers) -> tuple[Integers, Integers]:
    """Return the rows of the block that are in `features`, and their positions there."""
    if block.is_prefix and int(features.max(initial=0)) < len(block.features):
        return features, np.arange(len(features))
    place = np.full(max(int(block.features.max()), int(features.max(initial=0))) + 1, -1)
    place[features] = np.arange(len(features))
    members = np.flatnonzero(place[block.features] >= 0)
    return members, place[block.features[members]]


def rounding(n_left: int) -> int:
    """The most that a sum may be off, in fixed-point units."""
    return ROUNDING_UNITS * n_left


def _sum_tells_zero(given: Given) -> bool:
    """Whether the least positive score is too large to be taken for rounding."""
    largest = float(given.parts.group_sizes.max())
    return 2.8 * 2.0**given.fixed.scale_bits / largest**3 > 2 * rounding(given.n_left)
