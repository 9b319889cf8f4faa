"""Rows sorted by group of S and label, without groups that have only one label.

A *group* is one joint value of S, a *run* the rows of one label in one group. Refining by a newly
selected column is one stable pass over the remaining rows; groups with a single label are dropped,
since they add zero to every later score. For counting by masks, groups are arranged in three
classes: large ones, small ones (at most 64 rows, so that a mask is one word), and pairs.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["SMALL", "Groups", "SplitScratch"]

SMALL = 64
"""The number of rows in a mask."""


class Groups(NamedTuple):
    """Remaining rows by group and label; if arranged, large groups, small groups, then pairs."""

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
