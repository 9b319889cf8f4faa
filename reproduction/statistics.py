r"""Tests of methods over data sets: Friedman, Nemenyi, and Wilcoxon with Holm's correction.

With :math:`k` methods on :math:`N` sets and average ranks :math:`R_j`,

.. math::

    \chi^2_F = \frac{12 N}{k (k + 1)} \Bigl[ \sum_j R_j^2 - \frac{k (k + 1)^2}{4} \Bigr], \quad
    F_F = \frac{(N - 1) \chi^2_F}{N (k - 1) - \chi^2_F}, \quad
    CD = q_\alpha \sqrt{\frac{k (k + 1)}{6 N}}.

J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine
Learning Research 7 (2006) 1-30; S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from deacs.exceptions import InputError

__all__ = [
    "Friedman",
    "PairTest",
    "average_ranks",
    "friedman",
    "holm",
    "nemenyi_distance",
    "pairwise_wilcoxon",
]


@dataclass(frozen=True)
class Friedman:
    """Friedman's test: whether all methods are equal.

    Attributes
    ----------
    chi_square, p_chi_square : float
        Friedman's statistic as in Demšar (without correction for ties) and its p-value.
    f, p_f : float
        Iman and Davenport's less conservative statistic and its p-value.
    """

    chi_square: float
    p_chi_square: float
    f: float
    p_f: float


@dataclass(frozen=True)
class PairTest:
    """Wilcoxon's signed-rank test of two methods.

    Attributes
    ----------
    first, second : int
        The columns of the two methods.
    sum_first, sum_second : float
        Sums of the ranks of differences in favour of either; ranks of zeros are split in half.
    p : float
        The two-sided p-value.
    p_holm : float
        The p-value with Holm's correction for the number of pairs.
    """

    first: int
    second: int
    sum_first: float
    sum_second: float
    p: float
    p_holm: float


def average_ranks(accuracies: Any) -> NDArray[np.float64]:
    """Return the average rank of each method; 1 is the best, and ties share their mean rank.

    Parameters
    ----------
    accuracies : array-like of shape (n_sets, n_methods)
        Larger is better.

    Examples
    --------
    >>> from reproduction.statistics import average_ranks
    >>> average_ranks([[0.9, 0.8, 0.8], [0.7, 0.6, 0.5]]).tolist()
    [1.0, 2.25, 2.75]
    """
    table = _table(accuracies, n_sets=1)
    ranks: NDArray[np.float64] = stats.rankdata(-table, axis=1).mean(axis=0)
    return ranks


def friedman(accuracies: Any) -> Friedman:
    """Test whether all methods are equal.

    Parameters
    ----------
    accuracies : array-like of shape (n_sets, n_methods)
        Larger is better; at least two sets and two methods.
    """
    table = _table(accuracies, n_sets=2)
    n, k = table.shape
    ranks = average_ranks(table)
    chi_square = 12 * n / (k * (k + 1)) * (float(ranks @ ranks) - k * (k + 1) ** 2 / 4)
    rest = n * (k - 1) - chi_square
    f = (n - 1) * chi_square / rest if rest > 1e-9 else float("inf")
    return Friedman(
        chi_square,
        float(stats.chi2.sf(chi_square, k - 1)),
        f,
        float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
    )


def nemenyi_distance(n_methods: int, n_sets: int, alpha: float = 0.05) -> float:
    """Return the difference of average ranks that is significant at level `alpha`.

    Examples
    --------
    >>> from reproduction.statistics import nemenyi_distance
    >>> round(nemenyi_distance(n_methods=4, n_sets=14), 2)  # Demšar's example
    1.25
    """
    if n_methods < 2 or n_sets < 1:
        raise InputError(
            f"n_methods must be 2 or more and n_sets 1 or more, got {n_methods} and {n_sets}"
        )
    q = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


def pairwise_wilcoxon(accuracies: Any) -> list[PairTest]:
    """Test every pair of methods by signed ranks; p-values also with Holm's correction.

    Parameters
    ----------
    accuracies : array-like of shape (n_sets, n_methods)
        Larger is better.

    Notes
    -----
    Differences are first rounded to 12 digits, so that equal ones tie. As SciPy decides, p-values
    are exact for up to 50 sets (13 if there are ties or zeros), otherwise normal approximations.
    """
    table = _table(accuracies, n_sets=2)
    pairs = list(combinations(range(table.shape[1]), 2))
    tests = [_signed_ranks(np.round(table[:, a] - table[:, b], 12)) for a, b in pairs]
    corrected = holm(np.array([p for _, _, p in tests]))
    return [
        PairTest(a, b, first, second, p, float(holm))
        for (a, b), (first, second, p), holm in zip(pairs, tests, corrected, strict=True)
    ]


def _signed_ranks(differences: NDArray[np.float64]) -> tuple[float, float, float]:
    ranks = stats.rankdata(np.abs(differences))
    half = ranks[differences == 0].sum() / 2
    first = float(ranks[differences > 0].sum() + half)
    second = float(ranks[differences < 0].sum() + half)
    if not differences.any():
        return first, second, 1.0
    return first, second, float(stats.wilcoxon(differences, zero_method="zsplit").pvalue)


def holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiply the smallest p-value by n, the next by n - 1, ...; keep the order, cap at 1."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(factors * p_values[order]), 1.0)
    return corrected


def _table(accuracies: Any, n_sets: int) -> NDArray[np.float64]:
    table = np.asarray(accuracies, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < n_sets or table.shape[1] < 2 or np.isnan(table).any():
        raise InputError(
            f"accuracies must be of shape (n_sets, n_methods), with at least {n_sets} sets and 2 "
            f"methods and no NaN, got shape {table.shape} and {int(np.isnan(table).sum())} NaN"
        )
    return table
