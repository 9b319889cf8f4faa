"""Create, split and sort groups of rows by the joint value of S."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import groups as compiled
from deacs.coding.data import narrowest
from deacs.information.parts import Sizes
from deacs.information.plan import NS_REFINE
from deacs.kernels.codes import DIVERGENCE, JOINT, ONE_VS_REST
from deacs.kernels.fixed_point import FixedPoint, weighted_logs, xlogx_of
from deacs.kernels.groups import Groups, SplitScratch
from deacs.kernels.threads import WORTH_NS, map_blocks, n_threads

__all__ = ["arranged", "base_sums", "one_group", "split"]

Integers = NDArray[np.int64]

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
    )


def split(
    groups: Groups,
    column: NDArray[np.unsignedinteger[Any]],
    n_values: int,
    ignored: int = -1,
    n_jobs: int | None = None,
) -> Groups:
    """Split every group by the values of a column; rows with the code `ignored` are dropped."""
    n = len(groups.rows)
    refined = Groups(
        np.empty(n, dtype=np.int32),
        np.empty(n + 1, dtype=np.int64),
        np.empty(n, dtype=np.int32),
        np.empty(n + 1, dtype=np.int64),
    )
    values, row_labels = np.empty(n, dtype=column.dtype), np.empty(n, dtype=np.int32)

    def work(first: int, last: int) -> tuple[int, int, int]:
        count, start, seen = np.zeros((3, n_values), dtype=np.int64)
        scratch = SplitScratch(count, start, seen, values, row_labels)
        return compiled.refine(groups, first, last, column, ignored, scratch, refined)

    workers = n_threads(n_jobs) if n * NS_REFINE > WORTH_NS else 1
    if workers == 1:
        n_rows, n_runs, n_groups = work(0, len(groups.group_runs) - 1)
        refined.run_starts[n_runs], refined.group_runs[n_groups] = n_rows, n_runs
        rows, run_starts, run_labels, group_runs = refined[:4]
        return Groups(
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
    return Groups(
        _joined(refined.rows, offsets, left[:, 0]),
        _joined(refined.run_starts, offsets, left[:, 1], left[:, 0]),
        _joined(refined.run_labels, offsets, left[:, 1]),
        _joined(refined.group_runs, offsets, left[:, 2], left[:, 1]),
    )


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


def base_sums(counted: Sizes, kind: int, fixed: FixedPoint, n_outputs: int) -> Integers:
    """Sum the terms that do not depend on a feature over groups and outputs, in fixed point.

    For `ONE_VS_REST` this is -N H(C_i | S) for every output i, for `JOINT` -N H(C | S), of runs.
    """
    sums = np.zeros(n_outputs, dtype=np.int64)
    n_i, n_g = counted.sizes, counted.of_groups()
    terms = xlogx_of(n_i, fixed)
    if kind == JOINT:
        sums[0] = terms.sum() - xlogx_of(counted.group_sizes, fixed).sum()
        return sums
    if kind == ONE_VS_REST:
        terms += xlogx_of(n_g - n_i, fixed) - xlogx_of(n_g, fixed)
    else:
        assert kind == DIVERGENCE
        terms -= weighted_logs(n_i, n_g, fixed)
    np.add.at(sums, counted.parts.outputs, terms)
    return sums


def arranged(groups: Groups) -> Groups:
    """Return the groups sorted by size class: large, small, pairs."""
    if groups.n_large >= 0:
        return groups
    ordered = Groups(
        np.empty_like(groups.rows),
        np.empty_like(groups.run_starts),
        np.empty_like(groups.run_labels),
        np.empty_like(groups.group_runs),
    )
    n_large, n_small = compiled.arrange(groups, ordered)
    return ordered._replace(n_large=n_large, n_small=n_small)
