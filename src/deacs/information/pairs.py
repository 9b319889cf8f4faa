"""Information of pairs of features: I(F; S), I(F; C | S), I(F, S; C), H(F, S, C), S one feature."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData
from deacs.coding.data import narrowest
from deacs.information.conditioning import Conditioning
from deacs.information.counting import Whole, columns_of, counts_by_masks, members_of
from deacs.information.joint import joint_codes
from deacs.information.pair_information import PairInformation
from deacs.information.pair_planes import RowsByClass, StoredPlanes, has_planes
from deacs.information.pair_runs import Runs, Target
from deacs.information.plan import NS_CELL_WORD, NS_PAIR_ROW, NS_TABLE, counts_by_planes
from deacs.kernels.cross_tables import table_pair_sums
from deacs.kernels.fixed_point import FixedPoint, WholeTable, fixed_point, xlogx_of
from deacs.kernels.grouped import MAX_VALUES
from deacs.kernels.pairs import N_SUMS, row_pair_sums
from deacs.kernels.stored_planes import TILE, FeaturePlanes, TargetPlanes, plane_pair_sums
from deacs.kernels.threads import map_blocks

__all__ = ["Pairs"]

MAX_TARGETS = 64
"""Selected features whose rows by value are kept."""

MOST_WEIGHTS = 64
"""The most distinct weights by which rows are sorted; with more, planes are hardly faster."""

MOST_COUNTS = 1 << 15
"""Cells of a tile of features that are counted at once: they stay in the first caches."""

MOST_CELLS = 3
"""The most cells per row that are counted in one table; beyond that, groups of rows are faster."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class Pairs:
    """Every feature of a table against any one of them.

    Parameters
    ----------
    data : CodedData
        The table.
    n_jobs : int or None
        Threads over features; the answer does not depend on it.
    rows_of : Pairs, optional
        Pairs of another table with the same rows, whose order by class is shared.

    Notes
    -----
    Where that pays, features with at most 16 values are kept as bit-planes beside their codes, one
    bit a row for each value but one, and counted 64 rows at a time, rows of equal weight together.
    Wider features and tables with many different weights are counted row by row in a table of all
    joint values, ignored missing values by group.
    """

    def __init__(
        self, data: CodedData, n_jobs: int | None = None, rows_of: "Pairs | None" = None
    ) -> None:
        self.data = data
        self.n_jobs = n_jobs
        self._rows_of = rows_of
        self._weights = data.weights
        self._targets: dict[tuple[int, bool], Runs] = {}
        self._planes: dict[int, StoredPlanes] = {}

    @cached_property
    def fixed(self) -> FixedPoint:
        """X(n) = n log2 n for the counts of all terms of pairs."""
        return fixed_point(self.data.total, 1)

    @cached_property
    def _for_kernels(self) -> FixedPoint | WholeTable:
        return self.fixed.up_to(self.data.total)

    @cached_property
    def relevance(self) -> Floats:
        """I(F; C) of every feature in bits, exactly zero for independence."""
        data, everything = self.data, np.arange(self.data.n_features)
        by_label, total, only, found = data.run_counts, data.total, data.blocks[0], None
        fixed = fixed_point(total, data.n_outputs)
        by_masks = counts_by_masks(only.codes.size, "joint", data.n_outputs, overlap=False)
        if len(data.blocks) == 1 and not (by_masks and only.n_values.min() <= MAX_VALUES):
            # What `Conditioning` counts, without its bookkeeping, which takes as long.
            whole = Whole(data.labels, by_label, data.weights, fixed)
            found = whole.sums(only, everything, "joint", self.n_jobs)
        if found is None:
            conditioning = Conditioning.of(data)
            return conditioning.scores(data.blocks, everything, "joint", self.n_jobs)[:, 0]
        sums, dependent = found
        X = xlogx_of(np.array([total, *by_label.tolist()]), fixed)
        units = np.maximum(sums + (X[0] - X[1:].sum()), 1) * dependent
        return np.asarray(units[:, 0] / (total * 2.0**fixed.scale_bits))

    @cached_property
    def entropy(self) -> Floats:
        """H(F) of every feature in bits, on the rows in which it counts."""
        return PairInformation(self._alone, self.data.n_rows, self.fixed.scale_bits).entropy

    @cached_property
    def _alone(self) -> Integers:
        """The sums of every feature against a constant."""
        constant = Target(np.zeros(self.data.n_rows, dtype=np.uint8), 1)
        runs = self.runs_of(constant, by_class=False)
        return self.sums(runs, np.arange(self.data.n_features))

    def information(self, selected: int, features: Integers) -> PairInformation:
        """Return the information of features and one selected, about each other and the class."""
        return self._information(self._runs(selected, by_class=True), features)

    def of_cells(self, selected: int, features: Integers, found: Integers) -> PairInformation:
        """Return the same from A and B of each feature, (n, 2), all rows of all counting."""
        runs, block = self._runs(selected, by_class=True), self.data.blocks[0]
        sums = self._completed(found, self._alone[3, features], block, features, runs)
        return PairInformation(sums, self.data.n_rows, self.fixed.scale_bits)

    def information_with(self, group: Sequence[int], features: Integers) -> PairInformation:
        """Return the information of features and the joint value of some others."""
        data = self.data
        codes, n_values = joint_codes([data.column(j) for j in group], data.n_rows)
        absent = np.zeros(data.n_rows, dtype=bool)
        for j in group:
            if data.ignored(j) >= 0:
                absent |= data.column(j) == data.ignored(j)
        if absent.any():
            codes = np.where(absent, n_values, codes)
        target = Target(
            codes.astype(narrowest(n_values + 1)),
            n_values + int(absent.any()),
            n_values if absent.any() else -1,
        )
        return self._information(self.runs_of(target, by_class=True), features)

    def redundancy(self, selected: int, features: Integers) -> Floats:
        """Return I(F; S) alone, in bits: the class is not counted, which is faster."""
        some = np.array([selected])
        if self._has_planes_of(some):
            return np.asarray(self.redundancies(some, features)[0])
        return self._information(self._runs(selected, by_class=False), features).redundancy

    def redundancies(self, selected: Integers, features: Integers) -> Floats:
        """Return I(F; S) of several selected features, (n_selected, n_features), in bits."""
        if not self._has_planes_of(selected):
            return np.array([self.redundancy(j, features) for j in selected.tolist()])
        block, rows = self.data.blocks[0], self._rows_by_class
        planes = self._planes_of(block)
        at_once = max(MOST_COUNTS // (TILE * int(block.n_values.max()) ** 2), 1)
        B = np.empty((len(selected), len(features)), dtype=np.int64)
        for first in range(0, len(selected), at_once):
            some = slice(first, first + at_once)
            target = planes.targets(selected[some], rows)
            B[some] = self._plane_sums(planes.pooled, features, target)[:, :, 1].T
        E, (P, X_N, N) = planes.by_value, self._totals
        G = E[selected, np.newaxis]
        sums = (B, B, G, E[features], G, P, X_N, N, P)
        return PairInformation(sums, self.data.n_rows, self.fixed.scale_bits).redundancy

    def _has_planes_of(self, selected: Integers) -> bool:
        """Whether all features have stored planes, which beat rows against those selected."""
        blocks, mean_values = self.data.blocks, float(self.data.n_values[selected].mean())
        is_simple = len(blocks) == 1 and self._of_all
        return is_simple and self._planes_pay(blocks[0], mean_values, by_class=False)

    def _information(self, runs: Runs, features: Integers) -> PairInformation:
        sums = self.sums(runs, features)
        return PairInformation(sums, self.data.n_rows, self.fixed.scale_bits)

    def _runs(self, feature: int, by_class: bool) -> Runs:
        """Return the rows by value of a feature; cached, since lazy criteria need them again."""
        key = feature, by_class
        if key not in self._targets:
            data = self.data
            target = Target(
                data.column(feature), int(data.n_values[feature]), data.ignored(feature)
            )
            if len(self._targets) >= MAX_TARGETS:
                self._targets.pop(next(iter(self._targets)))
            self._targets[key] = self.runs_of(target, by_class)
        return self._targets[key]

    def runs_of(self, target: Target, by_class: bool) -> Runs:
        """Return the rows by value of any column with as many rows."""
        data, n_labels = self.data, self.data.n_classes if by_class else 1
        return Runs(target, data.labels, n_labels, self.fixed, data.weights)

    def sums(self, runs: Runs, features: Integers) -> Integers:
        """Return A, B, D, E, G, P, X(N), N and Q (see `deacs.kernels.pairs`) of each feature.

        The target may be a column of another table with the same rows, so that columns that live
        in several places are counted where they are.
        """
        blocks, how = self.data.blocks, (runs.n_values, runs.by_class)
        is_simple = len(blocks) == 1 and self._of_all and not runs.is_partial
        if is_simple and self._planes_pay(blocks[0], *how):
            # The common case, without the bookkeeping of blocks: lazy criteria call this often.
            return self._by_planes(blocks[0], features, runs)
        sums = np.empty((N_SUMS, len(features)), dtype=np.int64)
        for block in blocks:
            members, places = members_of(block, features)
            if len(members) == 0:
                continue
            by_planes = np.zeros(len(members), dtype=bool)
            if not runs.is_partial and self._planes_pay(block, *how):
                by_planes = has_planes(block)[members]
            in_tables = ~by_planes & self._suit_tables(block, members, runs)
            ways = (self._by_planes, self._by_tables, self._by_rows)
            for mine, way in zip(
                (by_planes, in_tables, ~(by_planes | in_tables)), ways, strict=True
            ):
                if mine.any():
                    sums[:, places[mine]] = way(block, members[mine], runs)
        return sums

    @cached_property
    def _rows_by_class(self) -> RowsByClass:
        if self._rows_of is not None:
            return self._rows_of._rows_by_class
        return RowsByClass.of(self.data.labels, self.data.n_classes, self._weights)

    @cached_property
    def _of_all(self) -> bool:
        """Whether every feature of the only block has planes, feature j in place j."""
        block = self.data.blocks[0]
        return block.is_prefix and bool(has_planes(block).all())

    def _planes_pay(self, block: CodeBlock, n_values: float, by_class: bool) -> bool:
        """Whether planes beat rows against a target with so many values, all of which count."""
        mean_values = self._mean_values[int(block.features[0])]
        if mean_values == 0 or self._has_many_weights:
            return False
        rows = self._rows_by_class
        n_parts = len(rows.parts if by_class else rows.all_parts)
        return counts_by_planes(self.data.n_rows, rows.n_words, n_parts, n_values, mean_values)

    @cached_property
    def _has_many_weights(self) -> bool:
        return self._weights is not None and len(np.unique(self._weights)) > MOST_WEIGHTS

    @cached_property
    def _mean_values(self) -> dict[int, float]:
        """Of each block, by its first feature: the mean number of values with planes, or 0."""
        with_planes = {int(b.features[0]): b.n_values[has_planes(b)] for b in self.data.blocks}
        return {key: float(n.mean()) if len(n) else 0.0 for key, n in with_planes.items()}

    def _suit_tables(self, block: CodeBlock, members: Integers, runs: Runs) -> NDArray[np.bool_]:
        """Mark features of which all rows count, with not too many cells per row."""
        if runs.is_partial:
            return np.zeros(len(members), dtype=bool)
        is_short = block.n_values[members] * runs.n_keys <= MOST_CELLS * self.data.n_rows
        return is_short & (block.ignored[members] < 0)

    def _by_tables(self, block: CodeBlock, members: Integers, runs: Runs) -> Integers:
        found = np.empty((len(members), 3), dtype=np.int64)
        n_cells = int(block.n_values[members].max()) * runs.n_keys
        dtype = np.int32 if self._weights is None else np.int64

        def work(part: slice) -> None:
            against = columns_of(block, members[part]), runs.keys, runs.n_keys, runs.n_labels
            counts = np.zeros(n_cells, dtype=dtype)
            table_pair_sums(*against, self._weights, self._for_kernels, counts, found[part])

        map_blocks(work, len(members), self.n_jobs, NS_TABLE * (self.data.n_rows + n_cells))
        return self._completed(found[:, :2], found[:, 2], block, members, runs)

    def _completed(
        self, found: Integers, by_value: Integers, block: CodeBlock, members: Integers, runs: Runs
    ) -> Integers:
        """Put A, B and E of features beside what belongs to the target or to all, in `N_SUMS`."""
        sums = np.empty((N_SUMS, len(members)), dtype=np.int64)
        sums[:2], sums[3] = found.T, by_value
        sums[2], sums[4] = runs.by_run, runs.by_group
        sums[5:8] = self._totals[:, np.newaxis]
        if runs.by_class:
            sums[8] = self._class_cells[block.features[members]]
        return sums

    def _by_planes(self, block: CodeBlock, members: Integers, runs: Runs) -> Integers:
        planes = self._planes_of(block)
        stored = planes.stored if runs.by_class else planes.pooled
        found = self._plane_sums(stored, members, runs.planes_in(self._rows_by_class))[:, 0]
        return self._completed(found, planes.by_value[members], block, members, runs)

    def _plane_sums(
        self, planes: FeaturePlanes, members: Integers, target: TargetPlanes
    ) -> Integers:
        """Return A and B, (n_members, n_targets, 2)."""
        widths = planes.n_values[members]
        n_labels, n_values = target.sizes.shape
        shape = TILE, n_labels, int(widths.max()), n_values
        found = np.empty((len(members), len(target.bounds) - 1, 2), dtype=np.int64)

        def work(part: slice) -> None:
            counts = np.empty(shape, dtype=np.int64)
            plane_pair_sums(planes, members[part], target, self._for_kernels, counts, found[part])

        cost = NS_CELL_WORD * max(target.bits.size, 1) * float(widths.mean())
        map_blocks(work, len(members), self.n_jobs, cost)
        return found

    @cached_property
    def _class_cells(self) -> Integers:
        """Q of every feature of which all rows count: B, with the class for a target."""
        data = self.data
        labels = Target(data.labels.astype(narrowest(data.n_classes)), data.n_classes)
        runs = self.runs_of(labels, by_class=False)
        return np.asarray(self.sums(runs, np.arange(data.n_features))[1])

    @cached_property
    def _totals(self) -> Integers:
        """P, X(N) and N where all rows count."""
        by_class = self.data.run_counts
        total = by_class.sum(keepdims=True)
        return np.array(
            [xlogx_of(by_class, self.fixed).sum(), *xlogx_of(total, self.fixed), *total]
        )

    def _by_rows(self, block: CodeBlock, members: Integers, runs: Runs) -> Integers:
        sums = np.empty((len(members), N_SUMS), dtype=np.int64)
        groups, fixed = runs.groups, self._for_kernels

        def work(part: slice) -> None:
            columns = columns_of(block, members[part])
            row_pair_sums(columns, groups, self._weights, fixed, sums[part])

        map_blocks(work, len(members), self.n_jobs, NS_PAIR_ROW * max(len(groups.rows), 1))
        return sums.T

    def _planes_of(self, block: CodeBlock) -> StoredPlanes:
        key = int(block.features[0])
        if key not in self._planes:
            how = self._rows_by_class, self.data.run_counts, self.fixed, self.n_jobs
            self._planes[key] = StoredPlanes.of(block, *how)
        return self._planes[key]
