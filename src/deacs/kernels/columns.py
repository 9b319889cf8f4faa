"""Columns of a coded table, as arguments of kernels."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Columns"]


class Columns(NamedTuple):
    """Some features of a block of codes."""

    codes: NDArray[np.unsignedinteger[Any]]
    """The codes of the block, (n_features, n_rows)."""
    features: NDArray[np.int64]
    """Indices of the features in the block, (k,)."""
    n_values: NDArray[np.int64]
    """The number of values of each feature of the block, (n_features,)."""
    ignored: NDArray[np.int64]
    """The ignored code of each feature, or -1, (n_features,)."""
