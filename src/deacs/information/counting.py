"""Ways to count the features of a block given S: row by row, by masks, against planes.

All of them sum the same integers; `plan` chooses among them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import counting
from deacs.coding import CodeBlock
from deacs.coding.blocks import read_only
from deacs.information.parts import part_masks
from deacs.information.plan import MIDDLING, NS_NARROW, NS_TABLE, NS_WIDE, TINY
from deacs.information.uncompiled import count_uncompiled
from deacs.kernels.bias import Chance
from deacs.kernels.codes import (
    DIVERGENCE,
    JOINT,
    ONE_VS_REST,
    feature_sums,
    present_counts,
    row_scratch,
)
from deacs.kernels.columns import Columns
from deacs.kernels.cross_tables import table_sums
from deacs.kernels.fixed_point import FixedPoint, WholeTable
from deacs.kernels.grouped import (
    MAX_VALUES,
    cell_tables,
    grouped_joint_sums,
    grouped_mirrored_sums,
    grouped_sums,
    mask_scratch,
)
from deacs.kernels.groups import Groups
from deacs.kernels.jit import Kernel
from deacs.kernels.overlapping import overlap_scratch, overlapping_sums
from deacs.kernels.parts import Parts
from deacs.kernels.planes import fill_planes, plane_scratch, plane_sums
from deacs.kernels.threads import map_blocks

__all__ = [
    "KINDS",
    "Given",
    "LabelScore",
    "ScoreKind",
    "Whole",
    "columns_of",
    "count_by_rows",
    "count_gathered",
    "count_in_place",
    "count_overlapping",
    "count_present",
    "counts_by_masks",
    "members_of",
]

LabelScore = Literal["one-vs-rest", "divergence"]
ScoreKind = Literal["one-vs-rest", "divergence", "joint"]

KINDS = {"one-vs-rest": ONE_VS_REST, "divergence": DIVERGENCE, "joint": JOINT}

Integers = NDArray[np.int64]

MOST_CELLS = 4
"""The most cells per row for a single table; beyond that, most are empty."""


class Whole(NamedTuple):
    """All rows of a table while S is empty: each feature is one table of values and labels."""

    labels: NDArray[np.int32]
    by_label: Integers
    """The count of each label."""
    weights: Integers | None
    fixed: FixedPoint

    def sums(
        self, block: CodeBlock, members: Integers, kind: ScoreKind, n_jobs: int | None
    ) -> tuple[Integers, NDArray[np.bool_]] | None:
        """Return the result of `count_by_rows`, if all rows count and most cells are not empty."""
        widest = int(block.n_values.max())
        n_cells = widest * len(self.by_label)
        if n_cells > MOST_CELLS * len(self.labels) or block.ignored.max() >= 0:
            return None
        n_outputs = 1 if kind == "joint" else len(self.by_label)
        found = np.zeros((len(members), n_outputs), dtype=np.int64)
        dependent = np.zeros(found.shape, dtype=np.bool_)
        starts = (self.labels * widest).astype(np.uint32)

        def work(part: slice) -> None:
            counts = np.zeros((4, n_cells), dtype=np.uint32)
            how = self.by_label, self.weights, KINDS[kind], self.fixed, counts
            table_sums(columns_of(block, members[part]), starts, *how, found[part], dependent[part])

        map_blocks(work, len(members), n_jobs, NS_TABLE * len(self.labels))
        return found, dependent


class Given(NamedTuple):
    """The remaining rows given S, and how they are counted."""

    groups: Groups
    parts: Parts
    """The rows of each output; of each run for "joint"."""
    weights: Integers | None
    n_rows: int
    n_labels: int
    """The number of outputs, beside "joint"."""
    fixed: FixedPoint
    chance: Chance | None = None
    """The expectation under shuffled labels, if it is subtracted."""
    whole: Whole | None = None
    """All rows in the order of the table, if S is empty."""

    @property
    def n_left(self) -> int:
        """The number of rows in groups with more than one label."""
        return len(self.groups.rows)

    def n_outputs(self, kind: ScoreKind) -> int:
        """Return the number of outputs of a feature."""
        return 1 if kind == "joint" else self.n_labels


def count_by_rows(
    given: Given, block: CodeBlock, members: Integers, kind: ScoreKind, n_jobs: int | None
) -> tuple[Integers, NDArray[np.bool_]]:
    """Count row by row, and decide in integers which outputs are zero.

    Returns
    -------
    sums : ndarray of int64 of shape (n_members, n_outputs)
        What depends on the feature, in fixed point.
    dependent : ndarray of bool of shape (n_members, n_outputs)
        Whether F and the label depend on each other in some group.
    """
    if given.whole is not None and given.chance is None and given.parts.positions is None:
        found = given.whole.sums(block, members, kind, n_jobs)
        if found is not None:
            return found
    sums = np.zeros((len(members), given.n_outputs(kind)), dtype=np.int64)
    dependent = np.zeros(sums.shape, dtype=np.bool_)
    counted = count_uncompiled(given, block, members)
    if counted is not None:
        return counted, dependent
    widest = int(block.n_values[members].max())
    fixed: FixedPoint | WholeTable = given.fixed
    if given.chance is not None and given.weights is None:
        # Without logarithms the kernel compiles in about three quarters of the time.
        fixed = given.fixed.up_to(given.n_rows)

    def work(part: slice) -> None:
        feature_sums(
            columns_of(block, members[part]),
            given.groups,
            given.parts,
            given.weights,
            KINDS[kind],
            fixed,
            given.chance,
            row_scratch(widest, given.n_left, block.codes.dtype),
            sums[part],
            dependent[part],
        )

    map_blocks(work, len(members), n_jobs, NS_WIDE * given.n_left)
    return sums, dependent


def count_in_place(
    given: Given, block: CodeBlock, members: Integers, kind: ScoreKind, n_jobs: int | None
) -> Integers:
    """Count features with few values in the order of the table, every row counting once."""
    n_runs = len(given.groups.run_labels)
    planes = np.zeros((n_runs, -(-given.n_rows // 64)), dtype=np.uint64)
    fill_planes(given.groups, planes)
    sums = np.zeros((len(members), given.n_outputs(kind)), dtype=np.int64)

    def work(part: slice) -> None:
        plane_sums(
            columns_of(block, members[part]),
            given.groups,
            planes,
            KINDS[kind],
            given.fixed,
            given.chance,
            plane_scratch(n_runs, MAX_VALUES, block.codes.dtype),
            sums[part],
        )

    map_blocks(work, len(members), n_jobs, NS_NARROW * given.n_left)
    return sums


def count_gathered(
    given: Given, block: CodeBlock, members: Integers, kind: ScoreKind, n_jobs: int | None
) -> Integers:
    """Count features with few values in the order of the groups, which are `arranged`."""
    run_masks = np.zeros(len(given.groups.run_labels), dtype=np.uint64)
    counting.fill_run_masks(given.groups, run_masks)
    tables = cell_tables(KINDS[kind], given.fixed.scale_bits)
    sums = np.zeros((len(members), given.n_outputs(kind)), dtype=np.int64)
    count = _gathering(kind, given.n_labels)

    def work(part: slice) -> None:
        count(
            columns_of(block, members[part]),
            given.groups,
            run_masks,
            KINDS[kind],
            given.fixed,
            tables,
            given.chance,
            mask_scratch(given.n_labels, given.n_left, block.codes.dtype),
            sums[part],
        )

    map_blocks(work, len(members), n_jobs, NS_NARROW * given.n_left)
    return sums


def _gathering(kind: ScoreKind, n_labels: int) -> Kernel:
    if kind == "joint":
        return grouped_joint_sums
    return grouped_mirrored_sums if kind == "one-vs-rest" and n_labels == 2 else grouped_sums


def counts_by_masks(n_codes: int, kind: ScoreKind, n_labels: int, overlap: bool) -> bool:
    """Whether features with few values, of a table with so many codes, are counted by masks."""
    if n_codes <= TINY or n_codes > MIDDLING:
        return n_codes > TINY
    if overlap and kind != "joint":
        return overlapping_sums.is_ready
    return plane_sums.is_ready and _gathering(kind, n_labels).is_ready


def count_overlapping(
    given: Given, block: CodeBlock, members: Integers, kind: ScoreKind, n_jobs: int | None
) -> Integers:
    """Count outputs that share runs, of features with few values; groups are `arranged`."""
    masks = part_masks(given.groups, given.parts)
    tables = cell_tables(KINDS[kind], given.fixed.scale_bits)
    sums = np.zeros((len(members), given.n_outputs(kind)), dtype=np.int64)
    largest = int(np.diff(given.groups.run_starts[given.groups.group_runs]).max())

    def work(part: slice) -> None:
        overlapping_sums(
            columns_of(block, members[part]),
            given.groups,
            given.parts,
            masks,
            KINDS[kind],
            given.fixed,
            tables,
            given.chance,
            overlap_scratch(given.n_left, largest, block.codes.dtype),
            sums[part],
        )

    map_blocks(work, len(members), n_jobs, NS_NARROW * given.n_left)
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
        present_counts(columns_of(block, members[part]), labels, weights, counts[part])

    map_blocks(work, len(members), n_jobs, NS_NARROW * len(labels))
    return counts


def columns_of(block: CodeBlock, members: Integers) -> Columns:
    """Return some features of a block as arguments of kernels."""
    codes, n_values, ignored = map(read_only, (block.codes, block.n_values, block.ignored))
    return Columns(codes, members, n_values, ignored)


def members_of(block: CodeBlock, features: Integers) -> tuple[Integers, Integers]:
    """Return the rows of the block that are in `features`, and their positions there."""
    if block.is_prefix and int(features.max(initial=0)) < len(block.features):
        return features, np.arange(len(features))
    place = np.full(max(int(block.features.max()), int(features.max(initial=0))) + 1, -1)
    place[features] = np.arange(len(features))
    members = np.flatnonzero(place[block.features] >= 0)
    return members, place[block.features[members]]
