"""Parts of a coded table on workers: some of its columns, or some of its rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from dask.distributed import get_worker
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData
from deacs.information import Conditioning, Pairs
from deacs.information.conditioning import members_of
from deacs.kernels.codes import present_counts
from deacs.kernels.fixed_point import FixedPoint, fixed_point

__all__ = [
    "Part",
    "PartConditioning",
    "columns_of",
    "merged",
    "part_of_columns",
    "part_of_rows",
    "present_in",
    "threads_here",
]

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Part(CodedData):
    """Codes, labels and weights of some columns or rows, without names and values."""

    def __post_init__(self, check_codes: bool) -> None:
        # As on one machine: kernels are compiled once more for arrays that may be written to.
        for block in self.blocks:
            for array in (block.features, block.codes, block.n_values, block.ignored):
                array.setflags(write=False)
        self.labels.setflags(write=False)
        if self.weights is not None:
            self.weights.setflags(write=False)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return sum(len(block.features) for block in self.blocks)

    @cached_property
    def n_values(self) -> Integers:
        """The number of values of each feature."""
        n_values = np.empty(self.n_features, dtype=np.int64)
        for block in self.blocks:
            n_values[block.features] = block.n_values
        return n_values

    @cached_property
    def pairs(self) -> Pairs:
        """The columns against any other; their bit-planes are made once."""
        return Pairs(self, threads_here())

    def __reduce__(self) -> tuple[Any, ...]:
        # Not what is cached: the receiver makes it again faster than it travels.
        return Part.of, (self.blocks, self.labels, len(self.classes), self.weights)

    def __sizeof__(self) -> int:
        # Dask moves tasks to data, or data to tasks, by this.
        weights = 0 if self.weights is None else self.weights.nbytes
        return self.labels.nbytes + weights + sum(block.codes.nbytes for block in self.blocks)

    @classmethod
    def of(
        cls,
        blocks: tuple[CodeBlock, ...],
        labels: NDArray[np.int32],
        n_classes: int,
        weights: Integers | None = None,
    ) -> Part:
        """Make a part."""
        return cls(
            blocks=blocks,
            labels=labels,
            classes=np.arange(n_classes),
            features=(),
            feature_names=(),
            is_named=False,
            weights=weights,
        )


def threads_here() -> int:
    """Return how many threads the worker has that runs this: a part is counted by all of them."""
    try:
        return int(get_worker().state.nthreads)
    except ValueError:  # no task
        return 1


def part_of_rows(data: CodedData, rows: slice | NDArray[np.signedinteger[Any]]) -> Part:
    """Copy some rows."""
    blocks = tuple(replace(block, codes=_rows_of(block.codes, rows)) for block in data.blocks)
    weights = None if data.weights is None else data.weights[rows].copy()
    return Part.of(blocks, data.labels[rows].copy(), data.n_classes, weights)


def _rows_of(codes: NDArray[Any], rows: slice | NDArray[np.signedinteger[Any]]) -> NDArray[Any]:
    if isinstance(rows, slice):
        return np.ascontiguousarray(codes[:, rows])
    # Brackets would lay the result out row by row, and it had to be copied once more.
    return codes.take(rows, axis=1)


def merged(parts: list[Part]) -> Part:
    """Put rows together."""
    first = parts[0]
    blocks = tuple(
        replace(block, codes=np.concatenate([part.blocks[b].codes for part in parts], axis=1))
        for b, block in enumerate(first.blocks)
    )
    labels = np.concatenate([part.labels for part in parts])
    weights = None
    if first.weights is not None:
        weights = np.concatenate([part.weights for part in parts if part.weights is not None])
    return Part.of(blocks, labels, first.n_classes, weights)


def part_of_columns(data: CodedData, features: slice) -> Part:
    """Take neighbouring columns, numbered from 0."""
    return Part.of(columns_of(data.blocks, features), data.labels, data.n_classes, data.weights)


def columns_of(blocks: tuple[CodeBlock, ...], features: slice) -> tuple[CodeBlock, ...]:
    """Return blocks of neighbouring columns, numbered from 0."""
    taken = []
    for block in blocks:
        at = slice(*np.searchsorted(block.features, (features.start, features.stop)).tolist())
        if at.start < at.stop:
            numbers = block.features[at] - features.start
            taken.append(CodeBlock(numbers, block.codes[at], block.n_values[at], block.ignored[at]))
    return tuple(taken)


def present_in(part: Part, labels: NDArray[np.int32], features: Integers) -> Integers:
    """How much each label (negative ones left out) counts where a feature is present."""
    counts = np.zeros((len(features), part.n_classes), dtype=np.int64)
    for block in part.blocks:
        members, places = members_of(block, features)
        found = np.zeros((len(members), part.n_classes), dtype=np.int64)
        present_counts(
            *(block.codes, members, block.ignored, labels),
            *(part.weights, found),
        )
        counts[places] = found
    return counts


class PartConditioning(Conditioning):
    """The rows that are left in a part; what it adds to a sum is on the scale of the whole."""

    def __init__(self, part: Part, fixed: FixedPoint) -> None:
        super().__init__(part.labels, part.n_classes, part.weights)
        self._fixed = fixed

    def __sizeof__(self) -> int:
        return 24 * self.n_left + 4 * self.n_rows

    def present(self, part: Part, features: Integers) -> Integers:
        """How much each label counts where S and a feature are present."""
        return present_in(part, self._labels, features)

    def base(self, kind: int) -> tuple[Integers, Integers]:
        """Return what does not depend on the feature, and how much each label counts."""
        return self._base(kind), self._label_counts

    @classmethod
    def of(cls, part: Part, total: int) -> PartConditioning:
        """Know nothing yet of a part of a table in which rows count `total` times in all."""
        return cls(part, fixed_point(total, part.n_classes))
