"""Columns of a coded table in the form that kernels take."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Columns"]


class Columns(NamedTuple):
    """Some features of a block of codes."""

    codes: NDArray[np.unsignedinteger[Any]]
    """The codes of the block, (n_features, n_rows)."""
    features: NDArray[np.int64]
    """Which of its features, (k,)."""
    n_values: NDArray[np.int64]
    """The number of values of each feature of the block, (n_features,)."""
    ignored: NDArray[np.int64]
    """The code of each that does not count, or -1, (n_features,)."""
