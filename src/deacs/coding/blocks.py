"""Codes of a table, stored by width, and the checks of what compiled code takes as indices.

Features with few values take one byte per row. Codes, labels or weights from outside (a file,
another process, a caller's array) are checked once; kernels validate nothing.
"""

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
    "check_block",
    "check_labels",
    "check_weights",
    "feature_major",
    "frozen",
    "narrowest",
    "stack_blocks",
]

CODE_WIDTHS: tuple[type[np.unsignedinteger[Any]], ...] = (np.uint8, np.uint16, np.uint32)
ROWS_AT_ONCE = 64
CODE_TYPES = tuple(map(np.dtype, CODE_WIDTHS))
MAX_TOTAL = 1 << 31
"""The largest sum of weights for which n log2 n fits in fixed point."""


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


def check_block(codes: NDArray[Any], n_values: NDArray[Any], ignored: NDArray[Any]) -> None:
    """Check features whose codes have the same width, (n, n_rows), as `CodeBlock` describes them.

    Examples
    --------
    >>> check_block(np.array([[0, 1, 3]], np.uint8), np.array([3]), np.array([-1]))
    Traceback (most recent call last):
    deacs.exceptions.InputError: the codes of a feature must be below its 3 values, got 3
    """
    _check_array("codes", codes, 2, CODE_TYPES)
    for name, array in (("n_values", n_values), ("ignored", ignored)):
        _check_array(name, array, 1, (np.dtype(np.int64),))
        if len(array) != len(codes):
            raise InputError(
                f"{name} must have one entry for each of the {len(codes)} features, "
                f"got {len(array)}"
            )
    most = 1 << 8 * codes.itemsize
    for n in n_values[(n_values < 1) | (n_values > most)].tolist():
        raise InputError(
            f"n_values must lie between 1 and {most} for codes of type {codes.dtype}, got {n}"
        )
    for code in ignored[(ignored < -1) | (ignored >= n_values)].tolist():
        raise InputError(f"ignored must be -1 or one of the feature's codes, got {code}")
    if codes.size:
        largest = codes.max(axis=1)
        for j in np.flatnonzero(largest >= n_values).tolist():
            raise InputError(
                f"the codes of a feature must be below its {n_values[j]} values, got {largest[j]}"
            )


def check_labels(labels: NDArray[Any], n_classes: int) -> None:
    """Check the class of each row: int32, from 0 to `n_classes - 1`."""
    _check_array("labels", labels, 1, (np.dtype(np.int32),))
    if len(labels) == 0:
        raise InputError("labels must have at least one row, got none")
    if int(labels.view(np.uint32).max()) >= n_classes:  # a negative one is large
        low, high = int(labels.min()), int(labels.max())
        raise InputError(
            f"labels must lie between 0 and {n_classes - 1} (there are {n_classes} classes), "
            f"got {low if low < 0 else high}"
        )


def check_weights(weights: NDArray[Any]) -> None:
    """Check the count of each row: int64, at least 0, with a sum between 1 and 2**31."""
    _check_array("weights", weights, 1, (np.dtype(np.int64),))
    low, high = (int(weights.min()), int(weights.max())) if len(weights) else (0, 0)
    if low < 0:
        raise InputError(f"weights must be at least 0, got {low}")
    # One weight above the limit is enough; a sum of such weights could wrap around.
    total = high if high > MAX_TOTAL else int(weights.sum())
    if not 1 <= total <= MAX_TOTAL:
        raise InputError(f"weights must have a sum between 1 and {MAX_TOTAL}, got {total} or more")


def _check_array(name: str, array: Any, ndim: int, types: tuple[np.dtype[Any], ...]) -> None:
    if type(array) is not np.ndarray or array.ndim != ndim or array.dtype not in types:
        found = (
            f"{array.dtype} of shape {array.shape}"
            if isinstance(array, np.ndarray)
            else type(array).__name__
        )
        wanted = " or ".join(map(str, types))
        raise InputError(f"{name} must be an array of {wanted} with {ndim} dimensions, got {found}")
    if not array.flags.c_contiguous:
        raise InputError(
            f"{name} must be C-contiguous, got strides {array.strides}; use numpy.ascontiguousarray"
        )
