r"""Is a feature independent of the class given groups of rows? Statistics, and what they mean.

The statistic is :math:`G = 2 N \ln 2 \cdot I(F; C | S)`. Given the margins of the tables (one table
of V values and K labels for each group of S), and if labels may change places within groups:

* G is about chi-square with :math:`\sum_g (V_g - 1)(K_g - 1)` degrees of freedom where counts are
  large; divided by Williams' factor, more exactly so (D. A. Williams, Biometrika 63 (1976) 33-37);
* whatever the counts, for :math:`t = G / 2 > d = \sum_g V_g (K_g - 1)`

.. math:: P(G / 2 \ge t) \le e^{d - t} (t / d)^d \prod_g 1 / P_g,

where :math:`P_g = n! \prod_i (n_i / n)^{n_i} / n_i!`. For let labels be drawn with the frequencies
:math:`n_i / n` of their group. The chance that they have just the counts :math:`n_i` is
:math:`P_g`, and given that, they are as shuffled, and G / 2 is the sum over groups and values of
:math:`n_f KL(p_f || n_i / n)`: independent terms, whose moment generating function is at most that
of a gamma variable of shape :math:`K_g - 1` (R. Agrawal, IEEE Transactions on Information Theory 66
(2020) 6297-6302). Chernoff's bound for their sum is the formula.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, gammaln, xlogy

from deacs.coding import CodeBlock
from deacs.information.conditioning import members_of
from deacs.kernels.contingency import N_MARGINS, Strata, table_margins
from deacs.kernels.threads import map_blocks

__all__ = ["Margins", "g_test", "log_tail_bound", "margins_of", "standard_score", "strata_of"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NS_MARGINS = 8.0
"""About what a row of a feature costs, for sharing work among threads."""


@dataclass(frozen=True, slots=True)
class Margins:
    """What the margins of the tables of some features tell; one number for each feature.

    Attributes
    ----------
    freedom : ndarray of shape (n,)
        Degrees of freedom: the sum over groups of (V - 1)(K - 1), values and labels that occur.
    shape : ndarray of shape (n,)
        The sum of V (K - 1), over groups with any freedom; so are the others.
    surprise : ndarray of shape (n,)
        The sum of -ln P_g.
    excess : ndarray of shape (n,)
        By how much the mean of G exceeds the degrees of freedom, to first order.
    least : ndarray of shape (n,)
        The least expected count of any cell.
    """

    freedom: Floats
    shape: Floats
    surprise: Floats
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
    widest = int(block.n_values[members].max())
    log_types = _log_types(len(labels))

    def work(part: slice) -> None:
        in_value, in_label = np.zeros(widest, np.int64), np.zeros(n_labels, np.int64)
        table_margins(
            *(block.codes, members[part], block.ignored, strata, labels, log_types),
            *(in_value, in_label, margins[part]),
        )

    map_blocks(work, len(members), n_jobs, NS_MARGINS * len(strata.rows))
    return margins


@lru_cache(maxsize=1)
def _log_types(n_rows: int) -> Floats:
    """ln n! - n ln n, for n up to n_rows."""
    n = np.arange(n_rows + 1, dtype=np.float64)
    return np.asarray(gammaln(n + 1) - xlogy(n, n))


def g_test(statistic: Floats, margins: Margins) -> Floats:
    """Return the p-value of G by chi-square, with Williams' factor; 1 without any freedom."""
    freedom = np.maximum(margins.freedom, 1.0)
    p = gammaincc(freedom / 2, statistic / (1 + margins.excess / freedom) / 2)
    return np.where(margins.freedom > 0, p, 1.0)


def log_tail_bound(statistic: Floats, margins: Margins) -> Floats:
    """Return the logarithm of a number that P(G >= statistic) cannot pass, whatever the counts."""
    t, d = statistic / 2, np.maximum(margins.shape, 1.0)
    tail = np.where(t > d, d - t + d * np.log(np.maximum(t, d) / d), 0.0)
    return np.where(margins.freedom > 0, np.minimum(tail + margins.surprise, 0.0), 0.0)


def standard_score(statistic: Floats, freedom: Floats) -> Floats:
    """Put G with any degrees of freedom on one scale: about normal, by Wilson and Hilferty (1931).

    Ascends with G; -inf without any freedom.
    """
    spread = 2.0 / (9.0 * np.maximum(freedom, 1.0))
    score = (np.cbrt(statistic / np.maximum(freedom, 1.0)) - 1.0 + spread) / np.sqrt(spread)
    return np.where(freedom > 0, score, -math.inf)
