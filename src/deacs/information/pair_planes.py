"""Features of a block with few values as bit-planes, for pairs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock
from deacs.coding.data import narrowest
from deacs.information.counting import columns_of
from deacs.kernels.fixed_point import FixedPoint, xlogx_of
from deacs.kernels.grouped import MAX_VALUES
from deacs.kernels.stored_planes import (
    WORDS_AT_ONCE,
    FeaturePlanes,
    TargetPlanes,
    feature_planes,
)
from deacs.kernels.threads import map_blocks

__all__ = ["RowsByClass", "StoredPlanes", "has_planes", "in_parts"]


def has_planes(block: CodeBlock) -> NDArray[np.bool_]:
    """Which features of a block have few enough values, all of which count."""
    return (block.n_values <= MAX_VALUES) & (block.ignored < 0)


@dataclass(frozen=True)
class RowsByClass:
    """The rows in the order of weights, then classes, each of which begins with its own word."""

    rows: NDArray[np.int32]
    """The row in each place, or -1, (64 n_words,)."""
    places: NDArray[np.int32]
    """Where each row is, (n_rows,)."""
    parts: NDArray[np.int64]
    """Parts of the words: the class, the first word, the one after the last, the rows' weight."""
    all_parts: NDArray[np.int64]
    """The same where classes do not count: 0 stands for all of them."""

    @classmethod
    def of(
        cls, labels: NDArray[np.int32], n_labels: int, weights: NDArray[np.int64] | None = None
    ) -> Self:
        """Put rows with the same weight and label side by side."""
        distinct, kinds = np.ones(1, dtype=np.int64), labels
        if weights is not None:
            distinct, of_row = np.unique(weights, return_inverse=True)
            kinds = of_row * n_labels + labels
        n_kinds = len(distinct) * n_labels
        sizes = np.bincount(kinds, minlength=n_kinds)
        n_words = -(-sizes // 64)
        first = np.cumsum(n_words) - n_words
        # Narrow integers are sorted by their digits.
        order = np.argsort(kinds.astype(narrowest(n_kinds)), kind="stable").astype(np.int32)
        shift = 64 * first - (np.cumsum(sizes) - sizes)
        places = np.empty(len(labels), dtype=np.int32)
        places[order] = np.arange(len(labels)) + shift[kinds[order]]
        rows = np.full(64 * int(n_words.sum()), -1, dtype=np.int32)
        rows[places] = np.arange(len(labels))
        ends = np.cumsum(n_words)
        by_kind = in_parts(ends, WORDS_AT_ONCE)
        by_weight = in_parts(ends[n_labels - 1 :: n_labels], WORDS_AT_ONCE)
        return cls(
            rows,
            places,
            _of_weights(by_kind, n_labels, distinct),
            _of_weights(by_weight, 1, distinct),
        )

    @property
    def n_words(self) -> int:
        """The number of words in a plane."""
        return len(self.rows) // 64


def _of_weights(
    parts: NDArray[np.int64], n_labels: int, weights: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Turn the first column, weights and classes, into the class, and a last one, the weight."""
    which, label = np.divmod(parts[:, 0], n_labels)
    return np.column_stack((label, parts[:, 1:], weights[which]))


def in_parts(ends: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Cut what each class has, up to its end, into parts: the class, the begin and the end."""
    parts = [
        (label, begin, min(begin + most, end))
        for label, (start, end) in enumerate(pairwise([0, *ends.tolist()]))
        for begin in range(start, end, most)
    ]
    return np.array(parts, dtype=np.int64).reshape(-1, 3)


@dataclass(frozen=True)
class StoredPlanes:
    """The bit-planes of a block's features with few values."""

    stored: FeaturePlanes
    """With the counts of each class."""
    pooled: FeaturePlanes
    """With those of all classes."""
    last: NDArray[np.int64]
    """Counts of the last value of each feature, which has no plane."""
    by_value: NDArray[np.int64]
    """E: the sum of X over the values of each feature."""
    mean_values: float

    @classmethod
    def of(
        cls,
        block: CodeBlock,
        by_class: RowsByClass,
        by_label: NDArray[np.int64],
        fixed: FixedPoint,
        n_jobs: int | None,
    ) -> Self:
        """Make the planes of those features of a block that `has_planes` names.

        `by_label` has the weight of each class.
        """
        n_classes, n_in_all = len(by_label), by_label.sum()
        has = has_planes(block)
        members = np.flatnonzero(has)
        n_planes = np.where(has, block.n_values - 1, 0)
        first = np.cumsum(n_planes) - n_planes
        bits = np.empty((int(n_planes.sum()), by_class.n_words), dtype=np.uint64)
        counts = np.empty((len(bits), n_classes), dtype=np.int64)
        stored = FeaturePlanes(bits, first, block.n_values, counts)

        def work(part: slice) -> None:
            buffer = np.empty(len(by_class.rows), dtype=block.codes.dtype)
            columns = columns_of(block, members[part])
            feature_planes(columns, by_class.rows, by_class.parts, buffer, stored)

        map_blocks(work, len(members), n_jobs, max(len(by_class.rows) * 0.8, 1.0))
        totals = counts.sum(axis=1, keepdims=True)
        # X of the values that have planes, and of the last, which has the other rows.
        ends = np.concatenate(([0], np.cumsum(totals)))
        last = n_in_all - (ends[first + n_planes] - ends[first])
        terms = np.concatenate(([0], np.cumsum(xlogx_of(totals[:, 0], fixed))))
        by_value = xlogx_of(last, fixed) + terms[first + n_planes] - terms[first]
        pooled = stored._replace(counts=totals)
        return cls(stored, pooled, last, by_value, float(block.n_values[has].mean()))

    def targets(self, features: NDArray[np.int64], rows: RowsByClass) -> TargetPlanes:
        """Return features as targets, the class left out."""
        bits, first, n_values, counts = self.pooled
        bounds = np.concatenate(([0], np.cumsum(n_values[features])))
        values = np.delete(np.arange(bounds[-1]), bounds[1:] - 1)
        # The planes of a feature follow each other.
        planes = values + np.repeat(first[features] - bounds[:-1], n_values[features] - 1)
        sizes = np.empty((1, bounds[-1]), dtype=np.int64)
        sizes[0, values], sizes[0, bounds[1:] - 1] = counts[planes, 0], self.last[features]
        return TargetPlanes(bits[planes], values.astype(np.uint64), bounds, sizes, rows.all_parts)
