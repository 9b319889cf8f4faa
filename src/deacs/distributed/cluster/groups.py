"""Groups of S over parts of rows: counted by cells, or whole in one part after a shuffle.

A step is one task for each part. While groups are few, parts count cells (group, label, value), and
the client computes scores from their sums. Groups only ever split, so cells multiply until it is
cheaper to shuffle the rows by group, once. From then on every group is whole in one part, and parts
return sums in fixed point, |F| x K integers. Rows of groups with one label are settled and do not
travel.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from copy import copy
from operator import getitem

import numpy as np
from numpy.typing import NDArray

from deacs._kernels.fixed_point import fixed_point
from deacs.coding import CodedTable
from deacs.distributed.cluster import grouping as on_workers
from deacs.distributed.cluster.cell_scores import base_of, label_units
from deacs.distributed.cluster.cells import Cells, Features, RunTable, cells_of, together
from deacs.distributed.cluster.parts import concatenated
from deacs.distributed.cluster.protocol import Cluster, Handle
from deacs.distributed.cluster.source import Source
from deacs.information import ScoreKind

__all__ = [
    "CountedGroups",
    "WholeGroups",
    "base_with",
    "bits_of",
    "residual_of",
    "scores_of",
]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_CELLS = 1 << 22
"""More cells in a step than this always lead to a shuffle, since the client must hold them."""

NS_CELL = 10.0
"""Nanoseconds to send a cell of a part, add it to others, and compute scores from it."""

NS_MOVE = 6.0
"""Nanoseconds to shuffle a code: copy it for its target, send it, and join it to others."""


class CountedGroups:
    """Groups before the shuffle: rows are where they were read, and parts return cells.

    `label_counts` is the weight of each label in the whole table.
    """

    def __init__(
        self, cluster: Cluster, source: Source, parts: list[Handle], label_counts: Integers
    ) -> None:
        self._cluster, self._source, self._parts = cluster, source, parts
        self._label_counts = label_counts
        self._splits: list[on_workers.Split] = []
        self._runs = RunTable.of_labels(label_counts)
        self._counted: list[tuple[Features, Cells, Integers]] = []
        self._spent = 0.0

    def scores(self, candidates: Integers, score: on_workers.Score) -> Floats:
        """Return scores given S, in bits."""
        source, table = self._source, self._source.table
        self._count(candidates)
        place = np.empty(table.n_features, dtype=np.int64)
        place[candidates] = np.arange(len(candidates))
        n_outputs = 1 if score.kind == "joint" else table.n_outputs
        units = np.empty((len(candidates), n_outputs), dtype=np.int64)
        counts = np.broadcast_to(self._label_counts, (len(candidates), table.n_classes))
        for features, cells, present in self._counted:
            at = place[features.numbers]
            units[at] = label_units(
                cells,
                features,
                self._runs,
                score.kind,
                source.total,
                table.n_classes,
                score.estimator,
                table.membership,
            )
            if len(present):
                counts = counts if counts.flags.writeable else counts.copy()
                counts[at[features.ignored >= 0]] = present
        return bits_of(units, counts, score.kind, source.table, source.total)

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits."""
        base = _base_of(self._runs, self._source)
        return residual_of(base, self._label_counts, self._source.table, self._source.total)

    def add(self, feature: int) -> CountedGroups:
        """Condition on one more feature."""
        if not any(feature in features.numbers for features, _, _ in self._counted):
            self._count(np.array([feature]))
        grown = copy(self)
        for features, cells, present in self._counted:
            for place in np.flatnonzero(features.numbers == feature).tolist():
                keys, counts = cells_of(cells, features, place, self._runs.n_runs)
                width, ignored = int(features.n_values[place]), int(features.ignored[place])
                grown._runs, keys = self._runs.split(keys, counts, width, ignored)
                grown._splits = [*self._splits, on_workers.Split(feature, keys)]
                if ignored >= 0:
                    among = np.count_nonzero(features.ignored[:place] >= 0)
                    grown._label_counts = present[among]
        grown._counted = []
        return grown

    def placed(self) -> CountedGroups | WholeGroups:
        """Return the groups to score next: shuffled, if that pays from now on."""
        if not self._splits or len(self._parts) == 1:
            return self
        n_cells = self._runs.n_runs * int(self._source.table.n_values.sum())
        self._spent += NS_CELL * n_cells * len(self._parts)
        return self._shuffled() if self._shuffle_pays(n_cells) else self

    def _count(self, candidates: Integers) -> None:
        """Count the cells of candidates, with one task for each part."""
        source, n = self._source, len(self._parts)
        name = f"label-scores-step-{len(self._splits) + 1}"
        wanted = together(source.table, source.ignored, candidates, self._runs.n_runs, n)
        work, add = on_workers.cells_given, on_workers.add_counted
        cells, present = self._cluster.total(name, work, add, self._parts, self._splits, wanted)
        ends = np.cumsum([np.count_nonzero(features.ignored >= 0) for features in wanted])
        self._counted = list(zip(wanted, cells, np.split(present, ends[:-1]), strict=True))

    def _shuffle_pays(self, n_cells: int) -> bool:
        """Return whether cells have cost as much as a shuffle would.

        So both together cost at most about twice the cheaper way.
        """
        n_left = int(self._runs.sizes.sum())
        if n_left == 0:
            return False
        table = self._source.table
        n_codes = n_left / self._source.total * table.n_rows * table.n_features
        if n_cells <= MOST_CELLS and self._spent < NS_MOVE * n_codes:
            return False
        places, sizes = self._places(), self._runs.group_sizes
        fullest = np.bincount(places, sizes).max() * len(self._parts) / n_left
        return n_cells > MOST_CELLS or self._spent > NS_MOVE * n_codes * fullest

    def _places(self) -> Integers:
        """Assign groups to parts: the largest group first, to the part with the least weight."""
        sizes = self._runs.group_sizes
        loads = [(0, part) for part in range(len(self._parts))]
        places = np.empty(len(sizes), dtype=np.int64)
        for group in np.argsort(-sizes, kind="stable").tolist():
            load, part = loads[0]
            places[group] = part
            heapq.heapreplace(loads, (load + int(sizes[group]), part))
        return places

    def _shuffled(self) -> WholeGroups:
        """Bring every group to one part."""
        cluster, n = self._cluster, len(self._parts)
        places = np.repeat(self._places(), np.diff(self._runs.group_runs))
        everything = bool((self._source.ignored >= 0).any())
        stays = [home if everything else None for home in range(n)]
        given = self._splits, places, n
        dealt = cluster.map("shuffle-deal", on_workers.dealt, self._parts, stays, given=given)
        moved = []
        for target in range(n):
            # Taking one piece is so quick that the scheduler runs it where the pieces are.
            pieces = cluster.map("shuffle-take", getitem, dealt, given=[target])
            moved.append(cluster.submit("shuffle-merge", concatenated, pieces, home=target))
        selected = [split.feature for split in self._splits]
        return WholeGroups(cluster, self._source, moved, self._label_counts, selected)


class WholeGroups:
    """Groups that are whole in one part each, as after the shuffle; parts return sums.

    Parts hold the unsettled rows, or all rows if missing values are ignored. `label_counts` is
    the weight of each label in the whole table where S, the features `selected`, is present.
    """

    def __init__(
        self,
        cluster: Cluster,
        source: Source,
        parts: list[Handle],
        label_counts: Integers,
        selected: Sequence[int] = (),
    ) -> None:
        self._cluster, self._source, self._parts = cluster, source, parts
        self._selected, self._label_counts = list(selected), label_counts
        self._partial = bool((source.ignored >= 0).any())
        self._base: Integers | None = None
        if not self._selected:
            self._base = _base_of(RunTable.of_labels(label_counts), source)
        self._scored: tuple[Integers, on_workers.Sums, on_workers.Score] | None = None

    def scores(self, candidates: Integers, score: on_workers.Score) -> Floats:
        """Return scores given S, in bits."""
        name, total = f"label-scores-step-{len(self._selected) + 1}", self._source.total
        work, add = on_workers.sums_given, on_workers.add_sums
        given = total, self._selected, candidates, self._partial, score
        sums = self._cluster.total(name, work, add, self._parts, *given)
        self._know(sums.base, sums.label_counts)
        self._scored = candidates, sums, score
        return scores_of(sums, self._label_counts, score, self._source)

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits."""
        if self._base is None:
            work, add = on_workers.base_given, on_workers.add_arrays
            given = self._source.total, self._selected
            both = self._cluster.total("residual", work, add, self._parts, *given)
            n_outputs = self._source.table.n_outputs
            self._know(both[:n_outputs], both[n_outputs:])
        assert self._base is not None
        source = self._source
        return residual_of(self._base, self._label_counts, source.table, source.total)

    def placed(self) -> WholeGroups:
        """Return the groups, which are not moved again."""
        return self

    def add(self, feature: int) -> WholeGroups:
        """Condition on one more feature."""
        grown = copy(self)
        grown._selected = [*self._selected, feature]
        grown._base = None if self._scored is None else base_with(feature, *self._scored)
        grown._scored = None
        return grown

    def _know(self, base: Integers, label_counts: Integers) -> None:
        self._base = base
        if self._partial:  # otherwise the parts lack the settled rows
            self._label_counts = label_counts


def _base_of(runs: RunTable, source: Source) -> Integers:
    """Return -N H(C_i | S) of every label in fixed point, from the sizes of runs."""
    table = source.table
    fixed = fixed_point(source.total, table.n_outputs)
    return base_of(runs, "one-vs-rest", fixed, table.n_classes, table.membership)


def base_with(
    feature: int, candidates: Integers, sums: on_workers.Sums, score: on_workers.Score
) -> Integers | None:
    """Return -N H(C_i | S, F) of a feature that was scored given S, if its scores determine it.

    N I(F; C_i | S) is its difference from -N H(C_i | S), in the same integers.
    """
    place = np.flatnonzero(candidates == feature)
    is_determined = score.kind == "one-vs-rest" and score.estimator != "excess"
    if not is_determined or sums.present is not None or len(place) == 0:
        return None
    return np.asarray(sums.base + sums.scores.units[place[0]])


def scores_of(
    sums: on_workers.Sums, label_counts: Integers, score: on_workers.Score, source: Source
) -> Floats:
    """Return scores in bits from the sums over all parts."""
    counts = label_counts[np.newaxis] if sums.present is None else sums.present
    fixed = fixed_point(source.total, source.table.n_outputs)
    units = sums.scores.corrected(fixed, score.estimator, source.per_row)
    return bits_of(units, counts, score.kind, source.table, source.total)


def bits_of(
    units: Integers, counts: Integers, kind: ScoreKind, table: CodedTable, total: int
) -> Floats:
    """Convert units to bits per row, in Fortran order like `Conditioning`, as judges expect."""
    if kind != "divergence":
        weight = counts.sum(axis=1, keepdims=True)
    else:
        weight = counts if table.membership is None else counts @ table.membership
    fixed = fixed_point(total, table.n_outputs)
    return np.asarray(np.asfortranarray(units) / np.maximum(weight, 1) * 2.0**-fixed.scale_bits)


def residual_of(base: Integers, label_counts: Integers, table: CodedTable, total: int) -> Floats:
    """Return H(C_i | S) in bits from `base`, which is -N H(C_i | S) in fixed point."""
    fixed = fixed_point(total, table.n_outputs)
    weight = np.maximum(label_counts.sum(), 1)
    return np.asarray(np.maximum(-base, 0) / weight * 2.0**-fixed.scale_bits)
