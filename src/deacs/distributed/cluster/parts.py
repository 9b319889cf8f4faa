"""Parts of a coded table on workers: some of its columns, or some of its rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData
from deacs.coding.blocks import frozen
from deacs.distributed.cluster.protocol import THREADS
from deacs.information import Pairs
from deacs.tables import Target

__all__ = ["CodedPart", "concatenated", "part_of_columns", "part_of_rows"]

Integers = NDArray[np.int64]
T = TypeVar("T")

KEPT = 4
"""How many results `CodedPart.recall` keeps: row orders of 4 to 24 bytes a row each."""


@dataclass(frozen=True, eq=False, repr=False)
class CodedPart(CodedData):
    """Codes, labels and weights of some columns or rows, without names and values."""

    def __post_init__(self, check_codes: bool) -> None:
        object.__setattr__(self, "about", self.about or Target("classes", self.classes))
        # Read-only as in memory: kernels would be compiled again for writable arrays.
        for block in self.blocks:
            for array in (block.features, block.codes, block.n_values, block.ignored):
                frozen(array)
        frozen(self.labels)
        if self.weights is not None:
            frozen(self.weights)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return sum(len(block.features) for block in self.blocks)

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
        made: T | None = self._made.pop(key, None)  # in one step: tasks may run in threads
        if made is None:
            made = make()
        self._made[key] = made
        for old in list(self._made)[:-KEPT]:
            self._made.pop(old, None)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        # Without what is cached: computing it again is faster than sending it.
        return CodedPart, tuple(getattr(self, field.name) for field in fields(self))

    def __sizeof__(self) -> int:
        # Schedulers estimate by this what it costs to move a part.
        weights = 0 if self.weights is None else self.weights.nbytes
        return self.labels.nbytes + weights + sum(block.codes.nbytes for block in self.blocks)

    @classmethod
    def of(cls, data: CodedData, blocks: tuple[CodeBlock, ...] | None = None) -> CodedPart:
        """Return all columns of a table as a part, or other columns of the same rows."""
        return cls(
            blocks=data.blocks if blocks is None else blocks,
            labels=data.labels,
            classes=np.arange(data.n_classes),
            features=(),
            feature_names=(),
            is_named=False,
            weights=data.weights,
            weight_scale=data.weight_scale,
            # Names of classes are not needed; labels that overlap also have a membership.
            about=None if data.membership is None else data.about,  # type: ignore[arg-type]
        )


def part_of_rows(data: CodedData, rows: slice | NDArray[np.signedinteger[Any]]) -> CodedPart:
    """Copy some rows."""
    return replace(
        CodedPart.of(data),
        blocks=tuple(replace(block, codes=_rows_of(block.codes, rows)) for block in data.blocks),
        labels=data.labels[rows].copy(),
        weights=None if data.weights is None else data.weights[rows].copy(),
    )


def _rows_of(codes: NDArray[Any], rows: slice | NDArray[np.signedinteger[Any]]) -> NDArray[Any]:
    if isinstance(rows, slice):
        return np.ascontiguousarray(codes[:, rows])
    # codes[:, rows] would be in Fortran order and have to be copied once more.
    return codes.take(rows, axis=1)


def concatenated(parts: list[CodedPart]) -> CodedPart:
    """Concatenate the rows of parts."""
    blocks = tuple(
        replace(block, codes=np.concatenate([part.blocks[b].codes for part in parts], axis=1))
        for b, block in enumerate(parts[0].blocks)
    )
    weights = [part.weights for part in parts if part.weights is not None]
    return replace(
        parts[0],
        blocks=blocks,
        labels=np.concatenate([part.labels for part in parts]),
        weights=np.concatenate(weights) if weights else None,
    )


def part_of_columns(data: CodedData, features: slice) -> CodedPart:
    """Take neighbouring columns, numbered from 0."""
    taken = []
    for block in data.blocks:
        at = slice(*np.searchsorted(block.features, (features.start, features.stop)).tolist())
        if at.start < at.stop:
            numbers = block.features[at] - features.start
            taken.append(CodeBlock(numbers, block.codes[at], block.n_values[at], block.ignored[at]))
    return CodedPart.of(data, tuple(taken))
