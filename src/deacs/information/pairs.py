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
from deacs.information.pair_planes import RowsByClass, StoredPlanes, has_planes
from deacs.information.pair_runs import Runs, Target
from deacs.information.plan import (
    NS_CELL_WORD,
    NS_PAIR_ROW,
    NS_TABLE,
    counts_by_planes,
    rounding,
)
from deacs.kernels.cross_tables import table_pair_sums
from deacs.kernels.fixed_point import FixedPoint, fixed_point, xlogx_of
from deacs.kernels.pairs import N_SUMS, row_pair_sums
from deacs.kernels.stored_planes import TILE, plane_pair_sums
from deacs.kernels.threads import map_blocks

__all__ = ["PairInformation", "Pairs"]

MAX_TARGETS = 64
"""Selected features whose rows by value are kept."""

MOST_CELLS = 12
"""Cells for each row that are counted in one table; beyond, groups of rows are cheaper."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class PairInformation:
    """Information of features F and one selected feature S, in bits; one number for each F.

    Each quantity is computed from counts on access.
    """

    def __init__(self, sums: Integers, n_rows: int, scale_bits: int) -> None:
        self._sums = sums
        self._n_rows = n_rows
        self._unit = 2.0**-scale_bits

    @property
    def redundancy(self) -> Floats:
        """I(F; S)."""
        _, B, _, E, G, _, X_N, _, _ = self._sums
        return self._bits(B - E - G + X_N)

    @property
    def conditional(self) -> Floats:
        """I(F; C | S): information of F about the class beyond that of S."""
        A, B, D, _, G, _, _, _, _ = self._sums
        return self._bits(A - B - D + G)

    @property
    def class_redundancy(self) -> Floats:
        """I(F; S | C): redundancy of F and S within the classes."""
        A, _, D, _, _, P, _, _, Q = self._sums
        return self._bits(A - D - Q + P)

    @property
    def joint(self) -> Floats:
        """I(F, S; C): information of both about the class."""
        A, B, _, _, _, P, X_N, _, _ = self._sums
        return self._bits(A - B - P + X_N)

    @property
    def joint_entropy(self) -> Floats:
        """H(F, S, C)."""
        return self._bits(self._sums[6] - self._sums[0])

    @property
    def entropy(self) -> Floats:
        """H(F)."""
        return self._bits(self._sums[6] - self._sums[3])

    def _bits(self, units: Integers) -> Floats:
        """Units to bits a row; what rounding alone may leave is zero."""
        units = np.where(units <= rounding(self._n_rows), 0, units)
        return np.asarray(units / np.maximum(self._sums[7], 1) * self._unit)


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
    bit a row for each value but one, and counted 64 rows at a time. Wider features and weighted
    tables are counted row by row in a table of all joint values, ignored missing values by group.
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
        return fixed_point(int(self.data.run_counts.sum()), 1)

    @cached_property
    def relevance(self) -> Floats:
        """I(F; C) of every feature in bits, exactly zero for independence."""
        data, everything = self.data, np.arange(self.data.n_features)
        by_label, only = data.run_counts, data.blocks[0]
        total = int(by_label.sum())
        fixed = fixed_point(total, data.n_outputs)
        whole = Whole(data.labels, by_label, data.weights, fixed)
        by_masks = counts_by_masks(only.codes.size, "joint", data.n_outputs, overlap=False)
        if len(data.blocks) > 1 or by_masks or not whole.suits(only, everything):
            conditioning = Conditioning.of(data)
            return conditioning.scores(data.blocks, everything, "joint", self.n_jobs)[:, 0]
        # The same without its bookkeeping, which would take longer than to count a small table.
        sums, dependent = whole.sums(only, everything, "joint", self.n_jobs)
        sums += xlogx_of(np.array([total]), fixed) - xlogx_of(by_label, fixed).sum()
        units = (np.maximum(sums, 1) * dependent)[:, 0]
        return np.asarray(units / total * 2.0**-fixed.scale_bits)

    @cached_property
    def entropy(self) -> Floats:
        """H(F) of every feature in bits, on the rows in which it counts."""
        return PairInformation(self._alone, self.data.n_rows, self.fixed.scale_bits).entropy

    @cached_property
    def _alone(self) -> Integers:
        """The sums of every feature against a constant."""
        constant = Target(np.zeros(self.data.n_rows, dtype=np.uint8), 1)
        runs = Runs(constant, self.data.labels, 1, self.fixed)
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
        runs = Runs(target, data.labels, data.n_classes, self.fixed)
        return self._information(runs, features)

    def redundancy(self, selected: int, features: Integers) -> Floats:
        """Return I(F; S) alone, in bits: the class is not counted, which is faster."""
        return self._information(self._runs(selected, by_class=False), features).redundancy

    def _information(self, runs: Runs, features: Integers) -> PairInformation:
        sums = self.sums(runs, features)
        return PairInformation(sums, self.data.n_rows, self.fixed.scale_bits)

    def _runs(self, feature: int, by_class: bool) -> Runs:
        """The rows by value of a feature; kept, for a lazy criterion comes back to it."""
        key = feature, by_class
        if key not in self._targets:
            data = self.data
            target = Target(
                data.column(feature), int(data.n_values[feature]), data.ignored(feature)
            )
            if len(self._targets) >= MAX_TARGETS:
                self._targets.pop(next(iter(self._targets)))
            n_labels = data.n_classes if by_class else 1
            self._targets[key] = Runs(target, data.labels, n_labels, self.fixed)
        return self._targets[key]

    def sums(self, runs: Runs, features: Integers) -> Integers:
        """Return A, B, D, E, G, P, X(N), N and Q (see `deacs.kernels.pairs`) of each feature.

        The target may be a column of another table with the same rows, so that columns that live
        in several places are counted where they are.
        """
        blocks = self.data.blocks
        if len(blocks) == 1 and self._of_all and self._planes_pay(blocks[0], runs):
            # The common case, without the bookkeeping of blocks: a lazy criterion asks often.
            return self._by_planes(blocks[0], features, runs)
        sums = np.empty((N_SUMS, len(features)), dtype=np.int64)
        for block in blocks:
            members, places = members_of(block, features)
            if len(members) == 0:
                continue
            by_planes = np.zeros(len(members), dtype=bool)
            if self._planes_pay(block, runs):
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
        return RowsByClass.of(self.data.labels, self.data.n_classes)

    @cached_property
    def _of_all(self) -> bool:
        """Whether every feature of the only block has planes, feature j in place j."""
        block = self.data.blocks[0]
        return block.is_prefix and bool(has_planes(block).all())

    def _planes_pay(self, block: CodeBlock, runs: Runs) -> bool:
        """Whether planes may be counted against this target, and beat rows."""
        mean_values = self._mean_values[int(block.features[0])]
        if self._weights is not None or runs.is_partial or mean_values == 0:
            return False
        rows = self._rows_by_class
        n_parts = len(rows.parts if runs.by_class else rows.all_parts)
        size = self.data.n_rows, rows.n_words, n_parts
        return counts_by_planes(*size, runs.n_values, mean_values)

    @cached_property
    def _mean_values(self) -> dict[int, float]:
        """Of each block, by its first feature: the mean number of values with planes, or 0."""
        with_planes = {int(b.features[0]): b.n_values[has_planes(b)] for b in self.data.blocks}
        return {key: float(n.mean()) if len(n) else 0.0 for key, n in with_planes.items()}

    def _suit_tables(self, block: CodeBlock, members: Integers, runs: Runs) -> NDArray[np.bool_]:
        """Return of which features all rows count, with a table not too much longer than these."""
        if runs.is_partial:
            return np.zeros(len(members), dtype=bool)
        is_short = block.n_values[members] * runs.n_keys <= MOST_CELLS * self.data.n_rows
        return is_short & (block.ignored[members] < 0)

    def _by_tables(self, block: CodeBlock, members: Integers, runs: Runs) -> Integers:
        found = np.empty((len(members), 3), dtype=np.int64)
        n_cells = int(block.n_values[members].max()) * runs.n_keys
        dtype = np.int32 if self._weights is None else np.int64

        def work(part: slice) -> None:
            counts = np.zeros(n_cells, dtype=dtype)
            against = runs.keys, runs.n_keys, runs.n_labels, self._weights, self.fixed, counts
            table_pair_sums(columns_of(block, members[part]), *against, found[part])

        map_blocks(work, len(members), self.n_jobs, NS_TABLE * (self.data.n_rows + n_cells))
        return self._completed(found[:, :2], found[:, 2], block, members, runs)

    def _completed(
        self, found: Integers, by_value: Integers, block: CodeBlock, members: Integers, runs: Runs
    ) -> Integers:
        """Put A, B and E of features beside what belongs to the target or to all, in `N_SUMS`."""
        sums = np.empty((N_SUMS, len(members)), dtype=np.int64)
        sums[:2], sums[3] = found.T, by_value
        sums[2], sums[4] = runs.by_run, runs.by_group
        if self._weights is not None:
            by_key = np.bincount(runs.keys, self._weights, runs.n_keys).astype(np.int64)
            sums[2] = xlogx_of(by_key, self.fixed).sum()
            sums[4] = xlogx_of(by_key.reshape(-1, runs.n_labels).sum(axis=1), self.fixed).sum()
        sums[5:8] = self._totals[:, np.newaxis]
        if runs.by_class:
            sums[8] = self._class_cells[block.features[members]]
        return sums

    def _by_planes(self, block: CodeBlock, members: Integers, runs: Runs) -> Integers:
        planes = self._planes_of(block)
        stored = planes.stored if runs.by_class else planes.pooled
        found = np.empty((len(members), 2), dtype=np.int64)
        target = runs.planes_in(self._rows_by_class)
        shape = TILE, len(target.sizes), int(block.n_values[members].max()), runs.n_values

        def work(part: slice) -> None:
            counts = np.empty(shape, dtype=np.int64)
            plane_pair_sums(stored, members[part], target, self.fixed, counts, found[part])

        cost = NS_CELL_WORD * max(target.bits.size, 1) * planes.mean_values
        map_blocks(work, len(members), self.n_jobs, cost)
        return self._completed(found, planes.by_value[members], block, members, runs)

    @cached_property
    def _class_cells(self) -> Integers:
        """Q of every feature of which all rows count: B, with the class for a target."""
        data = self.data
        labels = Target(data.labels.astype(narrowest(data.n_classes)), data.n_classes)
        runs = Runs(labels, data.labels, 1, self.fixed)
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
        groups = runs.groups

        def work(part: slice) -> None:
            columns = columns_of(block, members[part])
            row_pair_sums(columns, groups, self._weights, self.fixed, sums[part])

        map_blocks(work, len(members), self.n_jobs, NS_PAIR_ROW * max(len(groups.rows), 1))
        return sums.T

    def _planes_of(self, block: CodeBlock) -> StoredPlanes:
        key = int(block.features[0])
        if key not in self._planes:
            how = self._rows_by_class, self.data.n_classes, self.fixed, self.n_jobs
            self._planes[key] = StoredPlanes.of(block, *how)
        return self._planes[key]
