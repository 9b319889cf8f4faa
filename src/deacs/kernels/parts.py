"""The rows of a group that belong to an output: a run, or runs that overlap.

For classes, a part is a run. With multiple labels per row, a run belongs to all of its labels, and
a part holds the rows of several runs. Parts that are empty, or the whole group, add zero to every
score and are omitted.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.groups import Groups
from deacs.kernels.jit import lean_kernel, lean_routine, patient_kernel

__all__ = ["Members", "PartScratch", "Parts", "fill_part_masks", "fill_parts", "place", "runs"]


class Members(NamedTuple):
    """The outputs that each run label belongs to."""

    starts: NDArray[np.int64]
    """The start of the outputs of each run label, (n_labels + 1,)."""
    outputs: NDArray[np.int32]
    """The outputs of all run labels, concatenated."""


class Parts(NamedTuple):
    """Parts of groups, by group."""

    groups: NDArray[np.int64]
    """The start of each group's parts, and the end of the last."""
    starts: NDArray[np.int64]
    """The start of each part's rows, and the end of the last."""
    outputs: NDArray[np.int32]
    """The output of each part."""
    positions: NDArray[np.int32] | None
    """Indices into `Groups.rows`, part by part; None: parts are runs."""


class PartScratch(NamedTuple):
    """Work space for finding parts, zero on entry and exit except `seen`."""

    n_rows: NDArray[np.int64]
    """The number of rows of a group in each output."""
    sizes: NDArray[np.int64]
    """Their total weight."""
    cursor: NDArray[np.int64]
    """The position of the next row of each output."""
    seen: NDArray[Any]
    """The outputs of a group."""


def runs(groups: Groups) -> Parts:
    """Return the runs as parts, each with its label."""
    return Parts(groups.group_runs, groups.run_starts, groups.run_labels, None)


@lean_routine
def place(positions, at):
    """Return the index into `Groups.rows` of an entry of a part."""
    if positions is None:
        return at
    return np.int64(positions[at])


@patient_kernel
def fill_parts(groups, run_sizes, members, scratch, parts, sizes):
    """Find the parts of every group.

    IN groups, run_sizes: the weight of each run, members; TEMP scratch; OUT parts, sizes: the
    weight of each part, allocated for all memberships of runs and of rows. Returns the numbers of
    parts and of their rows.
    """
    n_rows, in_group, cursor, seen = scratch
    run_starts, run_labels, group_runs = groups.run_starts, groups.run_labels, groups.group_runs
    n_parts = n_positions = np.int64(0)
    for g in range(group_runs.shape[0] - 1):
        first_run, last_run = group_runs[g], group_runs[g + 1]
        n_g = run_starts[last_run] - run_starts[first_run]
        n_seen = 0
        for run in range(first_run, last_run):
            label = run_labels[run]
            for m in range(members.starts[label], members.starts[label + 1]):
                output = members.outputs[m]
                if n_rows[output] == 0:
                    seen[n_seen] = output
                    n_seen += 1
                n_rows[output] += run_starts[run + 1] - run_starts[run]
                in_group[output] += run_sizes[run]
        parts.groups[g] = n_parts
        for s in range(n_seen):
            output = seen[s]
            cursor[output] = -1
            if n_rows[output] < n_g:
                parts.outputs[n_parts] = output
                parts.starts[n_parts] = n_positions
                sizes[n_parts] = in_group[output]
                cursor[output] = n_positions
                n_positions += n_rows[output]
                n_parts += 1
            n_rows[output] = in_group[output] = 0
        for run in range(first_run, last_run):
            label = run_labels[run]
            for m in range(members.starts[label], members.starts[label + 1]):
                at = cursor[members.outputs[m]]
                if at >= 0:
                    for r in range(run_starts[run], run_starts[run + 1]):
                        parts.positions[at] = r
                        at += 1
                    cursor[members.outputs[m]] = at
        for s in range(n_seen):
            cursor[seen[s]] = 0
    parts.groups[group_runs.shape[0] - 1] = n_parts
    parts.starts[n_parts] = n_positions
    return n_parts, n_positions


@lean_kernel
def fill_part_masks(groups, parts, mask_starts, masks):
    """Fill the masks of parts: bits of the rows of their group, 64 rows per word.

    IN groups, parts, mask_starts (n_parts,): the offset of each part's words; OUT masks, zero on
    entry.
    """
    for g in range(groups.group_runs.shape[0] - 1):
        begin = groups.run_starts[groups.group_runs[g]]
        for part in range(parts.groups[g], parts.groups[g + 1]):
            for at in range(parts.starts[part], parts.starts[part + 1]):
                bit = np.uint64(parts.positions[at] - begin)
                word = mask_starts[part] + np.int64(bit >> np.uint64(6))
                masks[word] |= np.uint64(1) << (bit & np.uint64(63))
