"""Codes of a table, stored by width: features with few values take one byte per row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError

__all__ = [
    "CODE_WIDTHS",
    "CodeBlock",
    "feature_major",
    "frozen",
    "narrowest",
    "read_only",
    "stack_blocks",
]

CODE_WIDTHS: tuple[type[np.unsignedinteger[Any]], ...] = (np.uint8, np.uint16, np.uint32)
ROWS_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Features whose codes have the same width.

    Attributes
    ----------
    features : ndarray of int of shape (n,)
        The indices of the features.
    codes : ndarray of uint8, uint16 or uint32 of shape (n, n_rows)
        Their codes, feature-major.
    n_values : ndarray of int of shape (n,)
        The number of values of each feature.
    ignored : ndarray of int of shape (n,)
        The code of each feature that is not counted (ignored missing values), or -1.
    """

    features: NDArray[np.int64]
    codes: NDArray[np.unsignedinteger[Any]]
    n_values: NDArray[np.int64]
    ignored: NDArray[np.int64]

    def __post_init__(self) -> None:
        if not self.codes.flags.c_contiguous:  # kernels read whole words of memory
            raise InputError(
                f"codes must be C-contiguous, got strides {self.codes.strides} for shape "
                f"{self.codes.shape}; use numpy.ascontiguousarray"
            )

    @property
    def is_prefix(self) -> bool:
        """Whether row j holds feature j, as in a table whose codes all have the same width."""
        return len(self.features) == int(self.features[-1]) + 1

    @classmethod
    def frozen(
        cls,
        features: NDArray[np.int64],
        codes: NDArray[np.unsignedinteger[Any]],
        n_values: NDArray[np.int64],
        ignored: NDArray[np.int64] | None = None,
    ) -> Self:
        """Make a read-only block; `n_values` and `ignored` are those of all features."""
        skipped = np.full(len(features), -1) if ignored is None else ignored[features]
        return cls(frozen(features), frozen(codes), frozen(n_values[features]), frozen(skipped))


def stack_blocks(
    columns: Sequence[NDArray[np.unsignedinteger[Any]]] | NDArray[np.uint8],
    n_values: Sequence[int],
    ignored: NDArray[np.int64] | None = None,
) -> tuple[CodeBlock, ...]:
    """Stack columns of codes into one read-only block for each width that occurs."""
    counts = np.array(n_values, dtype=np.int64)
    if isinstance(columns, np.ndarray):
        return (CodeBlock.frozen(np.arange(len(columns)), columns, counts, ignored),)
    blocks = []
    for width in CODE_WIDTHS:
        members = [j for j, column in enumerate(columns) if column.dtype == width]
        if members:
            codes = np.stack([columns[j] for j in members])
            blocks.append(CodeBlock.frozen(np.array(members), codes, counts, ignored))
    return tuple(blocks)


def feature_major(
    matrix: NDArray[np.integer[Any]], width: type[np.unsignedinteger[Any]]
) -> NDArray[np.unsignedinteger[Any]]:
    """Return a matrix transposed, as a contiguous array of the given integer type.

    A few rows are copied at a time, so that the part being written stays in the cache.
    """
    n_rows, n_features = matrix.shape
    out = np.empty((n_features, n_rows), dtype=width)
    for begin in range(0, n_rows, ROWS_AT_ONCE):
        out[:, begin : begin + ROWS_AT_ONCE] = matrix[begin : begin + ROWS_AT_ONCE].T
    return out


def narrowest(n_values: int) -> type[np.unsignedinteger[Any]]:
    """Return the narrowest unsigned type that holds codes 0 .. n_values - 1."""
    if n_values <= 1 << 8:
        return np.uint8
    return np.uint16 if n_values <= 1 << 16 else np.uint32


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Make an array read-only."""
    array.setflags(write=False)
    return array


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view: kernels would be compiled again for a writable array."""
    return frozen(array.view()) if array.flags.writeable else array
