"""Parts of a coded table on workers: some of its columns, or some of its rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData
from deacs.distributed.cluster.protocol import THREADS
from deacs.information import Pairs
from deacs.tables import Target

__all__ = [
    "Part",
    "merged",
    "part_of_columns",
    "part_of_rows",
]

Integers = NDArray[np.int64]
T = TypeVar("T")

KEPT = 4
"""How many results `Part.recall` keeps: row orders of 4 to 24 bytes a row each."""


@dataclass(frozen=True, eq=False, repr=False)
class Part(CodedData):
    """Codes, labels and weights of some columns or rows, without names and values."""

    def __post_init__(self, check_codes: bool) -> None:
        # Read-only as in memory: kernels would be compiled again for writable arrays.
        object.__setattr__(self, "about", self.about or Target("classes", self.classes))
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
        """`Pairs` of these columns, whose bit-planes are made once."""
        return Pairs(self, THREADS.get())

    @cached_property
    def _made(self) -> dict[Any, Any]:
        return {}

    def recall(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what an earlier task computed from this part, or compute it now.

        The last few results are kept, so a task continues from the previous one; a worker that
        takes over a part computes them again.
        """
        made: T = self._made.pop(key) if key in self._made else make()
        self._made[key] = made
        for old in list(self._made)[:-KEPT]:
            self._made.pop(old, None)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        # Without what is cached: computing it again is faster than sending it.
        labels, weights = self.labels, self.weights
        about = None if self.about.membership is None else self.about
        return Part.of, (self.blocks, labels, len(self.classes), weights, self.weight_scale, about)

    def __sizeof__(self) -> int:
        # Schedulers estimate by this what it costs to move a part.
        weights = 0 if self.weights is None else self.weights.nbytes
        return self.labels.nbytes + weights + sum(block.codes.nbytes for block in self.blocks)

    @classmethod
    def of(
        cls,
        blocks: tuple[CodeBlock, ...],
        labels: NDArray[np.int32],
        n_classes: int,
        weights: Integers | None = None,
        weight_scale: float = 1.0,
        about: Target | None = None,
    ) -> Part:
        """Make a part; `about` is needed only if labels overlap."""
        return cls(
            blocks=blocks,
            labels=labels,
            classes=np.arange(n_classes),
            features=(),
            feature_names=(),
            is_named=False,
            weights=weights,
            weight_scale=weight_scale,
            about=about,  # type: ignore[arg-type]
        )


def part_of_rows(data: CodedData, rows: slice | NDArray[np.signedinteger[Any]]) -> Part:
    """Copy some rows."""
    blocks = tuple(replace(block, codes=_rows_of(block.codes, rows)) for block in data.blocks)
    weights = None if data.weights is None else data.weights[rows].copy()
    labels = data.labels[rows].copy()
    return Part.of(blocks, labels, data.n_classes, weights, data.weight_scale, data.about)


def _rows_of(codes: NDArray[Any], rows: slice | NDArray[np.signedinteger[Any]]) -> NDArray[Any]:
    if isinstance(rows, slice):
        return np.ascontiguousarray(codes[:, rows])
    # codes[:, rows] would be in Fortran order and have to be copied once more.
    return codes.take(rows, axis=1)


def merged(parts: list[Part]) -> Part:
    """Concatenate the rows of parts."""
    first = parts[0]
    blocks = tuple(
        replace(block, codes=np.concatenate([part.blocks[b].codes for part in parts], axis=1))
        for b, block in enumerate(first.blocks)
    )
    labels = np.concatenate([part.labels for part in parts])
    weights = None
    if first.weights is not None:
        weights = np.concatenate([part.weights for part in parts if part.weights is not None])
    return Part.of(blocks, labels, first.n_classes, weights, first.weight_scale, first.about)


def part_of_columns(data: CodedData, features: slice) -> Part:
    """Take neighbouring columns, numbered from 0."""
    blocks = _columns_of(data.blocks, features)
    labels, weights = data.labels, data.weights
    return Part.of(blocks, labels, data.n_classes, weights, data.weight_scale, data.about)


def _columns_of(blocks: tuple[CodeBlock, ...], features: slice) -> tuple[CodeBlock, ...]:
    """Return blocks of neighbouring columns, numbered from 0."""
    taken = []
    for block in blocks:
        at = slice(*np.searchsorted(block.features, (features.start, features.stop)).tolist())
        if at.start < at.stop:
            numbers = block.features[at] - features.start
            taken.append(CodeBlock(numbers, block.codes[at], block.n_values[at], block.ignored[at]))
    return tuple(taken)
