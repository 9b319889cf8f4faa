"""Tests of two samples: whether new rows are like those before.

D. A. Williams, "Improved likelihood ratio tests for complete contingency tables", Biometrika 63
(1976) 33-37. S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian
Journal of Statistics 6 (1979) 65-70.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

__all__ = ["all_new", "bits", "g_test", "holm", "relation", "two_samples"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

FEW = 5.0
"""The least expected count of a cell of its own."""


def all_new(k: int, n: int, n_before: int) -> float:
    """Return the probability that k given rows of all are all among the new ones."""
    i = np.arange(k)
    return float(np.prod((n - i) / (n + n_before - i)))


def two_samples(new: NDArray[Any], old: NDArray[Any]) -> float:
    """Return the p-value of the G-test of two samples; rare cells are one."""
    table = np.array([new, old], dtype=np.float64)
    totals = table.sum(axis=1)
    if (totals == 0).any():
        return 1.0
    expected = table.sum(axis=0) * totals.min() / totals.sum()
    is_rare = expected < FEW
    table = np.column_stack([table[:, ~is_rare], table[:, is_rare].sum(axis=1)])
    table = table[:, table.sum(axis=0) > 0]
    return g_test(table)


def g_test(table: Floats) -> float:
    """Return the p-value of a table of two rows, with Williams' correction."""
    n, cells = table.sum(), table.sum(axis=0)
    df = table.shape[1] - 1
    if df < 1:
        return 1.0
    rows = table.sum(axis=1)
    g = 2 * (_log_sum(table) - _log_sum(rows) - _log_sum(cells) + _log_sum(n))
    q = 1 + (n * (1 / rows).sum() - 1) * (n * (1 / cells).sum() - 1) / (6 * n * df)
    return float(chi2.sf(g / q, df))


def relation(new_yes: Integers, new_no: Integers, old_yes: Integers, old_no: Integers) -> float:
    """Return the p-value that an output is as frequent as before at every value of a feature."""
    parts = np.array([new_yes, new_no, old_yes, old_no], dtype=np.float64)
    strata, open_one = [], np.zeros(4)
    for cell in parts.T:  # neighbours are joined until their cells are large enough
        open_one = open_one + cell
        if _least_expected(open_one) >= FEW:
            strata.append(open_one)
            open_one = np.zeros(4)
    if not strata:
        return 1.0
    strata[-1] = strata[-1] + open_one
    g = 0.0
    for cell in strata:
        table = cell.reshape(2, 2)
        sums = _log_sum(table.sum(axis=0)) + _log_sum(table.sum(axis=1))
        g += 2 * (_log_sum(table) - sums + _log_sum(table.sum()))
    return float(chi2.sf(g, len(strata)))


def _least_expected(cell: Floats) -> float:
    table = cell.reshape(2, 2)
    n = table.sum()
    return float(table.sum(axis=0).min() * table.sum(axis=1).min() / n) if n else 0.0


def bits(yes: Integers, rows: Integers) -> float:
    """Return I(F; output) in bits less what chance adds on average, not below 0."""
    n = rows.sum()
    if n == 0:
        return 0.0
    table = np.array([yes, rows - yes], dtype=np.float64)
    nats = _log_sum(table) - _log_sum(table.sum(axis=0)) - _log_sum(table.sum(axis=1)) + _log_sum(n)
    chance = (np.count_nonzero(rows) - 1) / 2
    return max(float((nats - chance) / n / np.log(2)), 0.0)


def _log_sum(n: Any) -> float:
    """Return the sum of n ln n."""
    n = np.asarray(n, dtype=np.float64)
    return float((n * np.log(np.where(n > 0, n, 1.0))).sum())


def holm(p_values: Floats) -> Floats:
    """Return p-values adjusted for all of them."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return adjusted
