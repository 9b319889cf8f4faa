"""Parts of groups of rows: the rows of each run, or of each output."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.groups import Groups
from deacs.kernels.overlapping import PartMasks
from deacs.kernels.parts import Members, Parts, PartScratch, fill_part_masks, fill_parts, runs

__all__ = ["Sizes", "members_of_runs", "of_outputs", "of_runs", "part_masks"]

Integers = NDArray[np.int64]


class Sizes(NamedTuple):
    """Parts of groups, and how much each counts."""

    parts: Parts
    sizes: Integers
    """The count of each part, (n_parts,)."""
    group_sizes: Integers
    """The count of each group, (n_groups,)."""

    def of_groups(self) -> Integers:
        """Return how much the group of each part counts, (n_parts,)."""
        return np.repeat(self.group_sizes, np.diff(self.parts.groups))


def of_runs(groups: Groups, run_sizes: Integers) -> Sizes:
    """Return the runs of groups, with the weights in `run_sizes`."""
    return Sizes(runs(groups), run_sizes, _group_sizes(groups, run_sizes))


def of_outputs(groups: Groups, run_sizes: Integers, members: Members, n_outputs: int) -> Sizes:
    """Return the parts of groups that belong to outputs; see `kernels/parts.py`."""
    memberships = np.diff(members.starts)[groups.run_labels]
    most_parts = int(memberships.sum())
    most_rows = int(memberships @ np.diff(groups.run_starts))
    parts = Parts(
        np.empty(len(groups.group_runs), dtype=np.int64),
        np.empty(most_parts + 1, dtype=np.int64),
        np.empty(most_parts, dtype=np.int32),
        np.empty(most_rows, dtype=np.int32),
    )
    sizes = np.empty(most_parts, dtype=np.int64)
    n_rows, in_group, cursor = np.zeros((3, n_outputs), dtype=np.int64)
    scratch = PartScratch(n_rows, in_group, cursor, np.empty(n_outputs, dtype=np.int32))
    n_parts, n_positions = fill_parts(groups, run_sizes, members, scratch, parts, sizes)
    assert parts.positions is not None
    kept = Parts(
        parts.groups,
        parts.starts[: n_parts + 1],
        parts.outputs[:n_parts],
        parts.positions[:n_positions],
    )
    return Sizes(kept, sizes[:n_parts], _group_sizes(groups, run_sizes))


def part_masks(groups: Groups, parts: Parts) -> PartMasks:
    """Return the rows of parts as bits."""
    n_words = -(-np.diff(groups.run_starts[groups.group_runs]) // 64)
    by_part = np.repeat(n_words, np.diff(parts.groups))
    starts = np.cumsum(by_part) - by_part
    words = np.zeros(int(by_part.sum()), dtype=np.uint64)
    fill_part_masks(groups, parts, starts, words)
    return PartMasks(starts, words, words[starts], np.diff(parts.starts))


def members_of_runs(membership: NDArray[np.bool_]) -> Members:
    """Return the outputs of each run label, from a matrix of shape (n_labels, n_outputs)."""
    starts = np.concatenate(([0], np.cumsum(membership.sum(axis=1))))
    return Members(starts, np.nonzero(membership)[1].astype(np.int32))


def _group_sizes(groups: Groups, run_sizes: Integers) -> Integers:
    if len(run_sizes) == 0:
        return np.zeros(0, dtype=np.int64)
    return np.add.reduceat(run_sizes, groups.group_runs[:-1])
