"""Validate codes, labels and weights before compiled code uses them as indices.

Codes, labels or weights from outside (a file, another process, a caller's array) are checked once;
kernels validate nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError

__all__ = ["check_block", "check_labels", "check_weights"]

CODE_TYPES = tuple(np.dtype(kind) for kind in ("u1", "u2", "u4"))
MAX_TOTAL = 1 << 31
"""The largest sum of weights for which n log2 n fits in fixed point."""


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
