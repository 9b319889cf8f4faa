"""Protocols: on which rows to select, train and test.

`paper` and `paper-weka` discretise and select on all rows and cross-validate only the classifiers.
Tested rows then influence the selection, so accuracies are optimistic (R. Kohavi, G. H. John,
"Wrappers for feature subset selection", Artificial Intelligence 97 (1997) 273-324; C. Ambroise,
G. J. McLachlan, PNAS 99 (2002) 6562-6566). In `nested`, cut points, selection and classifiers see
only the training rows.

`paper-weka` deals rows out as Weka does, without Weka: it shuffles them by Java's random numbers,
:math:`s \\leftarrow 25214903917 s + 11 \\bmod 2^{48}`, groups them by class and deals them out
(`Evaluation.crossValidateModel`, `Instances.randomize`, `Instances.stratify`). On small tables,
folds can make a larger difference than methods.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError

__all__ = ["PROTOCOLS", "JavaRandom", "Protocol", "Split", "weka_folds"]

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Split:
    """Row numbers for training and for testing."""

    train: Rows
    test: Rows


@dataclass(frozen=True)
class Protocol:
    """A way to split rows into stratified folds; equal protocols give equal splits anywhere.

    Attributes
    ----------
    name : str
        Its name.
    selects_on_all_rows : bool
        Whether tested rows influence cut points and selection: an optimistic protocol.
    has_weka_folds : bool
        Whether the folds are Weka's, whose default seed is 1.
    n_splits : int
        The number of folds.
    seed : int
        The seed of the shuffles.
    """

    name: str
    selects_on_all_rows: bool = False
    has_weka_folds: bool = False
    n_splits: int = 10
    seed: int = 0

    @property
    def label(self) -> str:
        """The name, marked if the protocol is optimistic."""
        return f"{self.name} (optimistic)" if self.selects_on_all_rows else self.name

    def splits(self, labels: NDArray[np.int32]) -> list[Split]:
        """Split rows by their classes.

        Examples
        --------
        >>> labels = np.repeat([0, 1], [6, 4])
        >>> one, other = Protocol("nested", n_splits=2).splits(labels)
        >>> np.bincount(labels[one.test]).tolist()
        [3, 2]
        """
        if not 2 <= self.n_splits <= len(labels):
            raise InputError(
                f"folds must be from 2 to {len(labels)} (the rows), got {self.n_splits}"
            )
        if self.has_weka_folds:
            tests = weka_folds(labels, self.n_splits, self.seed)
        else:  # sizes differ by at most one row, also within a class
            # One seed of one repeat, as the published numbers were made.
            order = np.random.default_rng([self.seed, 0]).permutation(len(labels))
            fold = np.empty(len(labels), dtype=np.int64)
            fold[order[np.argsort(labels[order], kind="stable")]] = (
                np.arange(len(labels)) % self.n_splits
            )
            tests = [np.flatnonzero(fold == k) for k in range(self.n_splits)]
        return [Split(np.setdiff1d(np.arange(len(labels)), test), test) for test in tests]


PROTOCOLS: dict[str, Protocol] = {
    "nested": Protocol("nested"),
    "paper": Protocol("paper", selects_on_all_rows=True),
    "paper-weka": Protocol("paper-weka", selects_on_all_rows=True, has_weka_folds=True),
}
"""Every protocol by name."""


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
