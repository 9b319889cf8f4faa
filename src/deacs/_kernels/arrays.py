"""Named tuples of arrays, as compiled code takes them; `arrays.pxd` reads them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["SMALL", "Columns", "Groups"]

SMALL = 64
"""The number of rows in a mask."""


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


class Groups(NamedTuple):
    """Rows sorted by group of S and label, without groups that have only one label.

    A *group* is one joint value of S, a *run* the rows of one label in one group. For counting by
    masks, groups are arranged in three classes: large ones, small ones (at most 64 rows, so that a
    mask is one word), and pairs.
    """

    rows: NDArray[np.int32]
    """Row numbers, sorted by group, then by label, then by row."""
    run_starts: NDArray[np.int64]
    """The start of each run in `rows`, and the end of the last."""
    run_labels: NDArray[np.int32]
    """The label of each run."""
    group_runs: NDArray[np.int64]
    """The start of each group in `run_labels`, and the end of the last."""
    n_large: int = -1
    """The number of groups with more than 64 rows; -1 if groups are not arranged."""
    n_small: int = -1
    """The number of groups with 3 to 64 rows; the rest are pairs."""
