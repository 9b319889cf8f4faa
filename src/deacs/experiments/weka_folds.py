r"""The folds of Weka's cross-validation, without Weka: the same rows in the same folds.

Weka shuffles rows by Java's random numbers,
:math:`s \leftarrow 25214903917 s + 11 \bmod 2^{48}`, groups them by class and deals them out
(`Evaluation.crossValidateModel`, `Instances.randomize`, `Instances.stratify`). A comparison with
published results of Weka needs these folds: on small tables, folds can make a larger difference
than methods.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["JavaRandom", "weka_folds"]


class JavaRandom:
    """The part of `java.util.Random` that shuffling needs.

    Examples
    --------
    >>> random = JavaRandom(42)
    >>> [random.below(10) for _ in range(5)]  # as Java's nextInt(10)
    [0, 3, 8, 4, 0]
    """

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ 0x5DEECE66D) & (2**48 - 1)

    def _bits(self, n: int) -> int:
        self._state = (self._state * 0x5DEECE66D + 0xB) & (2**48 - 1)
        return self._state >> (48 - n)

    def below(self, bound: int) -> int:
        """Return a random integer from 0 to bound - 1."""
        if bound & (bound - 1) == 0:
            return (bound * self._bits(31)) >> 31
        while True:
            bits = self._bits(31)
            value = bits % bound
            if bits - value + bound - 1 < 2**31:  # else in the last, incomplete range
                return value


def weka_folds(labels: NDArray[np.int32], n_folds: int, seed: int) -> list[NDArray[np.int64]]:
    """Return the test rows of each fold, given the class of each row; Weka's default seed is 1."""
    random, n = JavaRandom(seed), len(labels)
    rows = list(range(n))
    for j in range(n - 1, 0, -1):
        _swap(rows, j, random.below(j + 1))
    _bring_together(rows, labels.tolist())
    dealt = [rows[j] for start in range(n_folds) for j in range(start, n, n_folds)]
    sizes = [n // n_folds + (fold < n % n_folds) for fold in range(n_folds)]
    ends = np.cumsum(sizes)
    return [np.sort(dealt[end - size : end]) for size, end in zip(sizes, ends, strict=True)]


def _bring_together(rows: list[int], labels: list[int]) -> None:
    """Swap rows until those of each class are together, in the same order as Weka."""
    index = 1
    while index < len(rows):
        label = labels[rows[index - 1]]
        for j in range(index, len(rows)):
            if labels[rows[j]] == label:
                _swap(rows, index, j)
                index += 1
        index += 1


def _swap(rows: list[int], i: int, j: int) -> None:
    rows[i], rows[j] = rows[j], rows[i]
