"""Information of pairs of features: I(F; S), I(F; C | S), I(F, S; C), H(F, S, C), S one feature."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData
from deacs.coding.data import narrowest
from deacs.information.conditioning import Conditioning
from deacs.information.counting import columns_of, members_of
from deacs.information.joint import joint_codes
from deacs.information.pair_runs import Runs, Target
from deacs.information.plan import NS_CELL_WORD, NS_PAIR_ROW, counts_by_planes, rounding
from deacs.kernels.fixed_point import FixedPoint, fixed_point, xlogx_of
from deacs.kernels.grouped import MAX_VALUES
from deacs.kernels.pairs import (
    N_SUMS,
    TILE,
    FeaturePlanes,
    feature_planes,
    plane_pair_sums,
    row_pair_sums,
)
from deacs.kernels.threads import map_blocks

__all__ = ["PairInformation", "Pairs"]

MAX_TARGETS = 64
"""Selected features whose rows by value are kept."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class PairInformation:
    """Information of features F and one selected feature S, in bits; one number for each F.

    Made of counts; each quantity is computed when it is asked for.
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

    Notes
    -----
    Features with at most 16 values are kept as bit-planes beside their codes, one bit a row for
    each value but one, and counted 64 rows at a time. Wider features, weighted tables and ignored
    missing values are counted row by row.
    """

    def __init__(self, data: CodedData, n_jobs: int | None = None) -> None:
        self._data = data
        self._n_jobs = n_jobs
        self._weights = data.weights
        total = data.n_rows if data.weights is None else int(data.weights.sum())
        self.fixed = fixed_point(total, 1)
        self._targets: dict[tuple[int, bool], Runs] = {}

    @cached_property
    def relevance(self) -> Floats:
        """I(F; C) of every feature in bits, exactly zero for independence."""
        conditioning = Conditioning.of(self._data)
        everything = np.arange(self._data.n_features)
        return conditioning.scores(self._data.blocks, everything, "joint", self._n_jobs)[:, 0]

    @cached_property
    def entropy(self) -> Floats:
        """H(F) of every feature in bits, on the rows in which it counts."""
        constant = Target(np.zeros(self._data.n_rows, dtype=np.uint8), 1)
        runs = Runs(constant, self._data.labels, 1, self.fixed)
        return self._information(runs, np.arange(self._data.n_features)).entropy

    def information(self, selected: int, features: Integers) -> PairInformation:
        """Return the information of features and one selected, about each other and the class."""
        return self._information(self._runs(selected, by_class=True), features)

    def information_with(self, group: Sequence[int], features: Integers) -> PairInformation:
        """Return the information of features and the joint value of some others."""
        data = self._data
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
        return PairInformation(sums, self._data.n_rows, self.fixed.scale_bits)

    def _runs(self, feature: int, by_class: bool) -> Runs:
        """The rows by value of a feature; kept, for a lazy criterion comes back to it."""
        key = feature, by_class
        if key not in self._targets:
            data = self._data
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
        only = self._planes[0] if len(self._planes) == 1 else None
        if only is not None and only.of_all and self._planes_pay(only, runs):
            # The common case, without the bookkeeping of blocks: a lazy criterion asks often.
            found = self._by_planes(only, features, runs)
            if runs.by_class:
                found[8] = self._class_cells[features]
            return found
        sums = np.empty((N_SUMS, len(features)), dtype=np.int64)
        for block, planes in zip(self._data.blocks, self._planes, strict=True):
            members, places = members_of(block, features)
            if len(members) == 0:
                continue
            by_planes = np.zeros(len(members), dtype=bool)
            if planes is not None and self._planes_pay(planes, runs):
                by_planes = planes.has[members]
            if planes is not None and by_planes.any():
                found = self._by_planes(planes, members[by_planes], runs)
                if runs.by_class:
                    found[8] = self._class_cells[block.features[members[by_planes]]]
                sums[:, places[by_planes]] = found
            if not by_planes.all():
                sums[:, places[~by_planes]] = self._by_rows(block, members[~by_planes], runs).T
        return sums

    def _planes_pay(self, planes: "_Planes", runs: Runs) -> bool:
        """Whether planes may be counted against this target, and beat rows."""
        if self._weights is not None or runs.is_partial:
            return False
        return counts_by_planes(self._data.n_rows, runs.n_runs, planes.mean_values)

    def _by_planes(self, planes: "_Planes", members: Integers, runs: Runs) -> Integers:
        fixed = self.fixed
        found = np.empty((len(members), 2), dtype=np.int64)
        target, width = runs.planes, planes.stored.value_counts.shape[1]

        def work(part: slice) -> None:
            counts = np.empty((TILE, runs.n_runs, width), dtype=np.int64)
            plane_pair_sums(planes.stored, members[part], target, fixed, counts, found[part])

        cost = NS_CELL_WORD * target.bits.size * planes.mean_values
        map_blocks(work, len(members), self._n_jobs, cost)
        sums = np.empty((N_SUMS, len(members)), dtype=np.int64)
        sums[:2] = found.T
        sums[2] = runs.by_run
        sums[3] = planes.by_value[members]
        sums[4] = runs.by_group
        sums[5:8] = self._totals[:, np.newaxis]
        return sums

    @cached_property
    def _class_cells(self) -> Integers:
        """Q of every feature where all rows count once: B, with the class for a target."""
        data = self._data
        labels = Target(data.labels.astype(narrowest(data.n_classes)), data.n_classes)
        runs = Runs(labels, data.labels, 1, self.fixed)
        return np.asarray(self.sums(runs, np.arange(data.n_features))[1])

    @cached_property
    def _totals(self) -> Integers:
        """P, X(N) and N where all rows count once."""
        n = self._data.n_rows
        by_class = xlogx_of(np.bincount(self._data.labels), self.fixed).sum()
        return np.array([by_class, xlogx_of(np.array([n]), self.fixed)[0], n])

    def _by_rows(self, block: CodeBlock, members: Integers, runs: Runs) -> Integers:
        sums = np.empty((len(members), N_SUMS), dtype=np.int64)
        groups = runs.groups

        def work(part: slice) -> None:
            columns = columns_of(block, members[part])
            row_pair_sums(columns, groups, self._weights, self.fixed, sums[part])

        map_blocks(work, len(members), self._n_jobs, NS_PAIR_ROW * max(len(groups.rows), 1))
        return sums

    @cached_property
    def _planes(self) -> "list[_Planes | None]":
        if self._weights is not None:
            return [None] * len(self._data.blocks)
        return [_Planes.of(block, self.fixed, self._n_jobs) for block in self._data.blocks]


@dataclass(frozen=True)
class _Planes:
    """The bit-planes of a block's features with few values."""

    stored: FeaturePlanes
    by_value: Integers
    """E: the sum of X over the values of each feature."""
    has: NDArray[np.bool_]
    of_all: bool
    """Whether every feature of the table has planes here, feature j in place j."""
    mean_values: float

    @classmethod
    def of(cls, block: CodeBlock, fixed: FixedPoint, n_jobs: int | None) -> "_Planes | None":
        has = (block.n_values <= MAX_VALUES) & (block.ignored < 0)
        if not has.any():
            return None
        members = np.flatnonzero(has)
        n_planes = np.where(has, block.n_values - 1, 0)
        first = np.cumsum(n_planes) - n_planes
        n_rows = block.codes.shape[1]
        bits = np.empty((int(n_planes.sum()), -(-n_rows // 64)), dtype=np.uint64)
        value_counts = np.zeros((len(first), int(block.n_values[has].max())), dtype=np.int64)

        stored = FeaturePlanes(bits, first, block.n_values, value_counts)

        def work(part: slice) -> None:
            tail = np.zeros(64, dtype=block.codes.dtype)
            feature_planes(columns_of(block, members[part]), tail, stored)

        map_blocks(work, len(members), n_jobs, max(n_rows * 0.2, 1.0))
        by_value = xlogx_of(value_counts, fixed).sum(axis=1)
        of_all = bool(has.all()) and block.is_prefix
        mean_values = float(block.n_values[has].mean())
        return cls(stored, by_value, has, of_all, mean_values)
