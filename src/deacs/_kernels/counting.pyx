"""Count cells of groups, values and labels, and sum what depends on the feature.

Compiled for each level of x86-64. Features of few values are gathered in group order as bytes and
counted by masks: `equal_mask` compares 64 codes with a value, a popcount per run counts a cell. A
small group is one mask of at most 64 rows, and the term of a cell is looked up in a table that fits
the first-level cache. A pair of rows takes one comparison: its cells add something only if both
rows have the same value. The named tuples are those of `deacs.kernels`.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from deacs._kernels.arrays cimport Columns, Groups, bytes_out, code, columns_of, groups_of, longs_in, longs_out, words_in, words_out
from deacs._kernels.fixed_point cimport Fixed, fixed_of, split_term, weighted_log, xlogx
from deacs._kernels.masks cimport equal_mask, popcount


def fill_run_masks(groups, run_masks):
    """Mark the rows of each run within its small group.

    IN groups; OUT run_masks (n_runs,), filled for small groups.
    """
    cdef Groups given = groups_of(groups)
    cdef uint64_t *masks = words_out(run_masks)
    cdef uint64_t ones = ~<uint64_t> 0
    cdef int64_t g, run, begin, low, high
    with nogil:
        for g in range(given.n_large, given.n_large + given.n_small):
            begin = given.run_starts[given.group_runs[g]]
            for run in range(given.group_runs[g], given.group_runs[g + 1]):
                low, high = given.run_starts[run] - begin, given.run_starts[run + 1] - begin
                masks[run] = (ones >> (64 - high)) & (ones << low)
