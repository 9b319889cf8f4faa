"""Labels shuffled within groups: the shuffle, margins of tables, and information counted by masks.

SplitMix64 (Steele, Lea & Flood, 2014) has one word of state, so a seed determines a permutation;
unbiased numbers below a bound are drawn by Lemire's method (2019).

Which labels a group has, and in how many rows, no shuffle changes. What changes is where they are:
each run (a group's rows of one label) is a bit-plane over the rows of its group.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from deacs._kernels.arrays cimport Columns, code, columns_of, floats_out, ints_in, ints_out, longs_in, longs_out
from deacs._kernels.arrays cimport bytes_out, words_in, words_out
from deacs._kernels.fixed_point cimport Fixed, fixed_of, xlogx
from deacs._kernels.masks cimport equal_mask, popcount

cdef struct Strata:
    const int32_t *rows
    Py_ssize_t n_rows
    const int64_t *starts
    Py_ssize_t n


cdef Strata strata_of(object strata) except *:
    """Read `deacs.significance.conditional_test.Strata`."""
    cdef Strata given
    given.rows, given.n_rows = ints_in(strata.rows), len(strata.rows)
    given.starts, given.n = longs_in(strata.starts), len(strata.starts) - 1
    return given


cdef struct Runs:
    const int64_t *starts
    const int64_t *labels
    const int64_t *planes


cdef Runs runs_of(object runs) except *:
    """Read `deacs.significance.conditional_test.Runs`."""
    return Runs(longs_in(runs.starts), longs_in(runs.labels), longs_in(runs.planes))


cdef inline uint64_t _mixed(uint64_t word) noexcept nogil:
    word = (word ^ (word >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9u
    word = (word ^ (word >> 27)) * <uint64_t> 0x94D049BB133111EBu
    return word ^ (word >> 31)


def shuffle_within(strata, uint64_t seed, labels):
    """Shuffle the labels of the rows of each group (Fisher and Yates).

    IN strata, seed; IN OUT labels (n_rows,).
    """
    cdef Strata given = strata_of(strata)
    cdef int32_t *label = ints_out(labels)
    cdef const int32_t *rows
    cdef uint64_t state = seed, bound, unfair, product, low = <uint64_t> 0xFFFFFFFFu
    cdef Py_ssize_t g, last
    cdef int32_t first, second
    with nogil:
        for g in range(given.n):
            rows = given.rows + given.starts[g]
            for last in range(given.starts[g + 1] - given.starts[g] - 1, 0, -1):
                bound = <uint64_t> last + 1
                # The upper half of a 32-bit number times the bound; the few that would cause a bias
                # are drawn again.
                unfair = (low + 1 - bound) % bound
                while True:
                    state += <uint64_t> 0x9E3779B97F4A7C15u
                    product = (_mixed(state) >> 32) * bound
                    if (product & low) >= unfair:
                        break
                first, second = rows[last], rows[product >> 32]
                label[first], label[second] = label[second], label[first]


def table_margins(columns, strata, labels, Py_ssize_t n_labels, margins):
    """Sum, over groups, statistics of the margins of each feature's tables.

    IN columns, strata, labels (n_rows,), n_labels; OUT margins (k, 3): degrees of freedom
    (V - 1)(K - 1); the excess of the mean of G over them (Williams, 1976); the least expected
    count of any cell.
    """
    cdef Columns given = columns_of(columns)
    cdef Strata groups = strata_of(strata)
    cdef const int32_t *label = ints_in(labels)
    cdef double *out = floats_out(margins)
    counts = np.zeros(columns.n_values[columns.features].max(initial=0) + n_labels, dtype=np.int64)
    cdef int64_t *in_label = longs_out(counts)
    cdef int64_t *in_value = in_label + n_labels
    cdef const char *column
    cdef int64_t ignored
    cdef Py_ssize_t k
    with nogil:
        for k in range(given.n):
            column, ignored = given.codes + given.features[k] * given.stride, given.ignored[given.features[k]]
            if given.width == 1:
                _margins(<const uint8_t *> column, ignored, groups, label, in_value, in_label, out + 3 * k)
            elif given.width == 2:
                _margins(<const uint16_t *> column, ignored, groups, label, in_value, in_label, out + 3 * k)
            else:
                _margins(<const uint32_t *> column, ignored, groups, label, in_value, in_label, out + 3 * k)


cdef void _margins(
    const code *column, int64_t ignored, Strata groups, const int32_t *labels, int64_t *in_value, int64_t *in_label,
    double *margins,
) noexcept nogil:
    cdef int64_t freedom = 0, n, n_values, n_labels, least_value, least_label, value
    cdef double excess = 0.0, least = INFINITY, by_value, by_label
    cdef int32_t label
    cdef Py_ssize_t g, r
    for g in range(groups.n):
        n = 0
        for r in range(groups.starts[g], groups.starts[g + 1]):
            value = column[groups.rows[r]]
            if value != ignored:
                in_value[value] += 1
                in_label[labels[groups.rows[r]]] += 1
                n += 1
        # Visit each value and label of the group once: its first row clears the count.
        n_values, n_labels, by_value, by_label, least_value, least_label = 0, 0, 0.0, 0.0, n, n
        for r in range(groups.starts[g], groups.starts[g + 1]):
            value, label = column[groups.rows[r]], labels[groups.rows[r]]
            if value == ignored:
                continue
            if in_value[value] > 0:
                n_values += 1
                by_value += 1.0 / <double> in_value[value]
                least_value = min(least_value, in_value[value])
                in_value[value] = 0
            if in_label[label] > 0:
                n_labels += 1
                by_label += 1.0 / <double> in_label[label]
                least_label = min(least_label, in_label[label])
                in_label[label] = 0
        if n_values > 1 and n_labels > 1:
            freedom += (n_values - 1) * (n_labels - 1)
            excess += (n * by_value - 1.0) * (n * by_label - 1.0) / (6.0 * n)
            least = min(least, <double> (least_value * least_label) / <double> n)
    margins[0], margins[1], margins[2] = <double> freedom, excess, least


def fill_label_planes(strata, runs, labels, Py_ssize_t n_labels, planes):
    """Mark the rows of each run.

    IN strata, runs, labels (n_rows,), n_labels; OUT planes.
    """
    cdef Strata groups = strata_of(strata)
    cdef Runs given = runs_of(runs)
    cdef const int32_t *label = ints_in(labels)
    room = np.empty(n_labels, dtype=np.int64)
    cdef int64_t *plane_of = longs_out(room)
    cdef uint64_t *out = words_out(planes)
    cdef Py_ssize_t g, r, at, run, n_words = len(planes)
    with nogil:
        memset(out, 0, n_words * sizeof(uint64_t))
        for g in range(groups.n):
            for run in range(given.starts[g], given.starts[g + 1]):
                plane_of[given.labels[run]] = given.planes[run]
            for r in range(groups.starts[g], groups.starts[g + 1]):
                at = r - groups.starts[g]
                out[plane_of[label[groups.rows[r]]] + (at >> 6)] |= <uint64_t> 1 << (at & 63)


def strata_sums(columns, strata, runs, planes, fixed, sums, freedom):
    """Sum over groups what depends on the feature, and the degrees of freedom.

    IN columns of at most 256 values, none ignored, strata, runs, planes (from `fill_label_planes`),
    fixed; OUT sums (k,): X of all cells less X of all values, freedom (k,).
    """
    cdef Columns given = columns_of(columns)
    cdef Strata groups = strata_of(strata)
    cdef Runs of_labels = runs_of(runs)
    cdef Fixed x = fixed_of(fixed)
    cdef const uint64_t *words = words_in(planes)
    cdef int64_t *total = longs_out(sums)
    cdef int64_t *free = longs_out(freedom)
    codes, rows_with = np.zeros(groups.n_rows + 64, np.uint8), np.empty(groups.n_rows // 64 + 1, np.uint64)
    cdef uint8_t *buffer = bytes_out(codes)
    cdef uint64_t *masks = words_out(rows_with)
    cdef const char *column
    cdef Py_ssize_t k
    cdef int width
    with nogil:
        for k in range(given.n):
            column = given.codes + given.features[k] * given.stride
            if given.width == 1:
                _gather(<const uint8_t *> column, groups, buffer)
            elif given.width == 2:
                _gather(<const uint16_t *> column, groups, buffer)
            else:
                _gather(<const uint32_t *> column, groups, buffer)
            width = <int> given.n_values[given.features[k]]
            _sum(buffer, width, groups, of_labels, words, x, masks, total + k, free + k)


cdef void _gather(const code *column, Strata groups, uint8_t *buffer) noexcept nogil:
    cdef Py_ssize_t r
    for r in range(groups.n_rows):
        buffer[r] = <uint8_t> column[groups.rows[r]]


cdef void _sum(
    const uint8_t *buffer, int width, Strata groups, Runs runs, const uint64_t *planes, Fixed fixed, uint64_t *masks,
    int64_t *sums, int64_t *freedom,
) noexcept nogil:
    cdef int64_t total = 0, free = 0, n_f, n_fi, n_seen, n_rows, n_words, first, last
    cdef Py_ssize_t g, k, word
    cdef uint64_t rest, mask
    cdef int value
    for g in range(groups.n):
        n_rows, n_seen = groups.starts[g + 1] - groups.starts[g], 0
        n_words = (n_rows + 63) >> 6
        rest = ~<uint64_t> 0 >> (64 * n_words - n_rows)
        first, last = runs.planes[runs.starts[g]], runs.planes[runs.starts[g + 1]]
        for value in range(width):
            if n_words == 1:
                mask = equal_mask(buffer, <uint8_t> value) & rest
                n_f = popcount(mask)
                if n_f > 1:  # a value with one row adds nothing
                    for word in range(first, last):
                        total += xlogx(popcount(mask & planes[word]), fixed)
            else:
                n_f = 0
                for k in range(n_words):
                    masks[k] = equal_mask(buffer + 64 * k, <uint8_t> value)
                    if k == n_words - 1:
                        masks[k] &= rest
                    n_f += popcount(masks[k])
                word = first
                while word < last:
                    n_fi = 0
                    for k in range(n_words):
                        n_fi += popcount(masks[k] & planes[word + k])
                    total += xlogx(n_fi, fixed)
                    word += n_words
            total -= xlogx(n_f, fixed)
            n_seen += n_f > 0
        free += (n_seen - 1) * (runs.starts[g + 1] - runs.starts[g] - 1)
        buffer += n_rows
    sums[0], freedom[0] = total, free
