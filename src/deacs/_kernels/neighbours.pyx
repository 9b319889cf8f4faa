"""Differences, distances and neighbours of rows, for the Relief family.

A row is a point; its distance from another is the sum of their differences, feature by feature.
Most rows are too far away to be neighbours, which a sketch proves: with numeric values scaled to
[0, 1] and rounded to bytes, 255 d >= sum |byte - byte'| - slack - slack', where the slack of a row
is its total rounding error, minus the least contribution of its missing values. Only rows whose
bound is below the distance of the farthest neighbour so far are measured, in float64 and in the
order of the features, so the neighbours are those of the exact distances.
"""

import numpy as np

from libc.math cimport INFINITY, fabs, sqrt
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from deacs._kernels.arrays cimport floats_in, floats_out, ints_in, longs_in, longs_out, words_in

cdef extern from "distances.h" nogil:
    enum:
        ROWS
    uint32_t bytes_apart(
        const uint64_t *words, const int64_t *slack, int64_t n_rows, int64_t n_words, int64_t n_steps,
        int64_t row, int64_t first, int64_t limit, int64_t *gaps,
    )

cdef enum:
    BLOCK = 16     # rows whose neighbours are sought at a time; fixed, so that sums have one order
    TILE = 256     # rows that stay in the cache while a block is compared with them
    NEAR = 8       # the same two for rows within a distance
    NEAR_TILE = 64

ROWS_AT_ONCE, BLOCK_ROWS, NEAR_ROWS = ROWS, BLOCK, NEAR

cdef double STEPS = 255.0        # the byte of a numeric value is the value times this
cdef double ROUNDING = 1.0       # an upper bound on the rounding error of a sum of differences, in steps
cdef double BEYOND = 2.0 ** 40   # an upper bound on any distance, in steps
cdef double TIED = 1e-12         # a distance within this relative difference of a threshold is not below it


cdef struct Points:
    const double *values
    Py_ssize_t n_rows
    Py_ssize_t n_features
    const double *unknown
    const double *ramps
    bint plain


cdef Points points_of(object points) except *:
    """Read `deacs.selection._points.Points`."""
    cdef Points given
    given.values, given.unknown = floats_in(points.values), floats_in(points.unknown)
    given.ramps, given.plain = floats_in(points.ramps), points.plain
    given.n_rows, given.n_features = points.values.shape
    return given


cdef struct Sketch:
    const uint64_t *words
    Py_ssize_t n_words
    Py_ssize_t n_padded
    int64_t n_steps
    const int64_t *slack


cdef Sketch sketch_of(object sketch) except *:
    """Read `deacs.selection._points.Sketch`."""
    cdef Sketch given
    given.words, given.slack, given.n_steps = words_in(sketch.words), longs_in(sketch.slack), sketch.n_steps
    given.n_words, given.n_padded = sketch.words.shape
    return given


cdef struct Slots:
    # The neighbours found so far of a block of rows: k slots for each row and group.
    Py_ssize_t k
    Py_ssize_t n_groups
    bint later_first          # whether the later of two rows at equal distances gets the slot
    double *distances         # (BLOCK, n_groups, k)
    int64_t *neighbours
    int64_t *filled           # (BLOCK, n_groups): the number of slots taken
    int64_t *farthest         # the first slot with the largest distance, once all are taken
    double *limits            # rows whose bound, in steps, is not below this are not measured
    int64_t *near             # (BLOCK, TILE + 3): rows below their limit that are still to be measured
    int64_t *n_near           # (BLOCK,)
    double *cuts              # (n_labels,): the limit on the bounds of rows with each label


cdef struct Labelled:
    const int32_t *labels
    const int64_t *groups     # (n_labels, n_labels): the group of a row by the query's label and its own
    Py_ssize_t n_labels


cdef Slots slots_in(object room, Py_ssize_t k, Py_ssize_t n_groups, bint later_first) except *:
    cdef Slots slots
    cdef int64_t *longs = longs_out(room)
    slots.k, slots.n_groups, slots.later_first = k, n_groups, later_first
    slots.distances, longs = <double *> longs, longs + BLOCK * n_groups * k
    slots.neighbours, longs = longs, longs + BLOCK * n_groups * k
    slots.filled, longs = longs, longs + BLOCK * n_groups
    slots.farthest, longs = longs, longs + BLOCK * n_groups
    slots.limits, longs = <double *> longs, longs + BLOCK * n_groups
    slots.near, longs = longs, longs + BLOCK * (TILE + 3)
    slots.n_near, longs = longs, longs + BLOCK
    slots.cuts = <double *> longs
    return slots


cdef room_for(Py_ssize_t k, Py_ssize_t n_groups, Py_ssize_t n_labels):
    return np.empty(BLOCK * (n_groups * (2 * k + 3) + TILE + 4) + n_labels, dtype=np.int64)


def add_nearest(Py_ssize_t first, Py_ssize_t last, rows, labels, groups, gains, points, sketch, Py_ssize_t k, weights):
    """Add the differences from the k nearest rows of each group, times gain / k.

    Rows are offered in order; once all slots are taken, a strictly nearer row replaces the farthest
    one, in the first slot among ties. A group with fewer than k rows counts with all of its rows.

    IN first, last: which blocks of queries; rows (n_queries,), labels (n_rows,), groups
    (n_labels, n_labels): the group of a row by the query's label and its own, gains (n_labels,
    n_groups), points, sketch, k; OUT weights (n_blocks, n_features), zero on entry.
    """
    cdef Py_ssize_t block, q, g, s, i, n_groups = gains.shape[1], n_queries = len(rows)
    cdef Points given = points_of(points)
    cdef Sketch looks = sketch_of(sketch)
    cdef Labelled of_rows = Labelled(ints_in(labels), longs_in(groups), len(groups))
    room = room_for(k, n_groups, of_rows.n_labels)
    cdef Slots slots = slots_in(room, k, n_groups, False)
    cdef const int64_t *queries = longs_in(rows)
    cdef const double *gain = floats_in(gains)
    cdef double *out = floats_out(weights)
    cdef double share
    with nogil:
        for block in range(first, last):
            _fill_slots(queries, block * BLOCK, min((block + 1) * BLOCK, n_queries), of_rows, given, looks, slots)
            for q in range(min(BLOCK, n_queries - block * BLOCK)):
                i = queries[block * BLOCK + q]
                for g in range(n_groups):
                    for s in range(slots.filled[q * n_groups + g]):
                        share = gain[of_rows.labels[i] * n_groups + g] / slots.filled[q * n_groups + g]
                        _add_differences(
                            i, slots.neighbours[(q * n_groups + g) * k + s], share, given,
                            out + block * given.n_features,
                        )


def add_nearest_of_numbers(
    Py_ssize_t first, Py_ssize_t last, rows, target, points, sketch, Py_ssize_t k, of_target, of_features, of_both,
):
    """Add, over the k nearest rows, the mean difference of targets, of features, of their product.

    Among rows equally far away the later ones get the slots.

    IN first, last: which blocks of queries; rows (n_queries,), target (n_rows,), points, sketch, k;
    OUT of_target (n_blocks,), of_features and of_both (n_blocks, n_features), zero on entry.
    """
    cdef Py_ssize_t block, q, s, i, j, n_queries = len(rows)
    cdef Points given = points_of(points)
    cdef Sketch looks = sketch_of(sketch)
    zeros, group = np.zeros(given.n_rows, dtype=np.int32), np.zeros(1, dtype=np.int64)
    cdef Labelled of_rows = Labelled(ints_in(zeros), longs_in(group), 1)
    room = room_for(k, 1, 1)
    cdef Slots slots = slots_in(room, k, 1, True)
    cdef const int64_t *queries = longs_in(rows)
    cdef const double *number = floats_in(target)
    cdef double *targets = floats_out(of_target)
    cdef double *features = floats_out(of_features)
    cdef double *both = floats_out(of_both)
    cdef double share, apart
    with nogil:
        for block in range(first, last):
            _fill_slots(queries, block * BLOCK, min((block + 1) * BLOCK, n_queries), of_rows, given, looks, slots)
            for q in range(min(BLOCK, n_queries - block * BLOCK)):
                i = queries[block * BLOCK + q]
                for s in range(slots.filled[q]):
                    j = slots.neighbours[q * k + s]
                    share, apart = 1.0 / slots.filled[q], fabs(number[i] - number[j])
                    targets[block] += share * apart
                    _add_differences(i, j, share, given, features + block * given.n_features)
                    _add_differences(i, j, share * apart, given, both + block * given.n_features)


cdef void _fill_slots(
    const int64_t *queries, Py_ssize_t begin, Py_ssize_t end, Labelled of_rows, Points points, Sketch sketch,
    Slots slots,
) noexcept nogil:
    """Find the nearest rows of each group for the queries begin .. end - 1."""
    cdef Py_ssize_t q, g, s, i, at, until = 0, n_near, n_measured
    cdef int64_t *near
    for q in range(BLOCK):
        slots.n_near[q] = 0
        for g in range(slots.n_groups):
            slots.filled[q * slots.n_groups + g], slots.limits[q * slots.n_groups + g] = 0, INFINITY
    while until < points.n_rows:
        # At first every row is near, so limits are updated often.
        at, until = until, min(until + (ROWS if until < 4 * TILE else TILE), points.n_rows)
        for q in range(end - begin):
            i, near = queries[begin + q], slots.near + q * (TILE + 3)
            n_near = _find_near(i, at, until, q, of_rows, sketch, slots, near)
            # Four rows are fetched from memory at once; fewer wait for those of the next tile.
            n_measured = n_near if until == points.n_rows else n_near // 4 * 4
            for s in range(0, n_measured, 4):
                _offer_four(i, near + s, min(4, n_near - s), q, of_rows, points, slots)
            slots.n_near[q] = n_near - n_measured
            for s in range(n_near - n_measured):
                near[s] = near[n_measured + s]


cdef inline Py_ssize_t _find_near(
    Py_ssize_t i, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t q, Labelled of_rows, Sketch sketch, Slots slots,
    int64_t *near,
) noexcept nogil:
    """Add to the list the rows of a tile that may be nearer to row i than the limit of their group.

    Return the length of the list.
    """
    cdef int64_t[ROWS] bounds
    cdef const int64_t *group = of_rows.groups + of_rows.labels[i] * of_rows.n_labels
    cdef double largest = 0.0
    cdef int64_t limit
    cdef uint32_t mask
    cdef Py_ssize_t c, j, r, n_near = slots.n_near[q]
    for c in range(of_rows.n_labels):
        slots.cuts[c] = slots.limits[q * slots.n_groups + group[c]] + sketch.slack[i]
        largest = max(largest, slots.cuts[c])
    limit = <int64_t> min(largest, BEYOND) + 1  # integers are compared faster
    for r in range(begin, end, 16):
        mask = bytes_apart(
            sketch.words, sketch.slack, sketch.n_padded, sketch.n_words, sketch.n_steps, i, r, limit, bounds
        )
        j = r
        while mask != 0:
            if mask & 1 and j < end and j != i and bounds[j - r] < slots.cuts[of_rows.labels[j]]:
                near[n_near] = j
                n_near += 1
            mask >>= 1
            j += 1
    return n_near


cdef inline void _offer_four(
    Py_ssize_t i, const int64_t *near, Py_ssize_t n, Py_ssize_t q, Labelled of_rows, Points points, Slots slots
) noexcept nogil:
    """Measure up to four rows at a time, and offer them for slots, in order."""
    cdef Py_ssize_t f, s, p = points.n_features
    cdef const double *mine = points.values + i * p
    cdef const double *a = points.values + near[0] * p
    cdef const double *b = points.values + near[min(1, n - 1)] * p
    cdef const double *c = points.values + near[min(2, n - 1)] * p
    cdef const double *d = points.values + near[n - 1] * p
    cdef double[4] apart
    cdef double to_a = 0.0, to_b = 0.0, to_c = 0.0, to_d = 0.0
    if points.plain:
        for f in range(p):
            to_a += fabs(mine[f] - a[f])
            to_b += fabs(mine[f] - b[f])
            to_c += fabs(mine[f] - c[f])
            to_d += fabs(mine[f] - d[f])
    else:
        for f in range(p):
            to_a += _difference(mine[f], a[f], points.unknown[f])
            to_b += _difference(mine[f], b[f], points.unknown[f])
            to_c += _difference(mine[f], c[f], points.unknown[f])
            to_d += _difference(mine[f], d[f], points.unknown[f])
    apart[0], apart[1], apart[2], apart[3] = to_a, to_b, to_c, to_d
    for s in range(n):
        _offer(
            near[s], apart[s],
            q * slots.n_groups + of_rows.groups[of_rows.labels[i] * of_rows.n_labels + of_rows.labels[near[s]]], slots,
        )


cdef void _offer(Py_ssize_t row, double distance, Py_ssize_t place, Slots slots) noexcept nogil:
    """Give a row a free slot, or that of the farthest row if it is nearer."""
    cdef double *distances = slots.distances + place * slots.k
    cdef int64_t *neighbours = slots.neighbours + place * slots.k
    cdef Py_ssize_t t, farthest, slot = slots.filled[place]
    cdef double ahead
    if slot < slots.k:
        slots.filled[place] += 1
    else:
        slot = slots.farthest[place]
        if not (distance < distances[slot] or (slots.later_first and distance == distances[slot])):
            return
    distances[slot], neighbours[slot] = distance, row
    if slots.filled[place] == slots.k:
        farthest = 0
        for t in range(1, slots.k):
            ahead = distances[t] - distances[farthest]
            if ahead > 0 or (slots.later_first and ahead == 0 and neighbours[t] < neighbours[farthest]):
                farthest = t
        slots.farthest[place] = farthest
        slots.limits[place] = STEPS * distances[farthest] + ROUNDING


cdef inline double _difference(double a, double b, double unknown) noexcept nogil:
    """Return the difference of two values of a feature, from 0 to 1.

    A missing number has the largest possible difference from another; a missing code has the
    difference `unknown`. Numeric features have unknown < 0.
    """
    cdef double gap = fabs(a - b), number
    if unknown < 0.0:
        if gap == gap:
            return gap
        number = b if a != a else a
        return 1.0 if number != number else max(number, 1.0 - number)
    if gap != gap:
        return unknown
    return 1.0 if gap > 0.0 else 0.0


cdef inline void _add_differences(
    Py_ssize_t i, Py_ssize_t j, double gain, Points points, double *weights
) noexcept nogil:
    """Add the weighted differences of two rows to every feature."""
    cdef const double *mine = points.values + i * points.n_features
    cdef const double *other = points.values + j * points.n_features
    cdef Py_ssize_t f
    cdef double apart
    if points.plain:
        for f in range(points.n_features):
            weights[f] += gain * fabs(mine[f] - other[f])
        return
    for f in range(points.n_features):
        apart = _difference(mine[f], other[f], points.unknown[f])
        weights[f] += gain * (1.0 if apart > points.ramps[f] else apart)


def add_near(Py_ssize_t first, Py_ssize_t last, labels, Py_ssize_t n_labels, columns, scales, points, weights):
    """Add the differences from all rows nearer than mean - sd / 2 of the distances of a row.

    Hits count by -1 / n_hits, misses of label c by (n_labels - 1) n_c / n_misses**2.

    IN first, last: which blocks of rows; labels (n_rows,), n_labels, columns (n_features, n_rows):
    the values once more, scales (n_features,): the weight of a difference in a distance, points;
    OUT weights (n_blocks, n_features), zero on entry.
    """
    cdef Points given = points_of(points)
    cdef Py_ssize_t block, begin, n, q, i, j, f, s, at, until, n_near, n_rows = given.n_rows
    cdef const int32_t *label = ints_in(labels)
    cdef const double *by_column = floats_in(columns)
    cdef const double *scale = floats_in(scales)
    cdef double *out = floats_out(weights)
    room, tallies = np.empty(NEAR * n_rows), np.empty(NEAR * n_labels + NEAR_TILE + 1, dtype=np.int64)
    cdef double *all_distances = floats_out(room)
    cdef double *distances
    cdef int64_t *all_counts = longs_out(tallies)
    cdef int64_t *counts
    cdef int64_t *near = all_counts + NEAR * n_labels
    cdef double limit
    with nogil:
        for block in range(first, last):
            begin, n = block * NEAR, min(NEAR, n_rows - block * NEAR)
            for j in range(NEAR * n_rows):
                all_distances[j] = 0.0
            for at in range(0, n_rows, 512):
                until = min(at + 8 * NEAR_TILE, n_rows)
                for f in range(0, given.n_features, 4):
                    for q in range(n):
                        _add_columns(
                            f, at, until, begin + q, by_column, scale, given, all_distances + q * n_rows
                        )
            for q in range(n):
                i, distances, counts = begin + q, all_distances + q * n_rows, all_counts + q * n_labels
                for j in range(n_labels):
                    counts[j] = 0
                limit = _near_limit(i, n_rows, distances)
                for j in range(n_rows):
                    if distances[j] < limit and j != i:
                        counts[label[j]] += 1
                    else:
                        distances[j] = INFINITY
            for at in range(0, n_rows, 64):
                for q in range(n):
                    n_near, distances = 0, all_distances + q * n_rows
                    for j in range(at, min(at + NEAR_TILE, n_rows)):
                        near[n_near] = j
                        n_near += distances[j] < INFINITY
                    for s in range(0, n_near, 4):
                        _add_rows(
                            begin + q, near + s, n_near - s, label, all_counts + q * n_labels, n_labels, given,
                            out + block * given.n_features,
                        )


cdef void _add_columns(
    Py_ssize_t f, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t i, const double *columns, const double *scales,
    Points points, double *sums,
) noexcept nogil:
    """Add the differences of four features from row i to the distances of a tile of rows."""
    cdef const double *a = columns + f * points.n_rows
    cdef const double *b = a + points.n_rows
    cdef const double *c = b + points.n_rows
    cdef const double *d = c + points.n_rows
    cdef Py_ssize_t g, s
    cdef double in_a, in_b, in_c, in_d
    if points.plain and f + 4 <= points.n_features:
        in_a, in_b, in_c, in_d = a[i], b[i], c[i], d[i]
        for s in range(begin, end):
            sums[s] += fabs(in_a - a[s]) + fabs(in_b - b[s]) + fabs(in_c - c[s]) + fabs(in_d - d[s])
        return
    for g in range(f, min(f + 4, points.n_features)):
        for s in range(begin, end):
            sums[s] += scales[g] * _difference(a[i], a[s], points.unknown[g])
        a += points.n_rows


cdef void _add_rows(
    Py_ssize_t i, const int64_t *near, Py_ssize_t n, const int32_t *labels, const int64_t *counts,
    Py_ssize_t n_labels, Points points, double *weights,
) noexcept nogil:
    """Add the weighted differences from up to four near rows to every feature."""
    cdef Py_ssize_t f, s, p = points.n_features
    cdef const double *mine = points.values + i * p
    cdef const double *a
    cdef const double *b
    cdef const double *c
    cdef const double *d
    cdef double[4] gain
    for s in range(min(n, 4)):
        gain[s] = _gain(labels[i], labels[near[s]], counts, n_labels)
    if not points.plain or n < 4:
        for s in range(min(n, 4)):
            _add_differences(i, near[s], gain[s], points, weights)
        return
    a, b = points.values + near[0] * p, points.values + near[1] * p
    c, d = points.values + near[2] * p, points.values + near[3] * p
    for f in range(p):
        weights[f] += (
            gain[0] * fabs(mine[f] - a[f]) + gain[1] * fabs(mine[f] - b[f])
            + (gain[2] * fabs(mine[f] - c[f]) + gain[3] * fabs(mine[f] - d[f]))
        )


cdef double _near_limit(Py_ssize_t i, Py_ssize_t n_rows, double *distances) noexcept nogil:
    """Return mean - sd / 2 of the distances of row i from all others, minus the rounding error."""
    cdef Py_ssize_t j
    cdef double mean = 0.0, variance = 0.0
    distances[i] = 0.0
    for j in range(n_rows):
        mean += distances[j]
    mean /= <double> (n_rows - 1)
    for j in range(n_rows):
        if j != i:
            variance += (distances[j] - mean) * (distances[j] - mean)
    return (mean - sqrt(variance / <double> (n_rows - 1)) / 2.0) * (1.0 - TIED)


cdef double _gain(int32_t label, int32_t other, const int64_t *counts, Py_ssize_t n_labels) noexcept nogil:
    """Return the weight of a near row with label `other` for a row with label `label`."""
    cdef int64_t n_misses = 0
    cdef Py_ssize_t c
    if other == label:
        return -1.0 / <double> counts[label]
    for c in range(n_labels):
        n_misses += counts[c] if c != label else 0
    return <double> ((n_labels - 1) * counts[other]) / <double> (n_misses * n_misses)
