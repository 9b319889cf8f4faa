"""Information of pairs of features, about each other and the class, from sums of X(n)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deacs.information.plan import rounding

__all__ = ["PairInformation"]

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class PairInformation:
    """Information of features F and one selected feature S, in bits; one number for each F.

    Each quantity is computed from counts on access. `sums` are A, B, D, E, G, P, X(N), N and Q of
    `deacs.kernels.pairs`; with several selected features, arrays that broadcast to (n_selected,
    n_features).
    """

    def __init__(self, sums: Sequence[Integers] | Integers, n_rows: int, scale_bits: int) -> None:
        self._sums = sums
        self._n_rows = n_rows
        self._unit = 2.0**-scale_bits

    @property
    def redundancy(self) -> Floats:
        """I(F; S)."""
        _, B, _, E, G, _, X_N, _, _ = self._sums
        return self._bits(B + (X_N - E) - G)  # E is short where B is a matrix

    @property
    def conditional(self) -> Floats:
        """I(F; C | S): information of F about the class beyond that of S."""
        A, B, D, _, G, _, _, _, _ = self._sums
        return self._bits(A - B - D + G)

    @property
    def class_redundancy(self) -> Floats:
        """I(F; S | C): redundancy of F and S within the classes."""
        A, _, D, _, _, P, _, _, Q = self._sums
        return self._bits(A - D - Q + P)

    @property
    def joint(self) -> Floats:
        """I(F, S; C): information of both about the class."""
        A, B, _, _, _, P, X_N, _, _ = self._sums
        return self._bits(A - B - P + X_N)

    @property
    def joint_entropy(self) -> Floats:
        """H(F, S, C)."""
        return self._bits(self._sums[6] - self._sums[0])

    @property
    def entropy(self) -> Floats:
        """H(F)."""
        return self._bits(self._sums[6] - self._sums[3])

    def _bits(self, units: Integers) -> Floats:
        """Turn fixed-point units into bits per row; up to the rounding error they are zero."""
        units = units * (units > rounding(self._n_rows))
        return np.asarray(units / (np.maximum(self._sums[7], 1) / self._unit))
