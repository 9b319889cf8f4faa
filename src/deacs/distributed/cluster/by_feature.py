"""Wide tables: every worker holds some columns of all rows.

A step sends the newly selected column, N codes, to every worker and gathers |F| x K sums. Workers
keep a `Conditioning` on S, a pure function of the labels and the selected columns, so it can be
computed again if a worker dies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs._kernels.fixed_point import fixed_point
from deacs.distributed.cluster.base import ClusterCounts
from deacs.distributed.cluster.grouping import Score, Sums, code_sums, conditioning_of, sums_of
from deacs.distributed.cluster.groups import base_with, residual_of, scores_of
from deacs.distributed.cluster.parts import CodedPart
from deacs.distributed.cluster.protocol import THREADS, Cluster, Handle
from deacs.distributed.cluster.source import Source
from deacs.information import Conditioning, PairInformation, mean_group_size
from deacs.information.bias import ScoreSums
from deacs.information.pairs import Target
from deacs.information.products_of_codes import LABELS

__all__ = ["FeatureCounts"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class FeatureCounts(ClusterCounts):
    """Counts of a table whose columns are spread over the workers."""

    def __init__(self, cluster: Cluster, source: Source, score: Score) -> None:
        super().__init__(cluster, source, score)
        self._blocks, self._starts = source.column_blocks(cluster)
        self._columns: dict[int, Handle] = {}
        self._known: list[Handle] | None = None
        self._n_known = 0
        self._partial = bool((source.ignored >= 0).any())
        self._base: Integers | None = None
        self._label_counts: Integers | None = None
        self._scored: tuple[Integers, Sums, Score] | None = None

    def label_scores(self, candidates: Integers) -> Floats:
        """Return R(F; c_i | S) in bits, shape (n_candidates, n_labels)."""
        name = f"label-scores-step-{len(self._selected) + 1}"

        def ask() -> list[Sums]:
            return self._each(name, sums_of, candidates, self._states(), self._partial, self._score)

        sums = self._joined(candidates, self._resilient(ask))
        self._base, self._label_counts = sums.base, sums.label_counts
        self._scored = candidates, sums, self._score
        return scores_of(sums, sums.label_counts, self._score, self._source)

    def _joined(self, candidates: Integers, found: list[Sums]) -> Sums:
        """Put sums by block into the order of the candidates; the rest is equal in all blocks."""
        scores, present, base, label_counts = zip(*found, strict=True)
        units, dependent, mixed, n_left = zip(*scores, strict=True)
        return Sums(
            ScoreSums(
                self._in_order(candidates, units),
                self._in_order(candidates, dependent),
                None if mixed[0] is None else self._in_order(candidates, mixed),
                n_left[0],
            ),
            self._in_order(candidates, present) if self._partial else None,
            base[0],
            label_counts[0],
        )

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits, shape (n_labels,)."""
        if self._base is None or self._label_counts is None:
            self._base, self._label_counts = self._resilient(
                lambda: self._first("residual", _base, self._states())
            )
        return residual_of(self._base, self._label_counts, self._table, self._source.total)

    def condition_on(self, feature: int) -> None:
        """Add a feature to S; workers get its column with the next request."""
        self._selected.append(feature)
        self._base = None if self._scored is None else base_with(feature, *self._scored)
        self._scored = None

    def fresh(self) -> FeatureCounts:
        """Return counts of the same table with S empty."""
        other = copy(self)
        other._selected, other._known = [], None
        other._base = other._scored = None
        return other

    def _sums_by_code(
        self, feature: int, stand_for: NDArray[np.int16], features: Integers
    ) -> Integers:
        def ask() -> list[Integers]:
            column = None if feature == LABELS else self._column(feature)
            columns = [column] * len(self._blocks)
            return self._each("order", _order_sums, features, columns, stand_for)

        # Answers are in the order of blocks, and within a block in the order of `features`.
        place = np.argsort(self._owners(features), kind="stable")
        ends = np.cumsum(self._table.n_values[features[place]])[:-1]
        parts = np.split(np.concatenate(self._resilient(ask), axis=1), ends, axis=1)
        return np.concatenate([parts[k] for k in np.argsort(place).tolist()], axis=1)

    def mean_group_size(self, features: Sequence[int]) -> float:
        """Return N divided by the number of joint values of some features that occur."""

        def ask() -> float:
            targets = [self._column(feature) for feature in features]
            size: float = self._first("mean-group-size", _group_size, self._blocks, targets)
            return size

        return self._resilient(ask)

    def _count_relevance(self) -> Floats:
        return self._of_all("relevance", _relevance)

    def _count_entropy(self) -> Floats:
        return self._of_all("entropy", _entropy)

    def class_entropy(self) -> float:
        """Return H(C) in bits."""
        entropy: float = self._resilient(
            lambda: self._first("class-entropy", _class_entropy, self._blocks)
        )
        return entropy

    def _pair(self, selected: int, candidates: Integers, by_class: bool) -> PairInformation:
        def ask() -> list[Integers]:
            targets = [self._column(selected)] * len(self._blocks)
            return self._each("pair-counts", _pair_sums, candidates, targets, by_class)

        sums = self._in_order(candidates, self._resilient(ask)).T
        fixed = fixed_point(self._source.total, 1)
        return PairInformation(sums, self._source.table.n_rows, fixed.scale_bits)

    def _states(self) -> list[Handle]:
        """Return the `Conditioning` of each block given S."""
        if self._known is None:
            given = [self._source.total]
            self._known = self._cluster.map(
                "conditioning", conditioning_of, self._blocks, given=given
            )
            self._n_known = 0
        for feature in self._selected[self._n_known :]:
            given = [self._column(feature)]
            self._known = self._cluster.map(
                "condition-on-column", _refine, self._known, given=given
            )
        self._n_known = len(self._selected)
        return self._known

    def _column(self, feature: int) -> Handle:
        """Return a column to count others against; kept, since lazy criteria use it repeatedly."""
        if feature not in self._columns:
            block = int(self._owners(np.array([feature]))[0])
            local = feature - int(self._starts[block])
            self._columns[feature] = self._cluster.submit(
                "column", _target, self._blocks[block], local, home=block
            )
        return self._columns[feature]

    def _owners(self, features: Integers) -> NDArray[np.intp]:
        """Return the number of the block that holds each feature."""
        return np.searchsorted(self._starts, features, side="right") - 1

    def _each(
        self, name: str, work: Callable[..., Any], candidates: Integers, first: list[Any], *how: Any
    ) -> list[Any]:
        """Run a task on every block that holds candidates; return the results by block."""
        owner = self._owners(candidates)
        asked = [
            self._cluster.submit(
                name,
                work,
                self._blocks[block],
                first[block],
                candidates[owner == block] - self._starts[block],
                *how,
                home=block,
            )
            for block in np.unique(owner).tolist()
        ]
        return list(self._cluster.gather(asked))

    def _in_order(self, candidates: Integers, found: Sequence[Any]) -> Any:
        """Put results by block into the order of the candidates."""
        together = np.concatenate(found)
        ordered = np.empty_like(together)
        ordered[np.argsort(self._owners(candidates), kind="stable")] = together
        return ordered

    def _of_all(self, name: str, work: Callable[..., Any]) -> Floats:
        def ask() -> list[Floats]:
            return list(self._cluster.gather(self._cluster.map(name, work, self._blocks)))

        found: Floats = np.concatenate(self._resilient(ask))
        return found

    def _first(
        self, name: str, work: Callable[..., Any], handles: list[Handle], *given: Any
    ) -> Any:
        """Return the result of a task that needs only the first block."""
        return self._cluster.gather(self._cluster.submit(name, work, handles[0], *given, home=0))

    def _restore(self) -> None:
        self._source.restore(self._cluster, self._blocks)
        self._columns.clear()
        self._known = None


def _target(block: CodedPart, feature: int) -> Target:
    return Target(block.column(feature), int(block.n_values[feature]), block.ignored(feature))


def _order_sums(
    block: CodedPart, column: Target | None, features: Integers, stand_for: NDArray[np.int16]
) -> Integers:
    codes = block.labels if column is None else column.codes
    return code_sums(block, codes, stand_for, features)


def _refine(known: Conditioning, column: Target) -> Conditioning:
    return known.refined(column.codes, column.n_values, column.ignored, THREADS.get())


def _base(known: Conditioning) -> tuple[Integers, Integers]:
    return known.base_sums("one-vs-rest"), known.label_counts


def _relevance(block: CodedPart) -> Floats:
    return block.pairs.relevance


def _entropy(block: CodedPart) -> Floats:
    return block.pairs.entropy


def _class_entropy(block: CodedPart) -> float:
    return Conditioning.of(block).entropy()


def _pair_sums(block: CodedPart, target: Target, features: Integers, by_class: bool) -> Integers:
    return block.pairs.sums(block.pairs.runs_of(target, by_class), features).T


def _group_size(block: CodedPart, targets: list[Target]) -> float:
    return mean_group_size(
        [target.codes for target in targets],
        [target.ignored for target in targets],
        block.weights,
        block.weights_are_counts,
    )
