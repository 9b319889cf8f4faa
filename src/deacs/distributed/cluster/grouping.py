"""Tasks on rows while features are selected: count, split, deal out, add.

The parts of `groups` that run elsewhere; all are pure functions, so that a scheduler
can compute again what a dead worker held.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.coding.data import narrowest
from deacs.distributed.cluster.cells import (
    Cells,
    Features,
    Ordered,
    RunTable,
    base_of,
    label_units,
    order_rows,
)
from deacs.distributed.cluster.parts import Part, part_of_rows
from deacs.distributed.cluster.protocol import THREADS
from deacs.information import Conditioning, ScoreKind
from deacs.information.counting import count_present as present_counts
from deacs.information.counting import members_of
from deacs.kernels.fixed_point import fixed_point

__all__ = [
    "Split",
    "add_arrays",
    "add_pairs",
    "add_sums",
    "assign",
    "base_sums_of",
    "by_label",
    "conditioning_of",
    "count_labels",
    "count_present",
    "deal",
    "first_split",
    "fold",
    "part_base",
    "part_sums",
    "places_of",
    "refine",
    "regroup",
    "split_runs",
    "summary",
]

Integers = NDArray[np.int64]


class Split(NamedTuple):
    """A split of runs: the runs there are now, and where each cell of the former ones went."""

    runs: RunTable
    keys: Integers
    new_runs: Integers


def by_label(part: Part) -> Ordered:
    """Order rows by label: S is empty."""
    return order_rows(part.labels, part.n_classes)


def count_labels(part: Part, selected: Sequence[int]) -> Integers:
    """Return how much each label counts where S is present."""
    labels = _labels_given(part, selected)
    there = labels >= 0
    weights = None if part.weights is None else part.weights[there]
    return np.bincount(labels[there], weights, part.n_classes).astype(np.int64)


def count_present(part: Part, selected: Sequence[int], features: Integers) -> Integers:
    """Return how much each label counts where S and a feature are present."""
    labels = _labels_given(part, selected)
    counts = np.zeros((len(features), part.n_classes), dtype=np.int64)
    for block in part.blocks:
        members, places = members_of(block, features)
        counts[places] = present_counts(
            block, members, labels, part.n_classes, part.weights, THREADS.get()
        )
    return counts


def _labels_given(part: Part, selected: Sequence[int]) -> NDArray[np.int32]:
    """Return the labels, -1 where a feature of S is missing."""
    labels = part.labels
    for feature in selected:
        if part.ignored(feature) >= 0:
            missing = part.column(feature) == part.ignored(feature)
            labels = np.where(missing, np.int32(-1), labels)
    return labels


def add_arrays(parts: list[Integers]) -> Integers:
    """Add counts of parts."""
    total: Integers = np.sum(parts, axis=0)
    return total


def first_split(label_counts: Integers) -> Split:
    """One group of all rows; labels that do not occur are runs of nothing."""
    labels = np.arange(len(label_counts), dtype=np.int32)
    runs = RunTable(labels, np.array([0, len(labels)]), label_counts)
    return Split(runs, np.empty(0, np.int64), np.empty(0, np.int64))


def summary(split: Split, n_parts: int) -> tuple[int, int, float]:
    """The number of runs, what is left, and how uneven the parts would be."""
    n_left = int(split.runs.sizes.sum())
    if n_left == 0:
        return split.runs.n_runs, 0, np.inf
    sizes = split.runs.group_sizes
    load = np.bincount(places_of(sizes, n_parts), sizes, n_parts).max()
    return split.runs.n_runs, n_left, float(load * n_parts / n_left)


def split_runs(cells: Cells, features: Features, former: Split) -> Split:
    """Split groups by the values of one feature; those with one label retire."""
    runs, width = former.runs, int(features.n_values[0])
    if features.sparse:
        keys, counts = cells[0]
    else:
        keys = np.flatnonzero(cells)
        counts = cells[keys]
    run, value = keys // width, keys % width
    group = np.repeat(np.arange(len(runs.group_runs) - 1), np.diff(runs.group_runs))[run]
    present = value != features.ignored[0]
    order = np.lexsort((runs.labels[run], group * width + value))
    order = order[present[order]]
    _, place, n_labels = np.unique(
        (group * width + value)[order], return_inverse=True, return_counts=True
    )
    order, place = order[n_labels[place] > 1], place[n_labels[place] > 1]
    first = np.flatnonzero(np.diff(place, prepend=-1))
    split = RunTable(runs.labels[run[order]], np.append(first, len(order)), counts[order])
    new_runs = np.full(len(keys), -1)
    new_runs[order] = np.arange(len(order))
    return Split(split, keys, new_runs)


def regroup(part: Part, ordered: Ordered, features: Features, split: Split) -> Ordered:
    """Order the rows that are left by their new runs."""
    by_run = order_rows(_new_runs(part, ordered, features, split), split.runs.n_runs)
    return Ordered(ordered.rows[by_run.rows], by_run.run_starts)


def _new_runs(part: Part, ordered: Ordered, features: Features, split: Split) -> Integers:
    """Return the new run of each row in its former order, -1 if its group has retired."""
    n_runs, width = len(ordered.run_starts) - 1, int(features.n_values[0])
    keys = np.repeat(np.arange(n_runs) * width, np.diff(ordered.run_starts))
    keys += part.column(int(features.numbers[0]))[ordered.rows]
    if features.sparse:
        return split.new_runs[np.searchsorted(split.keys, keys)]
    new_runs = np.full(n_runs * width, -1)
    new_runs[split.keys] = split.new_runs
    return new_runs[keys]


def fold(
    cells: Cells, features: Features, split: Split, kind: str, total: int, n_labels: int
) -> Integers:
    """Make scores of cells."""
    return label_units(cells, features, split.runs, kind, total, n_labels)


def base_sums_of(split: Split, total: int, n_labels: int) -> Integers:
    """Return -N H(C_i | S) of every label."""
    return base_of(split.runs, "one-vs-rest", fixed_point(total, n_labels), n_labels)


def places_of(sizes: Integers, n_parts: int) -> NDArray[np.int64]:
    """Give each group a part: the largest first, to the part that has least."""
    loads = [(0, part) for part in range(n_parts)]
    places = np.empty(len(sizes), dtype=np.int64)
    for group in np.argsort(-sizes, kind="stable").tolist():
        load, part = loads[0]
        places[group] = part
        heapq.heapreplace(loads, (load + int(sizes[group]), part))
    return places


def assign(split: Split, n_parts: int) -> NDArray[np.int64]:
    """The part of each run."""
    return np.repeat(places_of(split.runs.group_sizes, n_parts), np.diff(split.runs.group_runs))


def deal(
    part: Part,
    ordered: Ordered,
    features: Features,
    split: Split,
    places: NDArray[np.int64],
    n_parts: int,
    stays: int | None,
) -> list[Part]:
    """The rows of a part that go to each; those that are settled stay, if they are needed."""
    settled = n_parts if stays is None else stays
    places = np.append(places, settled).astype(narrowest(n_parts + 1))  # of run -1, the last
    targets = np.full(part.n_rows, settled, dtype=places.dtype)
    targets[ordered.rows] = places[_new_runs(part, ordered, features, split)]
    by_target = order_rows(targets, n_parts + 1)
    ends = by_target.run_starts[: n_parts + 1].tolist()
    return [part_of_rows(part, by_target.rows[begin:end]) for begin, end in pairwise(ends)]


def conditioning_of(part: Part, total: int, selected: Sequence[int]) -> Conditioning:
    """Condition a part on S."""
    known = Conditioning(part.labels, part.n_classes, part.weights, total)
    for feature in selected:
        known.add(part.column(feature), int(part.n_values[feature]), part.ignored(feature))
    return known


def refine(part: Part, known: Conditioning, feature: int) -> Conditioning:
    """Condition a part on one more feature."""
    return known.refined(part.column(feature), int(part.n_values[feature]), part.ignored(feature))


def part_sums(
    part: Part, known: Conditioning, features: Integers, kind: ScoreKind, partial: bool
) -> tuple[Integers, NDArray[np.bool_], Integers | None]:
    """Return what a part adds to the scores of features."""
    threads = THREADS.get()
    sums, dependent = known.sums(part.blocks, features, kind, threads)
    counts = known.present_counts(part.blocks, features, threads) if partial else None
    return sums, dependent, counts


def add_sums(parts: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Add what `part_sums` returns."""
    sums, dependent, counts = zip(*parts, strict=True)
    return (
        np.sum(sums, axis=0),
        np.any(dependent, axis=0),
        None if counts[0] is None else np.sum(counts, axis=0),
    )


def part_base(known: Conditioning) -> tuple[Integers, Integers]:
    """Return what a part adds to -N H(C_i | S), and how much each label counts in it."""
    return known.base_sums("one-vs-rest"), known.label_counts


def add_pairs(parts: list[tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    """Add what `part_base` returns."""
    first, second = zip(*parts, strict=True)
    return np.sum(first, axis=0), np.sum(second, axis=0)
