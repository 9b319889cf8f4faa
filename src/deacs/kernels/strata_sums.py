"""Information of features and shuffled labels, given groups: features of few values, by masks.

Labels are shuffled within groups, so which labels a group has, and in how many rows, is known
before. What changes is where they are: each run (a group's rows of one label) is a bit-plane over
the rows of its group.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.fixed_point import xlogx
from deacs.kernels.jit import lean_kernel, lean_routine
from deacs.kernels.masks import equal_mask, popcount

PADDING = 64
"""A mask reads this many codes."""

__all__ = ["Runs", "StrataScratch", "fill_label_planes", "strata_scratch", "strata_sums"]


class Runs(NamedTuple):
    """The labels that each group has."""

    starts: NDArray[np.int64]
    """The first run of each group; one more entry closes the last."""
    labels: NDArray[np.int64]
    """The label of each run."""
    planes: NDArray[np.int64]
    """Where the plane of each run begins; one more entry closes the last."""


class StrataScratch(NamedTuple):
    """Work space for counting by masks."""

    buffer: NDArray[np.unsignedinteger[Any]]
    """A column in the order of groups, padded."""
    masks: NDArray[np.uint64]
    """The rows of a group that have a value."""


def strata_scratch(n_left: int, dtype: Any) -> StrataScratch:
    """Return a work space for a number of rows."""
    return StrataScratch(np.zeros(n_left + PADDING, dtype), np.empty(n_left // 64 + 1, np.uint64))


@lean_kernel
def fill_label_planes(strata, runs, labels, plane_of, planes):
    """Mark the rows of each run.

    IN strata, runs, labels (n_rows,); TEMP plane_of (n_labels,); OUT planes.
    """
    rows, starts = strata
    for word in range(planes.shape[0]):
        planes[word] = 0
    for g in range(starts.shape[0] - 1):
        begin = starts[g]
        for run in range(runs.starts[g], runs.starts[g + 1]):
            plane_of[runs.labels[run]] = runs.planes[run]
        for r in range(begin, starts[g + 1]):
            at = np.uint64(r - begin)
            word = plane_of[labels[rows[r]]] + np.int64(at >> np.uint64(6))
            planes[word] |= np.uint64(1) << (at & np.uint64(63))


@lean_kernel
def strata_sums(columns, strata, runs, planes, fixed, scratch, sums, freedom):
    """Sum over groups what depends on the feature, and the degrees of freedom.

    IN columns without ignored values, strata, runs, planes (from `fill_label_planes`), fixed (or a
    whole table); TEMP scratch; OUT sums (k,): X of all cells less X of all values, freedom (k,).
    """
    codes, features, n_values, _ = columns
    rows, starts = strata
    buffer, masks = scratch
    table, _, scale_bits = fixed
    for k in range(features.shape[0]):
        column, width = codes[features[k]], n_values[features[k]]
        for r in range(rows.shape[0]):
            buffer[r] = column[rows[r]]
        total, free = np.int64(0), np.int64(0)
        for g in range(starts.shape[0] - 1):
            begin, n_rows = starts[g], starts[g + 1] - starts[g]
            first, last = runs.planes[runs.starts[g]], runs.planes[runs.starts[g + 1]]
            n_words = (n_rows + 63) >> 6
            rest = ~np.uint64(0) >> np.uint64(64 * n_words - n_rows)
            n_seen = np.int64(0)
            for value in range(width):
                if n_words == 1:
                    mask = equal_mask(buffer, begin, value) & rest
                    n_f = popcount(mask)
                    if n_f > 1:  # a value with one row adds nothing
                        for word in range(first, last):
                            n_fi = np.uint64(popcount(mask & planes[word]))
                            total += xlogx(n_fi, table, scale_bits)
                else:
                    n_f = _masks(buffer, begin, value, n_words, rest, masks)
                    for word in range(first, last, n_words):
                        n_fi = _common(masks, planes[word : word + n_words])
                        total += xlogx(n_fi, table, scale_bits)
                total -= xlogx(n_f, table, scale_bits)
                n_seen += n_f > 0
            free += (n_seen - 1) * (runs.starts[g + 1] - runs.starts[g] - 1)
        sums[k], freedom[k] = total, free


@lean_routine
def _masks(buffer, begin, value, n_words, rest, masks):
    """Mark the rows of a group that have a value; return their number.

    IN buffer, begin, value, n_words, rest: the rows of the last word; OUT masks.
    """
    n = np.int64(0)
    for word in range(n_words):
        masks[word] = equal_mask(buffer, begin + 64 * word, value)
        n += popcount(masks[word])
    n -= popcount(masks[n_words - 1] & ~rest)
    masks[n_words - 1] &= rest
    return n


@lean_routine
def _common(masks, plane):
    """Count the rows of a plane that have a value."""
    n = np.int64(0)
    for word in range(plane.shape[0]):
        n += popcount(masks[word] & plane[word])
    return n
