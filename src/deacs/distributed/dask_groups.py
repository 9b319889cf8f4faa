"""What parts of rows know of S: first by cells that add up, then, shuffled once, group by group.

While groups are few, every part counts its cells (group, label, value) and the counts are added on
the workers. Groups only ever split, so once they are enough to give each part its share, rows are
shuffled by group, once: from then on every group lies whole in one part, and parts add sums in
fixed point, |F| x K integers. Rows of groups with one label retire and do not travel.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from copy import copy
from itertools import pairwise
from operator import getitem
from typing import Any, NamedTuple

import numpy as np
from dask.distributed import Future
from numpy.typing import NDArray

from deacs.coding.data import narrowest
from deacs.distributed.dask_cells import (
    Cells,
    Features,
    Ordered,
    RunTable,
    add_cells,
    base_of,
    count_cells,
    label_units,
    order_rows,
)
from deacs.distributed.dask_cluster import Cluster
from deacs.distributed.dask_parts import (
    Part,
    PartConditioning,
    merged,
    part_of_rows,
    present_in,
    threads_here,
)
from deacs.distributed.dask_source import Source
from deacs.information import ScoreKind
from deacs.kernels.codes import ONE_VS_REST
from deacs.kernels.fixed_point import fixed_point

__all__ = ["CountedGroups", "WholeGroups", "chunks"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

CHUNK_CELLS = 1 << 20
"""Cells that are added together; more are shared among the workers."""

FEW_CELLS = 4096
"""Up to here cells are an array, however many are empty."""

UNEVEN = 1.25
"""Rows are shuffled when the fullest part would hold at most this many times its share."""


class Split(NamedTuple):
    """How runs split: the runs there are now, and where each cell of the former ones went."""

    runs: RunTable
    keys: Integers
    new_runs: Integers


class CountedGroups:
    """Rows where they came; parts return cells.

    Parameters
    ----------
    cluster : Cluster
        Where the workers are.
    source : Source
        The table.
    parts : list of Future
        Its rows.
    """

    def __init__(self, cluster: Cluster, source: Source, parts: list[Future]) -> None:
        self._cluster, self._source, self._parts = cluster, source, parts
        self._selected: list[int] = []
        n_labels = source.table.n_classes
        self._ordered = cluster.map("rows-by-label", _by_label, parts)
        self._labels = cluster.map("labels", _labels, parts)
        counts = cluster.map("label-counts", _count_labels, parts, self._labels)
        total = cluster.tree("label-counts", _add, counts)
        self._split = cluster.submit("groups", _first_split, total)
        self._look(cluster.gather(cluster.submit("groups-size", _summary, self._split, len(parts))))
        self._label_counts: Integers = cluster.gather(total)
        assert len(self._label_counts) == n_labels

    def scores(self, candidates: Integers, kind: ScoreKind) -> Floats:
        """Return scores given S, in bits."""
        name = f"label-scores-step-{len(self._selected) + 1}"
        source, cluster = self._source, self._cluster
        order, found = [], []
        for places, features in chunks(source, candidates, self._n_runs, len(self._parts)):
            how = features, self._split, kind, source.total, source.table.n_classes
            order.append(places)
            found.append(self._told(name, features, _fold, *how))
        together = np.concatenate(cluster.gather(found))
        units = np.empty_like(together)
        units[np.concatenate(order)] = together
        partial = np.flatnonzero(source.ignored[candidates] >= 0)
        counts = np.broadcast_to(self._label_counts, (len(candidates), len(self._label_counts)))
        if len(partial):
            counts = counts.copy()
            counts[partial] = self._present(candidates[partial])
        return _bits(units, counts, kind, source)

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits."""
        source = self._source
        base = self._cluster.gather(
            self._cluster.submit(
                *("residual", _base, self._split, source.total, source.table.n_classes)
            )
        )
        return _residual(base, self._label_counts, source)

    def class_entropy(self) -> float:
        """Return H(C) in bits, S being empty."""
        source = self._source
        fixed = fixed_point(source.total, source.table.n_classes)
        runs = _first_split(self._label_counts).runs
        base = base_of(runs, "joint", fixed, source.table.n_classes)
        return float(_residual(base, self._label_counts, source)[0])

    def add(self, feature: int) -> CountedGroups | WholeGroups:
        """Condition on one more feature, and shuffle if that pays from now on."""
        cluster, source = self._cluster, self._source
        step = len(self._selected) + 1
        ((_, features),) = chunks(
            source, np.array([feature]), self._n_runs, len(self._parts), chunk_cells=None
        )
        grown = copy(self)
        grown._selected = [*self._selected, feature]
        grown._split = self._told(f"groups-step-{step}", features, _split, features, self._split)
        n = len(self._parts)
        grown._ordered = cluster.map(
            f"rows-by-group-step-{step}",
            *(_regroup, self._parts, self._ordered, [features] * n, [grown._split] * n),
        )
        if source.ignored[feature] >= 0:
            grown._labels = cluster.map("labels", _mask, self._parts, self._labels, [feature] * n)
            counts = cluster.map("label-counts", _count_labels, self._parts, grown._labels)
            grown._label_counts = cluster.gather(cluster.tree("label-counts", _add, counts))
        grown._look(cluster.gather(cluster.submit("groups-size", _summary, grown._split, n)))
        return grown._shuffled() if grown._shuffle_pays() else grown

    def _told(self, name: str, features: Features, work: Callable[..., Any], *args: Any) -> Future:
        """Count cells in every part, add them on the workers, and make something of them there."""
        counted = self._cluster.map(
            *(f"{name}-count", count_cells, self._parts, self._ordered),
            [features] * len(self._parts),
        )
        return self._cluster.tree(name, add_cells, counted, work, *args)

    def _present(self, features: Integers) -> Integers:
        """How much each label counts where S and a feature are present."""
        counts = self._cluster.map(
            "present", present_in, self._parts, self._labels, [features] * len(self._parts)
        )
        total: Integers = self._cluster.gather(self._cluster.tree("present", _add, counts))
        return total

    def _look(self, summary: tuple[int, int, float]) -> None:
        self._n_runs, self._n_left, self._unevenness = summary

    def _shuffle_pays(self) -> bool:
        """Whether groups are enough to balance, or cells outgrow the rows they count."""
        if len(self._parts) == 1 or self._n_left == 0:
            return self._n_left > 0
        table = self._source.table
        n_cells = 4 * self._n_runs * int(table.n_values.sum())
        n_codes = self._n_left / self._source.total * table.n_rows * table.n_features
        return self._unevenness <= UNEVEN or n_cells > n_codes / len(self._parts)

    def _shuffled(self) -> WholeGroups:
        cluster, n = self._cluster, len(self._parts)
        places = cluster.submit("shuffle-plan", _assign, self._split, n)
        everything = bool((self._source.ignored >= 0).any())
        stays = [home if everything else None for home in range(n)]
        dealt = cluster.map(
            "shuffle-deal", _deal, self._parts, self._ordered, [places] * n, [n] * n, stays
        )
        moved = []
        for target in range(n):
            # To take one of the pieces is so quick that Dask leaves it where they are.
            pieces = cluster.map("shuffle-take", getitem, dealt, [target] * n)
            moved.append(cluster.submit("shuffle-merge", merged, pieces, home=target))
        return WholeGroups(cluster, self._source, moved, self._selected, self._label_counts)


class WholeGroups:
    """Rows shuffled so that each group lies whole in one part; parts return sums.

    Parameters
    ----------
    cluster : Cluster
        Where the workers are.
    source : Source
        The table.
    parts : list of Future
        Its rows that are left (all rows, where missing values are ignored).
    selected : list of int
        S.
    label_counts : ndarray of int of shape (n_labels,)
        How much each label counts in the whole table.
    """

    def __init__(
        self,
        cluster: Cluster,
        source: Source,
        parts: list[Future],
        selected: list[int],
        label_counts: Integers,
    ) -> None:
        self._cluster, self._source, self._parts = cluster, source, parts
        self._selected, self._label_counts = selected, label_counts
        self._partial = bool((source.ignored >= 0).any())
        n = len(parts)
        self._known = cluster.map("conditioning", _know, parts, [source.total] * n, [selected] * n)

    def scores(self, candidates: Integers, kind: ScoreKind) -> Floats:
        """Return scores given S, in bits."""
        n, name = len(self._parts), f"label-scores-step-{len(self._selected) + 1}"
        each = self._cluster.map(
            *(name, _part_sums, self._parts, self._known, [candidates] * n, [kind] * n),
            [self._partial] * n,
        )
        sums, dependent, counts = self._cluster.gather(self._cluster.tree(name, _add_sums, each))
        if counts is None:
            counts = np.broadcast_to(self._label_counts, (len(candidates), len(self._label_counts)))
        return _bits(np.where(dependent, np.maximum(sums, 1), 0), counts, kind, self._source)

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits."""
        each = self._cluster.map("residual", _part_base, self._known)
        base, counts = self._cluster.gather(self._cluster.tree("residual", _add_pairs, each))
        return _residual(base, counts if self._partial else self._label_counts, self._source)

    def add(self, feature: int) -> WholeGroups:
        """Condition on one more feature."""
        grown = copy(self)
        grown._selected = [*self._selected, feature]
        grown._known = self._cluster.map(
            f"split-step-{len(grown._selected)}",
            *(_refine, self._parts, self._known, [feature] * len(self._parts)),
        )
        return grown


def chunks(
    source: Source,
    candidates: Integers,
    n_runs: int,
    n_parts: int,
    chunk_cells: int | None = CHUNK_CELLS,
) -> list[tuple[Integers, Features]]:
    """Part features into some that are counted and added together; with their places."""
    n_values = source.table.n_values[candidates]
    n_cells = n_runs * n_values
    sparse = n_cells > max(FEW_CELLS, 4 * source.table.n_rows // n_parts)
    found = []
    for is_sparse in (False, True):
        places = np.flatnonzero(sparse == is_sparse)
        if len(places) == 0:
            continue
        sizes = np.minimum(n_cells[places], source.table.n_rows)
        chunk = np.cumsum(sizes) // (chunk_cells or np.iinfo(np.int64).max)
        for at in np.split(places, np.flatnonzero(np.diff(chunk)) + 1):
            numbers = candidates[at]
            found.append((at, Features(numbers, n_values[at], source.ignored[numbers], is_sparse)))
    return found


def _bits(units: Integers, counts: Integers, kind: ScoreKind, source: Source) -> Floats:
    """Units to bits a row, as `Conditioning` has it."""
    weight = counts if kind == "divergence" else counts.sum(axis=1, keepdims=True)
    fixed = fixed_point(source.total, source.table.n_classes)
    return np.asarray(units / np.maximum(weight, 1) * 2.0**-fixed.scale_bits)


def _residual(base: Integers, label_counts: Integers, source: Source) -> Floats:
    fixed = fixed_point(source.total, source.table.n_classes)
    weight = np.maximum(label_counts.sum(), 1)
    return np.asarray(np.maximum(-base, 0) / weight * 2.0**-fixed.scale_bits)


# What workers do.


def _by_label(part: Part) -> Ordered:
    return order_rows(part.labels, part.n_classes)


def _labels(part: Part) -> NDArray[np.int32]:
    return part.labels


def _mask(part: Part, labels: NDArray[np.int32], feature: int) -> NDArray[np.int32]:
    return np.where(part.column(feature) == part.ignored(feature), np.int32(-1), labels)


def _count_labels(part: Part, labels: NDArray[np.int32]) -> Integers:
    there = labels >= 0
    weights = None if part.weights is None else part.weights[there]
    return np.bincount(labels[there], weights, part.n_classes).astype(np.int64)


def _add(parts: list[Integers]) -> Integers:
    total: Integers = np.sum(parts, axis=0)
    return total


def _first_split(label_counts: Integers) -> Split:
    """One group of all rows; labels that do not occur are runs of nothing."""
    labels = np.arange(len(label_counts), dtype=np.int32)
    runs = RunTable(labels, np.array([0, len(labels)]), label_counts)
    return Split(runs, np.empty(0, np.int64), np.empty(0, np.int64))


def _summary(split: Split, n_parts: int) -> tuple[int, int, float]:
    """The number of runs, what is left, and how uneven the parts would be."""
    n_left = int(split.runs.sizes.sum())
    if n_left == 0:
        return split.runs.n_runs, 0, np.inf
    sizes = split.runs.group_sizes
    load = np.bincount(_places(sizes, n_parts), sizes, n_parts).max()
    return split.runs.n_runs, n_left, float(load * n_parts / n_left)


def _split(cells: Cells, features: Features, former: Split) -> Split:
    """Split groups by the values of one feature; those with one label retire."""
    runs, width = former.runs, int(features.n_values[0])
    if features.sparse:
        keys, counts = cells[0]
    else:
        keys = np.flatnonzero(cells)
        counts = cells[keys]
    run, value = keys // width, keys % width
    group = np.repeat(np.arange(len(runs.group_runs) - 1), np.diff(runs.group_runs))[run]
    present = value != features.ignored[0]
    order = np.lexsort((runs.labels[run], group * width + value))
    order = order[present[order]]
    _, place, n_labels = np.unique(
        (group * width + value)[order], return_inverse=True, return_counts=True
    )
    order, place = order[n_labels[place] > 1], place[n_labels[place] > 1]
    first = np.flatnonzero(np.diff(place, prepend=-1))
    split = RunTable(runs.labels[run[order]], np.append(first, len(order)), counts[order])
    new_runs = np.full(len(keys), -1)
    new_runs[order] = np.arange(len(order))
    return Split(split, keys, new_runs)


def _regroup(part: Part, ordered: Ordered, features: Features, split: Split) -> Ordered:
    """Order the rows that are left by their new runs."""
    feature = int(features.numbers[0])
    run = np.repeat(np.arange(len(ordered.run_starts) - 1), np.diff(ordered.run_starts))
    keys = run * int(features.n_values[0]) + part.column(feature)[ordered.rows]
    new_runs = split.new_runs[np.searchsorted(split.keys, keys)]
    by_run = order_rows(new_runs, split.runs.n_runs)
    return Ordered(ordered.rows[by_run.rows], by_run.run_starts)


def _fold(
    cells: Cells, features: Features, split: Split, kind: str, total: int, n_labels: int
) -> Integers:
    return label_units(cells, features, split.runs, kind, total, n_labels)


def _base(split: Split, total: int, n_labels: int) -> Integers:
    return base_of(split.runs, "one-vs-rest", fixed_point(total, n_labels), n_labels)


def _places(sizes: Integers, n_parts: int) -> NDArray[np.int64]:
    """Give each group a part: the largest first, to the part that has least."""
    loads = [(0, part) for part in range(n_parts)]
    places = np.empty(len(sizes), dtype=np.int64)
    for group in np.argsort(-sizes, kind="stable").tolist():
        load, part = loads[0]
        places[group] = part
        heapq.heapreplace(loads, (load + int(sizes[group]), part))
    return places


def _assign(split: Split, n_parts: int) -> NDArray[np.int64]:
    """The part of each run."""
    return np.repeat(_places(split.runs.group_sizes, n_parts), np.diff(split.runs.group_runs))


def _deal(
    part: Part,
    ordered: Ordered,
    place: NDArray[np.int64],
    n_parts: int,
    stays: int | None,
) -> list[Part]:
    """The rows of a part that go to each; those that are settled stay, if they are needed."""
    targets = np.full(part.n_rows, n_parts if stays is None else stays)
    targets[ordered.rows] = np.repeat(place, np.diff(ordered.run_starts))
    rows = np.argsort(targets.astype(narrowest(n_parts + 1)), kind="stable")
    ends = np.searchsorted(targets[rows], np.arange(n_parts + 1))
    return [part_of_rows(part, rows[begin:end]) for begin, end in pairwise(ends.tolist())]


def _know(part: Part, total: int, selected: Sequence[int]) -> PartConditioning:
    known = PartConditioning.of(part, total)
    for feature in selected:
        known.add(part.column(feature), int(part.n_values[feature]), part.ignored(feature))
    return known


def _refine(part: Part, known: PartConditioning, feature: int) -> PartConditioning:
    refined = copy(known)  # `add` replaces what it changes
    refined.add(part.column(feature), int(part.n_values[feature]), part.ignored(feature))
    return refined


def _part_sums(
    part: Part, known: PartConditioning, features: Integers, kind: ScoreKind, partial: bool
) -> tuple[Integers, NDArray[np.bool_], Integers | None]:
    sums, dependent, counts = known.sums(part.blocks, features, kind, threads_here())
    if partial and known.n_left == 0:
        counts = known.present(part, features)
    return sums, dependent, counts if partial else None


def _add_sums(parts: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    sums, dependent, counts = zip(*parts, strict=True)
    return (
        np.sum(sums, axis=0),
        np.any(dependent, axis=0),
        None if counts[0] is None else np.sum(counts, axis=0),
    )


def _part_base(known: PartConditioning) -> tuple[Integers, Integers]:
    return known.base(ONE_VS_REST)


def _add_pairs(parts: list[tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    first, second = zip(*parts, strict=True)
    return np.sum(first, axis=0), np.sum(second, axis=0)
