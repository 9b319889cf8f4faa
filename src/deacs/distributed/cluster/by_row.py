"""Tall tables: every worker holds all columns of some rows.

Scores given all of S come from `groups`. Pairs need no shuffle: cells of a selected feature,
the class and a candidate add up, and logarithms are taken of the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.distributed.cluster.cells import (
    Ordered,
    RunTable,
    add_cells,
    count_cells,
    order_rows,
    pair_sums,
)
from deacs.distributed.cluster.groups import CountedGroups, WholeGroups, chunks
from deacs.distributed.cluster.parts import Part
from deacs.distributed.cluster.protocol import Cluster, Handle, resilient
from deacs.distributed.cluster.source import Source
from deacs.information import PairInformation, ScoreKind, rows_counted
from deacs.kernels.fixed_point import fixed_point

__all__ = ["RowCounts"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NOTHING = -1
"""The target of which every row has the same value."""


class RowCounts:
    """Counts of a table whose rows are spread over the workers.

    Parameters
    ----------
    cluster : Cluster
        Where the workers are.
    source : Source
        Where the rows come from.
    label_score : {"one-vs-rest", "divergence", "joint"}
        What label scores are.
    """

    def __init__(self, cluster: Cluster, source: Source, label_score: ScoreKind) -> None:
        self._cluster, self._source, self._kind = cluster, source, label_score
        self._parts = source.row_parts(cluster)
        self._targets: dict[tuple[int, bool], list[Handle]] = {}
        self._selected: list[int] = []
        self._groups: CountedGroups | WholeGroups | None = None
        self._n_known = 0

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._source.table.n_features

    def label_scores(self, candidates: Integers) -> Floats:
        """Return R(F; c_i | S) in bits, shape (n_candidates, n_labels)."""
        scores: Floats = self._resilient(lambda: self._now().scores(candidates, self._kind))
        return scores

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits, shape (n_labels,)."""
        residual: Floats = self._resilient(lambda: self._now().residual())
        return residual

    def condition_on(self, feature: int) -> None:
        """Add a feature to S; parts hear of it when they are asked next."""
        self._selected.append(feature)

    def fresh(self) -> RowCounts:
        """Return counts of the same table with S empty."""
        other = copy(self)
        other._selected, other._groups, other._n_known = [], None, 0
        return other

    def mean_group_size(self, features: Sequence[int]) -> float:
        """Return N / the number of joint values of some features that occur."""

        def ask() -> tuple[int, int]:
            columns = [list(features)] * len(self._parts)
            each = self._cluster.map("joint-values", _joint_values, self._parts, columns)
            found: tuple[int, int] = self._cluster.gather(
                self._cluster.tree("mean-group-size", _union, each, _n_joint)
            )
            return found

        total, n_values = self._resilient(ask)
        source = self._source
        n_counted = rows_counted(
            total, source.total, source.table.n_rows, source.weights_are_counts
        )
        return float(n_counted / max(n_values, 1))

    def relevance(self) -> Floats:
        """Return I(F; C) of every feature in bits."""
        return self._relevance

    @cached_property
    def _relevance(self) -> Floats:
        everything = np.arange(self.n_features)

        def ask() -> Floats:
            groups = CountedGroups(self._cluster, self._source, self._parts)
            return groups.scores(everything, "joint")[:, 0]

        found: Floats = self._resilient(ask)
        return found

    def entropy(self) -> Floats:
        """Return H(F) of every feature in bits."""
        return self._entropy

    @cached_property
    def _entropy(self) -> Floats:
        return self._pair(NOTHING, np.arange(self.n_features), by_class=False).entropy

    def class_entropy(self) -> float:
        """Return H(C) in bits."""

        def ask() -> float:
            return CountedGroups(self._cluster, self._source, self._parts).class_entropy()

        entropy: float = self._resilient(ask)
        return entropy

    def redundancy(self, selected: int, candidates: Integers) -> Floats:
        """Return I(F; S) of candidates and one selected feature in bits."""
        return self._pair(selected, candidates, by_class=False).redundancy

    def pair_information(self, selected: int, candidates: Integers) -> PairInformation:
        """Return the information of candidates and one selected feature, in bits."""
        return self._pair(selected, candidates, by_class=True)

    def _pair(self, selected: int, candidates: Integers, by_class: bool) -> PairInformation:
        source, n = self._source, len(self._parts)
        n_labels = source.table.n_classes if by_class else 1
        n_runs = n_labels * (1 if selected == NOTHING else int(source.table.n_values[selected]))
        runs = RunTable(
            np.tile(np.arange(n_labels, dtype=np.int32), n_runs // n_labels),
            np.arange(0, n_runs + 1, n_labels),
            np.zeros(0, dtype=np.int64),
        )
        parts = chunks(source, candidates, n_runs, n)

        def ask() -> list[Integers]:
            ordered = self._target(selected, by_class)
            found = []
            for _, features in parts:
                each = [features] * n
                counted = self._cluster.map("pair-counts", count_cells, self._parts, ordered, each)
                how = features, runs, source.total
                found.append(self._cluster.tree("pairs", add_cells, counted, pair_sums, *how))
            return list(self._cluster.gather(found))

        together = np.concatenate(self._resilient(ask))
        sums = np.empty_like(together)
        sums[np.concatenate([places for places, _ in parts])] = together
        scale_bits = fixed_point(source.total, 1).scale_bits
        return PairInformation(sums.T, source.table.n_rows, scale_bits)

    def _target(self, selected: int, by_class: bool) -> list[Handle]:
        """The rows of each part by value; kept, for a lazy criterion comes back to it."""
        key = selected, by_class
        if key not in self._targets:
            n = len(self._parts)
            self._targets[key] = self._cluster.map(
                "rows-by-value", _by_value, self._parts, [selected] * n, [by_class] * n
            )
        return self._targets[key]

    def _now(self) -> CountedGroups | WholeGroups:
        """Return the parts conditioned on S as it is now."""
        if self._groups is None:
            self._groups = CountedGroups(self._cluster, self._source, self._parts)
            self._n_known = 0
        while self._n_known < len(self._selected):
            self._groups = self._groups.add(self._selected[self._n_known])
            self._n_known += 1
        return self._groups

    def _resilient(self, ask: Callable[[], Any]) -> Any:
        return resilient(self._restore, ask)

    def _restore(self) -> None:
        self._source.restore(self._cluster, self._parts)
        self._targets.clear()
        self._groups = None


def _by_value(part: Part, selected: int, by_class: bool) -> Ordered:
    if selected == NOTHING:
        return order_rows(np.zeros(part.n_rows, dtype=np.int64), 1)
    n_labels = part.n_classes if by_class else 1
    values = part.column(selected).astype(np.int64)
    keys = values * n_labels + (part.labels if by_class else 0)
    keys[values == part.ignored(selected)] = -1
    return order_rows(keys, n_labels * int(part.n_values[selected]))


def _joint_values(part: Part, features: list[int]) -> tuple[int, NDArray[Any]]:
    """How much the rows count in which all features are present, and the joint values."""
    present = np.ones(part.n_rows, dtype=bool)
    for feature in features:
        present &= part.column(feature) != part.ignored(feature)
    values = np.stack([part.column(feature)[present] for feature in features], axis=1)
    total = int(present.sum()) if part.weights is None else int(part.weights[present].sum())
    return total, np.unique(values, axis=0)


def _union(parts: list[tuple[int, NDArray[Any]]]) -> tuple[int, NDArray[Any]]:
    totals, values = zip(*parts, strict=True)
    return sum(totals), np.unique(np.concatenate(values), axis=0)


def _n_joint(union: tuple[int, NDArray[Any]]) -> tuple[int, int]:
    return union[0], len(union[1])
