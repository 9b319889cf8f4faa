"""Counts of pairs: every feature against one target, by stored bit-planes, in a table, or row by row.

The target is a selected feature s, split by the class c if the criterion depends on it: its *runs*
are the joint values (s, c), its *groups* the values of s. With X(n) = n log2 n, a pairwise criterion
needs two sums,

    A = sum over (f, s, c) of X(n_fsc),    B = sum over (f, s) of X(n_fs),

since the other terms of N I(F; S) = B - E - G + X(N), N I(F; C | S) = A - B - D + G,
N I(F, S; C) = A - B - P + X(N) and N I(F; S | C) = A - D - Q + P depend on one variable only: D and
G on the target, P on the class, E and Q on the feature and, for Q, the class.

A plane has one bit for each row: does the feature have this value? Planes of features are used for
all targets of a selection, so they are stored. Rows are sorted by class, and each class begins at a
new word, so that the cells (f, s, c) of a feature, a target and the class lie in the words of class
c. A cell takes one AND and one population count for every 64 rows, for any number of classes. Rows
of different weights lie in different words as well.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

import numpy as np

from deacs._kernels.arrays cimport (
    Columns, Groups, bytes_out, code, columns_of, floats_in, floats_out, groups_of, ints_in, longs_in, longs_out, pointer, words_in, words_out,
)
from deacs._kernels.fixed_point cimport Fixed, fixed_of, xlogx
from deacs._kernels.masks cimport equal_mask, popcount

cdef extern from "planes.h" nogil:
    void common_of_four(const uint64_t *plane, const uint64_t *others, size_t apart, size_t n, int64_t *counts)
    void fetch_words(const uint64_t *words, size_t n)

cdef enum:
    MOST_FETCHED = 1024  # words, that stay in the first-level cache until they are counted

cdef struct Planes:
    uint64_t *bits
    Py_ssize_t n_words
    const int64_t *first
    const int64_t *n_values
    int64_t *counts
    int64_t *pooled
    int64_t *own
    Py_ssize_t n_labels


cdef inline Planes planes_of(object planes) except *:
    """Read `deacs.counts.pairs.Planes`."""
    cdef Planes given
    given.bits, given.n_words = words_out(planes.bits), planes.bits.shape[1]
    given.first, given.n_values = longs_in(planes.first), longs_in(planes.n_values)
    given.counts, given.n_labels = longs_out(planes.counts), planes.counts.shape[1]
    given.pooled, given.own = longs_out(planes.pooled), longs_out(planes.own)
    return given


cdef struct Rows:
    const int32_t *rows
    Py_ssize_t n
    const int64_t *gaps
    Py_ssize_t n_gaps
    const int64_t *parts
    Py_ssize_t n_parts
    const int64_t *by_class


cdef inline Rows rows_of(object rows, object by_class) except *:
    """Read `deacs.counts.pairs.RowsByClass`, and the count of each class."""
    cdef Rows given
    given.rows, given.n = ints_in(rows.rows), len(rows.rows)
    given.gaps, given.n_gaps = longs_in(rows.gaps), len(rows.gaps)
    given.parts, given.n_parts = longs_in(rows.parts), len(rows.parts)
    given.by_class = longs_in(by_class)
    return given


cdef struct Target:
    const uint32_t *keys
    const uint64_t *planes
    const int64_t *sizes
    Py_ssize_t n_labels
    Py_ssize_t n_values
    const int64_t *parts
    Py_ssize_t n_parts
    int64_t D
    int64_t G


cdef inline Target target_of(object runs, object rows) except *:
    """Read `deacs.counts.pairs.Runs`, with its planes if there is an order of the rows."""
    cdef Target given
    given.keys = <const uint32_t *> pointer(runs.keys, 4, b"IL", 0)
    given.n_labels, given.n_values, given.D, given.G = runs.n_labels, runs.n_values, runs.by_run, runs.by_group
    given.sizes, given.planes, given.parts, given.n_parts = longs_in(runs.sizes), NULL, NULL, 0
    if rows is not None:
        parts = rows.parts if runs.by_class else rows.all_parts
        given.planes, given.parts, given.n_parts = words_in(runs.planes_in(rows)), longs_in(parts), len(parts)
    return given


def feature_planes(columns, rows, by_class, fixed, buffer, planes):
    """Store a bit-plane for each value but the last, its counts, and E and Q of the feature.

    IN columns, rows, by_class (n_classes,): the count of each, fixed, planes.first, planes.n_values;
    TEMP buffer (64 n_words,) of uint8; OUT the other planes.
    """
    cdef Columns given = columns_of(columns)
    cdef Rows by_row = rows_of(rows, by_class)
    cdef Planes out = planes_of(planes)
    cdef Fixed X = fixed_of(fixed)
    cdef uint8_t *codes = bytes_out(buffer)
    cdef Py_ssize_t k
    with nogil:
        for k in range(given.n):
            _store(given, given.features[k], by_row, X, codes, out)


cdef void _store(Columns given, int64_t feature, Rows rows, Fixed X, uint8_t *codes, Planes out) noexcept nogil:
    cdef const char *column = given.codes + feature * given.stride
    cdef int64_t last = given.n_values[feature] - 1
    cdef int64_t *counts = out.counts + out.first[feature] * out.n_labels
    cdef uint64_t *plane = out.bits + out.first[feature] * out.n_words
    cdef int64_t n, left, in_all = 0, E = 0, Q = 0
    cdef Py_ssize_t value, label, p, word
    _arrange_either(column, given.width, rows, <uint8_t> last, codes)
    memset(counts, 0, last * out.n_labels * sizeof(int64_t))
    for value in range(last):
        for p in range(rows.n_parts):
            n = 0
            for word in range(rows.parts[4 * p + 1], rows.parts[4 * p + 2]):
                plane[word] = equal_mask(codes + 64 * word, <uint8_t> value)
                n += popcount(plane[word])
            counts[value * out.n_labels + rows.parts[4 * p]] += rows.parts[4 * p + 3] * n
        plane += out.n_words
    for label in range(out.n_labels):
        in_all += rows.by_class[label]
        left = rows.by_class[label]
        for value in range(last):
            left -= counts[value * out.n_labels + label]
            Q += xlogx(counts[value * out.n_labels + label], X)
        Q += xlogx(left, X)
    for value in range(last):
        n = 0
        for label in range(out.n_labels):
            n += counts[value * out.n_labels + label]
        out.pooled[out.first[feature] + value] = n
        in_all -= n
        E += xlogx(n, X)
    out.own[2 * feature], out.own[2 * feature + 1] = E + xlogx(in_all, X), Q


def column_planes(codes, Py_ssize_t n_values, rows, buffer, bits):
    """Make the planes of one column: OUT bits (n_values - 1, n_words); TEMP buffer, as above."""
    cdef Rows by_row = rows_of(rows, None)
    cdef int width = codes.itemsize
    cdef const char *column = <const char *> pointer(codes, width, b"BHIL", 0)
    cdef uint8_t *arranged = bytes_out(buffer)
    cdef uint64_t *plane = words_out(bits)
    cdef Py_ssize_t n_words = len(rows.rows) // 64, value, word
    with nogil:
        _arrange_either(column, width, by_row, <uint8_t> (n_values - 1), arranged)
        for value in range(n_values - 1):
            for word in range(n_words):
                plane[value * n_words + word] = equal_mask(arranged + 64 * word, <uint8_t> value)


cdef void _arrange_either(const char *column, int width, Rows rows, uint8_t last, uint8_t *codes) noexcept nogil:
    cdef Py_ssize_t p
    if width == 1:
        _arrange(<const uint8_t *> column, rows.rows, rows.n, codes)
    elif width == 2:
        _arrange(<const uint16_t *> column, rows.rows, rows.n, codes)
    else:
        _arrange(<const uint32_t *> column, rows.rows, rows.n, codes)
    for p in range(rows.n_gaps):
        codes[rows.gaps[p]] = last


cdef void _arrange(const code *column, const int32_t *rows, Py_ssize_t n, uint8_t *codes) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        codes[k] = <uint8_t> column[rows[k]]


def plane_pair_sums(planes, features, runs, rows, fixed, cells, sums):
    """Sum A and B of features against one target.

    IN planes, features (k,), runs: the target, rows: their order in planes, fixed; TEMP cells
    (n_classes or 1, max(n_values), n_values of the target); OUT sums (k, 2).
    """
    cdef Planes given = planes_of(planes)
    cdef Target target = target_of(runs, rows)
    cdef Fixed X = fixed_of(fixed)
    cdef const int64_t *feature = longs_in(features)
    cdef int64_t *table = longs_out(cells)
    cdef int64_t *out = longs_out(sums)
    cdef Py_ssize_t n = len(features), k
    with nogil:
        for k in range(n):
            if k + 1 < n:  # it comes from memory while this one is counted
                fetch_words(given.bits + given.first[feature[k + 1]] * given.n_words,
                            min((given.n_values[feature[k + 1]] - 1) * given.n_words, MOST_FETCHED))
            _plane_pair(given, feature[k], target, X, table, out + 2 * k)


cdef void _plane_pair(Planes planes, int64_t feature, Target target, Fixed X, int64_t *cells, int64_t *out) noexcept nogil:
    """Set A and B of a feature."""
    cdef int64_t width = planes.n_values[feature], first = planes.first[feature]
    cdef Py_ssize_t n_groups = target.n_values, of_label = width * n_groups, p, f, begin
    cdef const int64_t *part = target.parts
    cdef const int64_t *of_values = planes.pooled + first
    if target.n_labels > 1:
        of_values = planes.counts + first * planes.n_labels
    memset(cells, 0, target.n_labels * of_label * sizeof(int64_t))
    for p in range(target.n_parts):
        begin = part[1]
        for f in range(width - 1):
            _count_cells(planes.bits + (first + f) * planes.n_words + begin, target.planes + begin, planes.n_words,
                         n_groups - 1, part[2] - begin, part[3], cells + part[0] * of_label + f * n_groups)
        part += 4
    _complete_cells(cells, of_values, target.sizes, target.n_labels, width, n_groups)
    _fold_cells(cells, target.n_labels, of_label, X, out)


cdef inline void _count_cells(
    const uint64_t *plane, const uint64_t *target, Py_ssize_t n_words, Py_ssize_t n, Py_ssize_t length,
    int64_t weight, int64_t *counts,
) noexcept nogil:
    """Add the weight of common rows to the counts of all planes of the target, four at a time."""
    cdef int64_t[4] common
    cdef int64_t n_common
    cdef Py_ssize_t s = 0, k, word
    while s + 4 <= n:
        common_of_four(plane, target + s * n_words, n_words, length, common)
        for k in range(4):
            counts[s + k] += weight * common[k]
        s += 4
    while s < n:
        n_common = 0
        for word in range(length):
            n_common += popcount(plane[word] & target[s * n_words + word])
        counts[s] += weight * n_common
        s += 1


cdef inline void _complete_cells(
    int64_t *counts, const int64_t *of_values, const int64_t *sizes, Py_ssize_t n_labels, Py_ssize_t width,
    Py_ssize_t n_groups,
) noexcept nogil:
    """Fill in the cells of the last values, which have no planes, from the totals."""
    cdef Py_ssize_t label, f, s
    cdef int64_t left
    cdef int64_t *cells
    cdef int64_t *last
    for label in range(n_labels):
        cells = counts + label * width * n_groups
        last = cells + (width - 1) * n_groups
        for s in range(n_groups):
            last[s] = sizes[label * n_groups + s]
        for f in range(width - 1):
            left = of_values[f * n_labels + label]
            for s in range(n_groups - 1):
                left -= cells[f * n_groups + s]
                last[s] -= cells[f * n_groups + s]
            cells[f * n_groups + n_groups - 1] = left
            last[n_groups - 1] -= left


cdef inline void _fold_cells(
    const int64_t *counts, Py_ssize_t n_labels, Py_ssize_t of_label, Fixed X, int64_t *out
) noexcept nogil:
    cdef int64_t A = 0, B = 0, n, n_fs
    cdef Py_ssize_t cell, label
    for cell in range(of_label):
        n_fs = 0
        for label in range(n_labels):
            n = counts[label * of_label + cell]
            n_fs += n
            A += xlogx(n, X)
        if n_labels > 1:
            B += xlogx(n_fs, X)
    out[0], out[1] = A, B if n_labels > 1 else A


def table_pair_sums(columns, runs, weights, fixed, cells, sums):
    """Sum A, B, E and Q of features against one target; all rows count.

    IN columns, runs: the target, weights or None, fixed; TEMP cells (max(n_values) * n_keys +
    n_labels,), zero on entry and exit; OUT sums (k, 4).
    """
    cdef Columns given = columns_of(columns)
    cdef Target target = target_of(runs, None)
    cdef Fixed X = fixed_of(fixed)
    cdef const int64_t *weight = longs_in(weights)
    cdef int64_t *table = longs_out(cells)
    cdef int64_t *out = longs_out(sums)
    cdef Py_ssize_t k
    with nogil:
        for k in range(given.n):
            _table_pair(given, given.features[k], target, weight, X, table, out + 4 * k)


cdef void _table_pair(
    Columns given, int64_t feature, Target target, const int64_t *weights, Fixed X, int64_t *cells, int64_t *out
) noexcept nogil:
    """Set A, B, E and Q of a feature; the last cells are those of the class."""
    cdef const char *column = given.codes + feature * given.stride
    cdef int64_t n_keys = target.n_values * target.n_labels, width = given.n_values[feature]
    cdef int64_t *cell = cells + target.n_labels
    cdef int64_t A = 0, B = 0, E = 0, Q = 0, n, n_f, n_fs
    cdef Py_ssize_t f, group, label
    if given.width == 1:
        _add_rows(<const uint8_t *> column, target.keys, weights, given.n_rows, n_keys, cell)
    elif given.width == 2:
        _add_rows(<const uint16_t *> column, target.keys, weights, given.n_rows, n_keys, cell)
    else:
        _add_rows(<const uint32_t *> column, target.keys, weights, given.n_rows, n_keys, cell)
    for f in range(width):
        n_f = 0
        for group in range(target.n_values):
            n_fs = 0
            for label in range(target.n_labels):
                n, cell[0] = cell[0], 0
                cell += 1
                n_fs += n
                cells[label] += n
                A += xlogx(n, X)
            n_f += n_fs
            B += xlogx(n_fs, X)
        E += xlogx(n_f, X)
        for label in range(target.n_labels):
            Q += xlogx(cells[label], X)
            cells[label] = 0
    out[0], out[1], out[2], out[3] = A, B, E, Q


cdef void _add_rows(
    const code *column, const uint32_t *keys, const int64_t *weights, Py_ssize_t n, Py_ssize_t n_keys, int64_t *cells,
) noexcept nogil:
    cdef Py_ssize_t row
    if weights == NULL:
        for row in range(n):
            cells[<uint64_t> column[row] * n_keys + keys[row]] += 1
    else:
        for row in range(n):
            cells[<uint64_t> column[row] * n_keys + keys[row]] += weights[row]


cdef struct Scratch:
    int64_t *in_all     # (widest,), zero between features
    int64_t *in_group   # (widest,), zero between groups
    int64_t *in_run     # (widest,), zero between runs
    int64_t *in_label   # (n_labels, widest), zero between features
    int64_t *by_label   # (n_labels,), zero between features
    int64_t *here       # (widest + 1,)
    int64_t *seen       # (widest + 1,)
    Py_ssize_t widest
    Py_ssize_t n_labels


def row_pair_sums(columns, groups, weights, fixed, sums):
    """Compute all sums of pairs, row by row, on the rows in which the feature counts.

    IN columns, groups: the rows by value of the target and label, weights or None, fixed; OUT sums
    (k, 9): A, B, D, E, G, P, X(N), N and Q.
    """
    cdef Columns given = columns_of(columns)
    cdef Groups rows = groups_of(groups)
    cdef Fixed X = fixed_of(fixed)
    cdef const int64_t *weight = longs_in(weights)
    cdef int64_t *out = longs_out(sums)
    cdef Scratch scratch
    cdef Py_ssize_t widest = max(columns.n_values[columns.features].tolist(), default=0)
    cdef Py_ssize_t n_labels = int(groups.run_labels.max(initial=-1)) + 1
    cdef Py_ssize_t k
    cdef const char *column
    cdef int64_t width, ignored
    work = np.zeros((5 + n_labels) * (widest + 1) + n_labels, dtype=np.int64)
    scratch.in_all = longs_out(work)
    scratch.in_group = scratch.in_all + widest
    scratch.in_run = scratch.in_group + widest
    scratch.in_label = scratch.in_run + widest
    scratch.by_label = scratch.in_label + n_labels * widest
    scratch.here = scratch.by_label + n_labels
    scratch.seen = scratch.here + widest + 1
    scratch.widest, scratch.n_labels = widest, n_labels
    with nogil:
        for k in range(given.n):
            column = given.codes + given.features[k] * given.stride
            width, ignored = given.n_values[given.features[k]], given.ignored[given.features[k]]
            if given.width == 1:
                _pair(<const uint8_t *> column, width, ignored, rows, weight, X, scratch, out + 9 * k)
            elif given.width == 2:
                _pair(<const uint16_t *> column, width, ignored, rows, weight, X, scratch, out + 9 * k)
            else:
                _pair(<const uint32_t *> column, width, ignored, rows, weight, X, scratch, out + 9 * k)


cdef void _pair(
    const code *column, int64_t width, int64_t ignored, Groups groups, const int64_t *weights, Fixed X,
    Scratch scratch, int64_t *out,
) noexcept nogil:
    cdef int64_t A = 0, B = 0, D = 0, E = 0, G = 0, P = 0, Q = 0, N = 0
    cdef int64_t g, r, run, label, n, n_run, n_group, weight
    cdef Py_ssize_t n_here, n_seen, visit, value
    cdef int64_t *of_label
    for g in range(groups.n):
        n_seen = n_group = 0
        for run in range(groups.group_runs[g], groups.group_runs[g + 1]):
            label = groups.run_labels[run]
            of_label = scratch.in_label + label * scratch.widest
            n_here = n_run = 0
            for r in range(groups.run_starts[run], groups.run_starts[run + 1]):
                # Without a branch: a value is listed when it is seen for the first time.
                value = column[groups.rows[r]]
                weight = 1 if weights == NULL else weights[groups.rows[r]]
                scratch.here[n_here] = value
                n_here += (scratch.in_run[value] == 0) & (weight > 0)
                scratch.in_run[value] += weight
                n_run += weight
            if ignored >= 0:
                n_run -= scratch.in_run[ignored]
                scratch.in_run[ignored] = 0
            for visit in range(n_here):
                value = scratch.here[visit]
                n, scratch.in_run[value] = scratch.in_run[value], 0
                scratch.seen[n_seen] = value
                n_seen += (scratch.in_group[value] == 0) & (n > 0)
                scratch.in_group[value] += n
                of_label[value] += n
                A += xlogx(n, X)
            n_group += n_run
            scratch.by_label[label] += n_run
            D += xlogx(n_run, X)
        for visit in range(n_seen):
            value = scratch.seen[visit]
            n, scratch.in_group[value] = scratch.in_group[value], 0
            scratch.in_all[value] += n
            B += xlogx(n, X)
        N += n_group
        G += xlogx(n_group, X)
    for value in range(width):
        E += xlogx(scratch.in_all[value], X)
        scratch.in_all[value] = 0
    for label in range(scratch.n_labels):
        P += xlogx(scratch.by_label[label], X)
        scratch.by_label[label] = 0
        of_label = scratch.in_label + label * scratch.widest
        for value in range(width):
            Q += xlogx(of_label[value], X)
            of_label[value] = 0
    out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8] = A, B, D, E, G, P, xlogx(N, X), N, Q


cdef enum Term:  # as in `deacs.counts.pairs.TERMS`
    CONDITIONAL
    JOINT
    SYMMETRICAL_RELEVANCE
    REDUNDANCY
    OVERLAP


cdef struct Totals:
    int64_t P
    int64_t X_N
    int64_t N
    int64_t rounding
    double unit


cdef inline double _bits(int64_t units, Totals of_all) noexcept nogil:
    """Turn units into bits per row; up to the rounding error they are zero."""
    return <double> (units if units > of_all.rounding else 0) / <double> of_all.N * of_all.unit


cdef double _term(Term term, const int64_t *sums, Target target, Totals of_all) noexcept nogil:
    cdef int64_t A = sums[0], B = sums[1], E = sums[2], Q = sums[3]
    cdef double joint, entropy, redundancy
    if term == CONDITIONAL:
        return _bits(A - B - target.D + target.G, of_all)
    if term >= REDUNDANCY:
        redundancy = _bits(B - E - target.G + of_all.X_N, of_all)
        if term == OVERLAP:
            redundancy = max(redundancy - _bits(A - target.D - Q + of_all.P, of_all), 0.0)
        return redundancy
    joint, entropy = _bits(A - B - of_all.P + of_all.X_N, of_all), _bits(of_all.X_N - A, of_all)
    if term == SYMMETRICAL_RELEVANCE:
        return joint / entropy if entropy > 0 else 0.0
    return joint


def fold_contenders(
    columns, planes, is_made, rows, by_class, buffer, weights, fixed, targets, totals, Term term, double divisor,
    double best, double slack, start, fold, seen, cells, bounds,
):
    """Fold terms of candidates while their bounds reach the best J; return the best J.

    IN columns: the candidates by descending bound, rows, by_class, weights, fixed, targets: the
    selected features, totals: P, X(N), N, the rounding error and the unit, term, divisor of the sum
    of terms, or 0 for the least, best: the largest known J, slack: the difference that still ties,
    start (n_features,); TEMP buffer, cells (as for tables); INOUT planes (None: tables are counted),
    is_made, and of each feature fold and seen: its terms so far, and their number; OUT bounds (n,):
    J of the terms so far.
    """
    cdef Columns given = columns_of(columns)
    cdef bint by_planes = planes is not None
    cdef Rows by_row
    cdef Planes stored
    cdef Fixed X = fixed_of(fixed)
    cdef Totals of_all = Totals(totals[0], totals[1], totals[2], totals[3], totals[4])
    cdef uint8_t *codes = bytes_out(buffer)
    cdef uint8_t *made = bytes_out(is_made)
    cdef const double *most = floats_in(start)
    cdef double *folded = floats_out(fold)
    cdef int64_t *n_folded = longs_out(seen)
    cdef int64_t *table = longs_out(cells)
    cdef double *bound = floats_out(bounds)
    cdef Py_ssize_t n = len(targets), k
    cdef int64_t feature
    cdef int64_t[4] sums
    cdef const int64_t *weight = longs_in(weights)
    cdef double new
    room = np.empty(n * sizeof(Target), dtype=np.uint8)
    cdef Target *target = <Target *> bytes_out(room)
    if by_planes:
        by_row, stored = rows_of(rows, by_class), planes_of(planes)
    for k in range(n):
        target[k] = target_of(targets[k], rows if by_planes else None)
    with nogil:
        for k in range(given.n):
            feature = given.features[k]
            while True:
                if divisor > 0:
                    bound[k] = most[feature] - folded[feature] / divisor
                else:
                    bound[k] = min(most[feature], folded[feature])
                if n_folded[feature] == n or bound[k] < best - slack * max(1.0, fabs(best)):
                    break
                if by_planes:
                    if not made[feature]:
                        _store(given, feature, by_row, X, codes, stored)
                        made[feature] = 1
                    _plane_pair(stored, feature, target[n_folded[feature]], X, table, sums)
                    sums[2], sums[3] = stored.own[2 * feature], stored.own[2 * feature + 1]
                else:
                    _table_pair(given, feature, target[n_folded[feature]], weight, X, table, sums)
                new = _term(term, sums, target[n_folded[feature]], of_all)
                folded[feature] = folded[feature] + new if divisor > 0 else min(folded[feature], new)
                n_folded[feature] += 1
            if n_folded[feature] == n:
                best = max(best, bound[k])
    return best
