"""Named tuples of arrays, as compiled code takes them; `arrays.pxd` reads them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["SMALL", "Chance", "Columns", "Groups", "Masks", "Parts"]

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


class Parts(NamedTuple):
    """The rows of a group that belong to an output, by group.

    For classes, a part is a run. With several labels per row, a run belongs to all of its labels,
    and a part holds the rows of several runs. Parts that are empty, or the whole group, add zero to
    every score and are omitted.
    """

    groups: NDArray[np.int64]
    """The start of each group's parts, and the end of the last."""
    starts: NDArray[np.int64]
    """The start of each part's rows, and the end of the last."""
    outputs: NDArray[np.int32]
    """The output of each part."""
    positions: NDArray[np.int32] | None
    """Indices into `Groups.rows`, part by part; None: parts are runs."""
    sizes: NDArray[np.int64]
    """How much each part counts, (n_parts,)."""
    group_sizes: NDArray[np.int64]
    """How much each group counts, (n_groups,)."""


class Masks(NamedTuple):
    """The rows of parts as bits: of those of their group, 64 in a word."""

    first: NDArray[np.uint64]
    """The first word of each part, the only one in small groups, (n_parts,)."""
    words: NDArray[np.uint64] | None = None
    """The words of all parts; None: parts are runs, of which only small groups need masks."""
    starts: NDArray[np.int64] | None = None
    """Where the words of each part begin, (n_parts,)."""


class Chance(NamedTuple):
    """Tables of b(n_g, n_i, .) (`chance.pxd`); parts of equal sizes share one."""

    starts: NDArray[np.int64]
    """The offset of each part's table, or -1 if it has none, (n_parts,)."""
    small: NDArray[np.int64]
    """b[n_g, n_i, n_f] of all groups of at most 64 rows, shared by all selections."""
    large: NDArray[np.int64]
    """The tables of larger groups; -1 marks entries not yet computed."""
