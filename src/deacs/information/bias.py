"""Estimators of R that do not take chance for information.

The plug-in estimate of I(F; C_i | S) grows with every empty cell. *Miller-Madow* takes off
(m_FCS - m_FS - m_CS + m_S) / (2 N ln 2), m being numbers of occupied cells (G. A. Miller,
"Note on the bias of information estimates", 1955). *Excess* takes off what the plug-in estimate
is on average when labels are shuffled within each group of S, exactly, as the adjusted mutual
information does (N. X. Vinh, J. Epps, J. Bailey, JMLR 11 (2010) 2837-2854). Neither goes below 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock
from deacs.exceptions import InputError
from deacs.information._plan import NS_NARROW
from deacs.kernels.bias import (
    LN2,
    chance_sums,
    chance_table,
    mixed_sums,
    narrow_chance_sums,
    run_tables,
)
from deacs.kernels.fixed_point import FixedPoint, xlogx
from deacs.kernels.grouped import MAX_VALUES, PADDING
from deacs.kernels.groups import SMALL, Groups
from deacs.kernels.threads import map_blocks

__all__ = ["ESTIMATORS", "Bias", "Estimator", "Setting", "bias_of", "read_estimator"]

Integers = NDArray[np.int64]
Estimator = Literal["plug-in", "miller-madow", "excess"]
ESTIMATORS: tuple[Estimator, ...] = ("plug-in", "miller-madow", "excess")

NS_ROW = 4.0
"""About what a row and feature costs, for sharing work among threads."""

MAX_ENTRIES = 1 << 24
"""A group with fewer rows than there are values to score has a table of b for each label, unless
all of them fill 128 MB; else b is computed where it is needed."""


def read_estimator(estimator: Any) -> Estimator:
    """Return the estimator if it is one."""
    if estimator not in ESTIMATORS:
        raise InputError(f"estimator must be one of {', '.join(ESTIMATORS)}, got {estimator!r}")
    return estimator  # type: ignore[no-any-return]


class Setting(NamedTuple):
    """Where scores are taken: the rows that are left, what they count, and the scale of units.

    `n_values` is how many values all features have that will be asked for.
    """

    groups: Groups
    weights: Integers | None
    run_sizes: Integers
    n_labels: int
    n_values: int
    fixed: FixedPoint
    weights_are_counts: bool = True


class Bias(Protocol):
    """What an estimator takes off."""

    def __call__(self, block: CodeBlock, members: Integers, n_jobs: int | None) -> Integers:
        """Return fixed-point units, shape (n_members, n_labels)."""


def bias_of(estimator: Estimator, setting: Setting) -> Bias:
    """Prepare what all features share, for an estimator other than the plug-in one."""
    weights = setting.weights
    if weights is not None and not setting.weights_are_counts:
        # Parts of rows cannot be shuffled: the leading term of the bias, for as many rows as have
        # the same variance (L. Kish, "Survey sampling", 1965).
        size = weights.astype(np.float64)
        return _MillerMadow(setting, counts_per_row=float((size**2).sum() / size.sum()))
    return _Excess(setting) if estimator == "excess" else _MillerMadow(setting)


class _MillerMadow:
    def __init__(self, setting: Setting, counts_per_row: float = 1.0) -> None:
        self._setting = setting
        self._counts_per_row = counts_per_row

    def __call__(self, block: CodeBlock, members: Integers, n_jobs: int | None) -> Integers:
        setting = self._setting
        groups, weights = setting.groups, setting.weights
        n_labels, fixed = setting.n_labels, setting.fixed
        sums = np.zeros((len(members), n_labels), dtype=np.int64)
        widest = int(block.n_values[members].max())

        def work(part: slice) -> None:
            in_group, in_run = np.zeros(widest, dtype=np.int64), np.zeros(widest, dtype=np.int64)
            seen = np.empty(widest, dtype=np.int64)
            values = np.empty(len(groups.rows), dtype=block.codes.dtype)
            mixed_sums(
                *(block.codes, members[part], block.ignored, groups, weights),
                *(in_group, in_run, values, seen, sums[part]),
            )

        map_blocks(work, len(members), n_jobs, NS_ROW * len(groups.rows))
        per_cell = self._counts_per_row * 2.0**fixed.scale_bits / (2 * LN2)
        return np.asarray(np.rint(sums * per_cell), dtype=np.int64)


class _Excess:
    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        groups, run_sizes = setting.groups, setting.run_sizes
        n_runs = np.diff(groups.group_runs)
        group_sizes = np.add.reduceat(run_sizes, groups.group_runs[:-1])
        run_group_sizes = np.repeat(group_sizes, n_runs)
        tabled = (run_group_sizes > SMALL) & (run_group_sizes < setting.n_values)
        lengths = np.where(tabled, run_group_sizes + 1, 0)
        if lengths.sum() > MAX_ENTRIES:
            tabled, lengths = np.zeros_like(tabled), np.zeros_like(lengths)
        self._starts = np.where(tabled, np.cumsum(lengths) - lengths, -1)
        self._biases = np.empty(max(int(lengths.sum()), 1), dtype=np.int64)
        self._most_runs = int(n_runs.max())
        self._small = _small_groups(setting.fixed.scale_bits)
        run_tables(groups, run_sizes, group_sizes, self._starts, setting.fixed, self._biases)

    def __call__(self, block: CodeBlock, members: Integers, n_jobs: int | None) -> Integers:
        wide = block.n_values[members] > MAX_VALUES
        wide |= (block.ignored[members] >= 0) | (self._setting.weights is not None)
        sums = np.empty((len(members), self._setting.n_labels), dtype=np.int64)
        for mine, count in ((wide, self._by_rows), (~wide, self._by_masks)):
            if mine.any():
                sums[mine] = count(block, members[mine], n_jobs)
        return sums

    def _by_masks(self, block: CodeBlock, members: Integers, n_jobs: int | None) -> Integers:
        setting = self._setting
        groups, n_labels, fixed = setting.groups, setting.n_labels, setting.fixed
        sums = np.zeros((len(members), n_labels), dtype=np.int64)

        def work(part: slice) -> None:
            buffer = np.empty(len(groups.rows) + PADDING, dtype=block.codes.dtype)
            counts = np.empty(MAX_VALUES, dtype=np.int64)
            narrow_chance_sums(
                *(block.codes, members[part], block.n_values, groups, fixed, self._small),
                *(self._starts, self._biases, buffer, counts, sums[part]),
            )

        map_blocks(work, len(members), n_jobs, NS_NARROW * len(groups.rows))
        return sums

    def _by_rows(self, block: CodeBlock, members: Integers, n_jobs: int | None) -> Integers:
        setting = self._setting
        groups, weights, run_sizes = setting.groups, setting.weights, setting.run_sizes
        n_labels, fixed = setting.n_labels, setting.fixed
        sums = np.zeros((len(members), n_labels), dtype=np.int64)
        widest = int(block.n_values[members].max())

        def work(part: slice) -> None:
            in_group, seen = np.zeros(widest, dtype=np.int64), np.empty(widest, dtype=np.int64)
            in_run = np.empty(self._most_runs, dtype=np.int64)
            chance_sums(
                *(block.codes, members[part], block.ignored, groups, weights),
                *(fixed, self._small, run_sizes),
                *(self._starts, self._biases, in_group, in_run, seen, sums[part]),
            )

        map_blocks(work, len(members), n_jobs, NS_ROW * len(groups.rows))
        return sums


@lru_cache(maxsize=4)
def _small_groups(scale_bits: int) -> Integers:
    biases = np.zeros((SMALL + 1, SMALL + 1, SMALL + 1), dtype=np.int64)
    nothing = np.zeros(1, dtype=np.int64)
    table = np.array([xlogx(n, nothing, scale_bits) for n in range(SMALL + 1)])
    chance_table(table, scale_bits, biases)
    return biases
