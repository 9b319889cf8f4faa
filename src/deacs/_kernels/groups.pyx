"""Split and sort groups of rows; `deacs.kernels.groups` defines `Groups` and the work space."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from deacs._kernels.arrays cimport Groups, code, groups_of, ints_out, longs_out, pointer

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


def refine(groups, Py_ssize_t first_group, Py_ssize_t last_group, column, int64_t ignored, scratch, split):
    """Split groups by the values of `column`; drop the parts with one label.

    IN groups, first_group, last_group: the range to split, column, ignored: the code whose rows are
    dropped too, or -1; TEMP scratch; OUT split: the remaining groups. Returns the numbers of
    remaining rows, runs and groups.

    Threads share arrays with an entry for each row: each uses the range of its own groups' rows, in
    which rows and runs are numbered from zero.
    """
    cdef Groups given = groups_of(groups)
    cdef Out out = out_of(split)
    cdef int64_t *count = longs_out(scratch.n_with)
    cdef int64_t *start = longs_out(scratch.start)
    cdef int64_t *seen = longs_out(scratch.seen)
    cdef int32_t *row_labels = ints_out(scratch.row_labels)
    cdef int width = column.itemsize
    cdef const void *codes = pointer(column, width, b"BHIL", 0)
    cdef void *values = pointer(scratch.values, width, b"BHIL", 0)
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
