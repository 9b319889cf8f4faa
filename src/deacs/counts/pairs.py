"""Information of pairs of features: I(F; S), I(F; C | S), I(F, S; C), H(F, S, C), S one feature."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import pairs as kernels
from deacs._kernels.arrays import Columns, Groups
from deacs._kernels.fixed_point import FixedPoint, fixed_point, xlogx_of
from deacs._kernels.threads import map_blocks
from deacs.coding import CodeBlock, CodedData
from deacs.coding.blocks import narrowest
from deacs.counts.conditioning import Conditioning
from deacs.counts.counting import MAX_VALUES, NS_TABLE, members_of, rounding
from deacs.counts.joint import groups_given

__all__ = ["N_SUMS", "Falling", "PairInformation", "Pairs", "Runs", "Target"]

N_SUMS = 9
"""The sums of a pair, explained in `deacs._kernels.pairs`: A, B, D, E, G, P, X(N), N and Q."""

MAX_TARGETS = 64
"""Selected features whose rows by value are kept."""

MOST_WEIGHTS = 64
"""The most distinct weights by which rows are sorted; with more, planes are hardly faster."""

MOST_PLANES = 256
"""The most values of a target in planes, whose codes are arranged as bytes."""

MOST_CELLS = 3
"""The most cells per row that are counted in one table; beyond that, groups of rows are faster."""

WORDS_AT_ONCE = 1024
"""Words of a plane in a part."""

NS_PLANES, NS_CELL_WORD, NS_CELL_PART, NS_PAIR_ROW = 0.8, 0.25, 8.0, 6.0
"""Approximate cost of a row of a feature whose planes are stored, of a word of a cell, of a part of
its words, and of a row of a feature with rows that do not count."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class PairInformation:
    """Information of features F and one selected feature S, in bits; one number for each F.

    Each quantity is computed on access from `sums`, (N_SUMS, n).
    """

    def __init__(self, sums: Integers, n_rows: int, scale_bits: int) -> None:
        self._sums = sums
        self._n_rows = n_rows
        self._unit = 2.0**-scale_bits

    @classmethod
    def together(cls, parts: Sequence[Self], n_rows: int) -> Self:
        """Return the information of the features of several, one each, of the same rows."""
        made = cls(np.hstack([part._sums for part in parts]), n_rows, 0)
        made._unit = parts[0]._unit
        return made

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
        """Turn fixed-point units into bits per row; up to the rounding error they are zero."""
        units = units * (units > rounding(self._n_rows))
        return np.asarray(units / (np.maximum(self._sums[7], 1) / self._unit))


TERMS = "conditional", "joint", "symmetrical_relevance", "redundancy", "overlap"


class Falling(NamedTuple):
    """A criterion that can only fall: min(start, least term), or start - sum / divisor."""

    term: str
    """The term of a selected feature, never negative; one of `TERMS`."""
    is_least: bool
    """Whether terms are folded by their minimum, else by their sum."""
    from_relevance: bool = True
    """Whether the start is I(F; C), else infinite."""
    mean: bool = False
    """Whether the sum is divided by |S|."""


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
    Where that pays, features with at most 16 values are kept as bit-planes beside their codes, one
    bit a row for each value but one, and counted 64 rows at a time, rows of equal weight together.
    Wider features and tables with many different weights are counted row by row in a table of all
    joint values, ignored missing values by group.
    """

    def __init__(self, data: CodedData, n_jobs: int | None = None) -> None:
        self.data = data
        self.n_jobs = n_jobs
        self._targets: dict[tuple[int, bool], Runs] = {}

    @cached_property
    def fixed(self) -> FixedPoint:
        """X(n) = n log2 n for the counts of all terms of pairs."""
        return fixed_point(self.data.total, 1)

    @cached_property
    def relevance(self) -> Floats:
        """I(F; C) of every feature in bits, exactly zero for independence."""
        everything = np.arange(self.data.n_features)
        conditioning = Conditioning.of(self.data)
        return conditioning.scores(self.data.blocks, everything, "joint", self.n_jobs)[:, 0]

    @cached_property
    def entropy(self) -> Floats:
        """H(F) of every feature in bits, on the rows in which it counts."""
        constant = Target(np.zeros(self.data.n_rows, dtype=np.uint8), 1)
        runs = self.runs_of(constant, by_class=False)
        return self._information(runs, np.arange(self.data.n_features)).entropy

    def information(self, selected: int, features: Integers) -> PairInformation:
        """Return the information of features and one selected, about each other and the class."""
        return self._information(self._runs(selected, by_class=True), features)

    def information_with(self, group: Sequence[int], features: Integers) -> PairInformation:
        """Return the information of features and the joint value of some others."""
        codes, n_values = groups_given(self.data, group)
        absent = codes < 0
        ignored = n_values if absent.any() else -1
        codes[absent] = n_values
        target = Target(
            codes.astype(narrowest(n_values + 1)), n_values + int(ignored >= 0), ignored
        )
        return self._information(self.runs_of(target, by_class=True), features)

    def redundancy(self, selected: int, features: Integers) -> Floats:
        """Return I(F; S) alone, in bits: the class is not counted, which is faster."""
        return self._information(self._runs(selected, by_class=False), features).redundancy

    def _information(self, runs: Runs, features: Integers) -> PairInformation:
        sums = self.sums(runs, features)
        return PairInformation(sums, self.data.n_rows, self.fixed.scale_bits)

    def _runs(self, feature: int, by_class: bool, n_kept: int = 0) -> Runs:
        """Return the rows by value of a feature; kept, since lazy criteria need them again."""
        key = feature, by_class
        if key not in self._targets:
            data = self.data
            n_values, ignored = int(data.n_values[feature]), data.ignored(feature)
            if len(self._targets) >= max(MAX_TARGETS, n_kept):
                self._targets.pop(next(iter(self._targets)))
            target = Target(data.column(feature), n_values, ignored)
            self._targets[key] = self.runs_of(target, by_class)
        return self._targets[key]

    def runs_of(self, target: Target, by_class: bool) -> Runs:
        """Return the rows by value of any column with as many rows."""
        data, n_labels = self.data, self.data.n_classes if by_class else 1
        return Runs(target, data.labels, n_labels, self.fixed, data.weights)

    @property
    def suit_contests(self) -> bool:
        """Whether all rows count, in one block of features that have planes or fit tables."""
        stored = self._stored[0]
        plain = len(self._stored) == 1 and int(stored.block.ignored.max()) < 0
        return plain and (self._fits_tables or (stored.has_all and self.rows_by_class is not None))

    @cached_property
    def _fits_tables(self) -> bool:
        n_cells = int(self.data.n_values.max()) ** 2 * self.data.n_classes
        return n_cells <= MOST_CELLS * self.data.n_rows

    def contest(
        self,
        falling: Falling,
        candidates: Integers,
        selected: Sequence[int],
        slack: float,
        scored: tuple[Floats, Floats, Integers],
        bounds: Floats,
    ) -> None:
        """Fold in the missing terms of candidates, while they may have the largest score.

        `scored` are the start and (INOUT) the folded terms of each feature, and the number of
        selected features in them, S being in order of selection; `slack` is the difference from the
        best that still ties, relative if the best exceeds 1; `bounds` (INOUT) the scores from the
        terms folded so far.
        """
        data, stored, rows, unit = (
            self.data,
            self._stored[0],
            self.rows_by_class,
            self.fixed.scale_bits,
        )
        by_class, n = falling.term != "redundancy", len(selected)
        targets = [self._runs(j, by_class, n) for j in selected]
        planes, n_cells = None, data.n_classes * (int(data.n_values.max()) ** 2 + 1)
        if rows is not None and stored.has_all:
            pays = self._planes_pay(stored, stored.mean_values, by_class)
            planes = (
                stored.planes_in(rows, data.n_classes) if pays or not self._fits_tables else None
            )
        buffer = np.empty(0 if rows is None else len(rows.rows), dtype=np.uint8)
        state = (
            planes,
            stored.is_made,
            rows,
            data.run_counts,
            buffer,
            data.weights,
            self.fixed,
        )
        totals = *self._totals.tolist(), rounding(data.n_rows), 2.0**-unit
        divisor = 0.0 if falling.is_least else float(n if falling.mean else 1)
        rule = totals, TERMS.index(falling.term), divisor
        cells = np.zeros(n_cells, dtype=np.int64)

        def fold(order: Integers, best: float) -> float:
            columns, found = _columns(stored.block, candidates[order]), bounds[order]
            best = kernels.fold_contenders(
                columns, *state, targets, *rule, best, slack, *scored, cells, found
            )
            bounds[order] = found
            return best

        # The leader first: most of the others fall behind it and need not be sorted.
        best = fold(np.array([bounds.argmax()]), -np.inf)
        doubtful = np.flatnonzero(bounds >= best - slack * max(1.0, abs(best)))
        fold(doubtful[np.argsort(-bounds[doubtful], kind="stable")], best)

    def sums(self, runs: Runs, features: Integers) -> Integers:
        """Return A, B, D, E, G, P, X(N), N and Q (see `deacs._kernels.pairs`) of each feature.

        The target may be a column of another table with the same rows, so that columns that live
        in several places are counted where they are.
        """
        features = np.ascontiguousarray(features)
        sums = np.empty((N_SUMS, len(features)), dtype=np.int64)
        for block, stored in zip(self.data.blocks, self._stored, strict=True):
            members, places = members_of(block, features)
            if len(members) == 0:
                continue
            how = runs.n_values, runs.by_class
            planes_pay = not runs.is_partial and self._planes_pay(stored, *how)
            if planes_pay and stored.has_all:
                sums[:, places] = self._by_planes(stored, members, runs)
                continue
            by_planes = stored.has[members] & planes_pay
            n_cells = block.n_values[members] * runs.n_keys
            of_all = (block.ignored[members] < 0) & (not runs.is_partial)
            in_tables = ~by_planes & of_all & (n_cells <= MOST_CELLS * self.data.n_rows)
            for mine, count in (
                (by_planes, self._by_planes),
                (in_tables, self._by_tables),
                (~(by_planes | in_tables), self._by_rows),
            ):
                if mine.all():
                    sums[:, places] = count(stored, members, runs)
                elif mine.any():
                    sums[:, places[mine]] = count(stored, members[mine], runs)
        return sums

    @cached_property
    def _stored(self) -> list[StoredPlanes]:
        """The planes of each block, made when they are needed."""
        return [StoredPlanes(block) for block in self.data.blocks]

    @cached_property
    def rows_by_class(self) -> RowsByClass | None:
        """The order of rows in planes; None if there are too many weights."""
        data = self.data
        if data.weights is not None and len(np.unique(data.weights)) > MOST_WEIGHTS:
            return None
        return RowsByClass.of(data.labels, data.n_classes, data.weights)

    def _planes_pay(self, stored: StoredPlanes, n_values: float, by_class: bool) -> bool:
        """Whether planes beat rows against a target with so many values, all of which count."""
        rows = self.rows_by_class
        if rows is None or stored.mean_values == 0 or n_values > MOST_PLANES:
            return False
        n_words, n_parts = rows.n_words, len(rows.parts if by_class else rows.all_parts)
        cost = n_words, n_parts, n_values, stored.mean_values
        return counts_by_planes(self.data.n_rows, *cost)

    def _by_planes(self, stored: StoredPlanes, members: Integers, runs: Runs) -> Integers:
        rows, data, fixed = self.rows_by_class, self.data, self.fixed
        assert rows is not None
        planes = stored.with_planes_of(members, rows, data.run_counts, fixed, self.n_jobs)
        found = np.empty((len(members), 2), dtype=np.int64)
        n_cells, n_planes = runs.n_keys * MAX_VALUES, len(runs.planes_in(rows))

        def work(part: slice) -> None:
            cells = np.empty(n_cells, dtype=np.int64)
            kernels.plane_pair_sums(planes, members[part], runs, rows, fixed, cells, found[part])

        cost = NS_CELL_WORD * max(n_planes * rows.n_words, 1) * stored.mean_values
        map_blocks(work, len(members), self.n_jobs, cost)
        return self._completed(found, planes.own[members], runs)

    def _by_tables(self, stored: StoredPlanes, members: Integers, runs: Runs) -> Integers:
        block, found = stored.block, np.empty((len(members), 4), dtype=np.int64)
        n_cells = int(block.n_values[members].max()) * runs.n_keys

        def work(part: slice) -> None:
            columns = _columns(block, members[part])
            cells = np.zeros(n_cells + runs.n_labels, dtype=np.int64)
            how = runs, self.data.weights, self.fixed
            kernels.table_pair_sums(columns, *how, cells, found[part])

        map_blocks(work, len(members), self.n_jobs, NS_TABLE * (self.data.n_rows + n_cells))
        return self._completed(found[:, :2], found[:, 2:], runs)

    def _by_rows(self, stored: StoredPlanes, members: Integers, runs: Runs) -> Integers:
        sums = np.empty((len(members), N_SUMS), dtype=np.int64)
        groups = runs.groups

        def work(part: slice) -> None:
            columns = _columns(stored.block, members[part])
            how = groups, self.data.weights, self.fixed
            kernels.row_pair_sums(columns, *how, sums[part])

        map_blocks(work, len(members), self.n_jobs, NS_PAIR_ROW * max(len(groups.rows), 1))
        return sums.T

    def _completed(self, found: Integers, own: Integers, runs: Runs) -> Integers:
        """Put A, B, E and Q of features beside what belongs to the target or to all."""
        sums = np.empty((N_SUMS, len(found)), dtype=np.int64)
        sums[:2], sums[3], sums[8] = found.T, own[:, 0], own[:, 1]
        sums[2], sums[4] = runs.by_run, runs.by_group
        sums[5:8] = self._totals[:, np.newaxis]
        return sums

    @cached_property
    def _totals(self) -> Integers:
        """P, X(N) and N where all rows count."""
        by_class, total = self.data.run_counts, self.data.total
        X = xlogx_of(np.array([total, *by_class.tolist()]), self.fixed)
        return np.array([X[1:].sum(), X[0], total])


def _columns(block: CodeBlock, members: Integers) -> Columns:
    return Columns(block.codes, members, block.n_values, block.ignored)


def counts_by_planes(
    n_rows: int, n_words: int, n_parts: int, n_targets: float, mean_values: float
) -> bool:
    """Whether stored planes count pairs faster than a table does, row by row."""
    by_cell = n_words * NS_CELL_WORD + n_parts * NS_CELL_PART
    return by_cell * (mean_values - 1) * (n_targets - 1) < n_rows * NS_TABLE


class Target(NamedTuple):
    """One column to count all others against: the codes, how many, and which does not count."""

    codes: NDArray[np.unsignedinteger[Any]]
    n_values: int
    ignored: int = -1


class Runs:
    """The rows by joint value of a column and the class, or of the column alone (`n_labels` 1)."""

    def __init__(
        self,
        target: Target,
        labels: NDArray[np.int32],
        n_labels: int,
        fixed: FixedPoint,
        weights: Integers | None = None,
    ) -> None:
        self._codes, self.n_values, ignored = target
        self.n_labels, self.by_class = n_labels, n_labels > 1
        self.n_keys = self.n_values * n_labels
        keys = self._codes.astype(np.uint32)
        self.keys = keys * np.uint32(n_labels) + labels.astype(np.uint32) if self.by_class else keys
        """The joint value of each row."""
        self._n_rows = np.bincount(self.keys, minlength=self.n_keys).reshape(-1, n_labels)
        self.is_partial = ignored >= 0 and bool(self._n_rows[ignored].any())
        sizes = self._n_rows
        if self.is_partial:
            self._n_rows[ignored] = 0
        if weights is not None:
            weighted = np.bincount(self.keys, weights, self.n_keys).astype(np.int64)
            sizes = np.where(sizes > 0, weighted.reshape(-1, n_labels), 0)
        self.sizes = np.ascontiguousarray(sizes.T)
        """Counts by label and value, (n_labels, n_values)."""
        self.by_run = self.by_group = int(xlogx_of(sizes, fixed).sum())
        if self.by_class:
            self.by_group = int(xlogx_of(sizes.sum(axis=1), fixed).sum())
        self._planes: NDArray[np.uint64] | None = None

    def planes_in(self, rows: RowsByClass) -> NDArray[np.uint64]:
        """Return one bit-plane for each value but the last, the rows being in this order."""
        if self._planes is None:
            self._planes = np.empty((self.n_values - 1, rows.n_words), dtype=np.uint64)
            buffer = np.empty(len(rows.rows), dtype=np.uint8)
            kernels.column_planes(self._codes, self.n_values, rows, buffer, self._planes)
        return self._planes

    @cached_property
    def groups(self) -> Groups:
        """The rows in the order of the runs."""
        counts = self._n_rows.ravel()
        present = np.flatnonzero(counts)
        order = np.argsort(self.keys.astype(narrowest(self.n_keys)), kind="stable")
        if self.is_partial:
            order = order[counts[self.keys[order]] > 0]
        starts = np.concatenate(([0], np.cumsum(counts[present])))
        first = np.flatnonzero(np.diff(present // self.n_labels, prepend=-1))
        labels = (present % self.n_labels).astype(np.int32)
        return Groups(order.astype(np.int32), starts, labels, np.append(first, len(present)))


class RowsByClass(NamedTuple):
    """The rows in the order of weights, then classes, each of which begins with its own word."""

    rows: NDArray[np.int32]
    """The row in each place, (64 n_words,)."""
    gaps: Integers
    """The places that fill up words; they stand for no row."""
    parts: Integers
    """Parts of the words: the class, the first word, the one after the last, the rows' weight."""
    all_parts: Integers
    """The same where classes do not count: 0 stands for all of them."""

    @classmethod
    def of(cls, labels: NDArray[np.int32], n_labels: int, weights: Integers | None) -> RowsByClass:
        """Put rows with the same weight and label side by side."""
        distinct, kinds = np.ones(1, dtype=np.int64), labels
        if weights is not None:
            distinct, of_row = np.unique(weights, return_inverse=True)
            kinds = of_row * n_labels + labels
        n_kinds = len(distinct) * n_labels
        sizes = np.bincount(kinds, minlength=n_kinds)
        n_words = -(-sizes // 64)
        ends = np.cumsum(n_words)
        # Narrow integers are sorted by their digits.
        order = np.argsort(kinds.astype(narrowest(n_kinds)), kind="stable").astype(np.int32)
        shift = 64 * (ends - n_words) - (np.cumsum(sizes) - sizes)
        rows, is_gap = (
            np.zeros(64 * int(ends[-1]), dtype=np.int32),
            np.ones(64 * int(ends[-1]), bool),
        )
        places = np.arange(len(labels)) + shift[kinds[order]]
        rows[places], is_gap[places] = order, False
        by_weight = _in_parts(ends[n_labels - 1 :: n_labels], 1, distinct)
        return cls(rows, np.flatnonzero(is_gap), _in_parts(ends, n_labels, distinct), by_weight)

    @property
    def n_words(self) -> int:
        """The number of words in a plane."""
        return len(self.rows) // 64


def _in_parts(ends: Integers, n_labels: int, weights: Integers) -> Integers:
    """Cut the words of each weight and label, which end there, into parts."""
    parts = [
        (kind % n_labels, begin, min(begin + WORDS_AT_ONCE, end), weights[kind // n_labels])
        for kind, (start, end) in enumerate(pairwise([0, *ends.tolist()]))
        for begin in range(start, end, WORDS_AT_ONCE)
    ]
    return np.array(parts, dtype=np.int64).reshape(-1, 4)


class Planes(NamedTuple):
    """Bit-planes of features, as the kernels take them: one for each value but the last."""

    bits: NDArray[np.uint64]
    """(n_planes, n_words)"""
    first: Integers
    """The first plane of each feature, (n_features,)."""
    n_values: Integers
    counts: Integers
    """Counts of each plane by class, (n_planes, n_classes)."""
    pooled: Integers
    """Counts of each plane, (n_planes,)."""
    own: Integers
    """E and Q of each feature, (n_features, 2)."""


class StoredPlanes:
    """A block of codes, and the planes of those features that have few values, all counting."""

    def __init__(self, block: CodeBlock) -> None:
        self.block = block
        self.has = (block.n_values <= MAX_VALUES) & (block.ignored < 0)
        """Which features have planes."""
        self.has_all = bool(self.has.all())
        self.mean_values = float(block.n_values[self.has].mean()) if self.has.any() else 0.0
        """Their mean number of values, or 0."""
        self.is_made = np.zeros(len(self.has), dtype=bool)
        self._planes: Planes | None = None

    def planes_in(self, rows: RowsByClass, n_classes: int) -> Planes:
        """Return the planes as far as they are made, which `is_made` tells."""
        if self._planes is None:
            n_planes = np.where(self.has, self.block.n_values - 1, 0)
            total = int(n_planes.sum())
            self._planes = Planes(
                np.empty((total, rows.n_words), dtype=np.uint64),
                np.cumsum(n_planes) - n_planes,
                self.block.n_values,
                np.empty((total, n_classes), dtype=np.int64),
                np.empty(total, dtype=np.int64),
                np.empty((len(n_planes), 2), dtype=np.int64),
            )
        return self._planes

    def with_planes_of(
        self,
        members: Integers,
        rows: RowsByClass,
        by_class: Integers,
        fixed: FixedPoint,
        n_jobs: int | None,
    ) -> Planes:
        """Return planes, of which those of `members` are made."""
        planes, new = self.planes_in(rows, len(by_class)), members[~self.is_made[members]]

        def work(part: slice) -> None:
            buffer = np.empty(len(rows.rows), dtype=np.uint8)
            columns = _columns(self.block, new[part])
            kernels.feature_planes(columns, rows, by_class, fixed, buffer, planes)

        if len(new):
            map_blocks(work, len(new), n_jobs, max(len(rows.rows) * NS_PLANES, 1.0))
            self.is_made[new] = True
        return planes
