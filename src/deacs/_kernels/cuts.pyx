"""Columns to codes: sort rows, cut by Fayyad and Irani's rule, number intervals; bytes of whole numbers.

A word for sorting holds the order of a value in its upper bits and the row in its lower ones, so a
plain sort of unsigned words, which NumPy vectorises, sorts rows in half the time of an argsort.

Scanning a segment for its best cut takes one step for each row: moving a row from right to left
changes two terms of the entropies, so X is looked up four times, for any number of labels. Rows of
equal value and label move together where values repeat.
"""

import numpy as np

from cpython.buffer cimport PyBUF_WRITABLE
from libc.math cimport INFINITY, log2
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from deacs._kernels.arrays cimport bytes_in, bytes_out, code, floats_in, floats_out, ints_in, ints_out, longs_in
from deacs._kernels.arrays cimport longs_out, pointer, words_in, words_out
from deacs._kernels.fixed_point cimport Fixed, fixed_of, xlogx

cdef enum:
    MOVES_A_ROW = 4     # with more, sorting by value is faster
    ROWS_A_VALUE = 8    # with as many, it pays to cut rows of equal value and label together
    FEW_CUTS = 16       # comparing with each is faster than a binary search


def pack_rows(bits, words):
    """IN bits (k, n) int64: those of floats; OUT words (k, n) uint64. Returns the bits of a row.

    The bits of a float, read as an integer, ascend with it when those of a negative number are
    inverted and the sign of a positive one is flipped (Herf, 2001). NaN without a sign comes last.
    """
    cdef Py_ssize_t k, r, n_columns = len(bits), n = bits.shape[1]
    cdef const int64_t *given = longs_in(bits)
    cdef uint64_t *packed = words_out(words)
    cdef uint64_t word, lowest, highest
    cdef int row_bits = 0, span_bits, drop
    with nogil:
        while (<int64_t> 1 << row_bits) < n:
            row_bits += 1
        for k in range(n_columns):
            lowest, highest = ~<uint64_t> 0, 0
            for r in range(n):
                word = <uint64_t> given[r] ^ (<uint64_t> (given[r] >> 63) | <uint64_t> 1 << 63)
                packed[r] = word
                lowest = min(lowest, word)
                highest = max(highest, word)
            span_bits = 0
            while span_bits < 64 and (highest - lowest) >> span_bits != 0:
                span_bits += 1
            drop = max(0, span_bits + row_bits - 64)
            for r in range(n):
                packed[r] = ((packed[r] - lowest) >> drop) << row_bits | <uint64_t> r
            given += n
            packed += n
    return row_bits


def unpack_rows(words, int row_bits, values, rows, ordered, ranks, is_sorted):
    """IN sorted words (k, n), row_bits, values (k, n); OUT rows, ordered, ranks (k, n), is_sorted (k,).

    Values that differ only in the bits that were cut off are sorted here. `is_sorted` is false for
    a column with too many of these.
    """
    cdef Py_ssize_t k, i, at, n_columns = len(words), n = words.shape[1]
    cdef const uint64_t *packed = words_in(words)
    cdef const double *given = floats_in(values)
    cdef int32_t *row_of = ints_out(rows)
    cdef double *value_of = floats_out(ordered)
    cdef int32_t *rank_of = ints_out(ranks)
    cdef uint8_t *done = bytes_out(is_sorted)
    cdef uint64_t mask = (<uint64_t> 1 << row_bits) - 1
    cdef int64_t left
    cdef double value
    cdef int32_t row
    with nogil:
        for k in range(n_columns):
            left = MOVES_A_ROW * n
            for i in range(n):
                row = <int32_t> (packed[i] & mask)
                value, at = given[row], i
                while at > 0 and value < value_of[at - 1] and left > 0:
                    value_of[at], row_of[at] = value_of[at - 1], row_of[at - 1]
                    at -= 1
                    left -= 1
                value_of[at], row_of[at] = value, row
                if left == 0:
                    break
            done[k] = left > 0 or n == 0
            if done[k] and n > 0:
                rank_of[0] = 0
                for i in range(1, n):
                    rank_of[i] = rank_of[i - 1] + (value_of[i] > value_of[i - 1])
            packed += n
            given += n
            row_of += n
            value_of += n
            rank_of += n


cdef struct Rule:
    Fixed fixed
    double unit
    const double *log_powers
    double scale
    int64_t least
    int64_t max_cuts


cdef Rule rule_of(object rule) except *:
    """Read `deacs.coding.cuts.MdlpRule`."""
    cdef Rule given
    given.fixed = fixed_of(rule.fixed)
    given.unit, given.log_powers, given.scale = rule.unit, floats_in(rule.log_powers), rule.scale
    given.least, given.max_cuts = rule.least, rule.max_cuts
    return given


cdef struct Column:
    int32_t *values           # ascending
    int32_t *labels
    int64_t *weights          # NULL: each row counts once
    int64_t *lasts            # the last row with the value of such rows


cdef struct Room:
    int64_t *total
    int64_t *left             # counts of the labels
    Py_ssize_t n_labels
    double *bits
    int64_t *pending          # four for each segment: begin, last row before the cut, end, gain
    int64_t *cuts


def cut_columns(ordered, columns, labels, weights, rule, is_last):
    """Cut sorted columns by Fayyad and Irani's rule.

    IN ordered (`deacs.coding.cuts.Ordered`), columns (k,) of them, labels (n_rows,) int32,
    weights (n_rows,) or None, rule; IN OUT is_last (k, n_rows): set where an interval ends with a
    row, in the order of the column, else unchanged.
    """
    cdef Py_ssize_t k, i, n, m, n_cuts, n_columns = len(columns), n_rows = ordered.rows.shape[1]
    cdef const int32_t *all_rows = ints_in(ordered.rows)
    cdef const int32_t *all_ranks = ints_in(ordered.ranks)
    cdef const int32_t *rows
    cdef const int32_t *ranks
    cdef const int64_t *n_present = longs_in(ordered.n_present)
    cdef const int64_t *which = longs_in(columns)
    cdef const int32_t *label_of = ints_in(labels)
    cdef const int64_t *weight_of = longs_in(weights)
    cdef uint8_t *ends = bytes_out(is_last)
    cdef Rule given = rule_of(rule)
    cdef Room room
    cdef Column column
    room.n_labels = len(rule.log_powers) - 1
    # Pages that are never written cost nothing.
    longs, ints = np.empty(8 * n_rows + 4 + 2 * room.n_labels, np.int64), np.empty(2 * n_rows, np.int32)
    room.cuts = longs_out(longs)
    room.pending, room.bits = room.cuts + n_rows, <double *> (room.cuts + 5 * n_rows + 4)
    column.weights, column.lasts = room.pending + 5 * n_rows + 4, room.pending + 6 * n_rows + 4
    room.total = column.lasts + n_rows
    room.left = room.total + room.n_labels
    cdef int64_t *room_for_weights = column.weights
    cdef int32_t *room_for_values = ints_out(ints)
    column.labels = room_for_values + n_rows
    with nogil:
        for k in range(n_columns):
            rows, ranks = all_rows + which[k] * n_rows, all_ranks + which[k] * n_rows
            n = n_present[which[k]]
            if n == 0:
                continue
            if weight_of == NULL and (<int64_t> ranks[n - 1] + 1) * ROWS_A_VALUE > n:
                column.values, column.weights, m = <int32_t *> ranks, NULL, n
                for i in range(n):
                    column.labels[i] = label_of[rows[i]]
            else:
                column.values, column.weights = room_for_values, room_for_weights
                m = _count_equals(rows, ranks, n, label_of, weight_of, room.total, room.n_labels, column)
            n_cuts = _mdlp_cuts(column, m, given, room)
            for i in range(n_cuts):
                ends[k * n_rows + (room.cuts[i] if column.weights == NULL else column.lasts[room.cuts[i]])] = 1


cdef Py_ssize_t _count_equals(
    const int32_t *rows, const int32_t *ranks, Py_ssize_t n, const int32_t *labels, const int64_t *weights,
    int64_t *in_label, Py_ssize_t n_labels, Column column,
) noexcept nogil:
    """Count the rows with equal values and labels; return how many such pairs there are.

    OUT column: the pairs by ascending value.
    """
    cdef Py_ssize_t i, visit, n_visits, m = 0, begin = 0
    cdef int32_t label
    memset(in_label, 0, n_labels * sizeof(int64_t))
    for i in range(n):
        in_label[labels[rows[i]]] += 1 if weights == NULL else weights[rows[i]]
        if i + 1 < n and ranks[i] == ranks[i + 1]:
            continue
        # By label where a value has many rows, else by row.
        n_visits = min(n_labels, i + 1 - begin)
        for visit in range(n_visits):
            label = <int32_t> visit if n_visits == n_labels else labels[rows[begin + visit]]
            if in_label[label] > 0:
                column.values[m], column.labels[m] = ranks[i], label
                column.weights[m], column.lasts[m] = in_label[label], i
                in_label[label] = 0
                m += 1
        begin = i + 1
    return m


cdef Py_ssize_t _mdlp_cuts(Column column, Py_ssize_t n, Rule rule, Room room) noexcept nogil:
    """Split segments while a cut passes the rule; return how many cuts there are.

    OUT room.cuts: rows i with a cut between i and i + 1, in no particular order. A segment is
    pending if it has a cut that passes. The order of splits matters only if the number of cuts is
    limited: then the segment with the largest gain comes first, the lowest of ties.
    """
    cdef int64_t *pending = room.pending
    cdef Py_ssize_t k, n_cuts = 0, n_pending = 0, chosen, begin = 0, at = -1, end = n
    cdef int64_t ahead
    while True:
        n_pending += _propose(column, begin, at + 1, rule, room, pending + 4 * n_pending)
        n_pending += _propose(column, at + 1, end, rule, room, pending + 4 * n_pending)
        if n_pending == 0 or n_cuts >= rule.max_cuts:
            return n_cuts
        chosen = n_pending - 1
        if rule.max_cuts < n:
            chosen = 0
            for k in range(1, n_pending):
                ahead = pending[4 * k + 3] - pending[4 * chosen + 3]
                if ahead > 0 or (ahead == 0 and pending[4 * k] < pending[4 * chosen]):
                    chosen = k
        begin, at, end = pending[4 * chosen], pending[4 * chosen + 1], pending[4 * chosen + 2]
        n_pending -= 1
        for k in range(4):
            pending[4 * chosen + k] = pending[4 * n_pending + k]
        room.cuts[n_cuts] = at
        n_cuts += 1


cdef bint _propose(
    Column column, Py_ssize_t begin, Py_ssize_t end, Rule rule, Room room, int64_t *segment
) noexcept nogil:
    """OUT segment: this one, if its best cut passes; return whether it does."""
    cdef int64_t n, prior, gain
    cdef Py_ssize_t at
    if end - begin < 2:
        return False
    n = _count(column, begin, end, room.total, room.n_labels)
    prior = _entropy(room.total, room.n_labels, n, rule.fixed)
    if n < rule.fixed.size:
        at = _best_cut(column, begin, end, n, prior, rule, room)
    else:
        _estimate(column, begin, end, n, rule, room)
        at = _best_of_estimated(column, begin, end, n, prior, rule, room)
    if at < 0:
        return False
    _count(column, begin, at + 1, room.left, room.n_labels)
    gain = _gain_if_it_pays(prior, n, rule, room)
    if gain > 0:
        segment[0], segment[1], segment[2], segment[3] = begin, at, end, gain
    return gain > 0


cdef int64_t _count(
    Column column, Py_ssize_t begin, Py_ssize_t end, int64_t *counts, Py_ssize_t n_labels
) noexcept nogil:
    """OUT counts[c]: the weight of label c in rows begin .. end - 1; return their sum."""
    cdef Py_ssize_t r, c
    cdef int64_t n = 0
    memset(counts, 0, n_labels * sizeof(int64_t))
    for r in range(begin, end):
        counts[column.labels[r]] += 1 if column.weights == NULL else column.weights[r]
    for c in range(n_labels):
        n += counts[c]
    return n


cdef int64_t _entropy(const int64_t *counts, Py_ssize_t n_labels, int64_t n, Fixed fixed) noexcept nogil:
    """Return n H(counts) in fixed point."""
    cdef int64_t terms = 0
    cdef Py_ssize_t c
    for c in range(n_labels):
        terms += xlogx(counts[c], fixed)
    return xlogx(n, fixed) - terms


cdef Py_ssize_t _best_cut(
    Column column, Py_ssize_t begin, Py_ssize_t end, int64_t n, int64_t prior, Rule rule, Room room
) noexcept nogil:
    """Return the first row after which a cut leaves the least entropy, or -1 if none lowers it."""
    cdef const int64_t *table = rule.fixed.table
    cdef const int32_t *values = column.values
    cdef const int32_t *labels = column.labels
    cdef const int64_t *weights = column.weights
    cdef int64_t *left = room.left
    cdef const int64_t *total = room.total
    cdef Py_ssize_t r, c, best = -1
    cdef int64_t least = rule.least, n_left = 0, best_entropy = prior, weight, before, after, entropy
    cdef int64_t terms = table[n] - prior  # sum X(left) + X(right) over the labels
    memset(left, 0, room.n_labels * sizeof(int64_t))
    for r in range(begin, end - 1):
        c, weight = labels[r], 1 if weights == NULL else weights[r]
        before, after = left[c], left[c] + weight
        terms += table[after] - table[before] + table[total[c] - after] - table[total[c] - before]
        left[c] = after
        n_left += weight
        if values[r] < values[r + 1] and n_left >= least and n - n_left >= least:
            entropy = table[n_left] + table[n - n_left] - terms
            if entropy < best_entropy:
                best, best_entropy = r, entropy
    return best


cdef void _estimate(
    Column column, Py_ssize_t begin, Py_ssize_t end, int64_t n, Rule rule, Room room
) noexcept nogil:
    """OUT room.bits[r]: the entropy left by a cut after row r, in floats; infinite if not allowed.

    Large counts are not in the table, and exact logarithms take about a microsecond per row.
    """
    cdef Py_ssize_t r, c
    cdef int64_t n_left = 0, weight, before, after
    cdef double terms = 0.0
    for c in range(room.n_labels):
        room.left[c] = 0
        terms += _float_x(room.total[c])
    for r in range(begin, end - 1):
        c, weight = column.labels[r], column.weights[r]
        before, after = room.left[c], room.left[c] + weight
        terms += _float_x(after) - _float_x(before)
        terms += _float_x(room.total[c] - after) - _float_x(room.total[c] - before)
        room.left[c] = after
        n_left += weight
        room.bits[r] = INFINITY
        if column.values[r] < column.values[r + 1] and n_left >= rule.least and n - n_left >= rule.least:
            room.bits[r] = _float_x(n_left) + _float_x(n - n_left) - terms


cdef inline double _float_x(int64_t n) noexcept nogil:
    return n * log2(<double> n) if n > 1 else 0.0


cdef Py_ssize_t _best_of_estimated(
    Column column, Py_ssize_t begin, Py_ssize_t end, int64_t n, int64_t prior, Rule rule, Room room
) noexcept nogil:
    """Return the result of `_best_cut`, computed exactly only where the estimates are too close."""
    cdef Py_ssize_t r, c, best = -1
    cdef int64_t n_left = 0, entropy, best_entropy = prior
    cdef double lowest = INFINITY, error, n_terms
    memset(room.left, 0, room.n_labels * sizeof(int64_t))
    for r in range(begin, end - 1):
        lowest = min(lowest, room.bits[r])
    if lowest == INFINITY:
        return -1
    # Each of the 4 terms of a row is off by at most a few units in the last place of X(n), and
    # an exact entropy by half a unit of fixed point for each of its terms.
    n_terms = 4 * (end - begin) + 2 * room.n_labels + 4
    error = n_terms * _float_x(n) * 2.0**-51 + n_terms * rule.unit
    for r in range(begin, end - 1):
        room.left[column.labels[r]] += column.weights[r]
        n_left += column.weights[r]
        if room.bits[r] <= lowest + 2 * error:
            entropy = _entropy(room.left, room.n_labels, n_left, rule.fixed) + xlogx(n - n_left, rule.fixed)
            for c in range(room.n_labels):
                entropy -= xlogx(room.total[c] - room.left[c], rule.fixed)
            if entropy < best_entropy:
                best, best_entropy = r, entropy
    return best


cdef int64_t _gain_if_it_pays(int64_t prior, int64_t n, Rule rule, Room room) noexcept nogil:
    """Return N gain in fixed point, or 0 if the cut does not pass.

    It passes if N gain > log2(N - 1) + log2(3**k - 2) - (k H - k1 H1 - k2 H2).
    """
    cdef int64_t n_left = 0, n_right, left_terms = 0, right_terms = 0, left_entropy, right_entropy, gain
    cdef int64_t k = 0, k_left = 0, k_right = 0
    cdef const int64_t *left = room.left
    cdef const int64_t *total = room.total
    cdef bint informative = False
    cdef double spent, bar
    cdef Py_ssize_t c
    for c in range(room.n_labels):
        n_left += left[c]
        left_terms += xlogx(left[c], rule.fixed)
        right_terms += xlogx(total[c] - left[c], rule.fixed)
        k += total[c] > 0
        k_left += left[c] > 0
        k_right += total[c] > left[c]
    for c in range(room.n_labels):
        informative |= left[c] * n != total[c] * n_left
    if not informative or n <= rule.scale:
        return 0
    n_right = n - n_left
    left_entropy = xlogx(n_left, rule.fixed) - left_terms
    right_entropy = xlogx(n_right, rule.fixed) - right_terms
    gain = prior - left_entropy - right_entropy
    spent = <double> (k * prior) / n
    spent -= <double> (k_left * left_entropy) / n_left
    spent -= <double> (k_right * right_entropy) / n_right
    bar = log2(n / rule.scale - 1.0) + rule.log_powers[k] - spent * rule.unit
    return gain if gain * rule.unit / rule.scale > bar else 0


def number_intervals(ordered, columns, is_last, n_values, codes):
    """Number the intervals of sorted columns; missing values have the last number.

    IN ordered, columns (k,) of them, is_last (k, n_rows): where intervals end, n_values (k,); OUT
    codes (k, n_rows), wide enough for these.
    """
    cdef Py_ssize_t n_columns = len(columns), n_rows = ordered.rows.shape[1]
    cdef const int32_t *rows = ints_in(ordered.rows)
    cdef const int64_t *n_present = longs_in(ordered.n_present)
    cdef const int64_t *which = longs_in(columns)
    cdef const int64_t *n_codes = longs_in(n_values)
    cdef const uint8_t *ends = bytes_in(is_last)
    cdef int width = codes.itemsize
    cdef void *out = pointer(codes, width, b"BHIL", PyBUF_WRITABLE)
    with nogil:
        if width == 1:
            _number(rows, n_present, which, n_columns, n_rows, ends, n_codes, <uint8_t *> out)
        elif width == 2:
            _number(rows, n_present, which, n_columns, n_rows, ends, n_codes, <uint16_t *> out)
        else:
            _number(rows, n_present, which, n_columns, n_rows, ends, n_codes, <uint32_t *> out)


cdef void _number(
    const int32_t *all_rows, const int64_t *n_present, const int64_t *columns, Py_ssize_t n_columns,
    Py_ssize_t n_rows, const uint8_t *is_last, const int64_t *n_values, code *codes,
) noexcept nogil:
    cdef Py_ssize_t k, i, n
    cdef const int32_t *rows
    cdef code number
    for k in range(n_columns):
        rows, n, number = all_rows + columns[k] * n_rows, n_present[columns[k]], 0
        if n_values[k] == 1:
            memset(codes, 0, n_rows * sizeof(code))
        else:
            for i in range(n):
                codes[rows[i]] = number
                number += is_last[i]
            for i in range(n, n_rows):
                codes[rows[i]] = <code> (n_values[k] - 1)
        codes += n_rows
        is_last += n_rows


def count_below(values, cut_points, out):
    """IN values (n,), cut_points ascending; OUT out (n,) int64: the number of cuts below; 0 for NaN."""
    cdef Py_ssize_t r, k, low, high, middle, n = len(values), n_cuts = len(cut_points)
    cdef const double *given = floats_in(values)
    cdef const double *cuts = floats_in(cut_points)
    cdef int64_t *below = longs_out(out)
    with nogil:
        for r in range(n):
            low, high = 0, n_cuts
            if n_cuts <= FEW_CUTS:
                for k in range(n_cuts):
                    low += given[r] > cuts[k]
                high = low
            while low < high:
                middle = (low + high) >> 1
                if given[r] > cuts[middle]:
                    low = middle + 1
                else:
                    high = middle
            below[r] = low


ctypedef fused whole:
    int8_t
    uint8_t
    int16_t
    uint16_t
    int32_t
    uint32_t
    int64_t


def short_codes(matrix, int64_t longest, least, codes, occurs, n_values):
    """Number the values of columns of whole numbers, each by its distance from the least.

    IN matrix (n_rows, n_columns) of any type of at most 63 bits, longest: how many values a column
    may span, at most 256; OUT least (n_columns,) int64, codes (n_columns, n_rows) of bytes, occurs
    (n_columns, longest), zero on entry: which numbers occur, n_values (n_columns,): how many.
    Numbers that do not occur are skipped. Returns False if a column spans more values.
    """
    cdef Py_ssize_t n_rows = matrix.shape[0], n_columns = matrix.shape[1]
    cdef int64_t *lowest = longs_out(least)
    cdef int64_t *highest = longs_out(n_values)
    cdef uint8_t *out = bytes_out(codes)
    cdef uint8_t *seen = bytes_out(occurs)
    cdef int width = matrix.itemsize
    cdef bint signed = matrix.dtype.kind == "i", fits
    cdef const void *given = pointer(matrix, width, b"bhilq" if signed else b"?BHILQ", 0)
    with nogil:
        if width == 8:
            fits = _transpose(<const int64_t *> given, n_rows, n_columns, longest, lowest, highest, out)
        elif width == 4 and signed:
            fits = _transpose(<const int32_t *> given, n_rows, n_columns, longest, lowest, highest, out)
        elif width == 4:
            fits = _transpose(<const uint32_t *> given, n_rows, n_columns, longest, lowest, highest, out)
        elif width == 2 and signed:
            fits = _transpose(<const int16_t *> given, n_rows, n_columns, longest, lowest, highest, out)
        elif width == 2:
            fits = _transpose(<const uint16_t *> given, n_rows, n_columns, longest, lowest, highest, out)
        elif signed:
            fits = _transpose(<const int8_t *> given, n_rows, n_columns, longest, lowest, highest, out)
        else:
            fits = _transpose(<const uint8_t *> given, n_rows, n_columns, longest, lowest, highest, out)
        if fits:
            _close_gaps(out, n_rows, n_columns, longest, lowest, seen, highest)
    return fits


cdef bint _transpose(
    const whole *matrix, Py_ssize_t n_rows, Py_ssize_t n_columns, int64_t longest, int64_t *lowest,
    int64_t *highest, uint8_t *codes,
) noexcept nogil:
    """OUT extremes of the columns, and their values modulo 256, which tells those of a short span apart."""
    cdef Py_ssize_t begin, end, r, j
    cdef whole value, low, high
    cdef const whole *at
    for begin in range(0, n_rows, 256):  # so many that the part being written stays in the cache
        end = min(begin + 256, n_rows)
        for j in range(n_columns):
            at = matrix + begin * n_columns + j
            low = high = at[0]
            for r in range(begin, end):
                value = at[(r - begin) * n_columns]
                low = min(low, value)
                high = max(high, value)
                codes[j * n_rows + r] = <uint8_t> value
            lowest[j] = low if begin == 0 else min(lowest[j], <int64_t> low)
            highest[j] = high if begin == 0 else max(highest[j], <int64_t> high)
            if <uint64_t> highest[j] - <uint64_t> lowest[j] >= <uint64_t> longest:
                return False
    return True


cdef void _close_gaps(
    uint8_t *codes, Py_ssize_t n_rows, Py_ssize_t n_columns, int64_t longest, const int64_t *lowest,
    uint8_t *occurs, int64_t *n_values,
) noexcept nogil:
    """Number the values that occur; IN OUT n_values: the greatest values, how many there are."""
    cdef uint8_t[256] renumbered
    cdef uint8_t least
    cdef Py_ssize_t r, j, end, number, n, span
    for j in range(n_columns):
        least, span = <uint8_t> lowest[j], n_values[j] - lowest[j] + 1
        for r in range(n_rows):
            codes[r] = <uint8_t> (codes[r] - least)
        # Some rows mostly show that all values occur.
        n, end = 0, 0
        while end < n_rows and n < span:
            r, end, n = end, min(end + 4096, n_rows), 0
            for r in range(r, end):
                occurs[codes[r]] = 1
            for number in range(span):
                renumbered[number] = <uint8_t> n
                n += occurs[number]
        n_values[j] = n
        if n < span:
            for r in range(n_rows):
                codes[r] = renumbered[codes[r]]
        codes += n_rows
        occurs += longest


# Rows by content ----------------------------------------------------------------------------------

ctypedef fused value_word:
    uint8_t
    uint16_t
    uint32_t
    uint64_t


cdef inline uint64_t _mixed(uint64_t word) noexcept nogil:
    """SplitMix64: a bijection under which similar words are far apart."""
    word += <uint64_t> 0x9E3779B97F4A7C15u
    word = (word ^ (word >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9u
    word = (word ^ (word >> 27)) * <uint64_t> 0x94D049BB133111EBu
    return word ^ (word >> 31)


def add_contents(values, uint64_t column, contents):
    """Add, to the content of each row, what the value of a column adds.

    IN values (n_rows,), column: its number; OUT contents (n_rows,), added to.
    """
    cdef Py_ssize_t n = len(contents), width = values.itemsize
    cdef const void *given = pointer(values, width, b"BHILQ", 0)
    cdef uint64_t *to = words_out(contents)
    cdef uint64_t key = _mixed(column)
    if len(values) != n:
        raise ValueError(f"expected {n} values, got {len(values)}")
    with nogil:
        if width == 1:
            _add_contents(<const uint8_t *> given, n, key, to)
        elif width == 2:
            _add_contents(<const uint16_t *> given, n, key, to)
        elif width == 4:
            _add_contents(<const uint32_t *> given, n, key, to)
        else:
            _add_contents(<const uint64_t *> given, n, key, to)


cdef void _add_contents(const value_word *values, Py_ssize_t n, uint64_t key, uint64_t *to) noexcept nogil:
    cdef Py_ssize_t row
    for row in range(n):
        to[row] += _mixed(values[row] ^ key)
