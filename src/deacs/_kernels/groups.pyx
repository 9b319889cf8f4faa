"""Split and sort groups of rows, and find their parts by output."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from deacs._kernels.arrays cimport (
    Groups, Parts, code, groups_of, ints_in, ints_out, longs_in, longs_out, parts_of, pointer, words_out,
)

cdef struct Out:
    int32_t *rows
    int64_t *run_starts
    int32_t *run_labels
    int64_t *group_runs


cdef Out out_of(object groups) except *:
    cdef Out given
    given.rows, given.run_starts = ints_out(groups.rows), longs_out(groups.run_starts)
    given.run_labels, given.group_runs = ints_out(groups.run_labels), longs_out(groups.group_runs)
    return given


def refine(groups, Py_ssize_t first_group, Py_ssize_t last_group, column, Py_ssize_t n_values, int64_t ignored, split):
    """Split groups by the values of `column`; drop the parts with one label.

    IN groups, first_group, last_group: the range to split, column, n_values, ignored: the code
    whose rows are dropped too, or -1; OUT split: the remaining groups. Returns the numbers of
    remaining rows, runs and groups.

    Threads share `split`: each uses the range of its own groups' rows, in which rows and runs are
    numbered from zero.
    """
    cdef Groups given = groups_of(groups)
    cdef Out out = out_of(split)
    cdef int width = column.itemsize
    cdef const void *codes = pointer(column, width, b"BHIL", 0)
    cdef int64_t begin = given.run_starts[given.group_runs[first_group]]
    cdef int64_t end = given.run_starts[given.group_runs[last_group]]
    by_value = np.zeros((3, n_values), dtype=np.int64)
    gathered, their_labels = np.empty(end - begin, dtype=column.dtype), np.empty(end - begin, dtype=np.int32)
    cdef int64_t *count = longs_out(by_value)
    cdef int64_t *start = count + n_values
    cdef int64_t *seen = start + n_values
    cdef char *values = <char *> pointer(gathered, width, b"BHIL", 0) - begin * width
    cdef int32_t *row_labels = ints_out(their_labels) - begin
    cdef int64_t[3] left
    with nogil:
        if width == 1:
            _refine(given, first_group, last_group, <const uint8_t *> codes, ignored,
                    count, start, seen, <uint8_t *> values, row_labels, out, left)
        elif width == 2:
            _refine(given, first_group, last_group, <const uint16_t *> codes, ignored,
                    count, start, seen, <uint16_t *> values, row_labels, out, left)
        else:
            _refine(given, first_group, last_group, <const uint32_t *> codes, ignored,
                    count, start, seen, <uint32_t *> values, row_labels, out, left)
    return left[0], left[1], left[2]


cdef void _refine(
    Groups groups, Py_ssize_t first_group, Py_ssize_t last_group, const code *column, int64_t ignored,
    int64_t *count, int64_t *start, int64_t *seen, code *values, int32_t *row_labels, Out out, int64_t *left,
) noexcept nogil:
    cdef int64_t offset = groups.run_starts[groups.group_runs[first_group]]
    cdef int64_t n_rows = offset, n_runs = offset, n_groups = offset
    cdef int64_t g, r, k, run, first_run, last_run, begin, end, n_seen, position, target, read, size
    cdef int32_t label, previous
    cdef code value
    for g in range(first_group, last_group):
        first_run, last_run = groups.group_runs[g], groups.group_runs[g + 1]
        begin, end = groups.run_starts[first_run], groups.run_starts[last_run]

        n_seen = 0
        for r in range(begin, end):
            value = column[groups.rows[r]]
            values[r] = value
            if count[value] == 0:
                seen[n_seen] = value
                n_seen += 1
            count[value] += 1

        position = n_rows
        for k in range(n_seen):
            start[seen[k]] = position
            position += count[seen[k]]
        for run in range(first_run, last_run):
            for r in range(groups.run_starts[run], groups.run_starts[run + 1]):
                target = start[values[r]]
                start[values[r]] = target + 1
                out.rows[target] = groups.rows[r]
                row_labels[target] = groups.run_labels[run]

        # Close the gaps of dropped parts; reading never falls behind writing.
        read = n_rows
        for k in range(n_seen):
            size = count[seen[k]]
            count[seen[k]] = 0
            if seen[k] != ignored and row_labels[read] != row_labels[read + size - 1]:
                out.group_runs[n_groups] = n_runs - offset
                n_groups += 1
                previous = -1
                for r in range(read, read + size):
                    label = row_labels[r]
                    if label != previous:
                        out.run_starts[n_runs] = n_rows - offset
                        out.run_labels[n_runs] = label
                        n_runs += 1
                        previous = label
                    out.rows[n_rows] = out.rows[r]
                    n_rows += 1
            read += size
    left[0], left[1], left[2] = n_rows - offset, n_runs - offset, n_groups - offset


def arrange(groups, ordered):
    """Put large groups first, then small ones, then pairs.

    IN groups; OUT ordered: the same in the new order. Returns the numbers of large and of small
    groups.
    """
    cdef Groups given = groups_of(groups)
    cdef Out out = out_of(ordered)
    cdef int64_t g, run, r, first_run, last_run, size, n_large = 0, n_small = 0, g_out = 0, run_out = 0, row_out = 0
    cdef int wanted
    with nogil:
        for wanted in range(3):
            for g in range(given.n):
                first_run, last_run = given.group_runs[g], given.group_runs[g + 1]
                size = given.run_starts[last_run] - given.run_starts[first_run]
                if (0 if size > 64 else 1 if size > 2 else 2) != wanted:
                    continue
                n_large += wanted == 0
                n_small += wanted == 1
                out.group_runs[g_out] = run_out
                g_out += 1
                for run in range(first_run, last_run):
                    out.run_starts[run_out] = row_out
                    out.run_labels[run_out] = given.run_labels[run]
                    run_out += 1
                    for r in range(given.run_starts[run], given.run_starts[run + 1]):
                        out.rows[row_out] = given.rows[r]
                        row_out += 1
        out.group_runs[g_out] = run_out
        out.run_starts[run_out] = row_out
    return n_large, n_small


def fill_parts(groups, run_sizes, starts_of_labels, outputs_of_labels, Py_ssize_t n_outputs, parts):
    """Find the parts of every group.

    IN groups, run_sizes: how much each run counts, starts_of_labels (n_labels + 1,): where the outputs
    of each label begin in outputs_of_labels, n_outputs; OUT parts, allocated for all memberships of
    runs and of rows, with `group_sizes`. Returns the numbers of parts and of their rows.
    """
    cdef Groups given = groups_of(groups)
    cdef const int64_t *sizes = longs_in(run_sizes)
    cdef const int64_t *first_output = longs_in(starts_of_labels)
    cdef const int32_t *outputs = ints_in(outputs_of_labels)
    cdef int64_t *to_groups = longs_out(parts.groups)
    cdef int64_t *to_starts = longs_out(parts.starts)
    cdef int64_t *to_sizes = longs_out(parts.sizes)
    cdef int32_t *to_outputs = ints_out(parts.outputs)
    cdef int32_t *positions = ints_out(parts.positions)
    by_output, listed = np.zeros((3, n_outputs), dtype=np.int64), np.empty(n_outputs, dtype=np.int32)
    cdef int64_t *n_rows = longs_out(by_output)
    cdef int64_t *in_group = n_rows + n_outputs
    cdef int64_t *cursor = in_group + n_outputs
    cdef int32_t *seen = ints_out(listed)
    cdef int64_t g, run, r, m, s, at, n_g, n_seen, n_parts = 0, n_positions = 0
    cdef int32_t label, output
    with nogil:
        for g in range(given.n):
            n_g = given.run_starts[given.group_runs[g + 1]] - given.run_starts[given.group_runs[g]]
            n_seen = 0
            for run in range(given.group_runs[g], given.group_runs[g + 1]):
                label = given.run_labels[run]
                for m in range(first_output[label], first_output[label + 1]):
                    output = outputs[m]
                    if n_rows[output] == 0:
                        seen[n_seen] = output
                        n_seen += 1
                    n_rows[output] += given.run_starts[run + 1] - given.run_starts[run]
                    in_group[output] += sizes[run]
            to_groups[g] = n_parts
            for s in range(n_seen):
                output = seen[s]
                cursor[output] = -1
                if n_rows[output] < n_g:
                    to_outputs[n_parts], to_sizes[n_parts] = output, in_group[output]
                    to_starts[n_parts] = cursor[output] = n_positions
                    n_positions += n_rows[output]
                    n_parts += 1
                n_rows[output] = in_group[output] = 0
            for run in range(given.group_runs[g], given.group_runs[g + 1]):
                label = given.run_labels[run]
                for m in range(first_output[label], first_output[label + 1]):
                    at = cursor[outputs[m]]
                    if at >= 0:
                        for r in range(given.run_starts[run], given.run_starts[run + 1]):
                            positions[at] = <int32_t> r
                            at += 1
                        cursor[outputs[m]] = at
        to_groups[given.n], to_starts[n_parts] = n_parts, n_positions
    return n_parts, n_positions


def fill_run_masks(groups, masks):
    """Mark the rows of each run within its small group.

    IN groups; OUT masks (n_runs,), filled for small groups.
    """
    cdef Groups given = groups_of(groups)
    cdef uint64_t *words = words_out(masks)
    cdef uint64_t ones = ~<uint64_t> 0
    cdef int64_t g, run, begin, low, high
    with nogil:
        for g in range(given.n_large, given.n_large + given.n_small):
            begin = given.run_starts[given.group_runs[g]]
            for run in range(given.group_runs[g], given.group_runs[g + 1]):
                low, high = given.run_starts[run] - begin, given.run_starts[run + 1] - begin
                words[run] = (ones >> (64 - high)) & (ones << low)


def fill_run_planes(groups, planes):
    """Mark the rows of each run within the table.

    IN groups; OUT planes (n_runs or more, n_words), zero on entry.
    """
    cdef Groups given = groups_of(groups)
    cdef uint64_t *plane = words_out(planes)
    cdef int64_t n_words = planes.shape[1], run, r, word, last
    cdef uint64_t marks
    with nogil:
        for run in range(given.n_runs):
            last, marks = given.rows[given.run_starts[run]] // 64, 0
            for r in range(given.run_starts[run], given.run_starts[run + 1]):
                word = given.rows[r] // 64
                if word != last:
                    plane[last] |= marks
                    last, marks = word, 0
                marks |= <uint64_t> 1 << (given.rows[r] & 63)
            plane[last] |= marks
            plane += n_words


def fill_part_masks(groups, parts, mask_starts, masks):
    """Mark the rows of each part within its group, 64 in a word.

    IN groups, parts, mask_starts (n_parts,): where the words of each part begin; OUT masks, zero on
    entry.
    """
    cdef Groups given = groups_of(groups)
    cdef Parts of_outputs = parts_of(parts)
    cdef const int64_t *starts = longs_in(mask_starts)
    cdef uint64_t *words = words_out(masks)
    cdef int64_t g, part, at, begin, bit
    with nogil:
        for g in range(given.n):
            begin = given.run_starts[given.group_runs[g]]
            for part in range(of_outputs.groups[g], of_outputs.groups[g + 1]):
                for at in range(of_outputs.starts[part], of_outputs.starts[part + 1]):
                    bit = of_outputs.positions[at] - begin
                    words[starts[part] + bit // 64] |= <uint64_t> 1 << (bit & 63)
