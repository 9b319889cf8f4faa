"""Parts of rows given S: first by cells that add up, then, shuffled once, group by group.

While groups are few, every part counts its cells (group, label, value) and the counts are added on
the workers. Groups only ever split, so once they are enough to give each part its share, rows are
shuffled by group, once: from then on every group lies whole in one part, and parts add sums in
fixed point, |F| x K integers. Rows of groups with one label retire and do not travel.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from operator import getitem
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.distributed.cluster import grouping as on_workers
from deacs.distributed.cluster.cells import (
    Features,
    add_cells,
    base_of,
    count_cells,
)
from deacs.distributed.cluster.parts import merged
from deacs.distributed.cluster.protocol import Cluster, Handle
from deacs.distributed.cluster.source import Counted, Source
from deacs.information import ScoreKind
from deacs.kernels.fixed_point import fixed_point

__all__ = ["CountedGroups", "WholeGroups", "bits_of", "chunks", "residual_of"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

CHUNK_CELLS = 1 << 20
"""Cells that are added together; more are shared among the workers."""

FEW_CELLS = 4096
"""Up to here cells are an array, however many are empty."""

UNEVEN = 1.25
"""Rows are shuffled when the fullest part would hold at most this many times its share."""


class CountedGroups:
    """Rows where they came; parts return cells.

    Parameters
    ----------
    cluster : Cluster
        Where the workers are.
    source : Source
        The table.
    parts : list of Handle
        Its rows.
    """

    def __init__(self, cluster: Cluster, source: Source, parts: list[Handle]) -> None:
        self._cluster, self._source, self._parts = cluster, source, parts
        self._selected: list[int] = []
        self._ordered = cluster.map("rows-by-label", on_workers.by_label, parts)
        self._label_counts = self._count_labels()
        self._split: Handle | on_workers.Split = on_workers.first_split(self._label_counts)
        self._look(on_workers.summary(self._split, len(parts)))

    def scores(self, candidates: Integers, kind: ScoreKind) -> Floats:
        """Return scores given S, in bits."""
        name = f"label-scores-step-{len(self._selected) + 1}"
        source, cluster = self._source, self._cluster
        order, found = [], []
        for places, features in chunks(source, candidates, self._n_runs, len(self._parts)):
            how = features, self._split, kind, source.total, source.table.n_classes
            order.append(places)
            found.append(self._counted(name, features, on_workers.fold, *how))
        together = np.concatenate(cluster.gather(found))
        units = np.empty_like(together)
        units[np.concatenate(order)] = together
        partial = np.flatnonzero(source.ignored[candidates] >= 0)
        counts = np.broadcast_to(self._label_counts, (len(candidates), len(self._label_counts)))
        if len(partial):
            counts = counts.copy()
            counts[partial] = self._present(candidates[partial])
        return bits_of(units, counts, kind, source)

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits."""
        how = self._split, self._source.total, self._source.table.n_classes
        if self._selected:
            base = self._cluster.gather(
                self._cluster.submit("residual", on_workers.base_sums_of, *how)
            )
        else:  # S is empty, and the client knows how much each label counts
            base = on_workers.base_sums_of(*how)
        return residual_of(base, self._label_counts, self._source)

    def class_entropy(self) -> float:
        """Return H(C) in bits, S being empty."""
        source = self._source
        fixed = fixed_point(source.total, source.table.n_classes)
        runs = on_workers.first_split(self._label_counts).runs
        base = base_of(runs, "joint", fixed, source.table.n_classes)
        return float(residual_of(base, self._label_counts, source)[0])

    def add(self, feature: int) -> CountedGroups | WholeGroups:
        """Condition on one more feature, and shuffle if that pays from now on."""
        cluster, source = self._cluster, self._source
        step = len(self._selected) + 1
        ((_, features),) = chunks(
            source, np.array([feature]), self._n_runs, len(self._parts), chunk_cells=None
        )
        grown = copy(self)
        grown._selected = [*self._selected, feature]
        grown._split = self._counted(
            f"groups-step-{step}", features, on_workers.split_runs, features, self._split
        )
        n = len(self._parts)
        if source.ignored[feature] >= 0:
            grown._label_counts = grown._count_labels()
        grown._look(
            cluster.gather(cluster.submit("groups-size", on_workers.summary, grown._split, n))
        )
        if grown._shuffle_pays():
            return grown._shuffled(features)
        grown._ordered = cluster.map(
            f"rows-by-group-step-{step}",
            on_workers.regroup,
            self._parts,
            self._ordered,
            [features] * n,
            [grown._split] * n,
        )
        return grown

    def _counted(
        self, name: str, features: Features, work: Callable[..., Any], *args: Any
    ) -> Handle:
        """Count cells in every part, add them on the workers, and pass them to `work` there."""
        each = [features] * len(self._parts)
        counted = self._cluster.map(f"{name}-count", count_cells, self._parts, self._ordered, each)
        return self._cluster.tree(name, add_cells, counted, work, *args)

    def _present(self, features: Integers) -> Integers:
        """How much each label counts where S and a feature are present."""
        n = len(self._parts)
        counts = self._cluster.map(
            "present", on_workers.count_present, self._parts, [self._selected] * n, [features] * n
        )
        total: Integers = self._cluster.gather(
            self._cluster.tree("present", on_workers.add_arrays, counts)
        )
        return total

    def _count_labels(self) -> Integers:
        """How much each label counts where S is present: K numbers of each part, added here."""
        selected = [self._selected] * len(self._parts)
        counts = self._cluster.map("label-counts", on_workers.count_labels, self._parts, selected)
        return on_workers.add_arrays(self._cluster.gather(counts))

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

    def _shuffled(self, features: Features) -> WholeGroups:
        """Bring every group to one part; rows are still in the order of the former groups."""
        return WholeGroups(
            self._cluster, self._source, self._dealt(features), self._selected, self._label_counts
        )

    def _dealt(self, features: Features) -> list[Handle]:
        cluster, n = self._cluster, len(self._parts)
        if n == 1:
            return self._parts
        places = cluster.submit("shuffle-plan", on_workers.assign, self._split, n)
        everything = bool((self._source.ignored >= 0).any())
        stays = [home if everything else None for home in range(n)]
        dealt = cluster.map(
            "shuffle-deal",
            on_workers.deal,
            self._parts,
            self._ordered,
            [features] * n,
            [self._split] * n,
            [places] * n,
            [n] * n,
            stays,
        )
        moved = []
        for target in range(n):
            # To take one of the pieces is so quick that a scheduler leaves it where they are.
            pieces = cluster.map("shuffle-take", getitem, dealt, [target] * n)
            moved.append(cluster.submit("shuffle-merge", merged, pieces, home=target))
        return moved


class WholeGroups:
    """Rows shuffled so that each group lies whole in one part; parts return sums.

    Parameters
    ----------
    cluster : Cluster
        Where the workers are.
    source : Source
        The table.
    parts : list of Handle
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
        parts: list[Handle],
        selected: list[int],
        label_counts: Integers,
    ) -> None:
        self._cluster, self._source, self._parts = cluster, source, parts
        self._selected, self._label_counts = selected, label_counts
        self._partial = bool((source.ignored >= 0).any())
        n = len(parts)
        self._known = cluster.map(
            "conditioning", on_workers.conditioning_of, parts, [source.total] * n, [selected] * n
        )

    def scores(self, candidates: Integers, kind: ScoreKind) -> Floats:
        """Return scores given S, in bits."""
        n, name = len(self._parts), f"label-scores-step-{len(self._selected) + 1}"
        each = self._cluster.map(
            name,
            on_workers.part_sums,
            self._parts,
            self._known,
            [candidates] * n,
            [kind] * n,
            [self._partial] * n,
        )
        sums, dependent, counts = self._cluster.gather(
            self._cluster.tree(name, on_workers.add_sums, each)
        )
        if counts is None:
            counts = np.broadcast_to(self._label_counts, (len(candidates), len(self._label_counts)))
        return bits_of(np.where(dependent, np.maximum(sums, 1), 0), counts, kind, self._source)

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits."""
        each = self._cluster.map("residual", on_workers.part_base, self._known)
        base, counts = on_workers.add_pairs(self._cluster.gather(each))  # 2 K numbers of each
        return residual_of(base, counts if self._partial else self._label_counts, self._source)

    def add(self, feature: int) -> WholeGroups:
        """Condition on one more feature."""
        grown = copy(self)
        grown._selected = [*self._selected, feature]
        grown._known = self._cluster.map(
            f"split-step-{len(grown._selected)}",
            on_workers.refine,
            self._parts,
            self._known,
            [feature] * len(self._parts),
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


def bits_of(units: Integers, counts: Integers, kind: ScoreKind, source: Counted) -> Floats:
    """Units to bits a row, as `Conditioning` has it."""
    weight = counts if kind == "divergence" else counts.sum(axis=1, keepdims=True)
    fixed = fixed_point(source.total, source.table.n_classes)
    return np.asarray(units / np.maximum(weight, 1) * 2.0**-fixed.scale_bits)


def residual_of(base: Integers, label_counts: Integers, source: Counted) -> Floats:
    """Return H(C_i | S) in bits from what scores have in common."""
    fixed = fixed_point(source.total, source.table.n_classes)
    weight = np.maximum(label_counts.sum(), 1)
    return np.asarray(np.maximum(-base, 0) / weight * 2.0**-fixed.scale_bits)
