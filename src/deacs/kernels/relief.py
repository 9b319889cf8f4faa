"""Differences, distances and neighbours of rows, for the Relief family.

A row is a point; its distance from another is the sum of their differences, feature by feature.
Most rows are too far away to be neighbours, and a sketch proves it: with numeric values, scaled to
[0, 1], rounded to bytes, 255 d >= sum |byte - byte'| - slack - slack', where the slack of a row is
what its rounding lost, less what its missing values are sure to add. Only rows whose bound lies
below the farthest neighbour found so far are measured, in float64 and in the order of the features,
so the neighbours are those of the exact distances.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.byte_distances import LANES, codes_apart, steps_apart
from deacs.kernels.jit import lean_kernel, lean_routine

__all__ = [
    "LANES",
    "STEPS",
    "TILE",
    "Points",
    "Sketch",
    "Slots",
    "Tile",
    "add_near",
    "add_nearest",
    "add_nearest_of_numbers",
]

STEPS = 255
"""The byte of a numeric value is the value times this."""
NO_CODE = 255
"""The byte of a missing code."""
TILE = 64
"""So many rows stay in the cache while a block of queries looks at them."""
ROUNDING = 1.0
"""More than all rounding of a sum of differences, in steps."""
TIED = 1e-12
"""A distance so close to a threshold, in proportion, is not below it."""


class Points(NamedTuple):
    """Rows as points, and how their differences count."""

    values: NDArray[np.float64]
    """(n_rows, n_features): numbers scaled to [0, 1], codes of nominal values; NaN is missing."""
    unknown: NDArray[np.float64]
    """(n_features,): nominal: the difference from a missing value; numeric: -1."""
    ramps: NDArray[np.float64]
    """(n_features,): a difference above it counts as 1 in the weights."""
    plain: bool
    """Whether all features are numeric and complete and no ramp is below 1."""


class Sketch(NamedTuple):
    """Rows in bytes; lengths are multiples of LANES."""

    steps: NDArray[np.uint8]
    """(n_rows, at least the numeric features): values to the nearest step."""
    codes: NDArray[np.uint8]
    """(n_rows, at least the nominal features): unequal only where the codes are; or NO_CODE."""
    slack: NDArray[np.float64]
    """(n_rows,): what a row's bytes may overstate in a distance, in steps."""


class Tile(NamedTuple):
    """Room for looking at TILE rows at once."""

    bounds: NDArray[np.float64]
    """(TILE,): bounds on distances from below, in steps."""
    cuts: NDArray[np.float64]
    """(n_labels,): what the bound of a row of a label must be below."""
    near: NDArray[np.int64]
    """(TILE + 1,): the rows whose bound is; one more is room to write before looking."""


class Slots(NamedTuple):
    """The neighbours found so far of a block of rows: k slots for each row and group."""

    distances: NDArray[np.float64]
    """(n_block, n_groups, k)."""
    neighbours: NDArray[np.int64]
    """(n_block, n_groups, k)."""
    filled: NDArray[np.int64]
    """(n_block, n_groups): how many slots are taken."""
    farthest: NDArray[np.int64]
    """(n_block, n_groups): the first slot with the largest distance; once all are taken."""
    limits: NDArray[np.float64]
    """(n_block, n_groups): a row whose bound, in steps, is not below this need not be measured."""
    later_first: bool
    """Whether the later of two rows equally far away has the better claim to a slot."""


@lean_kernel
def add_nearest(first, last, rows, labels, groups, gains, points, sketch, slots, tile, weights):
    """Add the differences from the k nearest rows of each group, times gain / k.

    The rows are offered in order; with all slots taken, a strictly nearer row replaces the
    farthest one, the first slot among equals (see `Slots.later_first` for the other rule). A group
    with fewer than k rows counts with what it has.

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
                    _add_differences(i, j, gain, points, block, weights)


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
                _add_differences(i, j, share, points, block, of_features)
                _add_differences(i, j, share * apart, points, block, of_both)


@lean_routine
def _fill_slots(begin, end, rows, labels, groups, points, sketch, slots, tile):
    """Find the nearest rows of each group for the queries begin .. end - 1."""
    n_block, n_groups, _ = slots.neighbours.shape
    n_rows = labels.shape[0]
    for q in range(n_block):
        for g in range(n_groups):
            slots.filled[q, g], slots.limits[q, g] = 0, np.inf
    for at in range(0, n_rows, TILE):
        until = min(at + TILE, n_rows)
        for q in range(end - begin):
            i = rows[begin + q]
            n_near = _find_near(i, at, until, q, labels, groups, sketch, slots, tile)
            for s in range(0, n_near, 4):
                _offer_four(i, s, n_near, q, labels, groups, points, slots, tile.near)


@lean_routine
def _find_near(i, begin, end, q, labels, groups, sketch, slots, tile):
    """List the rows of a tile whose distance from row i may lie below the limit of their group."""
    steps, codes, slack = sketch
    bounds, cuts, near = tile
    for j in range(begin, end):
        n_steps = 0
        for at in range(0, steps.shape[1], LANES):
            n_steps += steps_apart(steps, i * steps.shape[1] + at, j * steps.shape[1] + at)
        for at in range(0, codes.shape[1], LANES):
            n_unequal = codes_apart(codes, i * codes.shape[1] + at, j * codes.shape[1] + at)
            n_steps += STEPS * n_unequal
        bounds[j - begin] = n_steps - slack[j]
    if begin <= i < end:
        bounds[i - begin] = np.inf
    for c in range(cuts.shape[0]):
        cuts[c] = slots.limits[q, groups[labels[i], c]] + slack[i]
    n_near = 0
    for j in range(begin, end):  # without a branch, which nobody could predict
        near[n_near] = j
        n_near += bounds[j - begin] < cuts[labels[j]]
    return n_near


@lean_routine
def _offer_four(i, s, n_near, q, labels, groups, points, slots, near):
    """Measure up to four rows, four sums at a time, and let them compete for slots, in order."""
    last = n_near - 1
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
    """Give a row a slot if one is free, or that of the farthest row if it is nearer."""
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
    """Return how far two values of a feature are apart, from 0 to 1.

    A missing number is as far from another as any number can be; a missing code is `unknown` from
    any. Numeric features have unknown < 0.
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
def _add_differences(i, j, gain, points, block, weights):
    """Add what two rows say about every feature."""
    values, unknown, ramps, plain = points
    if plain:
        for f in range(values.shape[1]):
            weights[block, f] += gain * abs(values[i, f] - values[j, f])
        return
    for f in range(values.shape[1]):
        apart = difference(values[i, f], values[j, f], unknown[f])
        weights[block, f] += gain * (1.0 if apart > ramps[f] else apart)


@lean_kernel
def add_near(first, last, labels, columns, scales, points, distances, counts, near, weights):
    """Add the differences from all rows nearer than mean - sd / 2 of the distances of a row.

    Hits count by -1 / n_hits, misses of label c by (n_labels - 1) n_c / n_misses**2.

    IN first, last: which blocks of rows; labels (n_rows,), columns (n_features, n_rows): the
    values once more, scales (n_features,): what a difference counts in a distance, points; TEMP
    distances (n_block, n_rows), counts (n_block, n_labels), near (TILE + 1,); OUT weights
    (n_blocks, n_features), zero on entry.
    """
    n_block, n_rows = distances.shape
    for block in range(first, last):
        begin, end = block * n_block, min((block + 1) * n_block, n_rows)
        distances[:] = 0.0
        for at in range(0, n_rows, 8 * TILE):
            until = min(at + 8 * TILE, n_rows)
            for f in range(0, columns.shape[0], 4):
                for q in range(end - begin):
                    i = begin + q
                    _add_columns(f, at, until, q, i, columns, scales, points, distances)
        counts[:] = 0
        for q in range(end - begin):
            limit = _near_limit(q, begin + q, distances)
            for j in range(n_rows):
                if distances[q, j] < limit and j != begin + q:
                    counts[q, labels[j]] += 1
                else:
                    distances[q, j] = np.inf
        for at in range(0, n_rows, TILE):
            for q in range(end - begin):
                n_near = 0
                for j in range(at, min(at + TILE, n_rows)):
                    near[n_near] = j
                    n_near += distances[q, j] < np.inf
                i = begin + q
                for s in range(0, n_near, 4):
                    _add_rows(i, s, n_near, near, q, labels, counts, points, block, weights)


@lean_routine
def _add_columns(f, begin, end, q, i, columns, scales, points, distances):
    """Add the differences of four features from row i to the distances of a tile of rows."""
    # Views, whose indices begin at zero: LLVM then need not wonder about negative ones.
    sums = distances[q, begin:end]
    n_features = columns.shape[0]
    if points.plain and f + 4 <= n_features:
        a, b, c, d = columns[f, i], columns[f + 1, i], columns[f + 2, i], columns[f + 3, i]
        in_a, in_b = columns[f, begin:end], columns[f + 1, begin:end]
        in_c, in_d = columns[f + 2, begin:end], columns[f + 3, begin:end]
        for s in range(sums.shape[0]):
            apart = abs(a - in_a[s]) + abs(b - in_b[s])
            sums[s] += apart + abs(c - in_c[s]) + abs(d - in_d[s])
        return
    for g in range(f, min(f + 4, n_features)):
        value, unknown, scale = columns[g, i], points.unknown[g], scales[g]
        others = columns[g, begin:end]
        for s in range(sums.shape[0]):
            sums[s] += scale * difference(value, others[s], unknown)


@lean_routine
def _add_rows(i, s, n_near, near, q, labels, counts, points, block, weights):
    """Add what up to four near rows say about every feature."""
    if not points.plain or s + 4 > n_near:
        for t in range(s, min(s + 4, n_near)):
            gain = _gain(q, labels[i], labels[near[t]], counts)
            _add_differences(i, near[t], gain, points, block, weights)
        return
    a, b, c, d = near[s], near[s + 1], near[s + 2], near[s + 3]
    of_a = _gain(q, labels[i], labels[a], counts)
    of_b = _gain(q, labels[i], labels[b], counts)
    of_c = _gain(q, labels[i], labels[c], counts)
    of_d = _gain(q, labels[i], labels[d], counts)
    values = points.values
    for f in range(values.shape[1]):
        value = values[i, f]
        said = of_a * abs(value - values[a, f]) + of_b * abs(value - values[b, f])
        said += of_c * abs(value - values[c, f]) + of_d * abs(value - values[d, f])
        weights[block, f] += said


@lean_routine
def _near_limit(q, i, distances):
    """Return mean - sd / 2 of the distances of row i from all others, less what may be rounding."""
    n_others = distances.shape[1] - 1
    distances[q, i] = 0.0
    mean = 0.0
    for j in range(n_others + 1):
        mean += distances[q, j]
    mean /= n_others
    variance = 0.0
    for j in range(n_others + 1):
        if j != i:
            variance += (distances[q, j] - mean) ** 2
    return (mean - np.sqrt(variance / n_others) / 2.0) * (1.0 - TIED)


@lean_routine
def _gain(q, label, other, counts):
    """Return what a near row of label `other` counts for a row of label `label`."""
    n_labels = counts.shape[1]
    if other == label:
        return -1.0 / counts[q, label]
    n_misses = 0
    for c in range(n_labels):
        n_misses += counts[q, c] if c != label else 0
    return (n_labels - 1) * counts[q, other] / (n_misses * n_misses)
