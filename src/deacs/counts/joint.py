"""The joint values of several columns of codes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData

__all__ = ["JointValues", "groups_given", "joint_codes", "rows_counted"]

Codes = NDArray[np.unsignedinteger[Any]]


def joint_codes(columns: Sequence[Codes], n_rows: int) -> tuple[NDArray[np.int64], int]:
    """Number the joint values that occur, from 0 in lexicographic order of the columns.

    Return the number of each row's value, and how many values there are; without columns, every row
    has the same value.
    """
    codes, n_values = np.zeros(n_rows, dtype=np.int64), min(n_rows, 1)
    for column in columns:
        codes, n_values = _extended(codes, n_values, column)
    return codes, n_values


def _extended(
    codes: NDArray[np.int64], n_values: int, column: Codes
) -> tuple[NDArray[np.int64], int]:
    """Number the joint values of codes and one more column."""
    n_of_column = int(column.max(initial=0)) + 1
    codes = codes * n_of_column + column
    # Only values that occur keep a number, so that the next product stays small.
    if n_values * n_of_column <= 4 * len(codes):
        occurs = np.zeros(n_values * n_of_column, dtype=bool)
        occurs[codes] = True
        return (np.cumsum(occurs) - 1)[codes], int(occurs.sum())
    distinct, codes = np.unique(codes, return_inverse=True)
    return codes, len(distinct)


def groups_given(data: CodedData, features: Sequence[int]) -> tuple[NDArray[np.int64], int]:
    """Number the joint values of some features as `joint_codes`; -1 where one is ignored."""
    groups, n_values = joint_codes([data.column(j) for j in features], data.n_rows)
    for j in features:
        if data.ignored(j) >= 0:
            groups[data.column(j) == data.ignored(j)] = -1
    return groups, n_values


class JointValues:
    """The joint values of features of a table; common prefixes of successive lists are reused.

    Rows in which a feature has the code that it ignores do not count.
    """

    def __init__(self, data: CodedData) -> None:
        self._data = data
        self._begin()

    def _begin(self) -> None:
        n_rows = self._data.n_rows
        self._features: list[int] = []
        self._rows: NDArray[np.intp] | None = None  # None: all
        self._codes, self._n_values = np.zeros(n_rows, dtype=np.int64), min(n_rows, 1)
        self._sizes = [self._size()]

    def mean_group_size(self, features: Sequence[int]) -> float:
        """Return N / the number of joint values of features that occur."""
        wanted = list(features)
        n_known = min(len(wanted), len(self._features))
        if wanted[:n_known] != self._features[:n_known]:
            self._begin()
            n_known = 0
        for feature in wanted[n_known:]:
            self._extend(feature)
        return self._sizes[len(wanted)]

    def _size(self) -> float:
        weights, n_rows = self._data.weights, self._data.n_rows
        counted = float(len(self._codes))
        if weights is not None:
            there = weights if self._rows is None else weights[self._rows]
            counted = rows_counted(
                int(there.sum()), int(weights.sum()), n_rows, self._data.weights_are_counts
            )
        return counted / max(self._n_values, 1)

    def _extend(self, feature: int) -> None:
        column, ignored = self._data.column(feature), self._data.ignored(feature)
        if self._rows is not None:
            column = column[self._rows]
        if ignored >= 0:
            present = np.flatnonzero(column != ignored)
            self._rows = present if self._rows is None else self._rows[present]
            column, self._codes = column[present], self._codes[present]
        self._codes, self._n_values = _extended(self._codes, self._n_values, column)
        self._features.append(feature)
        self._sizes.append(self._size())


def rows_counted(present: int, total: int, n_rows: int, weights_are_counts: bool) -> float:
    """Return the total number of rows; fractional weights count as one row each on average."""
    return float(present) if weights_are_counts else n_rows * (present / total)
