"""Count cells of groups, values and labels, and sum what depends on the feature.

Compiled for each level of x86-64. There are four ways, which sum the same integers:

- *planes*: while S has few groups, in the order of the table. Each run is a bit-plane of the rows;
  `equal_mask` marks the rows of a value, and marks and planes are counted where they meet;
- *masks*: features of at most 16 values are gathered in group order, as bytes; `equal_mask`
  compares 64 of them with a value, and a popcount per part counts a cell. A small group is one mask
  of at most 64 rows, and the term of a cell is looked up in a table that fits the first-level
  cache. A pair of rows takes one comparison;
- *tables*: while S is empty and all rows count, one table of values and labels for each feature;
- *rows*: one by one; codes of any width, any number of values, weights, ignored values.

A *part* is the rows of a group that belong to an output: a run, or, where outputs overlap, several.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from deacs._kernels.arrays cimport (
    Columns, Groups, Parts, bytes_in, bytes_out, code, columns_of, groups_of, ints_in, longs_in, longs_out, parts_of, pointer,
    uints_in, uints_out, words_in, words_out,
)
from deacs._kernels.chance cimport Chance, cell_bias, chance_terms, read_chance, small_start
from deacs._kernels.fixed_point cimport Fixed, fixed_of, split_term, weighted_log, xlogx
from deacs._kernels.masks cimport equal_mask, popcount, portable_equal_mask

cdef extern from "planes.h" nogil:
    void common_of_four(const uint64_t *plane, const uint64_t *others, size_t apart, size_t n, int64_t *counts)

cdef enum:
    # Output i is N I(F; C_i | S), C_i = [C = c_i].
    ONE_VS_REST = 0
    # Output i is N_i Div(F; c_i | S), the share of label i in N I(F; C | S).
    DIVERGENCE = 1
    # The only output is N I(F; C | S).
    JOINT = 2

cdef enum:
    SMALL = 64
    MAX_VALUES = 16
    # Words of marks at a time: they stay in the first-level cache.
    MARKED = 256

ctypedef fused weight:
    uint8_t  # stands for rows that all count once
    int64_t


# A score is the sum of cell_term(n_fi, n_f) and value_term(n_f) over the cells and values of a
# feature, minus the same of a constant feature: cell_term(n_i, n_g) and value_term(n_g).

cdef inline int64_t cell_term(int64_t part, int64_t whole, int kind, Fixed fixed) noexcept nogil:
    if kind == ONE_VS_REST:
        return split_term(part, whole, fixed)
    if kind == DIVERGENCE:
        return xlogx(part, fixed) - weighted_log(part, whole, fixed)
    return xlogx(part, fixed)


cdef inline int64_t value_term(int64_t whole, int kind, Fixed fixed) noexcept nogil:
    return -xlogx(whole, fixed) if kind == JOINT else 0


def base_sums(parts, int kind, fixed, sums):
    """Sum the terms of a constant feature, over groups and parts.

    IN parts, kind, fixed; OUT sums (n_outputs,), zero on entry.
    """
    cdef Parts given = parts_of(parts)
    cdef Fixed terms = fixed_of(fixed)
    cdef int64_t *to = longs_out(sums)
    cdef int64_t g, part
    with nogil:
        for g in range(given.n_groups):
            to[0] += value_term(given.group_sizes[g], kind, terms)
            for part in range(given.groups[g], given.groups[g + 1]):
                to[0 if kind == JOINT else given.outputs[part]] += cell_term(given.sizes[part], given.group_sizes[g], kind, terms)


# Row by row ---------------------------------------------------------------------------------------

cdef struct Room:
    int64_t *in_group
    int64_t *in_part
    int64_t *sizes


cdef struct Sums:
    Py_ssize_t n_outputs
    int64_t *sums
    uint8_t *dependent
    int64_t *mixed


cdef Sums sums_of(object sums, object dependent, object mixed) except *:
    cdef Sums out
    out.n_outputs, out.sums = sums.shape[1], longs_out(sums)
    out.dependent, out.mixed = bytes_out(dependent), longs_out(mixed)
    return out


def row_sums(columns, groups, parts, weights, int kind, fixed, chance, sums, dependent, mixed):
    """Count row by row.

    IN columns, groups, parts (runs for `JOINT`), weights (n_rows,) how often each row counts, or
    None, kind, fixed, chance (for `ONE_VS_REST` alone) or None; OUT sums (k, n_outputs), zero on
    entry; dependent (k, n_outputs), zero on entry: whether some cell has n_fi n_g != n_f n_i; mixed
    (k, n_outputs), zero on entry, or None: over groups with a label and others, the number of
    values that both have, minus one. That is the number of occupied cells (F, C_i, S), minus those
    of (F, S) and (C_i, S), plus those of S.

    For a label that occurs, its cells with n_fi > 0 decide whether it depends on the feature: if
    they all agree, they hold every row of the group. If values are ignored, the base term of a
    group depends on the feature and is subtracted here; else it is left to `base_sums`.
    """
    cdef Columns some = columns_of(columns)
    cdef Groups of_rows = groups_of(groups)
    cdef Parts of_outputs = parts_of(parts)
    cdef Fixed terms = fixed_of(fixed)
    cdef Chance by_chance = read_chance(chance)
    cdef Sums out = sums_of(sums, dependent, mixed)
    cdef const int64_t *by_row = longs_in(weights)
    widest = int(columns.n_values[columns.features].max())
    counts, dtype = np.zeros((3, widest), dtype=np.int64), columns.codes.dtype
    lists, values = np.empty((2, widest + 1), dtype=dtype), np.empty(of_rows.n_rows, dtype=dtype)
    cdef int64_t *zeros = longs_out(counts)
    cdef Room room = Room(zeros, zeros + <int64_t> widest, zeros + 2 * <int64_t> widest)
    cdef char *seen = <char *> pointer(lists, some.width, b"BHIL", 0)
    cdef char *here = seen + (<int64_t> widest + 1) * some.width
    cdef void *gathered = pointer(values, some.width, b"BHIL", 0)
    with nogil:
        if some.width == 1:
            if by_row == NULL:
                _row_sums(some, of_rows, of_outputs, <const uint8_t *> NULL, kind, terms, by_chance, room,
                          <uint8_t *> seen, <uint8_t *> here, <uint8_t *> gathered, out)
            else:
                _row_sums(some, of_rows, of_outputs, by_row, kind, terms, by_chance, room,
                          <uint8_t *> seen, <uint8_t *> here, <uint8_t *> gathered, out)
        elif some.width == 2:
            if by_row == NULL:
                _row_sums(some, of_rows, of_outputs, <const uint8_t *> NULL, kind, terms, by_chance, room,
                          <uint16_t *> seen, <uint16_t *> here, <uint16_t *> gathered, out)
            else:
                _row_sums(some, of_rows, of_outputs, by_row, kind, terms, by_chance, room,
                          <uint16_t *> seen, <uint16_t *> here, <uint16_t *> gathered, out)
        elif by_row == NULL:
            _row_sums(some, of_rows, of_outputs, <const uint8_t *> NULL, kind, terms, by_chance, room,
                      <uint32_t *> seen, <uint32_t *> here, <uint32_t *> gathered, out)
        else:
            _row_sums(some, of_rows, of_outputs, by_row, kind, terms, by_chance, room,
                      <uint32_t *> seen, <uint32_t *> here, <uint32_t *> gathered, out)


cdef void _row_sums(
    Columns columns, Groups groups, Parts parts, const weight *weights, int kind, Fixed fixed, Chance chance,
    Room room, code *seen, code *here, code *values, Sums out,
) noexcept nogil:
    cdef const int64_t *x = fixed.table
    cdef int64_t *in_group = room.in_group
    cdef int64_t *in_part = room.in_part
    cdef const code *column
    cdef int64_t k, g, r, at, part, output, visit, begin, end, n_seen, n_here, n_sizes, start, skipped
    cdef int64_t n_g, n_i, n_f, n_fi, n_before, expected, total, shared, count = 1
    cdef bint covered, differs
    cdef code value
    for k in range(columns.n):
        column = <const code *> (columns.codes + columns.features[k] * columns.stride)
        skipped = columns.ignored[columns.features[k]]
        for g in range(groups.n):
            begin, end = groups.run_starts[groups.group_runs[g]], groups.run_starts[groups.group_runs[g + 1]]
            n_seen, n_g = 0, end - begin
            if weight is int64_t:
                n_g = 0
            for r in range(begin, end):
                value = column[groups.rows[r]]
                values[r] = value
                if weight is int64_t:
                    count = weights[groups.rows[r]]
                    n_g += count
                # Without a branch, which small groups of many values would mispredict.
                seen[n_seen] = value
                n_seen += (in_group[value] == 0) & (count > 0)
                in_group[value] += count
            if skipped >= 0:
                n_g -= in_group[skipped]
                in_group[skipped] = 0
            covered = n_g < fixed.size and kind == ONE_VS_REST
            expected, n_before, n_sizes = 0, -1, 0
            if chance.small != NULL:
                for visit in range(n_seen):
                    room.sizes[n_sizes] = in_group[seen[visit]]
                    n_sizes += in_group[seen[visit]] > 0
            for part in range(parts.groups[g], parts.groups[g + 1]):
                n_here, n_i = 0, parts.starts[part + 1] - parts.starts[part]
                if weight is int64_t:
                    n_i = 0
                for at in range(parts.starts[part], parts.starts[part + 1]):
                    r = at if parts.positions == NULL else parts.positions[at]
                    value = values[r]
                    if weight is int64_t:
                        count = weights[groups.rows[r]]
                        n_i += count
                    here[n_here] = value
                    n_here += (in_part[value] == 0) & (count > 0)
                    in_part[value] += count
                total, differs, shared = 0, False, 0
                if skipped >= 0:
                    n_i -= in_part[skipped]
                    in_part[skipped] = 0
                    if n_i > 0:
                        total -= cell_term(n_i, n_g, kind, fixed)
                for visit in range(n_here):
                    n_fi, n_f = in_part[here[visit]], in_group[here[visit]]
                    in_part[here[visit]] = 0
                    differs |= n_fi * n_g != n_f * n_i
                    shared += n_fi < n_f
                    if covered:
                        total += x[n_fi] + x[n_f - n_fi] - x[n_f]
                    else:
                        total += cell_term(n_fi, n_f, kind, fixed)
                if chance.small != NULL:
                    # Parts of one size, and a part and the rest, have the same bias.
                    if n_i != n_before and n_i != n_g - n_before:
                        n_before = n_i
                        start = chance.starts[part] if skipped < 0 else small_start(n_g, n_i)
                        expected = chance_terms(chance, start, n_g, n_i, room.sizes, n_sizes, fixed)
                    total -= expected
                output = k * out.n_outputs + (0 if kind == JOINT else parts.outputs[part])
                out.sums[output] += total
                out.dependent[output] |= differs
                if out.mixed != NULL and 0 < n_i and n_i < n_g:
                    out.mixed[output] += shared - 1
            if kind == JOINT and skipped >= 0:
                out.sums[k * out.n_outputs] -= value_term(n_g, kind, fixed)
            for visit in range(n_seen):
                if kind == JOINT:
                    out.sums[k * out.n_outputs] += value_term(in_group[seen[visit]], kind, fixed)
                in_group[seen[visit]] = 0


# Counts of one group ------------------------------------------------------------------------------

cdef void _fold(
    const uint32_t *counts, Py_ssize_t stride, int64_t width, const int64_t *in_group, int64_t *sizes,
    Parts parts, int64_t g, int kind, Fixed fixed, Chance chance, int64_t *sums, uint8_t *dependent,
) noexcept nogil:
    """Add the cells of a group to the outputs of a feature.

    IN counts: a row for each part, `stride` entries each, in_group (width,); TEMP sizes (width,);
    OUT sums (n_outputs,), added to; dependent (n_outputs,) or NULL.
    """
    cdef const int64_t *x = fixed.table
    cdef const uint32_t *row = counts
    cdef int64_t part, output, value, n_fi, n_i, total, whole = 0, n_values = 0, expected = 0, n_before = -1
    cdef int64_t n_g = parts.group_sizes[g]
    # If the table covers the group, the loops need no call and no test of the size.
    cdef bint covered = n_g < fixed.size
    for value in range(width):
        sizes[n_values] = in_group[value]
        n_values += in_group[value] > 0
    if kind == JOINT:
        for value in range(n_values):
            sums[0] += value_term(sizes[value], kind, fixed)
    elif covered and kind == ONE_VS_REST:
        for value in range(n_values):
            whole += x[sizes[value]]
    for part in range(parts.groups[g], parts.groups[g + 1]):
        output, n_i, total = 0 if kind == JOINT else parts.outputs[part], parts.sizes[part], 0
        if covered and kind == ONE_VS_REST:
            for value in range(width):
                total += x[row[value]] + x[in_group[value] - row[value]]
            total -= whole
        elif covered and kind == JOINT:
            for value in range(width):
                total += x[row[value]]
        else:
            for value in range(width):
                n_fi = row[value]
                if n_fi > 0:
                    total += cell_term(n_fi, in_group[value], kind, fixed)
        if chance.small != NULL:
            if n_i != n_before and n_i != n_g - n_before:
                n_before = n_i
                expected = chance_terms(chance, chance.starts[part], n_g, n_i, sizes, n_values, fixed)
            total -= expected
        sums[output] += total
        if dependent != NULL:
            for value in range(width):
                if dependent[output]:
                    break
                dependent[output] = <int64_t> row[value] * n_g != in_group[value] * n_i
        row += stride


# By masks -----------------------------------------------------------------------------------------

cdef struct Masks:
    const uint64_t *first
    const uint64_t *words
    const int64_t *starts


_CELLS = {}


def _small_terms(int kind, fixed):
    """Return the terms of cells, [n_f, n_fi], and of values, [n_f], of groups in one word."""
    key = kind, fixed.scale_bits
    if key not in _CELLS:
        cells, values = np.zeros((SMALL + 1, SMALL + 1), dtype=np.int64), np.zeros(SMALL + 1, dtype=np.int64)
        _fill_terms(cells, values, kind, fixed)
        _CELLS[key] = cells, values
    return _CELLS[key]


cdef _fill_terms(object cells, object values, int kind, object fixed):
    cdef int64_t *of_cells = longs_out(cells)
    cdef int64_t *of_values = longs_out(values)
    cdef Fixed terms = fixed_of(fixed)
    cdef int64_t n_f, n_fi
    for n_f in range(SMALL + 1):
        of_values[n_f] = value_term(n_f, kind, terms)
        for n_fi in range(1, n_f + 1):
            of_cells[n_f * (SMALL + 1) + n_fi] = cell_term(n_fi, n_f, kind, terms)


def mask_sums(columns, groups, parts, masks, int kind, fixed, chance, sums):
    """Count by masks; every row counts once.

    IN columns of at most 16 values without ignored ones, groups (arranged), parts (runs for
    `JOINT`), masks (of the parts), kind, fixed, chance (for `ONE_VS_REST` alone) or None; OUT sums
    (k, n_outputs), zero on entry.
    """
    cdef Columns some = columns_of(columns)
    cdef Groups of_rows = groups_of(groups)
    cdef Parts of_outputs = parts_of(parts)
    cdef Masks of_parts = Masks(words_in(masks.first), words_in(masks.words), longs_in(masks.starts))
    cdef Fixed terms = fixed_of(fixed)
    cdef Chance by_chance = read_chance(chance)
    cdef Py_ssize_t n_outputs = sums.shape[1]
    cdef int64_t *to = longs_out(sums)
    cell_terms, value_terms = _small_terms(kind, fixed)
    cdef const int64_t *cells = longs_in(cell_terms)
    cdef const int64_t *values = longs_in(value_terms)
    cdef int64_t g, k, width, most_parts = 1, most_words = 1
    for g in range(of_rows.n_large):
        most_parts = max(most_parts, of_outputs.groups[g + 1] - of_outputs.groups[g])
        most_words = max(most_words, (of_outputs.group_sizes[g] + 63) // 64)
    cdef int64_t first_pair = of_rows.n_large + of_rows.n_small
    cdef int64_t n_gathered = of_rows.run_starts[of_rows.group_runs[first_pair]]
    # 64 codes are read at a time, also of the last group.
    cdef int64_t stride = n_gathered + 64
    room, room_of_counts = np.empty(4 * stride, np.uint8), np.empty(most_parts * MAX_VALUES, np.uint32)
    room_of_masks = np.empty(most_words * MAX_VALUES if masks.words is not None else 0, np.uint64)
    cdef uint8_t *gathered = bytes_out(room)
    cdef uint8_t *buffer
    cdef uint32_t *counts = uints_out(room_of_counts)
    cdef uint64_t *of_values = words_out(room_of_masks)
    with nogil:
        for k in range(some.n):
            width, buffer = some.n_values[some.features[k]], gathered + (k & 3) * stride
            if k & 3 == 0:  # four features each time rows are read
                if some.width == 1:
                    _gather(some, k, of_rows, n_gathered, <const uint8_t *> NULL, gathered, stride)
                elif some.width == 2:
                    _gather(some, k, of_rows, n_gathered, <const uint16_t *> NULL, gathered, stride)
                else:
                    _gather(some, k, of_rows, n_gathered, <const uint32_t *> NULL, gathered, stride)
            _large_groups(buffer, width, of_rows, of_outputs, of_parts, kind, terms, by_chance, counts, of_values, to)
            if kind == JOINT:
                to[0] += _small_groups_joint(buffer, width, of_rows, of_parts, cells, values)
            else:
                _small_groups(buffer, width, of_rows, of_outputs, of_parts, cells, by_chance, to)
            if some.width == 1:
                _pairs(some, k, of_rows, of_outputs, <const uint8_t *> NULL, kind, cells, values, by_chance, to)
            elif some.width == 2:
                _pairs(some, k, of_rows, of_outputs, <const uint16_t *> NULL, kind, cells, values, by_chance, to)
            else:
                _pairs(some, k, of_rows, of_outputs, <const uint32_t *> NULL, kind, cells, values, by_chance, to)
            to += n_outputs


cdef void _gather(
    Columns columns, int64_t k, Groups groups, int64_t n, const code *one, uint8_t *buffer, int64_t stride,
) noexcept nogil:
    """Copy the codes of up to four features, in all groups but the pairs, in group order."""
    cdef int64_t r, row, last = columns.n - 1
    one = <const code *> (columns.codes + columns.features[k] * columns.stride)
    cdef const code *two = <const code *> (columns.codes + columns.features[min(k + 1, last)] * columns.stride)
    cdef const code *three = <const code *> (columns.codes + columns.features[min(k + 2, last)] * columns.stride)
    cdef const code *four = <const code *> (columns.codes + columns.features[min(k + 3, last)] * columns.stride)
    for r in range(n):
        row = groups.rows[r]
        buffer[r] = <uint8_t> one[row]
        (buffer + stride)[r] = <uint8_t> two[row]
        (buffer + 2 * stride)[r] = <uint8_t> three[row]
        (buffer + 3 * stride)[r] = <uint8_t> four[row]


cdef void _large_groups(
    const uint8_t *buffer, int64_t width, Groups groups, Parts parts, Masks masks, int kind, Fixed fixed,
    Chance chance, uint32_t *counts, uint64_t *of_values, int64_t *sums,
) noexcept nogil:
    cdef int64_t[MAX_VALUES] in_group
    cdef int64_t[MAX_VALUES] sizes
    cdef int64_t g, value, part, at
    cdef uint32_t *row
    for g in range(groups.n_large):
        row = counts
        memset(in_group, 0, sizeof(in_group))
        if masks.words == NULL:
            for part in range(parts.groups[g], parts.groups[g + 1]):
                at = parts.starts[part]
                _count_run(buffer + at, parts.starts[part + 1] - at, width, row)
                for value in range(width):
                    in_group[value] += row[value]
                row += MAX_VALUES
        else:
            at = groups.run_starts[groups.group_runs[g]]
            _mark(buffer + at, parts.group_sizes[g], width, of_values, in_group)
            for part in range(parts.groups[g], parts.groups[g + 1]):
                _count_marked(of_values, masks.words + masks.starts[part], parts.group_sizes[g], parts.sizes[part], width, row)
                row += MAX_VALUES
        _fold(counts, MAX_VALUES, width, in_group, sizes, parts, g, kind, fixed, chance, sums, NULL)


cdef inline uint64_t lowest(int64_t n) noexcept nogil:
    """Return a word with the lowest n bits set, all of them for 64 or more."""
    return ~<uint64_t> 0 if n >= 64 else ~<uint64_t> 0 >> (64 - n)


cdef inline void _count_run(const uint8_t *codes, int64_t n, int64_t width, uint32_t *counts) noexcept nogil:
    """Count the values of n codes; the last value has the remaining ones."""
    cdef int64_t value, at, in_words = n & ~63, found, left = n
    for value in range(width - 1):
        found = 0
        for at in range(0, in_words, 64):
            found += popcount(equal_mask(codes + at, <uint8_t> value))
        if in_words < n:
            found += popcount(equal_mask(codes + in_words, <uint8_t> value) & lowest(n - in_words))
        counts[value] = <uint32_t> found
        left -= found
    counts[width - 1] = <uint32_t> left


cdef void _mark(const uint8_t *codes, int64_t n, int64_t width, uint64_t *of_values, int64_t *in_group) noexcept nogil:
    """Mark the rows of each value in a group, and count them."""
    cdef int64_t n_words = (n + 63) // 64, word, value
    cdef uint64_t rest, mask
    for word in range(n_words):
        rest = lowest(n - 64 * word)
        for value in range(width):
            mask = rest if value == width - 1 else equal_mask(codes + 64 * word, <uint8_t> value) & rest
            rest ^= mask
            of_values[value * n_words + word] = mask
            in_group[value] += popcount(mask)


cdef void _count_marked(
    const uint64_t *of_values, const uint64_t *part, int64_t n, int64_t n_i, int64_t width, uint32_t *counts,
) noexcept nogil:
    """Count the values of a part of a group of n rows."""
    cdef int64_t n_words = (n + 63) // 64, word, value, found
    for value in range(width - 1):
        found = 0
        for word in range(n_words):
            found += popcount(of_values[value * n_words + word] & part[word])
        counts[value] = <uint32_t> found
        n_i -= found
    counts[width - 1] = <uint32_t> n_i


cdef void _small_groups(
    const uint8_t *buffer, int64_t width, Groups groups, Parts parts, Masks masks, const int64_t *cells, Chance chance,
    int64_t *sums,
) noexcept nogil:
    cdef int64_t g, value, begin, end, part, first, last, n_f
    cdef uint64_t rest, mask
    cdef const int64_t *row
    for g in range(groups.n_large, groups.n_large + groups.n_small):
        begin, end = groups.run_starts[groups.group_runs[g]], groups.run_starts[groups.group_runs[g + 1]]
        first, last, rest = parts.groups[g], parts.groups[g + 1], lowest(end - begin)
        for value in range(width):
            mask = rest
            if value < width - 1:  # the last value has the remaining rows
                mask &= equal_mask(buffer + begin, <uint8_t> value)
            rest ^= mask
            n_f = popcount(mask)
            row = cells + n_f * (SMALL + 1)
            if chance.small == NULL:
                for part in range(first, last):
                    sums[parts.outputs[part]] += row[popcount(mask & masks.first[part])]
            else:
                for part in range(first, last):
                    sums[parts.outputs[part]] += (
                        row[popcount(mask & masks.first[part])] - chance.small[chance.starts[part] + n_f]
                    )


cdef int64_t _small_groups_joint(
    const uint8_t *buffer, int64_t width, Groups groups, Masks masks, const int64_t *cells, const int64_t *values,
) noexcept nogil:
    """Add up all runs of a group, and the values: there is one output."""
    cdef int64_t g, value, begin, end, run, first, last, n_f, total = 0
    cdef uint64_t rest, mask
    cdef const int64_t *row
    for g in range(groups.n_large, groups.n_large + groups.n_small):
        first, last = groups.group_runs[g], groups.group_runs[g + 1]
        begin, end = groups.run_starts[first], groups.run_starts[last]
        rest = lowest(end - begin)
        for value in range(width):
            mask = equal_mask(buffer + begin, <uint8_t> value) & rest
            rest ^= mask
            n_f = popcount(mask)
            if n_f < 2:
                continue  # a value with one row adds nothing
            row = cells + n_f * (SMALL + 1)
            total += values[n_f]
            for run in range(first, last):
                total += row[popcount(mask & masks.first[run])]
    return total


cdef void _pairs(
    Columns columns, int64_t k, Groups groups, Parts parts, const code *column, int kind, const int64_t *cells,
    const int64_t *values, Chance chance, int64_t *sums,
) noexcept nogil:
    """Sum over pairs of rows, whose cells add something only if both rows have the same value.

    Corrected for chance, a pair adds the same whether its values are equal or not: the term minus
    its expectation is that of equal values, so all pairs count.
    """
    cdef int64_t first = groups.n_large + groups.n_small, g, part, equal = 0, term = cells[2 * (SMALL + 1) + 1]
    cdef const int32_t *rows = groups.rows + groups.run_starts[groups.group_runs[first]]
    column = <const code *> (columns.codes + columns.features[k] * columns.stride)
    for g in range(first, groups.n):
        if kind == JOINT:
            equal += column[rows[0]] == column[rows[1]]
        elif chance.small != NULL or column[rows[0]] == column[rows[1]]:
            for part in range(parts.groups[g], parts.groups[g + 1]):
                sums[parts.outputs[part]] += term
        rows += 2
    if kind == JOINT:
        sums[0] += equal * values[2]


# By planes ----------------------------------------------------------------------------------------

def plane_sums(columns, parts, planes, int kind, fixed, chance, sums):
    """Count by masks in the order of the table; every row counts once.

    IN columns of bytes, of at most 16 values without ignored ones, parts: runs, planes: the rows of
    each run (at least n_runs, a multiple of 4, n_words), kind, fixed, chance (for `ONE_VS_REST`
    alone) or None; OUT sums (k, n_outputs), zero on entry.
    """
    cdef Columns some = columns_of(columns)
    cdef Parts runs = parts_of(parts)
    cdef Fixed terms = fixed_of(fixed)
    cdef Chance by_chance = read_chance(chance)
    cdef const uint64_t *words = words_in(planes)
    cdef int64_t n_planes = planes.shape[0], n_outputs = sums.shape[1]
    cdef int64_t *to = longs_out(sums)
    room = np.empty((n_planes, MAX_VALUES), dtype=np.uint32)
    cdef uint32_t *counts = uints_out(room)
    cdef int64_t[MAX_VALUES] in_group
    cdef int64_t[MAX_VALUES] sizes
    cdef const uint8_t *column
    cdef int64_t k, g, run, value, width
    if some.width != 1:
        raise TypeError("codes must be bytes")
    with nogil:
        for k in range(some.n):
            width = some.n_values[some.features[k]]
            column = <const uint8_t *> some.codes + some.features[k] * some.stride
            _count_in_planes(column, some.n_rows, width, words, n_planes, runs, counts)
            for g in range(runs.n_groups):
                memset(in_group, 0, sizeof(in_group))
                for run in range(runs.groups[g], runs.groups[g + 1]):
                    for value in range(width):
                        in_group[value] += counts[run * MAX_VALUES + value]
                _fold(counts + runs.groups[g] * MAX_VALUES, MAX_VALUES, width, in_group, sizes, runs, g, kind, terms,
                      by_chance, to, NULL)
            to += n_outputs


cdef void _count_in_planes(
    const uint8_t *column, int64_t n_rows, int64_t width, const uint64_t *planes, int64_t n_planes, Parts runs,
    uint32_t *counts,
) noexcept nogil:
    """Count the values of a column in each run; the last value has the remaining rows."""
    cdef uint64_t[MARKED] marks
    cdef uint8_t[64] tail
    cdef int64_t[4] found
    cdef int64_t n_words = (n_rows + 63) // 64, n_full = n_rows // 64
    cdef int64_t first, here, word, n, run, value
    memset(counts, 0, n_planes * MAX_VALUES * sizeof(uint32_t))
    # 64 codes are read at a time, also of the last rows.
    memset(tail, 0, sizeof(tail))
    memcpy(tail, column + 64 * n_full, n_rows & 63)
    for here in range((n_words + MARKED - 1) // MARKED):
        first = here * MARKED
        n = min(n_words - first, <int64_t> MARKED)
        for value in range(width - 1):
            for word in range(min(n, n_full - first)):
                marks[word] = equal_mask(column + 64 * (first + word), <uint8_t> value)
            if first + n > n_full:
                marks[n - 1] = equal_mask(tail, <uint8_t> value)
            for run in range(0, n_planes, 4):
                common_of_four(marks, planes + run * n_words + first, n_words, n, found)
                for word in range(4):
                    counts[(run + word) * MAX_VALUES + value] += <uint32_t> found[word]
    for run in range(runs.n):
        n = runs.sizes[run]
        for value in range(width - 1):
            n -= counts[run * MAX_VALUES + value]
        counts[run * MAX_VALUES + width - 1] = <uint32_t> n


# In tables ----------------------------------------------------------------------------------------

def table_sums(columns, starts, int64_t widest, parts, weights, int kind, fixed, chance, sums, dependent):
    """Count all rows, as one group, in one table for each feature.

    IN columns without ignored values, starts (n_rows,) of uint32: the run of each row's label, times
    `widest`, the largest number of values, parts: the runs, weights or None, kind, fixed, chance or
    None; OUT sums and dependent, as in `row_sums`.
    """
    cdef Columns some = columns_of(columns)
    cdef Parts runs = parts_of(parts)
    cdef Fixed terms = fixed_of(fixed)
    cdef Chance by_chance = read_chance(chance)
    cdef Sums out = sums_of(sums, dependent, None)
    cdef const uint32_t *begin = uints_in(starts)
    cdef const int64_t *by_row = longs_in(weights)
    tables, sizes = np.zeros((4, runs.n * widest), dtype=np.uint32), np.empty((2, widest), dtype=np.int64)
    cdef uint32_t *counts = uints_out(tables)
    cdef int64_t *in_group = longs_out(sizes)
    with nogil:
        if some.width == 1:
            _tables_by_weight(some, begin, runs, by_row, kind, terms, by_chance, <const uint8_t *> NULL, widest, counts, in_group, out)
        elif some.width == 2:
            _tables_by_weight(some, begin, runs, by_row, kind, terms, by_chance, <const uint16_t *> NULL, widest, counts, in_group, out)
        else:
            _tables_by_weight(some, begin, runs, by_row, kind, terms, by_chance, <const uint32_t *> NULL, widest, counts, in_group, out)


cdef void _tables_by_weight(
    Columns columns, const uint32_t *starts, Parts runs, const int64_t *weights, int kind, Fixed fixed, Chance chance,
    const code *one, int64_t widest, uint32_t *counts, int64_t *in_group, Sums out,
) noexcept nogil:
    if weights == NULL:
        _table_sums(columns, starts, runs, <const uint8_t *> NULL, kind, fixed, chance, one, widest, counts, in_group, out)
    else:
        _table_sums(columns, starts, runs, weights, kind, fixed, chance, one, widest, counts, in_group, out)


cdef void _table_sums(
    Columns columns, const uint32_t *starts, Parts runs, const weight *weights, int kind, Fixed fixed, Chance chance,
    const code *one, int64_t widest, uint32_t *counts, int64_t *in_group, Sums out,
) noexcept nogil:
    cdef int64_t k, j, row, run, value, width, n_cells = runs.n * widest, in_fours = columns.n & ~3
    cdef const code *two
    cdef const code *three
    cdef const code *four
    cdef uint32_t *cells
    cdef uint32_t start, count = 1
    for k in range(columns.n):
        cells, one = counts + (k & 3) * n_cells, <const code *> (columns.codes + columns.features[k] * columns.stride)
        if k >= in_fours:
            for row in range(columns.n_rows):
                if weight is int64_t:
                    count = <uint32_t> weights[row]
                cells[starts[row] + one[row]] += count
        elif k & 3 == 0:  # four features each time labels are read
            two = <const code *> (columns.codes + columns.features[k + 1] * columns.stride)
            three = <const code *> (columns.codes + columns.features[k + 2] * columns.stride)
            four = <const code *> (columns.codes + columns.features[k + 3] * columns.stride)
            for row in range(columns.n_rows):
                start = starts[row]
                if weight is int64_t:
                    count = <uint32_t> weights[row]
                counts[start + one[row]] += count
                (counts + n_cells)[start + two[row]] += count
                (counts + 2 * n_cells)[start + three[row]] += count
                (counts + 3 * n_cells)[start + four[row]] += count
        width = columns.n_values[columns.features[k]]
        memset(in_group, 0, width * sizeof(int64_t))
        for run in range(runs.n):
            for value in range(width):
                in_group[value] += cells[run * widest + value]
        _fold(cells, widest, width, in_group, in_group + widest, runs, 0, kind, fixed, chance,
              out.sums + k * out.n_outputs, out.dependent + k * out.n_outputs)
        memset(cells, 0, n_cells * sizeof(uint32_t))


# Beside scores ------------------------------------------------------------------------------------

def present_counts(columns, labels, weights, counts):
    """Count, by label, the rows in which a feature counts.

    IN columns, labels (n_rows,) negative for rows that do not count at all, weights or None; OUT
    counts (k, n_labels), zero on entry.
    """
    cdef Columns some = columns_of(columns)
    cdef const int32_t *label = ints_in(labels)
    cdef const int64_t *by_row = longs_in(weights)
    cdef int64_t *to = longs_out(counts)
    cdef int64_t n_labels = counts.shape[1]
    with nogil:
        if some.width == 1:
            _present_counts(some, label, by_row, <const uint8_t *> NULL, to, n_labels)
        elif some.width == 2:
            _present_counts(some, label, by_row, <const uint16_t *> NULL, to, n_labels)
        else:
            _present_counts(some, label, by_row, <const uint32_t *> NULL, to, n_labels)


cdef void _present_counts(
    Columns columns, const int32_t *labels, const int64_t *weights, const code *column, int64_t *counts, int64_t n_labels,
) noexcept nogil:
    cdef int64_t k, row
    for k in range(columns.n):
        column = <const code *> (columns.codes + columns.features[k] * columns.stride)
        for row in range(columns.n_rows):
            if labels[row] >= 0 and column[row] != columns.ignored[columns.features[k]]:
                counts[k * n_labels + labels[row]] += 1 if weights == NULL else weights[row]


def bias_of(int64_t n_g, int64_t n_i, int64_t n_f, fixed):
    """Return the expectation of a cell under shuffled labels, in fixed point."""
    return cell_bias(n_g, n_i, n_f, fixed_of(fixed))


def small_biases(parts, fixed, biases, starts):
    """Complete the table of biases of small groups by the sizes that occur.

    IN parts, fixed; OUT biases (65 * 65 * 65,): b[n_g, n_i, n_f], of which a row begins with -1
    until it is filled; starts (n_parts,): where the row of each part begins, -1 for large groups.
    """
    cdef Parts given = parts_of(parts)
    cdef Fixed terms = fixed_of(fixed)
    cdef int64_t *table = longs_out(biases)
    cdef int64_t *to = longs_out(starts)
    cdef int64_t g, part, n_g, n_f, start
    for g in range(given.n_groups):
        n_g = given.group_sizes[g]
        for part in range(given.groups[g], given.groups[g + 1]):
            start = to[part] = small_start(n_g, given.sizes[part])
            if start >= 0 and table[start] < 0:
                for n_f in range(n_g, -1, -1):
                    table[start + n_f] = cell_bias(n_g, given.sizes[part], n_f, terms)


def masks_of(codes, int value):
    """Return the word of 64 codes that are equal to a value, by this level and as on any processor."""
    cdef const uint8_t *begin = bytes_in(codes)
    if len(codes) < SMALL:
        raise ValueError("a word takes 64 codes")
    return equal_mask(begin, <uint8_t> value), portable_equal_mask(begin, <uint8_t> value)
