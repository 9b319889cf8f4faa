"""The joint values of several columns of codes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["joint_codes", "mean_group_size", "rows_counted"]

Codes = NDArray[np.unsignedinteger[Any]]


def joint_codes(columns: Sequence[Codes], n_rows: int) -> tuple[NDArray[np.int64], int]:
    """Number the joint values that occur.

    Parameters
    ----------
    columns : sequence of ndarray of shape (n_rows,)
        Codes; none: every row has the same value.
    n_rows : int
        The number of rows.

    Returns
    -------
    codes : ndarray of int64 of shape (n_rows,)
        Which joint value each row has, from 0, ordered by the first column, then the second, ...
    n_values : int
        How many occur.
    """
    codes, n_values = np.zeros(n_rows, dtype=np.int64), min(n_rows, 1)
    for column in columns:
        n_of_column = int(column.max(initial=0)) + 1
        codes = codes * n_of_column + column
        # Only values that occur keep a number, so that the next product stays small.
        if n_values * n_of_column <= 4 * n_rows:
            occurs = np.zeros(n_values * n_of_column, dtype=bool)
            occurs[codes] = True
            codes = (np.cumsum(occurs) - 1)[codes]
            n_values = int(occurs.sum())
        else:
            distinct, codes = np.unique(codes, return_inverse=True)
            n_values = len(distinct)
    return codes, n_values


def mean_group_size(
    columns: Sequence[Codes],
    ignored: Sequence[int],
    weights: NDArray[np.int64] | None = None,
    weights_are_counts: bool = True,
) -> float:
    """Return N / the number of joint values that occur, on the rows in which all are present.

    Parameters
    ----------
    columns : sequence of ndarray of shape (n_rows,)
        Codes, at least one column.
    ignored : sequence of int
        The code of each column that does not count, or -1.
    weights : ndarray of int64 of shape (n_rows,), optional
        How often each row counts.
    weights_are_counts : bool, default=True
        Whether weights are numbers of rows; else they count as one row each on average.
    """
    present = np.ones(len(columns[0]), dtype=bool)
    for column, code in zip(columns, ignored, strict=True):
        if code >= 0:
            present &= column != code
    if not present.all():
        columns = [column[present] for column in columns]
    n_present = int(present.sum())
    n_counted = (
        float(n_present)
        if weights is None
        else rows_counted(
            int(weights[present].sum()), int(weights.sum()), len(present), weights_are_counts
        )
    )
    return n_counted / max(joint_codes(columns, n_present)[1], 1)


def rows_counted(present: int, total: int, n_rows: int, weights_are_counts: bool) -> float:
    """Return as how many rows a weight counts; fractions count as one row each on average."""
    return float(present) if weights_are_counts else n_rows * (present / total)
