"""Count by NumPy what the default counts by a kernel, until that is compiled: the same integers.

To load numba and compile the kernel takes seconds, more than NumPy takes to count a table of a few
hundred thousand codes in all steps.
"""

from __future__ import annotations

import sys
from time import thread_time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock
from deacs.kernels.bias import Chance, cell_biases
from deacs.kernels.groups import SMALL

if TYPE_CHECKING:
    from deacs.information.counting import Given

__all__ = ["count_uncompiled"]

Integers = NDArray[np.int64]

PATIENCE = 3.0
"""Seconds for which NumPy counts in a process: what it takes to load numba and compile."""
MOST_CODES = 1_200_000
MOST_CELLS = 4_000_000
"""The most codes, and cells of runs and values, of all features in a step."""
CELLS_AT_ONCE = 1 << 17
"""As many take little memory, and little time to allocate."""

_spent = [0.0]


def count_uncompiled(given: Given, block: CodeBlock, members: Integers) -> Integers | None:
    """Return the sums of `feature_sums`, each label against the others, less their expectation.

    Returns None if the kernel should count: if numba is loaded, if there is much to count, or if
    rows have weights, missing values are ignored, or outputs share rows.
    """
    chance = given.chance
    if "numba" in sys.modules or _spent[0] > PATIENCE:
        return None
    if chance is None or given.weights is not None or given.parts.positions is not None:
        return None
    if given.n_rows >= len(given.fixed.table) or (block.ignored[members] >= 0).any():
        return None
    n_values = int(block.n_values[members].max())
    n_cells = len(given.groups.run_labels) * n_values
    if len(members) * given.n_left > MOST_CODES or len(members) * n_cells > MOST_CELLS:
        return None
    begin = thread_time()
    at_once = max(CELLS_AT_ONCE // max(given.n_left, n_cells), 1)
    sums = _Runs(given, chance, n_values).sums(block, members, at_once)
    _spent[0] += thread_time() - begin
    return sums


class _Runs:
    """The runs of all groups, and what is the same for all features."""

    def __init__(self, given: Given, chance: Chance, n_values: int) -> None:
        groups, self._table = given.groups, given.fixed.table
        self._rows, self._labels, self._n_outputs = groups.rows, groups.run_labels, given.n_labels
        self._shape = len(groups.run_labels), n_values
        self._first_runs = groups.group_runs[:-1]
        sizes, n_runs = np.diff(groups.run_starts), np.diff(groups.group_runs)
        self._run_of_row = np.repeat(np.arange(len(sizes)), sizes)
        self._group_of_run = np.repeat(np.arange(len(n_runs)), n_runs)
        self._n_g = np.diff(groups.run_starts[groups.group_runs])[self._group_of_run]
        # Runs of a group have the same bias if they, or the rest of the group, have equal sizes.
        self._n_i = np.minimum(sizes, self._n_g - sizes)
        keys = self._group_of_run << 32 | self._n_i
        _, self._kinds, self._kind_of_run = np.unique(keys, return_index=True, return_inverse=True)
        n_g = self._n_g[self._kinds]
        self._is_small = n_g <= SMALL
        ends = np.cumsum(np.where(self._is_small, 0, n_g + 1))
        self._starts = np.where(self._is_small, chance.starts[self._kinds], ends - n_g - 1)
        self._biases = chance.small, np.full(ends[-1], -1)

    def sums(self, block: CodeBlock, members: Integers, at_once: int) -> Integers:
        """Return the sums of features, (n, n_outputs), of which so many are counted at once."""
        parts = [members[k : k + at_once] for k in range(0, len(members), at_once)]
        counted = [self._terms(block.codes[part].take(self._rows, axis=1)) for part in parts]
        terms, in_group = map(np.concatenate, zip(*counted, strict=True))
        terms -= self._expected(in_group).take(self._kind_of_run, axis=1)
        sums = np.zeros((len(members), self._n_outputs), dtype=np.int64)
        np.add.at(sums.T, self._labels, terms.T)
        return sums

    def _terms(self, values: NDArray[np.unsignedinteger[Any]]) -> tuple[Integers, Integers]:
        """Return the sum of the terms of each run, (n, n_runs), and the counts of each group."""
        n_runs, n_values = self._shape
        runs = np.arange(len(values))[:, np.newaxis] * n_runs + self._run_of_row
        n_cells = len(values) * n_runs * n_values
        in_run = np.bincount((runs * n_values + values).ravel(), minlength=n_cells)
        in_run = in_run.reshape(len(values), n_runs, n_values)
        in_group = np.add.reduceat(in_run, self._first_runs, axis=1)
        rest = in_group.take(self._group_of_run, axis=1) - in_run
        # X(0) = 0, so a cell without rows adds nothing.
        terms = (self._table.take(in_run) + self._table.take(rest)).sum(axis=2)
        terms -= self._table.take(in_group).sum(axis=2).take(self._group_of_run, axis=1)
        return terms, in_group

    def _expected(self, in_group: Integers) -> Integers:
        """Return the expectation of each kind of run under shuffled labels, (n, n_kinds)."""
        expected = np.empty((len(in_group), len(self._kinds)), dtype=np.int64)
        for biases, mine in zip(self._biases, (self._is_small, ~self._is_small), strict=True):
            if not mine.any():
                continue
            kinds, starts = self._kinds[mine], self._starts[mine]
            places = in_group.take(self._group_of_run[kinds], axis=1) + starts[:, np.newaxis]
            found = biases.take(places)
            if found.min() < 0:
                self._compute(biases, places[found < 0], kinds, starts)
                found = biases.take(places)
            expected[:, mine] = found.sum(axis=2)
        return expected

    def _compute(
        self, biases: Integers, places: Integers, kinds: Integers, starts: Integers
    ) -> None:
        """Fill entries of tables of large groups, which begin one after another."""
        is_new = np.zeros(len(biases), dtype=np.bool_)
        is_new[places] = True
        new = np.flatnonzero(is_new)
        table = np.searchsorted(starts, new, side="right") - 1
        n_g, n_i = self._n_g[kinds[table]], self._n_i[kinds[table]]
        biases[new] = cell_biases(n_g, n_i, new - starts[table], self._table)
