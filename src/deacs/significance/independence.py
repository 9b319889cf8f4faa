r"""The G statistic for independence of a feature and the class given groups of rows.

The statistic is :math:`G = 2 N \ln 2 \cdot I(F; C | S)`. Under independence, and given the margins
of the tables (one of V values and K labels for each group of S), G is about chi-square with
:math:`\sum_g (V_g - 1)(K_g - 1)` degrees of freedom where counts are large; divided by the factor
of D. A. Williams (Biometrika 63 (1976) 33-37), more exactly so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from deacs._kernels import shuffles
from deacs._kernels.threads import map_blocks
from deacs.coding import CodeBlock
from deacs.information.counting import columns_of, members_of

__all__ = ["N_MARGINS", "Margins", "Strata", "g_test", "margins_of", "standard_score", "strata_of"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NS_MARGINS = 8.0
"""Approximate cost per row of a feature, for dividing work among threads."""


N_MARGINS = 3
"""The numbers of `Margins` for each feature."""


class Strata(NamedTuple):
    """Rows by group of S, without groups that have only one label."""

    rows: NDArray[np.int32]
    """Row numbers, ordered by group."""
    starts: NDArray[np.int64]
    """Where each group begins in `rows`; one more entry closes the last."""


@dataclass(frozen=True, slots=True)
class Margins:
    """Margins of the tables of some features; one number for each feature.

    Attributes
    ----------
    freedom : ndarray of shape (n,)
        Degrees of freedom: the sum over groups of (V - 1)(K - 1), values and labels that occur.
    excess : ndarray of shape (n,)
        By how much the mean of G exceeds the degrees of freedom, to first order.
    least : ndarray of shape (n,)
        The least expected count of any cell.
    """

    freedom: Floats
    excess: Floats
    least: Floats


def strata_of(groups: NDArray[np.integer[Any]], labels: NDArray[np.int32]) -> Strata:
    """Order rows by group; leave out groups with one label, and rows of groups below 0.

    Parameters
    ----------
    groups : ndarray of int of shape (n_rows,)
        The group of each row; below 0: in none.
    labels : ndarray of int32 of shape (n_rows,)
        The label of each row.
    """
    rows = np.argsort(groups, kind="stable")[int((groups < 0).sum()) :]
    n_groups = int(groups.max(initial=-1)) + 1
    lowest = np.full(n_groups, np.iinfo(np.int32).max, dtype=np.int32)
    highest = np.full(n_groups, -1, dtype=np.int32)
    np.minimum.at(lowest, groups[rows], labels[rows])
    np.maximum.at(highest, groups[rows], labels[rows])
    rows = rows[(lowest < highest)[groups[rows]]]
    begins = np.flatnonzero(np.diff(groups[rows], prepend=-1))
    return Strata(rows.astype(np.int32), np.append(begins, len(rows)).astype(np.int64))


def margins_of(
    blocks: tuple[CodeBlock, ...],
    features: Integers,
    strata: Strata,
    labels: NDArray[np.int32],
    n_labels: int,
    n_jobs: int | None = None,
) -> Margins:
    """Return the margins of some features' tables of values and labels, one for each stratum."""
    margins = np.zeros((len(features), N_MARGINS))
    for block in blocks:
        members, places = members_of(block, features)
        if len(members):
            margins[places] = _margins(block, members, strata, labels, n_labels, n_jobs)
    return Margins(*margins.T)


def _margins(
    block: CodeBlock,
    members: Integers,
    strata: Strata,
    labels: NDArray[np.int32],
    n_labels: int,
    n_jobs: int | None,
) -> Floats:
    margins = np.empty((len(members), N_MARGINS))

    def work(part: slice) -> None:
        columns = columns_of(block, members[part])
        shuffles.table_margins(columns, strata, labels, n_labels, margins[part])

    map_blocks(work, len(members), n_jobs, NS_MARGINS * max(len(strata.rows), 1))
    return margins


def g_test(statistic: Floats, margins: Margins) -> Floats:
    """Return the p-value of G by chi-square, with Williams' factor; 1 without any freedom."""
    freedom = np.maximum(margins.freedom, 1.0)
    p = gammaincc(freedom / 2, statistic / (1 + margins.excess / freedom) / 2)
    return np.where(margins.freedom > 0, p, 1.0)


def standard_score(statistic: Floats, freedom: Floats) -> Floats:
    """Put G with any degrees of freedom on one scale: about normal, by Wilson and Hilferty (1931).

    Ascends with G; -inf without any freedom.
    """
    spread = 2.0 / (9.0 * np.maximum(freedom, 1.0))
    score = (np.cbrt(statistic / np.maximum(freedom, 1.0)) - 1.0 + spread) / np.sqrt(spread)
    return np.where(freedom > 0, score, -math.inf)
