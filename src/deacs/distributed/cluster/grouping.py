"""Tasks on one part: count cells or sums given S, and deal its rows to other parts.

All are pure functions of the part and their arguments, so a scheduler can compute again what a dead
worker held. A part caches the order of its rows from one step to the next (`CodedPart.recall`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.coding.data import narrowest
from deacs.distributed.cluster.cells import (
    Cells,
    Features,
    OrderedRows,
    add_cells,
    count_cells,
    deal,
    in_order,
)
from deacs.distributed.cluster.parts import CodedPart, part_of_rows
from deacs.distributed.cluster.protocol import THREADS
from deacs.information import Conditioning, Estimator, ScoreKind
from deacs.information.bias import ScoreSums
from deacs.information.counting import count_present as present_counts
from deacs.information.counting import members_of
from deacs.information.products_of_codes import add_by_code

__all__ = [
    "NOTHING",
    "Score",
    "Split",
    "Sums",
    "add_arrays",
    "add_counted",
    "add_sums",
    "base_given",
    "cells_given",
    "code_sums",
    "conditioning_of",
    "count_labels",
    "dealt",
    "pair_cells",
    "sums_given",
    "sums_of",
]

Integers = NDArray[np.int64]

NOTHING = -1
"""Stands for a feature with the same value in every row."""


class Score(NamedTuple):
    """The kind of label scores, and the correction for chance that is subtracted."""

    kind: ScoreKind
    estimator: Estimator = "plug-in"


class Split(NamedTuple):
    """How a feature splits runs: new run r is the cell keys[r] = former run * n_values + value."""

    feature: int
    keys: Integers


def count_labels(part: CodedPart) -> Integers:
    """Return the total weight of each label."""
    return np.bincount(part.labels, part.weights, part.n_classes).astype(np.int64)


def add_arrays(parts: list[Integers]) -> Integers:
    """Add arrays over parts."""
    total: Integers = np.sum(parts, axis=0)
    return total


def code_sums(
    part: CodedPart, codes: NDArray[Any], stand_for: NDArray[np.int16], features: Integers
) -> Integers:
    """Sum what the codes of one column stand for by the codes of each of some features."""
    columns = [part.column(j) for j in features.tolist()]
    read = iter([(np.arange(len(columns)), columns)])
    return add_by_code(part, read, features, codes, stand_for, THREADS.get())


def cells_given(
    part: CodedPart, splits: Sequence[Split], wanted: list[Features]
) -> tuple[list[Cells], Integers]:
    """Count cells given S, and the weight of each label where S and a feature are present.

    The latter only for features that ignore a code, in the order of `wanted`.
    """
    cells = count_cells(part, _rows_given(part, splits), wanted)
    partial = np.concatenate([some.numbers[some.ignored >= 0] for some in wanted])
    return cells, _count_present(part, [split.feature for split in splits], partial)


def add_counted(parts: list[tuple[list[Cells], Integers]]) -> tuple[list[Cells], Integers]:
    """Add the results of `cells_given` over parts."""
    cells, counts = zip(*parts, strict=True)
    return add_cells(list(cells)), np.sum(counts, axis=0)


def _rows_given(part: CodedPart, splits: Sequence[Split]) -> OrderedRows:
    """Order the unsettled rows by run: by group of S in the whole table, then by label."""

    def make() -> OrderedRows:
        if not splits:
            labels = part.labels.astype(narrowest(part.n_classes))
            return deal(_in_stored_order(part), labels, part.n_classes, np.arange(part.n_classes))
        split = splits[-1]
        width = int(part.n_values[split.feature])
        return deal(_rows_given(part, splits[:-1]), part.column(split.feature), width, split.keys)

    return part.recall(("rows", *[split.feature for split in splits]), make)


def _in_stored_order(part: CodedPart) -> OrderedRows:
    return OrderedRows(np.arange(part.n_rows, dtype=np.int32), np.array([0, part.n_rows]))


def _count_present(part: CodedPart, selected: Sequence[int], features: Integers) -> Integers:
    counts = np.zeros((len(features), part.n_classes), dtype=np.int64)
    if len(features) == 0:
        return counts
    labels = part.labels
    for feature in selected:
        if part.ignored(feature) >= 0:
            missing = part.column(feature) == part.ignored(feature)
            labels = np.where(missing, np.int32(-1), labels)
    for block in part.blocks:
        members, places = members_of(block, features)
        counts[places] = present_counts(
            block, members, labels, part.n_classes, part.weights, THREADS.get()
        )
    return counts


def pair_cells(
    part: CodedPart, selected: int, by_class: bool, wanted: list[Features]
) -> list[Cells]:
    """Count cells of candidates and one selected feature, also by class if `by_class`."""
    n_labels = part.n_classes if by_class else 1

    def make() -> OrderedRows:
        if selected == NOTHING:
            return _in_stored_order(part)
        n_values, ignored = int(part.n_values[selected]), part.ignored(selected)
        if by_class:
            target = part.column(selected).astype(np.int32) * n_labels + part.labels
        else:
            target = part.column(selected).astype(np.int32)
        if ignored >= 0:
            target[part.column(selected) == ignored] = -1
        return in_order(_in_stored_order(part).rows, target, n_values * n_labels)

    return count_cells(part, part.recall(("pair", selected, by_class), make), wanted)


def dealt(
    part: CodedPart, stays: int | None, splits: Sequence[Split], places: Integers, n_parts: int
) -> list[CodedPart]:
    """Return the rows for each part: `places` by run, and `stays` for settled rows, if given."""
    rows, run_starts = _rows_given(part, splits)
    target = np.full(part.n_rows, -1 if stays is None else stays, dtype=np.int32)
    target[rows] = np.repeat(places, np.diff(run_starts))
    moved, ends = in_order(_in_stored_order(part).rows, target, n_parts)
    return [part_of_rows(part, moved[begin:end]) for begin, end in pairwise(ends.tolist())]


class Sums(NamedTuple):
    """Sums from which scores of features are computed; they add over parts with whole groups."""

    scores: ScoreSums
    present: Integers | None
    """The weight of each label where S and a feature are present; None: the same for all."""
    base: Integers
    """-N H(C_i | S) of every label, in fixed point."""
    label_counts: Integers
    """The weight of each label where S is present."""


def sums_given(
    part: CodedPart,
    total: int,
    selected: Sequence[int],
    features: Integers,
    partial: bool,
    score: Score,
) -> Sums:
    """Return sums over the groups of S in this part, which has them whole."""
    return sums_of(part, _conditioning(part, total, selected), features, partial, score)


def sums_of(
    part: CodedPart, known: Conditioning, features: Integers, partial: bool, score: Score
) -> Sums:
    """Return sums over the groups of S, from their `Conditioning`."""
    threads = THREADS.get()
    sums = known.sums(part.blocks, features, score.kind, threads, score.estimator)
    present = known.present_counts(part.blocks, features, threads) if partial else None
    return Sums(sums, present, known.base_sums("one-vs-rest"), known.label_counts)


def base_given(part: CodedPart, total: int, selected: Sequence[int]) -> Integers:
    """Return the part's contribution to -N H(C_i | S), then the weight of each label in it."""
    known = _conditioning(part, total, selected)
    return np.concatenate([known.base_sums("one-vs-rest"), known.label_counts])


def _conditioning(part: CodedPart, total: int, selected: Sequence[int]) -> Conditioning:
    def make() -> Conditioning:
        if not selected:
            return conditioning_of(part, total)
        feature = selected[-1]
        known = _conditioning(part, total, selected[:-1])
        column, n_values = part.column(feature), int(part.n_values[feature])
        return known.refined(column, n_values, part.ignored(feature), THREADS.get())

    return part.recall(("given", *selected), make)


def conditioning_of(part: CodedPart, total: int) -> Conditioning:
    """Return the `Conditioning` of the rows of a part, with S empty."""
    return Conditioning(
        part.labels,
        part.n_classes,
        part.weights,
        total,
        weights_are_counts=part.weights_are_counts,
        membership=part.membership,
    )


def add_sums(parts: list[Sums]) -> Sums:
    """Add the results of `sums_given` over parts."""
    scores, present, base, label_counts = zip(*parts, strict=True)
    units, dependent, mixed, n_left = zip(*scores, strict=True)
    return Sums(
        ScoreSums(
            np.sum(units, axis=0),
            np.any(dependent, axis=0),
            None if mixed[0] is None else np.sum(mixed, axis=0),
            sum(n_left),
        ),
        None if present[0] is None else np.sum(present, axis=0),
        np.sum(base, axis=0),
        np.sum(label_counts, axis=0),
    )
