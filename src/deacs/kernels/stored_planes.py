"""Counts of pairs from stored bit-planes: features with few values against one target or several.

A plane (one bit per row: does the feature have this value?) is used for all targets of a selection,
so it is stored. Rows are sorted by class, and each class begins at a new word, so that the cells
(f, s, c) of a feature, a target and the class lie in the words of class c. A cell takes one AND and
one population count for every 64 rows, for any number of classes. Rows of different weights lie in
different words as well. X(n) = n log2 n; A and B are defined in `deacs.kernels.pairs`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.fixed_point import xlogx
from deacs.kernels.jit import inlined_routine, lean_kernel
from deacs.kernels.masks import equal_mask, popcount

__all__ = [
    "TILE",
    "WORDS_AT_ONCE",
    "FeaturePlanes",
    "TargetPlanes",
    "feature_planes",
    "plane_pair_sums",
    "target_planes",
]

TILE = 16
"""The number of features counted together, one part of the rows at a time."""

WORDS_AT_ONCE = 1024
"""Words of a plane in a part: a tile's planes and the target's fit the second-level cache."""


class FeaturePlanes(NamedTuple):
    """Bit-planes of features: one for each value but the last."""

    bits: NDArray[np.uint64]
    """(n_planes, n_words)"""
    first: NDArray[np.int64]
    """The first plane of each feature, (n_features,)."""
    n_values: NDArray[np.int64]
    counts: NDArray[np.int64]
    """Counts of each plane by class, (n_planes, n_classes), or in all, (n_planes, 1)."""


class TargetPlanes(NamedTuple):
    """Bit-planes of one target or several: one for each value but the last."""

    bits: NDArray[np.uint64]
    """(n_planes, n_words)"""
    values: NDArray[np.uint64]
    """The value of each plane, among those of all targets, (n_planes,)."""
    bounds: NDArray[np.int64]
    """Where the values of each target begin, (n_targets + 1,)."""
    sizes: NDArray[np.int64]
    """Counts by class and value, (n_classes, n_values), or by value, (1, n_values)."""
    parts: NDArray[np.int64]
    """Parts of the words: the class, the first, the one after the last, the weight of each row."""


@lean_kernel
def feature_planes(columns, rows, parts, buffer, planes):
    """Store a bit-plane for each value but the last, and its count in each class.

    IN columns, rows (64 n_words,): the row in each place, or -1, parts (as in `TargetPlanes`),
    planes.first; TEMP buffer (64 n_words,); OUT planes.bits, planes.counts.
    """
    codes, features, n_values, _ = columns
    bits, first_plane, _, counts = planes
    for k in range(features.shape[0]):
        feature = features[k]
        column = codes[feature]
        last = n_values[feature] - 1
        for at in range(rows.shape[0]):
            buffer[at] = column[rows[at]] if rows[at] >= 0 else last
        for value in range(last):
            plane = first_plane[feature] + value
            for label in range(counts.shape[1]):
                counts[plane, label] = 0
            for part in range(parts.shape[0]):
                n = np.int64(0)
                for word in range(parts[part, 1], parts[part, 2]):
                    mask = equal_mask(buffer, 64 * word, value)
                    bits[plane, word] = mask
                    n += popcount(mask)
                counts[plane, parts[part, 0]] += parts[part, 3] * n


@lean_kernel
def target_planes(codes, places, planes):
    """Set the bit of each row in the plane of its value, if that is not the last.

    IN codes (n_rows,), places (n_rows,): the position of each row; OUT planes (n_values - 1,
    n_words), zero on entry.
    """
    for row in range(codes.shape[0]):
        value = np.int64(codes[row])
        if value < planes.shape[0]:
            planes[value, places[row] >> 6] |= np.uint64(1) << np.uint64(places[row] & 63)


@inlined_routine
def _count_cells(plane, target, values, begin, end, weight, counts):
    """Add the weight of common rows to counts[values[s]] for all planes s of targets.

    Four at a time. Loops from zero need no test for negative indices, and are vectorised.
    """
    mine = plane[begin:end]
    s = 0
    while s + 4 <= target.shape[0]:
        t0, t1 = target[s, begin:end], target[s + 1, begin:end]
        t2, t3 = target[s + 2, begin:end], target[s + 3, begin:end]
        n0, n1, n2, n3 = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        for word in range(mine.shape[0]):
            mask = mine[word]
            n0 += popcount(mask & t0[word])
            n1 += popcount(mask & t1[word])
            n2 += popcount(mask & t2[word])
            n3 += popcount(mask & t3[word])
        counts[values[s]] += weight * n0
        counts[values[s + 1]] += weight * n1
        counts[values[s + 2]] += weight * n2
        counts[values[s + 3]] += weight * n3
        s += 4
    while s < target.shape[0]:
        t0 = target[s, begin:end]
        n0 = np.int64(0)
        for word in range(mine.shape[0]):
            n0 += popcount(mine[word] & t0[word])
        counts[values[s]] += weight * n0
        s += 1


@inlined_routine
def _complete_cells(counts, of_values, sizes, bounds):
    """Fill in the cells of the last values, which have no planes, from the totals.

    IN of_values (n_values - 1, n_classes): the counts of the feature's planes, sizes: those of the
    targets' values, bounds; INOUT counts (n_classes, n_values, n_values of all targets).
    """
    last = of_values.shape[0]
    for label in range(sizes.shape[0]):
        for s in range(sizes.shape[1]):
            counts[label, last, s] = sizes[label, s]
        for f in range(last):
            s = 0
            for t in range(1, bounds.shape[0]):
                left, end = of_values[f, label], bounds[t] - 1
                while s < end:
                    n = counts[label, f, s]
                    left -= n
                    counts[label, last, s] -= n
                    s += 1
                counts[label, f, s] = left
                counts[label, last, s] -= left
                s += 1


@inlined_routine
def _fold_cells(counts, n_values, begin, end, table, scale_bits):
    """Return A and B of a feature and the target with these values.

    IN counts (n_classes, n_values, n_values of all targets), n_values, begin, end, table,
    scale_bits.
    """
    A = B = np.int64(0)
    n_labels = counts.shape[0]
    for f in range(n_values):
        for s in range(end - begin):
            at = np.uint64(begin + s)
            n_fs = np.int64(0)
            for label in range(n_labels):
                n = counts[label, f, at]
                n_fs += n
                A += xlogx(n, table, scale_bits)
            B += xlogx(n_fs, table, scale_bits) if n_labels > 1 else np.int64(0)
    return A, B if n_labels > 1 else A


@lean_kernel
def plane_pair_sums(planes, features, against, fixed, counts, sums):
    """Sum A and B of features against targets.

    IN planes (from `feature_planes`), features (k,), against: the planes of the targets, fixed;
    TEMP counts (TILE, n_classes, max(n_values), n_values of all targets); OUT sums (k, n_targets,
    2).
    """
    table, _, scale_bits = fixed
    bits, first_plane, n_values, of_values = planes
    target, values, bounds, sizes, parts = against
    n_labels = sizes.shape[0]
    for tile in range(0, features.shape[0], TILE):
        end_of_tile = min(tile + TILE, features.shape[0])
        for k in range(tile, end_of_tile):
            for label in range(n_labels):
                for f in range(n_values[features[k]] - 1):
                    for s in range(sizes.shape[1]):
                        counts[k - tile, label, f, s] = 0
        for part in range(parts.shape[0]):
            label, begin, end = parts[part, 0], parts[part, 1], parts[part, 2]
            for k in range(tile, end_of_tile):
                first = first_plane[features[k]]
                for f in range(n_values[features[k]] - 1):
                    mine = counts[k - tile, label, f]
                    _count_cells(bits[first + f], target, values, begin, end, parts[part, 3], mine)
        for k in range(tile, end_of_tile):
            first, width = first_plane[features[k]], n_values[features[k]]
            mine = counts[k - tile]
            _complete_cells(mine, of_values[first : first + width - 1], sizes, bounds)
            for t in range(bounds.shape[0] - 1):
                sums[k, t, 0], sums[k, t, 1] = _fold_cells(
                    mine, width, bounds[t], bounds[t + 1], table, scale_bits
                )
