"""Few values, outputs that overlap: gather a column in group order, count every part by masks.

The counterpart of `grouped` for parts whose rows are not contiguous: each part has a bit for every
row of its group. A cell takes one popcount per word, for any number of runs.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.bias import chance_term
from deacs.kernels.codes import cell_term
from deacs.kernels.grouped import MAX_VALUES, PADDING, small_groups
from deacs.kernels.jit import lean_kernel, lean_routine
from deacs.kernels.masks import equal_mask, popcount

__all__ = ["OverlapScratch", "PartMasks", "overlap_scratch", "overlapping_sums"]


class PartMasks(NamedTuple):
    """The rows of parts as bits."""

    starts: NDArray[np.int64]
    """The offset of each part's words, (n_parts,)."""
    words: NDArray[np.uint64]
    """Filled by `fill_part_masks`."""
    first: NDArray[np.uint64]
    """The first word of each part, the only one in small groups, (n_parts,)."""
    sizes: NDArray[np.int64]
    """The number of rows of each part, (n_parts,)."""


class OverlapScratch(NamedTuple):
    """Work space for counting parts."""

    buffer: NDArray[np.unsignedinteger[Any]]
    """A column in group order, (at least n_left + 64,)."""
    masks: NDArray[np.uint64]
    """Masks of the values in a group, (16 times the words of the largest group,)."""
    counts: NDArray[np.int64]
    """Counts of the values in a group, (16,)."""


def overlap_scratch(n_left: int, largest: int, dtype: Any) -> OverlapScratch:
    """Return a work space for a number of rows and the largest group."""
    return OverlapScratch(
        np.empty(n_left + PADDING, dtype),
        np.empty(MAX_VALUES * max(-(-largest // 64), 1), dtype=np.uint64),
        np.empty(MAX_VALUES, dtype=np.int64),
    )


@lean_kernel
def overlapping_sums(
    columns, groups, parts, part_masks, kind, fixed, tables, chance, scratch, sums
):
    """Sum, over groups and cells, what depends on the feature.

    IN columns of at most 16 values, groups (arranged), parts, part_masks, kind, fixed, tables (from
    `cell_tables`), chance or None; TEMP scratch; OUT sums (k, n_outputs), zero on entry.
    """
    codes, features, n_values, _ = columns
    buffer = scratch.buffer
    n_masked = groups.n_large + groups.n_small
    n_gathered = groups.run_starts[groups.group_runs[n_masked]]
    for k in range(features.shape[0]):
        column = codes[features[k]]
        width = n_values[features[k]]
        for r in range(n_gathered):
            buffer[r] = column[groups.rows[r]]
        for g in range(groups.n_large):
            _large_group(width, groups, g, parts, part_masks, kind, fixed, chance, scratch, sums, k)
        small_groups(
            buffer, width, groups, parts.groups, parts.outputs, part_masks.first,
            tables.cells, chance, sums, k,
        )  # fmt: skip
        _pairs(column, groups, parts, tables.cells[2, 1], chance, sums, k)


@lean_routine
def _large_group(width, groups, g, parts, part_masks, kind, fixed, chance, scratch, sums, k):
    """Count the parts of one group of several words."""
    buffer, masks, counts = scratch
    table, logs, scale_bits = fixed
    begin = groups.run_starts[groups.group_runs[g]]
    n_g = groups.run_starts[groups.group_runs[g + 1]] - begin
    n_words = (n_g + 63) // 64
    for value in range(width):
        counts[value] = 0
    for word in range(n_words):
        at = begin + 64 * word
        rest = ~np.uint64(0) >> np.uint64(64 - min(n_g - 64 * word, 64))
        for value in range(width):
            mask = rest
            if value < width - 1:
                mask = equal_mask(buffer, at, value) & rest
            rest ^= mask
            masks[value * n_words + word] = mask
            counts[value] += popcount(mask)
    for part in range(parts.groups[g], parts.groups[g + 1]):
        first = part_masks.starts[part]
        n_i = left = part_masks.sizes[part]
        total = np.int64(0)
        for value in range(width):
            n_f = counts[value]
            n_fi = left
            if value < width - 1:
                n_fi = np.int64(0)
                for word in range(n_words):
                    n_fi += popcount(masks[value * n_words + word] & part_masks.words[first + word])
                left -= n_fi
            if n_fi > 0:
                total += cell_term(n_fi, n_f, kind, table, logs, scale_bits)
            if chance is not None and n_f > 0:
                start = chance.starts[part]
                total -= chance_term(chance, start, n_g, n_i, n_f, table, scale_bits)
        sums[k, parts.outputs[part]] += total


@lean_routine
def _pairs(column, groups, parts, term, chance, sums, k):
    """Sum over pairs of rows: one of them has the label; see `grouped._equal_pairs`."""
    first = groups.n_large + groups.n_small
    r = groups.run_starts[groups.group_runs[first]]
    for g in range(first, groups.group_runs.shape[0] - 1):
        if chance is not None or column[groups.rows[r]] == column[groups.rows[r + 1]]:
            for part in range(parts.groups[g], parts.groups[g + 1]):
                sums[k, parts.outputs[part]] += term
        r += 2
