"""Scores from cell counts of the whole table, computed on the client.

To the kernels of a single machine, cells are a small table whose rows are weighted by the counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import counting
from deacs._kernels import pairs as kernels
from deacs._kernels.arrays import Columns, Groups, Parts
from deacs._kernels.fixed_point import FixedPoint, fixed_point
from deacs.coding.blocks import read_only
from deacs.coding.data import narrowest
from deacs.distributed.cluster.cells import Cells, Features, RunTable, cells_of
from deacs.information.bias import Estimator, ScoreSums, chance_of
from deacs.information.counting import KINDS, ScoreKind, base_sums
from deacs.information.groups import parts_by_output
from deacs.information.pairs import N_SUMS

__all__ = ["base_of", "label_units", "pair_sums"]

Integers = NDArray[np.int64]


def label_units(
    cells: Cells,
    features: Features,
    runs: RunTable,
    kind: ScoreKind,
    total: int,
    n_labels: int,
    estimator: Estimator = "plug-in",
    membership: NDArray[np.bool_] | None = None,
) -> Integers:
    """Return scores in fixed point from the cells of the whole table, whose weight is `total`.

    They are zero where a label is independent of a feature. `membership` has the outputs to which
    each label belongs, if they overlap; None: each is its own output.
    """
    fixed = fixed_point(total, n_labels if membership is None else membership.shape[1])
    membership = None if kind == "joint" else membership
    base = base_of(runs, kind, fixed, n_labels, membership)
    sums = np.zeros((len(features.numbers), len(base)), dtype=np.int64)
    dependent, mixed = np.zeros(sums.shape, dtype=np.bool_), np.zeros_like(sums)
    chance = None
    if estimator == "excess":
        parts = parts_by_output(_run_groups(runs), runs.sizes, membership)
        chance = chance_of(parts, int(features.n_values.sum()), fixed)
    if estimator == "miller-madow" and not features.sparse:  # it counts occupied cells
        places = range(len(features.numbers))
        cells = [cells_of(cells, features, place, runs.n_runs) for place in places]
        features = features._replace(sparse=True)
    with_cells = estimator == "miller-madow"
    for k, (columns, groups, counts) in enumerate(_tables(cells, features, runs)):
        here = slice(k, k + 1)
        counting.row_sums(
            columns,
            groups,
            parts_by_output(groups, runs.sizes, membership),
            counts,
            KINDS[kind],
            fixed,
            chance,
            sums[here],
            dependent[here],
            mixed[here] if with_cells else None,
        )
    sums -= np.where(features.ignored[:, np.newaxis] >= 0, 0, base)
    found = mixed if with_cells else None
    n_left = int(runs.sizes.sum())
    return ScoreSums(sums, dependent, found, n_left).corrected(fixed, estimator)


def base_of(
    runs: RunTable,
    kind: ScoreKind,
    fixed: FixedPoint,
    n_labels: int,
    membership: NDArray[np.bool_] | None = None,
) -> Integers:
    """Return the term of scores that does not depend on the feature."""
    membership = None if kind == "joint" else membership
    n_outputs = n_labels if membership is None else membership.shape[1]
    parts: Parts = parts_by_output(_run_groups(runs), runs.sizes, membership)
    return base_sums(parts, kind, fixed, n_outputs)


def _run_groups(runs: RunTable) -> Groups:
    """Return the groups as if each run had one row."""
    nothing = np.empty(0, dtype=np.int32)
    return Groups(nothing, np.arange(runs.n_runs + 1), runs.labels, runs.group_runs)


def pair_sums(cells: Cells, features: Features, runs: RunTable, total: int) -> Integers:
    """Return the sums that `PairInformation` needs from cells, shape (n_features, N_SUMS)."""
    fixed = fixed_point(total, 1)
    sums = np.empty((len(features.numbers), N_SUMS), dtype=np.int64)
    for k, (columns, groups, counts) in enumerate(_tables(cells, features, runs)):
        kernels.row_pair_sums(columns, groups, counts, fixed, sums[k : k + 1])
    return sums


def _tables(
    cells: Cells, features: Features, runs: RunTable
) -> Iterator[tuple[Columns, Groups, Integers]]:
    """Yield the cells of each feature as a table: its one column, its rows by run, its weights."""
    begin, n_runs = 0, runs.n_runs
    full: dict[int, tuple[NDArray[Any], Groups]] = {}

    def table(values: Integers, run_starts: Integers, width: int) -> tuple[NDArray[Any], Groups]:
        rows = np.arange(len(values), dtype=np.int32)
        codes = read_only(values.astype(narrowest(width))[np.newaxis])
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
        n_values, ignored = read_only(features.n_values[here]), read_only(features.ignored[here])
        yield Columns(codes, np.zeros(1, np.int64), n_values, ignored), groups, counts
