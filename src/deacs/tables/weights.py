"""Sample weights as integer counts, so that every sum stays an integer.

A row of weight 3 counts as three equal rows. Fractional weights are first multiplied by a power of
two and rounded; each count is then off by at most a half, of a total above 2**30.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError, Parameter

__all__ = ["Weights", "read_weights"]

WEIGHT = Parameter("sample_weight")
MAX_TOTAL_BITS = 31
LARGEST_EXPONENT = 900
"""The scale of weights beyond 2**±900 would not be a finite float."""


@dataclass(frozen=True, eq=False, slots=True)
class Weights:
    """Counts of rows.

    Attributes
    ----------
    counts : ndarray of int64 of shape (n_rows,)
        Not negative; their total is at most 2**31. Rows with count 0 are ignored.
    scale : float
        Counts per unit of the given weights: a power of two, 1.0 for integers.
    """

    counts: NDArray[np.int64]
    scale: float

    @property
    def total(self) -> int:
        """The sum of the counts."""
        return int(self.counts.sum())


def read_weights(sample_weight: Any, n_rows: int) -> Weights | None:
    """Read `sample_weight` as integer counts.

    * None, or weights that are all 1: None; every row counts once.
    * Integers (or floats without a fraction) with a total below 2**31 are the counts, and
      `scale` is 1.0: the same as repeating the rows.
    * All others are multiplied by `scale`, the power of two that brings their total into
      (2**30, 2**31], and rounded to the nearest whole number, halves to the even one. Should the
      rounding take the total above 2**31, half of that `scale` is used. A weight above 0 that
      would round to 0 beside the others is an error.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,), or None
        Finite, not negative, not all zero.
    n_rows : int
        The number of rows.

    Raises
    ------
    InputError
        If the weights do not satisfy this.

    Examples
    --------
    >>> read_weights([2, 0, 1], 3)
    Weights(counts=array([2, 0, 1]), scale=1.0)
    >>> read_weights([0.5, 0.25], 2).counts.tolist(), read_weights([0.5, 0.25], 2).scale
    ([1073741824, 536870912], 2147483648.0)
    """
    if sample_weight is None:
        return None
    weights = _numbers(sample_weight, n_rows)
    if (weights == 1).all():
        return None
    # Compared as floats first: the total of int64 could wrap around.
    with np.errstate(over="ignore"):  # infinite, so not counts
        total = weights.sum(dtype=np.float64)
    if total < 2**MAX_TOTAL_BITS and (weights == np.floor(weights)).all():
        return Weights(weights.astype(np.int64), 1.0)
    return _quantised(weights.astype(np.float64))


def _numbers(sample_weight: Any, n_rows: int) -> NDArray[Any]:
    weights = np.asarray(sample_weight)
    if weights.dtype.kind not in "biuf" or weights.dtype.itemsize > 8:
        weights = _as_floats(weights)
    if np.ma.is_masked(sample_weight):
        raise InputError(
            WEIGHT,
            f" must not be missing, got {np.ma.getmaskarray(sample_weight).sum()} masked; give "
            "rows that should not count the weight 0",
        )
    if weights.shape != (n_rows,):
        raise InputError(
            WEIGHT,
            f" must be a list of one number for each of the {n_rows} rows, got shape "
            f"{weights.shape}",
        )
    unusable = ~np.isfinite(weights) | (weights < 0)
    if unusable.any():
        row = int(np.flatnonzero(unusable)[0])
        raise InputError(
            WEIGHT,
            f" must be finite and not negative, got {weights[row]} in row {row}; give rows that "
            "should not count the weight 0",
        )
    if not weights.any():
        raise InputError(
            WEIGHT, f" must not be zero everywhere, got {n_rows} zeros; no row would count"
        )
    return weights


def _as_floats(weights: NDArray[Any]) -> NDArray[np.float64]:
    holds_text = any(isinstance(weight, str | bytes) for weight in weights.ravel().tolist())
    try:
        # NumPy would drop the imaginary part or the unit, and read text as numbers.
        if weights.dtype.kind in "cmM" or holds_text:
            raise TypeError
        with np.errstate(over="ignore"):  # infinite, so rejected below
            return weights.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            WEIGHT,
            f" must hold real numbers, got {'text' if holds_text else weights.dtype}; convert it "
            "to float",
        ) from None


def _quantised(weights: NDArray[np.float64]) -> Weights:
    # By the largest weight first, so that no total overflows.
    size = math.frexp(float(weights.max()))[1]
    if abs(size) > LARGEST_EXPONENT:
        raise InputError(
            WEIGHT,
            f" must lie between 1e-270 and 1e270, got {weights.max()}; multiply all weights by one "
            "number",
        )
    fraction, exponent = math.frexp(math.fsum(np.ldexp(weights, -size).tolist()))
    # The total is fraction * 2**(exponent + size) with 1/2 <= fraction < 1.
    shift = MAX_TOTAL_BITS - exponent - size + (fraction == 0.5)
    counts = np.rint(np.ldexp(weights, shift)).astype(np.int64)
    if counts.sum() > 2**MAX_TOTAL_BITS:
        shift -= 1
        counts = np.rint(np.ldexp(weights, shift)).astype(np.int64)
    lost = np.flatnonzero((counts == 0) & (weights > 0))
    if len(lost):
        raise InputError(
            WEIGHT,
            f" must lie within nine digits of each other, got {weights[lost[0]]} in row {lost[0]} "
            f"beside {weights.max()}, so that this row would not count; lower the largest weights, "
            "or give rows that should not count the weight 0",
        )
    return Weights(counts, math.ldexp(1.0, shift))
