"""Rows within a distance specific to each row, for MultiSURF."""

import numpy as np

from deacs.kernels.jit import lean_kernel, lean_routine
from deacs.kernels.relief import add_differences, difference

__all__ = ["TILE", "add_near"]

TILE = 64
"""The number of rows that stay in the cache while a block of rows is compared with them."""

TIED = 1e-12
"""A distance within this relative difference of a threshold is not below it."""


@lean_kernel
def add_near(first, last, labels, columns, scales, points, distances, counts, near, weights):
    """Add the differences from all rows nearer than mean - sd / 2 of the distances of a row.

    Hits count by -1 / n_hits, misses of label c by (n_labels - 1) n_c / n_misses**2.

    IN first, last: which blocks of rows; labels (n_rows,), columns (n_features, n_rows): the
    values once more, scales (n_features,): the weight of a difference in a distance, points; TEMP
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
    # Views with indices from zero, so that LLVM need not handle negative ones.
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
    """Add the weighted differences from up to four near rows to every feature."""
    if not points.plain or s + 4 > n_near:
        for t in range(s, min(s + 4, n_near)):
            gain = _gain(q, labels[i], labels[near[t]], counts)
            add_differences(i, near[t], gain, points, block, weights)
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
    """Return mean - sd / 2 of the distances of row i from all others, minus the rounding error."""
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
    """Return the weight of a near row with label `other` for a row with label `label`."""
    n_labels = counts.shape[1]
    if other == label:
        return -1.0 / counts[q, label]
    n_misses = 0
    for c in range(n_labels):
        n_misses += counts[q, c] if c != label else 0
    return (n_labels - 1) * counts[q, other] / (n_misses * n_misses)
