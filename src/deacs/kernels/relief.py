"""Differences, distances and neighbours of rows, for the Relief family.

A row is a point; its distance from another is the sum of their differences, feature by feature.
Most rows are too far away to be neighbours, which a sketch proves: with numeric values scaled to
[0, 1] and rounded to bytes, 255 d >= sum |byte - byte'| - slack - slack', where the slack of a row
is its total rounding error, minus the least contribution of its missing values. Only rows whose
bound is below the distance of the farthest neighbour so far are measured, in float64 and in the
order of the features, so the neighbours are those of the exact distances.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.byte_distances import ROWS, bytes_apart
from deacs.kernels.jit import inlined_routine, lean_kernel, lean_routine
from deacs.kernels.masks import popcount

__all__ = [
    "NO_CODE",
    "ROWS",
    "STEPS",
    "TILE",
    "Points",
    "Sketch",
    "Slots",
    "Tile",
    "add_differences",
    "add_nearest",
    "add_nearest_of_numbers",
    "difference",
]

STEPS = 255
"""The byte of a numeric value is the value times this."""
NO_CODE = 255
"""The byte of a missing code."""
TILE = 256
"""The number of rows that stay in the cache while a block of queries is compared with them."""
BEYOND = 2.0**40
"""An upper bound on any distance, in steps."""
ROUNDING = 1.0
"""An upper bound on the rounding error of a sum of differences, in steps."""


class Points(NamedTuple):
    """Rows as points, and the parameters of their differences."""

    values: NDArray[np.float64]
    """(n_rows, n_features): numbers scaled to [0, 1], codes of nominal values; NaN is missing."""
    unknown: NDArray[np.float64]
    """(n_features,): nominal: the difference from a missing value; numeric: -1."""
    ramps: NDArray[np.float64]
    """(n_features,): a difference above it counts as 1 in the weights."""
    plain: bool
    """Whether all features are numeric and complete and no ramp is below 1."""


class Sketch(NamedTuple):
    """Rows in bytes, eight in a word."""

    words: NDArray[np.uint64]
    """(n_words, n_rows and more, a multiple of ROWS): numeric values to the nearest step, then
    nominal ones, unequal only where the codes are; or NO_CODE."""
    n_steps: int
    """Words of numeric values."""
    slack: NDArray[np.int64]
    """(n_rows and more,): by how much, at most, bytes overstate a row's distances, in steps."""


class Tile(NamedTuple):
    """Work space for a tile of rows."""

    bounds: NDArray[np.int64]
    """(ROWS,): bounds on distances from below, in steps."""
    cuts: NDArray[np.float64]
    """(n_labels,): the limit on the bounds of rows with each label."""


class Slots(NamedTuple):
    """The neighbours found so far of a block of rows: k slots for each row and group."""

    distances: NDArray[np.float64]
    """(n_block, n_groups, k)."""
    neighbours: NDArray[np.int64]
    """(n_block, n_groups, k)."""
    filled: NDArray[np.int64]
    """(n_block, n_groups): the number of slots taken."""
    farthest: NDArray[np.int64]
    """(n_block, n_groups): the first slot with the largest distance, once all are taken."""
    limits: NDArray[np.float64]
    """(n_block, n_groups): rows whose bound, in steps, is not below this are not measured."""
    near: NDArray[np.int64]
    """(n_block, TILE + 3): rows below their limit that are still to be measured."""
    n_near: NDArray[np.int64]
    """(n_block,): how many there are."""
    later_first: bool
    """Whether the later of two rows at equal distances gets the slot."""


@lean_kernel
def add_nearest(first, last, rows, labels, groups, gains, points, sketch, slots, tile, weights):
    """Add the differences from the k nearest rows of each group, times gain / k.

    Rows are offered in order; once all slots are taken, a strictly nearer row replaces the farthest
    one, in the first slot among ties (see `Slots.later_first` for the other rule). A group with
    fewer than k rows counts with all of its rows.

    IN first, last: which blocks of queries; rows (n_queries,), labels (n_rows,), groups
    (n_labels, n_labels): the group of a row by the query's label and its own, gains (n_labels,
    n_groups), points, sketch; TEMP slots, tile; OUT weights (n_blocks, n_features), zero on entry.
    """
    n_block, n_groups, _ = slots.neighbours.shape
    for block in range(first, last):
        begin, end = block * n_block, min((block + 1) * n_block, rows.shape[0])
        _fill_slots(begin, end, rows, labels, groups, points, sketch, slots, tile)
        for q in range(end - begin):
            i = rows[begin + q]
            for g in range(n_groups):
                n_filled = slots.filled[q, g]
                for s in range(n_filled):
                    j, gain = slots.neighbours[q, g, s], gains[labels[i], g] / n_filled
                    add_differences(i, j, gain, points, block, weights)


@lean_kernel
def add_nearest_of_numbers(
    first, last, rows, target, labels, groups, points, sketch, slots, tile, of_target, of_features,
    of_both,
):  # fmt: skip
    """Add, over the k nearest rows, the mean difference of targets, of features, of their product.

    IN first, last: which blocks of queries; rows (n_queries,), target (n_rows,), labels (n_rows,)
    and groups (1, 1): zeros, points, sketch; TEMP slots, tile; OUT of_target (n_blocks,),
    of_features and of_both (n_blocks, n_features), zero on entry.
    """
    n_block = slots.neighbours.shape[0]
    for block in range(first, last):
        begin, end = block * n_block, min((block + 1) * n_block, rows.shape[0])
        _fill_slots(begin, end, rows, labels, groups, points, sketch, slots, tile)
        for q in range(end - begin):
            i, n_filled = rows[begin + q], slots.filled[q, 0]
            for s in range(n_filled):
                j = slots.neighbours[q, 0, s]
                share, apart = 1.0 / n_filled, abs(target[i] - target[j])
                of_target[block] += share * apart
                add_differences(i, j, share, points, block, of_features)
                add_differences(i, j, share * apart, points, block, of_both)


@lean_routine
def _fill_slots(begin, end, rows, labels, groups, points, sketch, slots, tile):
    """Find the nearest rows of each group for the queries begin .. end - 1."""
    n_block, n_groups, _ = slots.neighbours.shape
    n_rows = labels.shape[0]
    for q in range(n_block):
        slots.n_near[q] = 0
        for g in range(n_groups):
            slots.filled[q, g], slots.limits[q, g] = 0, np.inf
    until = 0
    while until < n_rows:
        # At first every row is near, so limits are updated often.
        at, until = until, min(until + (ROWS if until < 4 * TILE else TILE), n_rows)
        for q in range(end - begin):
            i = rows[begin + q]
            n_near = _find_near(i, at, until, q, labels, groups, sketch, slots, tile)
            # Four rows are fetched from memory at once; fewer wait for those of the next tile.
            n_measured = n_near if until == n_rows else n_near // 4 * 4
            for s in range(0, n_measured, 4):
                _offer_four(i, s, n_near, q, labels, groups, points, slots)
            slots.n_near[q] = n_near - n_measured
            for s in range(n_near - n_measured):
                slots.near[q, s] = slots.near[q, n_measured + s]


@inlined_routine
def _find_near(i, begin, end, q, labels, groups, sketch, slots, tile):
    """Add to the list the rows of a tile that may be nearer to row i than the limit of their group.

    Return the length of the list.
    """
    words, n_steps, slack = sketch
    bounds, cuts = tile
    near = slots.near[q]
    largest = 0.0
    for c in range(cuts.shape[0]):
        cuts[c] = slots.limits[q, groups[labels[i], c]] + slack[i]
        largest = max(largest, cuts[c])
    limit = np.int64(min(largest, BEYOND)) + 1  # integers are compared faster
    n_near = slots.n_near[q]
    for first in range(begin, end, ROWS):
        mask = bytes_apart(words, slack, i, first, n_steps, limit, bounds)
        while mask != 0:
            j = first + popcount((mask & -mask) - 1)  # the lowest bit
            mask &= mask - 1
            if j < end and j != i and bounds[j - first] < cuts[labels[j]]:
                near[n_near] = j
                n_near += 1
    return n_near


@inlined_routine
def _offer_four(i, s, n_near, q, labels, groups, points, slots):
    """Measure up to four rows at a time, and offer them for slots, in order."""
    near, last = slots.near[q], n_near - 1
    a, b, c, d = near[s], near[min(s + 1, last)], near[min(s + 2, last)], near[min(s + 3, last)]
    to_a = to_b = to_c = to_d = 0.0
    values, unknown, _, plain = points
    if plain:
        for f in range(values.shape[1]):
            value = values[i, f]
            to_a += abs(value - values[a, f])
            to_b += abs(value - values[b, f])
            to_c += abs(value - values[c, f])
            to_d += abs(value - values[d, f])
    else:
        for f in range(values.shape[1]):
            value, missing = values[i, f], unknown[f]
            to_a += difference(value, values[a, f], missing)
            to_b += difference(value, values[b, f], missing)
            to_c += difference(value, values[c, f], missing)
            to_d += difference(value, values[d, f], missing)
    label = labels[i]
    _offer(a, to_a, q, groups[label, labels[a]], slots)
    if s + 1 < n_near:
        _offer(b, to_b, q, groups[label, labels[b]], slots)
    if s + 2 < n_near:
        _offer(c, to_c, q, groups[label, labels[c]], slots)
    if s + 3 < n_near:
        _offer(d, to_d, q, groups[label, labels[d]], slots)


@lean_routine
def _offer(row, distance, q, g, slots):
    """Give a row a free slot, or that of the farthest row if it is nearer."""
    k = slots.distances.shape[2]
    slot = slots.filled[q, g]
    if slot < k:
        slots.filled[q, g] += 1
    else:
        slot = slots.farthest[q, g]
        farthest = slots.distances[q, g, slot]
        if not (distance < farthest or (slots.later_first and distance == farthest)):
            return
    slots.distances[q, g, slot] = distance
    slots.neighbours[q, g, slot] = row
    if slots.filled[q, g] == k:
        farthest = 0
        for t in range(1, k):
            ahead = slots.distances[q, g, t] - slots.distances[q, g, farthest]
            is_earlier = slots.neighbours[q, g, t] < slots.neighbours[q, g, farthest]
            if ahead > 0 or (slots.later_first and ahead == 0 and is_earlier):
                farthest = t
        slots.farthest[q, g] = farthest
        slots.limits[q, g] = STEPS * slots.distances[q, g, farthest] + ROUNDING


@lean_routine
def difference(a, b, unknown):
    """Return the difference of two values of a feature, from 0 to 1.

    A missing number has the largest possible difference from another; a missing code has the
    difference `unknown`. Numeric features have unknown < 0.
    """
    gap = abs(a - b)
    if unknown < 0.0:
        if gap == gap:
            return gap
        number = b if a != a else a
        return 1.0 if number != number else max(number, 1.0 - number)
    if gap != gap:
        return unknown
    return 1.0 if gap > 0.0 else 0.0


@lean_routine
def add_differences(i, j, gain, points, block, weights):
    """Add the weighted differences of two rows to every feature."""
    values, unknown, ramps, plain = points
    if plain:
        for f in range(values.shape[1]):
            weights[block, f] += gain * abs(values[i, f] - values[j, f])
        return
    for f in range(values.shape[1]):
        apart = difference(values[i, f], values[j, f], unknown[f])
        weights[block, f] += gain * (1.0 if apart > ramps[f] else apart)
