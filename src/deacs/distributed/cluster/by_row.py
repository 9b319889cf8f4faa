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

from deacs.distributed.cluster.cell_scores import base_of, pair_sums
from deacs.distributed.cluster.cells import RunTable, add_cells, together
from deacs.distributed.cluster.grouping import (
    NOTHING,
    Score,
    add_arrays,
    count_labels,
    pair_cells,
)
from deacs.distributed.cluster.groups import CountedGroups, WholeGroups, residual_of
from deacs.distributed.cluster.order import code_sums_of, order_of
from deacs.distributed.cluster.parts import CodedPart
from deacs.distributed.cluster.protocol import Cluster, resilient
from deacs.distributed.cluster.source import Source
from deacs.information import OrderConditioning, PairInformation, joint_codes, rows_counted
from deacs.information.products_of_codes import LABELS
from deacs.kernels.fixed_point import fixed_point
from deacs.kernels.pairs import N_SUMS

__all__ = ["RowCounts"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class RowCounts:
    """Counts of a table whose rows are spread over the workers.

    Parameters
    ----------
    cluster : Cluster
        Where the workers are.
    source : Source
        Where the rows come from.
    score : Score
        The kind and estimator of label scores.
    """

    def __init__(self, cluster: Cluster, source: Source, score: Score) -> None:
        self._cluster, self._source, self._score = cluster, source, score
        self._parts = source.row_parts(cluster)
        self._selected: list[int] = []
        self._groups: CountedGroups | WholeGroups | None = None
        self._n_known = 0

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._source.table.n_features

    def label_scores(self, candidates: Integers) -> Floats:
        """Return R(F; c_i | S) in bits, shape (n_candidates, n_labels)."""

        def ask() -> Floats:
            self._groups = self._now().placed()
            return self._groups.scores(candidates, self._score)

        scores: Floats = self._resilient(ask)
        return scores

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits, shape (n_labels,)."""
        residual: Floats = self._resilient(lambda: self._now().residual())
        return residual

    def condition_on(self, feature: int) -> None:
        """Add a feature to S; parts get it with the next request."""
        self._selected.append(feature)

    def fresh(self) -> RowCounts:
        """Return counts of the same table with S empty."""
        other = copy(self)
        other._selected, other._groups, other._n_known = [], None, 0
        return other

    def order(self) -> OrderConditioning:
        """Return the order view of the same table with S empty."""
        return order_of(self._source, self._sums_by_code)

    def _sums_by_code(
        self, feature: int, stand_for: NDArray[np.int16], features: Integers
    ) -> Integers:
        def ask() -> Integers:
            n = len(self._parts)
            how = [feature] * n, [stand_for] * n, [features] * n
            each = self._cluster.map("order", _order_sums, self._parts, *how)
            sums: Integers = self._cluster.total("order", add_arrays, each)
            return sums

        found: Integers = self._resilient(ask)
        return found

    def mean_group_size(self, features: Sequence[int]) -> float:
        """Return N divided by the number of joint values of some features that occur."""

        def ask() -> tuple[int, int]:
            columns = [list(features)] * len(self._parts)
            each = self._cluster.map("mean-group-size", _joint_values, self._parts, columns)
            total, values = self._cluster.total("mean-group-size", _union, each)
            return total, values.shape[1]

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
            return self._given_nothing().scores(everything, Score("joint"))[:, 0]

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
        counts, source = self._label_counts, self._source
        fixed = fixed_point(source.total, source.table.n_outputs)
        base = base_of(RunTable.of_labels(counts), "joint", fixed, len(counts))
        return float(residual_of(base, counts, source)[0])

    @cached_property
    def _label_counts(self) -> Integers:
        """The total weight of each label."""

        def ask() -> Integers:
            each = self._cluster.map("label-counts", count_labels, self._parts)
            counts: Integers = self._cluster.total("label-counts", add_arrays, each)
            return counts

        found: Integers = self._resilient(ask)
        return found

    def redundancy(self, selected: int, candidates: Integers) -> Floats:
        """Return I(F; S) of candidates and one selected feature in bits."""
        return self._pair(selected, candidates, by_class=False).redundancy

    def pair_information(self, selected: int, candidates: Integers) -> PairInformation:
        """Return the joint information of candidates and one selected feature, in bits."""
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
        wanted = together(source.table, source.ignored, candidates, n_runs, n)

        def ask() -> list[Any]:
            each = self._cluster.map(
                "pair-counts",
                pair_cells,
                self._parts,
                [selected] * n,
                [by_class] * n,
                [wanted] * n,
            )
            cells: list[Any] = self._cluster.total("pair-counts", add_cells, each)
            return cells

        place = np.empty(self.n_features, dtype=np.int64)
        place[candidates] = np.arange(len(candidates))
        sums = np.empty((len(candidates), N_SUMS), dtype=np.int64)
        for features, cells in zip(wanted, self._resilient(ask), strict=True):
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

    def _resilient(self, ask: Callable[[], Any]) -> Any:
        return resilient(self._restore, ask)

    def _restore(self) -> None:
        self._source.restore(self._cluster, self._parts)
        self._groups = None


def _order_sums(
    part: CodedPart, feature: int, stand_for: NDArray[np.int16], features: Integers
) -> Integers:
    codes = part.labels if feature == LABELS else part.column(feature)
    return code_sums_of(part, codes, stand_for, features)


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
