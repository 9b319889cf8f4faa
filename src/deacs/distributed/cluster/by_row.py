"""Tall tables: every worker holds all columns of some rows.

Scores given all of S come from `groups`. Pairs need no shuffle: cells of a selected feature,
the class and a candidate are added over parts before logarithms are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs._kernels.fixed_point import fixed_point
from deacs.distributed.cluster.base import ClusterCounts
from deacs.distributed.cluster.cell_scores import base_of, pair_sums
from deacs.distributed.cluster.cells import RunTable, add_cells, together
from deacs.distributed.cluster.grouping import (
    NOTHING,
    Score,
    add_arrays,
    code_sums,
    count_labels,
    pair_cells,
)
from deacs.distributed.cluster.groups import CountedGroups, WholeGroups, residual_of
from deacs.distributed.cluster.parts import CodedPart
from deacs.distributed.cluster.protocol import Cluster
from deacs.distributed.cluster.source import Source
from deacs.information import PairInformation, joint_codes, rows_counted
from deacs.information.pairs import N_SUMS
from deacs.information.products_of_codes import LABELS

__all__ = ["RowCounts"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class RowCounts(ClusterCounts):
    """Counts of a table whose rows are spread over the workers."""

    def __init__(self, cluster: Cluster, source: Source, score: Score) -> None:
        super().__init__(cluster, source, score)
        self._parts = source.row_parts(cluster)
        self._groups: CountedGroups | WholeGroups | None = None
        self._n_known = 0

    def label_scores(self, candidates: Integers) -> Floats:
        """Return R(F; c_i | S) in bits, shape (n_candidates, n_labels)."""

        def ask() -> Floats:
            self._groups = self._now().placed()
            return self._groups.scores(candidates, self._score)

        return self._resilient(ask)

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits, shape (n_labels,)."""
        return self._resilient(lambda: self._now().residual())

    def condition_on(self, feature: int) -> None:
        """Add a feature to S; parts get it with the next request."""
        self._selected.append(feature)

    def fresh(self) -> RowCounts:
        """Return counts of the same table with S empty."""
        other = copy(self)
        other._selected, other._groups, other._n_known = [], None, 0
        return other

    def _sums_by_code(
        self, feature: int, stand_for: NDArray[np.int16], features: Integers
    ) -> Integers:
        given = feature, stand_for, features
        sums: Integers = self._total("order", _order_sums, add_arrays, *given)
        return sums

    def mean_group_size(self, features: Sequence[int]) -> float:
        """Return N divided by the number of joint values of some features that occur."""
        source = self._source
        total, values = self._total("mean-group-size", _joint_values, _union, list(features))
        n_counted = rows_counted(
            total, source.total, source.table.n_rows, source.weights_are_counts
        )
        return float(n_counted / max(values.shape[1], 1))

    def _count_relevance(self) -> Floats:
        everything = np.arange(self.n_features)
        return self._resilient(
            lambda: self._given_nothing().scores(everything, Score("joint"))[:, 0]
        )

    def _count_entropy(self) -> Floats:
        return self._pair(NOTHING, np.arange(self.n_features), by_class=False).entropy

    def class_entropy(self) -> float:
        """Return H(C) in bits."""
        counts, source = self._label_counts, self._source
        fixed = fixed_point(source.total, source.table.n_outputs)
        base = base_of(RunTable.of_labels(counts), "joint", fixed, len(counts))
        return float(residual_of(base, counts, source.table, source.total)[0])

    @cached_property
    def _label_counts(self) -> Integers:
        """The total weight of each label."""
        counts: Integers = self._total("label-counts", count_labels, add_arrays)
        return counts

    def _pair(self, selected: int, candidates: Integers, by_class: bool) -> PairInformation:
        source = self._source
        n_labels = source.table.n_classes if by_class else 1
        n_runs = n_labels * (1 if selected == NOTHING else int(source.table.n_values[selected]))
        runs = RunTable.of_pairs(n_runs, n_labels)
        wanted = together(source.table, source.ignored, candidates, n_runs, len(self._parts))
        found = self._total("pair-counts", pair_cells, add_cells, selected, by_class, wanted)
        place = np.empty(self.n_features, dtype=np.int64)
        place[candidates] = np.arange(len(candidates))
        sums = np.empty((len(candidates), N_SUMS), dtype=np.int64)
        for features, cells in zip(wanted, found, strict=True):
            sums[place[features.numbers]] = pair_sums(cells, features, runs, source.total)
        scale_bits = fixed_point(source.total, 1).scale_bits
        return PairInformation(sums.T, source.table.n_rows, scale_bits)

    def _given_nothing(self) -> CountedGroups | WholeGroups:
        """Return the groups for an empty S; with a single part, every group is whole."""
        kind = WholeGroups if len(self._parts) == 1 else CountedGroups
        return kind(self._cluster, self._source, self._parts, self._label_counts)

    def _now(self) -> CountedGroups | WholeGroups:
        """Return the groups given the current S."""
        if self._groups is None:
            self._groups, self._n_known = self._given_nothing(), 0
        while self._n_known < len(self._selected):
            self._groups = self._groups.add(self._selected[self._n_known])
            self._n_known += 1
        return self._groups

    def _total(
        self, name: str, work: Callable[..., Any], add: Callable[..., Any], *given: Any
    ) -> Any:
        """Run a task on every part, and add up the results."""
        return self._resilient(lambda: self._cluster.total(name, work, add, self._parts, *given))

    def _restore(self) -> None:
        self._source.restore(self._cluster, self._parts)
        self._groups = None


def _order_sums(
    part: CodedPart, feature: int, stand_for: NDArray[np.int16], features: Integers
) -> Integers:
    codes = part.labels if feature == LABELS else part.column(feature)
    return code_sums(part, codes, stand_for, features)


def _joint_values(part: CodedPart, features: list[int]) -> tuple[int, NDArray[Any]]:
    """Return the weight of rows in which no feature is missing, and their joint values."""
    columns, ignored = [part.column(j) for j in features], [part.ignored(j) for j in features]
    total = part.n_rows if part.weights is None else int(part.weights.sum())
    if max(ignored) >= 0:
        present = np.logical_and.reduce(
            [column != code for column, code in zip(columns, ignored, strict=True)]
        )
        columns = [column[present] for column in columns]
        total = int(present.sum() if part.weights is None else part.weights[present].sum())
    return total, _distinct(columns)


def _union(parts: list[tuple[int, NDArray[Any]]]) -> tuple[int, NDArray[Any]]:
    totals, values = zip(*parts, strict=True)
    return sum(totals), _distinct(list(np.concatenate(values, axis=1)))


def _distinct(columns: list[NDArray[Any]]) -> NDArray[Any]:
    """Return the distinct joint values of columns, shape (n_columns, n_values)."""
    codes, n_values = joint_codes(columns, len(columns[0]))
    row = np.empty(n_values, dtype=np.intp)
    row[codes] = np.arange(len(codes))
    return np.stack([column[row] for column in columns])
