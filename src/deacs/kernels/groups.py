"""Rows sorted by group of S and label, without groups that have only one label.

A *group* is one joint value of S, a *run* the rows of one label in one group. Refining by a newly
selected column is one stable pass over the remaining rows; groups with a single label are dropped,
since they add zero to every later score. For counting by masks, groups are arranged in three
classes: large ones, small ones (at most 64 rows, so that a mask is one word), and pairs.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs._kernels.arrays import SMALL, Groups

__all__ = ["SMALL", "Groups", "SplitScratch"]


class SplitScratch(NamedTuple):
    """Work space for splitting groups by a column."""

    n_with: NDArray[np.int64]
    """Rows with each value, (n_values,), zero on entry and exit."""
    start: NDArray[np.int64]
    seen: NDArray[np.int64]
    values: NDArray[np.unsignedinteger[Any]]
    """(n_left,)"""
    row_labels: NDArray[np.int32]
    """(n_left,)"""
