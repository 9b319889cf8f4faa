"""Rows grouped by the joint value of S and by label, and the parts of groups by output."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import groups as compiled
from deacs._kernels.arrays import SMALL, Groups, Masks, Parts
from deacs._kernels.threads import WORTH_NS, map_blocks, n_threads
from deacs.coding.blocks import narrowest

__all__ = ["masks_of", "one_group", "parts_by_output", "planes_of", "runs_of", "split"]

Integers = NDArray[np.int64]

NS_REFINE = 15.0
"""Approximate cost of a row that is split, for dividing work among threads."""

PARTS_A_THREAD = 4
"""The number of parts, of about equally many rows, in which threads split groups."""


def one_group(labels: NDArray[np.int32], n_labels: int) -> Groups:
    """Return all rows as one group, for an empty S; no group if all have one label."""
    n_by_label = np.bincount(labels, minlength=n_labels)
    present = np.flatnonzero(n_by_label)
    if len(present) < 2:  # nothing to discriminate
        labels, present = labels[:0], present[:0]
    return Groups(
        np.argsort(labels.astype(narrowest(n_labels)), kind="stable").astype(np.int32),
        np.append(0, n_by_label[present].cumsum()),
        present.astype(np.int32),
        np.array([0, len(present)] if len(present) else [0]),
        int(len(labels) > SMALL),
        int(2 < len(labels) <= SMALL),
    )


def split(
    groups: Groups,
    column: NDArray[np.unsignedinteger[Any]],
    n_values: int,
    ignored: int = -1,
    n_jobs: int | None = None,
) -> Groups:
    """Split every group by the values of a column; rows with the code `ignored` are dropped.

    One stable pass over the remaining rows; groups with a single label are dropped, since they add
    zero to every later score. The others come out large, small, pairs.
    """
    n = len(groups.rows)
    refined = _room(n, n, n)

    def work(first: int, last: int) -> tuple[int, int, int]:
        return compiled.refine(groups, first, last, column, n_values, ignored, refined)

    workers = n_threads(n_jobs) if n * NS_REFINE > WORTH_NS else 1
    if workers == 1:
        n_rows, n_runs, n_groups = work(0, len(groups.group_runs) - 1)
        refined.run_starts[n_runs], refined.group_runs[n_groups] = n_rows, n_runs
        rows, run_starts, run_labels, group_runs = refined[:4]
        return _arranged(
            rows[:n_rows], run_starts[: n_runs + 1], run_labels[:n_runs], group_runs[: n_groups + 1]
        )
    starts = groups.run_starts[groups.group_runs]
    shares = np.linspace(0, n, PARTS_A_THREAD * workers + 1)
    bounds = np.unique(np.searchsorted(starts, shares)).tolist()
    left = np.empty((len(bounds) - 1, 3), dtype=np.int64)

    def share(some: slice) -> None:
        for part in range(some.start, some.stop):
            left[part] = work(bounds[part], bounds[part + 1])

    map_blocks(share, len(left), n_jobs, NS_REFINE * max(n, 1) / max(len(left), 1))
    offsets = starts[bounds[:-1]]
    return _arranged(
        _joined(refined.rows, offsets, left[:, 0]),
        _joined(refined.run_starts, offsets, left[:, 1], left[:, 0]),
        _joined(refined.run_labels, offsets, left[:, 1]),
        _joined(refined.group_runs, offsets, left[:, 2], left[:, 1]),
    )


def _room(n_rows: int, n_runs: int, n_groups: int) -> Groups:
    return Groups(
        np.empty(n_rows, dtype=np.int32),
        np.empty(n_runs + 1, dtype=np.int64),
        np.empty(n_runs, dtype=np.int32),
        np.empty(n_groups + 1, dtype=np.int64),
    )


def _arranged(
    rows: NDArray[np.int32],
    run_starts: Integers,
    run_labels: NDArray[np.int32],
    group_runs: Integers,
) -> Groups:
    """Return groups by size: large, small, pairs."""
    ordered = _room(len(rows), len(run_labels), len(group_runs) - 1)
    n_large, n_small = compiled.arrange(Groups(rows, run_starts, run_labels, group_runs), ordered)
    return ordered._replace(n_large=n_large, n_small=n_small)


def _joined(
    array: NDArray[Any], offsets: Integers, sizes: Integers, counted: Integers | None = None
) -> NDArray[Any]:
    """Concatenate the parts of an array, each from its offset on.

    If `counted` gives the totals of the parts, their entries are offsets: they continue from one
    part to the next, and the end of the last is appended.
    """
    ends = np.cumsum(sizes)
    before = np.zeros(len(sizes) + 1, dtype=np.int64)
    if counted is not None:
        counted.cumsum(out=before[1:])
    joined = np.empty_like(array[: int(ends[-1]) + (counted is not None)])
    for offset, size, end, more in zip(offsets, sizes, ends, before[:-1], strict=True):
        np.add(array[offset : offset + size], more, out=joined[end - size : end])
    if counted is not None:
        joined[-1] = before[-1]
    return joined


def runs_of(groups: Groups, run_sizes: Integers) -> Parts:
    """Return the runs as parts, each with its label; `run_sizes`: how much each counts."""
    group_sizes = _group_sizes(groups, run_sizes)
    return Parts(
        groups.group_runs, groups.run_starts, groups.run_labels, None, run_sizes, group_sizes
    )


def parts_by_output(
    groups: Groups, run_sizes: Integers, membership: NDArray[np.bool_] | None
) -> Parts:
    """Return the parts of groups that belong to outputs.

    `membership` of shape (n_labels, n_outputs) says which outputs each label belongs to; None: each
    to its own, so parts are runs.
    """
    if membership is None:
        return runs_of(groups, run_sizes)
    by_label = membership.sum(axis=1)
    memberships = by_label[groups.run_labels]
    most_parts = int(memberships.sum())
    parts = Parts(
        np.empty(len(groups.group_runs), dtype=np.int64),
        np.empty(most_parts + 1, dtype=np.int64),
        np.empty(most_parts, dtype=np.int32),
        np.empty(int(memberships @ np.diff(groups.run_starts)), dtype=np.int32),
        np.empty(most_parts, dtype=np.int64),
        _group_sizes(groups, run_sizes),
    )
    starts, outputs = np.append(0, np.cumsum(by_label)), np.nonzero(membership)[1].astype(np.int32)
    n_parts, n_positions = compiled.fill_parts(
        groups, run_sizes, starts, outputs, membership.shape[1], parts
    )
    assert parts.positions is not None
    return Parts(
        parts.groups,
        parts.starts[: n_parts + 1],
        parts.outputs[:n_parts],
        parts.positions[:n_positions],
        parts.sizes[:n_parts],
        parts.group_sizes,
    )


def _group_sizes(groups: Groups, run_sizes: Integers) -> Integers:
    if len(run_sizes) == 0:
        return np.zeros(0, dtype=np.int64)
    return np.add.reduceat(run_sizes, groups.group_runs[:-1])


def masks_of(groups: Groups, parts: Parts) -> Masks:
    """Return the rows of parts as bits."""
    if parts.positions is None:
        masks = np.zeros(len(groups.run_labels), dtype=np.uint64)
        compiled.fill_run_masks(groups, masks)
        return Masks(masks)
    n_words = -(-np.diff(groups.run_starts[groups.group_runs]) // 64)
    by_part = np.repeat(n_words, np.diff(parts.groups))
    starts = np.cumsum(by_part) - by_part
    words = np.zeros(int(by_part.sum()), dtype=np.uint64)
    compiled.fill_part_masks(groups, parts, starts, words)
    return Masks(words[starts], words, starts)


def planes_of(groups: Groups, n_rows: int) -> NDArray[np.uint64]:
    """Return the rows of runs as bits in the order of the table, of a multiple of four runs."""
    planes = np.zeros((-(-len(groups.run_labels) // 4) * 4, -(-n_rows // 64)), dtype=np.uint64)
    compiled.fill_run_planes(groups, planes)
    return planes
