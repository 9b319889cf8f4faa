"""One-hot encoding of codes."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["one_hot"]


def one_hot(codes: NDArray[np.int64], n_values: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a column of 0 and 1 for each value of each feature; unknown values are 0 in all.

    Parameters
    ----------
    codes : ndarray of shape (n_rows, n_features)
        Codes from 0; those from `n_values` on are unknown.
    n_values : ndarray of int of shape (n_features,)
        The number of values, hence columns, of each feature.

    Examples
    --------
    >>> one_hot(np.array([[0, 1], [2, 0]]), np.array([2, 2])).astype(int).tolist()
    [[1, 0, 0, 1], [0, 0, 1, 0]]
    """
    starts = np.concatenate([[0], np.cumsum(n_values)])
    columns = np.zeros((len(codes), starts[-1]))
    rows, features = np.nonzero(codes < n_values)
    columns[rows, starts[features] + codes[rows, features]] = 1.0
    return columns
