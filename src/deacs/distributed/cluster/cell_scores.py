"""Scores from cell counts; only the client takes logarithms, of counts of the whole table.

Cells are a small table whose rows are weighted by the counts, for the kernels of one machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding.data import narrowest
from deacs.distributed.cluster.cells import Cells, Features, RunTable
from deacs.information.bias import Estimator, chance_of, miller_madow_units
from deacs.information.counting import KINDS
from deacs.information.grouping import base_sums
from deacs.information.parts import of_runs
from deacs.information.plan import rounding
from deacs.kernels.bias import mixed_sums
from deacs.kernels.codes import RowScratch, feature_sums, row_scratch
from deacs.kernels.columns import Columns
from deacs.kernels.fixed_point import FixedPoint, fixed_point
from deacs.kernels.groups import Groups
from deacs.kernels.pairs import N_SUMS, row_pair_sums
from deacs.kernels.parts import runs as parts_of_runs

__all__ = ["base_of", "label_units", "pair_sums"]

Integers = NDArray[np.int64]


def label_units(
    cells: Cells,
    features: Features,
    runs: RunTable,
    kind: str,
    total: int,
    n_labels: int,
    estimator: Estimator = "plug-in",
) -> Integers:
    """Fold cells into scores in fixed point, zero where the label is independent.

    Parameters
    ----------
    cells : array or list
        Of the whole table.
    features : Features
        Whose they are.
    runs : RunTable
        The groups and labels of the runs.
    kind : {"one-vs-rest", "divergence", "joint"}
        The score.
    total : int
        How much all rows count.
    n_labels : int
        The number of labels.
    estimator : {"plug-in", "miller-madow", "excess"}
        Which correction for chance is subtracted, as `Conditioning.scores` does.
    """
    fixed = fixed_point(total, n_labels)
    base = base_of(runs, kind, fixed, n_labels)
    sums = np.zeros((len(features.numbers), len(base)), dtype=np.int64)
    dependent, mixed = np.zeros(sums.shape, dtype=np.bool_), np.zeros_like(sums)
    scratch: dict[Any, RowScratch] = {}
    chance = None
    if estimator == "excess":
        sizes = of_runs(_run_groups(runs), runs.sizes)
        chance = chance_of(sizes, int(features.n_values.sum()), fixed, by_masks=False)
    for k, (columns, groups, counts) in enumerate(_tables(cells, features, runs)):
        shape = int(columns.n_values[0]), len(counts), columns.codes.dtype
        if shape not in scratch:
            scratch = {shape: row_scratch(*shape)}
        feature_sums(
            columns,
            groups,
            parts_of_runs(groups),
            counts,
            KINDS[kind],
            fixed,
            chance,
            scratch[shape],
            sums[k : k + 1],
            dependent[k : k + 1],
        )
        if estimator == "miller-madow":
            mixed_sums(
                columns, groups, parts_of_runs(groups), counts, scratch[shape], mixed[k : k + 1]
            )
    sums -= np.where(features.ignored[:, np.newaxis] >= 0, 0, base)
    if chance is None:
        sums = np.where(dependent, np.maximum(sums, 1), 0) - miller_madow_units(mixed, fixed)
    if estimator != "plug-in":
        sums[sums <= rounding(int(runs.sizes.sum()))] = 0
    return sums


def base_of(runs: RunTable, kind: str, fixed: FixedPoint, n_labels: int) -> Integers:
    """Return what does not depend on the feature."""
    n_outputs = 1 if kind == "joint" else n_labels
    return base_sums(of_runs(_run_groups(runs), runs.sizes), KINDS[kind], fixed, n_outputs)


def _run_groups(runs: RunTable) -> Groups:
    """The groups of runs, without rows."""
    nothing = np.empty(0, dtype=np.int32)
    return Groups(nothing, np.zeros(1, np.int64), runs.labels, runs.group_runs)


def pair_sums(cells: Cells, features: Features, runs: RunTable, total: int) -> Integers:
    """Fold cells into what `deacs.information.PairInformation` is made of, (n, N_SUMS)."""
    fixed = fixed_point(total, 1)
    sums = np.empty((len(features.numbers), N_SUMS), dtype=np.int64)
    for k, (columns, groups, counts) in enumerate(_tables(cells, features, runs)):
        row_pair_sums(columns, groups, counts, fixed, sums[k : k + 1])
    return sums


def _tables(
    cells: Cells, features: Features, runs: RunTable
) -> Iterator[tuple[Columns, Groups, Integers]]:
    """Yield the cells of each feature as a table: its only column, its rows by run, weights."""
    begin, n_runs = 0, runs.n_runs
    full: dict[int, tuple[NDArray[Any], Groups]] = {}

    def table(values: Integers, run_starts: Integers, width: int) -> tuple[NDArray[Any], Groups]:
        rows = np.arange(len(values), dtype=np.int32)
        codes = _frozen(values.astype(narrowest(width))[np.newaxis])
        return codes, Groups(rows, run_starts, runs.labels, runs.group_runs)

    for k, width in enumerate(features.n_values.tolist()):
        if features.sparse:
            keys, counts = cells[k]
            run_starts = np.searchsorted(keys, np.arange(n_runs + 1) * width)
            codes, groups = table(keys % width, run_starts, width)
        else:
            counts = cells[begin : begin + n_runs * width]
            begin += n_runs * width
            if width not in full:
                values = np.tile(np.arange(width), n_runs)
                full[width] = table(values, np.arange(n_runs + 1) * width, width)
            codes, groups = full[width]
        here = slice(k, k + 1)
        n_values, ignored = _frozen(features.n_values[here]), _frozen(features.ignored[here])
        yield Columns(codes, np.zeros(1, np.int64), n_values, ignored), groups, counts


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Read-only, as codes are elsewhere: kernels are compiled for both."""
    array = array.view()
    array.setflags(write=False)
    return array
