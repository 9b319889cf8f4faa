"""`SQLCounts`: scores from counts by group of S in a database.

The number of a group is made of the codes of S in mixed radix; a *run* is a group and a label. The
client knows the runs of groups with several labels, so the kernels of a single machine turn the
cells of a step into sums in fixed point, with the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs._kernels.fixed_point import fixed_point
from deacs.distributed.cluster.cell_scores import base_of, label_units, pair_sums
from deacs.distributed.cluster.cells import Features, RunTable
from deacs.distributed.cluster.groups import bits_of, residual_of
from deacs.distributed.counts import CountsElsewhere
from deacs.distributed.sql.counting import Counted, count_by_run, portions, sorted_cells
from deacs.distributed.sql.database import changed
from deacs.distributed.sql.order import SQLProducts
from deacs.distributed.sql.rows import GroupedRows, joint_values, present_counts, run_of_pair
from deacs.distributed.sql.table import Cells, SQLTable
from deacs.information import Estimator, OrderConditioning, PairInformation, ScoreKind

__all__ = ["SQLCounts"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Runs(NamedTuple):
    """The runs of groups with several labels, and their numbers in the database."""

    table: RunTable
    numbers: Integers
    """Group * n_classes + label, ascending."""


class SQLCounts(CountsElsewhere):
    """Counts of a table in a database."""

    _table: SQLTable

    def __init__(
        self,
        table: SQLTable,
        label_score: ScoreKind = "one-vs-rest",
        estimator: Estimator = "plug-in",
    ) -> None:
        super().__init__(table)
        self._kind: ScoreKind = label_score
        self._estimator: Estimator = estimator
        self._selected: list[int] = []
        self._rows = GroupedRows(table)
        self._runs = Runs(RunTable.of_labels(table.label_counts), np.arange(table.n_classes))
        self._label_counts = table.label_counts
        self._known: dict[int, Cells] = dict(enumerate(table.first_cells))
        """Cells given the current S."""

    def label_scores(self, candidates: Integers) -> Floats:
        """Return R(F; c_i | S) in bits, shape (n_candidates, n_labels)."""
        return self._scores(candidates, self._kind, self._estimator)

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits, shape (n_labels,)."""
        base = self._base("one-vs-rest", self._runs.table)
        return residual_of(base, self._label_counts, self._table, self._table.total)

    def condition_on(self, feature: int) -> None:
        """Add a feature to S: split groups here, and rewrite rows in the database if it pays."""
        if feature in self._selected:
            return
        runs = self._runs
        if runs.table.n_runs:
            keys, counts = self._cells(np.array([feature]))[0]
            self._runs = _split(runs, keys, counts, self._table, feature)
            self._rows.condition_on(feature, self._runs.table)
            if self._rows.is_renumbered:
                self._runs = _from_zero(self._runs, self._table.n_classes)
        self._selected.append(feature)
        self._known = {}
        if self._table.ignored[feature] >= 0:
            self._label_counts = present_counts(self._table, self._selected, [])[-1]

    def fresh(self) -> SQLCounts:
        """Return counts of the same table with S empty."""
        return SQLCounts(self._table, self._kind, self._estimator)

    def order(self) -> OrderConditioning:
        """Return the order view of the same table with S empty."""
        return OrderConditioning(SQLProducts(self._table))

    def mean_group_size(self, features: Sequence[int]) -> float:
        """Return N divided by the number of joint values of some features that occur."""
        n_counted, n_values = joint_values(self._table, features)
        return float(n_counted) / max(n_values, 1)

    def _count_relevance(self) -> Floats:
        return self.fresh()._scores(np.arange(self.n_features), "joint")[:, 0]

    def _count_entropy(self) -> Floats:
        """H(F) from the cells with S empty; added over labels, they have one run."""
        features = np.arange(self.n_features)
        cells: list[Cells] = []
        for keys, counts in self._table.first_cells:
            width = self._table.n_values[len(cells)]
            values, place = np.unique(keys % width, return_inverse=True)
            cells.append((values, np.bincount(place, counts, len(values)).astype(np.int64)))
        return self._pair_information(features, cells, n_runs=1, n_labels=1).entropy

    def class_entropy(self) -> float:
        """Return H(C) in bits."""
        table = self._table
        base = self._base("joint", RunTable.of_labels(table.label_counts))
        return float(residual_of(base, table.label_counts, table, table.total)[0])

    def _scores(
        self, candidates: Integers, kind: ScoreKind, estimator: Estimator = "plug-in"
    ) -> Floats:
        table, runs = self._table, self._runs.table
        n_outputs = 1 if kind == "joint" else table.n_classes
        units = np.zeros((len(candidates), n_outputs), dtype=np.int64)
        asked = np.flatnonzero(~np.isin(candidates, self._selected))  # I(F; C | S) = 0 for F in S
        if len(asked) == 0 or runs.n_runs == 0:
            return np.zeros(units.shape)
        features = candidates[asked]
        units[asked] = label_units(
            self._cells(features),
            self._features(features),
            runs,
            kind,
            table.total,
            table.n_classes,
            estimator,
        )
        return bits_of(units, self._present(candidates), kind, table, table.total)

    def _present(self, candidates: Integers) -> Integers:
        """Return the weight of each label where S and a candidate are present."""
        counts = np.broadcast_to(self._label_counts, (len(candidates), len(self._label_counts)))
        partial = np.flatnonzero(self._table.ignored[candidates] >= 0)
        if len(partial):
            counts = counts.copy()
            counts[partial] = present_counts(
                self._table, self._selected, candidates[partial].tolist()
            )
        return counts

    def _features(self, features: Integers) -> Features:
        table = self._table
        return Features(features, table.n_values[features], table.ignored[features], True)

    def _cells(self, features: Integers) -> list[Cells]:
        """Return the cells of features given S; query those that are not known yet."""
        table, runs = self._table, self._runs
        missing = np.array([j for j in features.tolist() if j not in self._known], dtype=np.int64)
        n_cells = np.minimum(runs.table.n_runs * table.n_values[missing], table.n_rows)
        for portion in portions(missing, n_cells):
            found = count_by_run(
                table, self._rows.relation, self._rows.run(), portion, table.weight
            )
            for feature, counted in found.items():
                self._known[feature] = _cells_of(counted, runs, int(table.n_values[feature]))
        return [self._known[j] for j in features.tolist()]

    def _base(self, kind: ScoreKind, runs: RunTable) -> Integers:
        table = self._table
        return base_of(runs, kind, fixed_point(table.total, table.n_classes), table.n_classes)

    def _pair(self, selected: int, candidates: Integers, by_class: bool) -> PairInformation:
        table = self._table
        n_labels = table.n_classes if by_class else 1
        n_runs = n_labels * int(table.n_values[selected])
        ignored = int(table.ignored[selected])
        n_cells = np.minimum(n_runs * table.n_values[candidates], table.n_rows)
        found: dict[int, Cells] = {}
        run = run_of_pair(table, selected, by_class)
        for portion in portions(candidates, n_cells):
            counted = count_by_run(table, table.relation, run, portion, table.weight)
            for feature, (runs, values, counts) in counted.items():
                there = runs // n_labels != ignored
                found[feature] = sorted_cells(
                    runs[there] * table.n_values[feature] + values[there], counts[there]
                )
        cells = [found[j] for j in candidates.tolist()]
        return self._pair_information(candidates, cells, n_runs, n_labels)

    def _pair_information(
        self, features: Integers, cells: list[Cells], n_runs: int, n_labels: int
    ) -> PairInformation:
        runs, total = RunTable.of_pairs(n_runs, n_labels), self._table.total
        sums = pair_sums(cells, self._features(features), runs, total)
        return PairInformation(sums.T, self._table.n_rows, fixed_point(total, 1).scale_bits)


def _from_zero(runs: Runs, n_labels: int) -> Runs:
    """Renumber groups as in the database: from 0, in the same order."""
    _, group = np.unique(runs.numbers // n_labels, return_inverse=True)
    return Runs(runs.table, group * n_labels + runs.table.labels)


def _cells_of(counted: Counted, runs: Runs, width: int) -> Cells:
    """Return the cells of a result; runs of settled groups are dropped."""
    numbers, values, counts = counted
    place = np.searchsorted(runs.numbers, numbers)
    place[place == len(runs.numbers)] = 0
    left = runs.numbers[place] == numbers
    place, values, counts = place[left], values[left], counts[left]
    sizes = np.bincount(place, counts, len(runs.numbers))
    if not np.array_equal(sizes, runs.table.sizes) or not ((values >= 0) & (values < width)).all():
        raise changed()
    return sorted_cells(place * width + values, counts)


def _split(runs: Runs, keys: Integers, counts: Integers, table: SQLTable, feature: int) -> Runs:
    """Split groups by the values of a feature; drop those with one label."""
    width, n_labels = int(table.n_values[feature]), table.n_classes
    split, keys = runs.table.split(keys, counts, width, int(table.ignored[feature]))
    groups, labels = np.divmod(runs.numbers[keys // width], n_labels)
    return Runs(split, (groups * width + keys % width) * n_labels + labels)
