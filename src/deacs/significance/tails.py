r"""How improbable a score is by chance, for any counts: the moment method with exact moments.

Bounds by chi-square hold where cells are large. Where they are rare, both views of a label have
heavier tails, so a score is compared with the law of its own column. If T has that law,

.. math:: \ln P(T \ge t) \le \ln E\, e^{\lambda T} - \lambda t \quad \text{for any } \lambda > 0.

*Counts.* T is N I(F; C_i | S) in nats, under labels shuffled within the groups of S. The rows with
the label among those with each value are then independent binomial variables, given their sum; the
expectation of each is a sum over counts, and their joint one a product of polynomials. Values with
many rows count as one there, and what divides them has the moments of chi-square.

*Order.* T is the inner product of a column and a label, all of S projected out, for a column whose
values are drawn row by row. A category has a direction for each value; the label's own is taken,
and the chance to choose it is that of chi-square with as many degrees of freedom.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

__all__ = ["log_tail_of_counts", "log_tail_of_order"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LARGE = 10.0
"""The least expected count of a large cell. At 5, chi-square is too light by a factor of 10 far out
in its tail, which the bound on its tail covers."""
STEEPNESS = (0.6, 0.85, 1.0, 1.15, 1.3)
"""Values of lambda to try, relative to the best one for chi-square."""
STEEPEST = 0.99
"""The largest lambda if some cells are large: chi-square has no moments from 1 on."""
BEYOND = (1.4, 2.2)
"""Further values of lambda if all cells are rare and T is at most `MOST` in every group."""
MOST = 250.0
MAX_PRODUCTS = 1 << 24
"""The most products for one group; beyond, the sum of its counts is not fixed but its chance is
divided by that of the sum, which is a bound too."""
N_PARTS = 64
"""Parts into which the values of an ordered column or of what is left of a label are put."""
SHARES = np.geomspace(0.04, 1.4, 16)
"""Values of lambda to try for the order view, relative to the best one for a normal variable."""


def log_tail_of_counts(groups: Integers, n: Integers, k: Integers) -> float:
    """Bound the chance of as much information between a column and a label given groups.

    Parameters
    ----------
    groups : ndarray of int of shape (n_cells,)
        The group of each value that occurs in it, ascending from 0.
    n, k : ndarray of int of shape (n_cells,)
        Its rows, and those with the label.

    Returns
    -------
    float
        The natural logarithm of the bound.
    """
    n_g, k_g = (np.bincount(groups, counts) for counts in (n, k))
    n_values = np.bincount(groups)
    varies = ((k_g > 0) & (k_g < n_g) & (n_values > 1))[groups]
    if not varies.any():
        return 0.0
    groups = np.unique(groups[varies], return_inverse=True)[1]
    n, k = n[varies], k[varies]
    n_g, k_g = (np.bincount(groups, counts) for counts in (n, k))
    observed = float(_information(n, k, (k_g / n_g)[groups]).sum())
    k_g = np.minimum(k_g, n_g - k_g)  # a label and the rest have the same law
    is_large = n * (k_g / n_g)[groups] >= LARGE
    n_large = np.bincount(groups, is_large)
    freedom, rest = len(n) - len(n_g), float(np.maximum(n_large - 1, 0).sum())
    best = max(1.0 - freedom / (2.0 * observed), 0.05) if observed > 0 else 0.05
    steepness = np.minimum(np.multiply(STEEPNESS, best), STEEPEST)
    share = k_g / n_g
    most = -float((xlogy(k_g, share) + xlogy(n_g - k_g, 1 - share)).min())
    if rest == 0 and most <= MOST:
        steepness = np.append(steepness, BEYOND)
    moments = -rest / 2 * np.log1p(-np.minimum(steepness, STEEPEST)) if rest else 0.0 * steepness
    for k_of, sizes, times in _alike(groups, n, k_g, is_large):
        moments = moments + times @ _log_moments(k_of, sizes, steepness)
    return min(float((moments - steepness * observed).min()), 0.0)


def _alike(
    groups: Integers, n: Integers, k_g: Floats, is_large: NDArray[np.bool_]
) -> list[tuple[int, Integers, Integers]]:
    """Return the groups with rare cells by their number of labelled rows.

    Each with the sizes of its values, ascending, the large ones together; and how many there are.
    """
    together = np.bincount(groups, np.where(is_large, n, 0)).astype(np.int64)
    owner = np.concatenate((groups[~is_large], np.arange(len(k_g))))
    size = np.concatenate((n[~is_large], together))
    order = np.lexsort((-size, owner))
    owner, size = owner[order], size[order]
    place = np.arange(len(owner)) - np.searchsorted(owner, owner)
    sizes = np.zeros((len(k_g), int(place.max()) + 1), dtype=np.int64)
    sizes[owner, place] = size
    has_rare = np.bincount(groups, ~is_large) > 0
    kinds = np.column_stack((k_g.astype(np.int64), sizes[:, ::-1]))[has_rare]
    kinds, times = np.unique(kinds, axis=0, return_counts=True)
    found = []
    for k_of in np.unique(kinds[:, 0]):
        mine = kinds[:, 0] == k_of
        found.append((int(k_of), kinds[mine, 1:], times[mine]))
    return found


def _log_moments(k: int, sizes: Integers, steepness: Floats) -> Floats:
    """Return ln E exp(lambda T) of groups with k labelled rows, (n_groups, n_lambda)."""
    n = sizes.sum(axis=1)
    share = k / n
    tops = np.minimum(sizes.max(axis=0), k)
    width = 1 + min(int(tops[:-1].sum()), k)
    log_sum = _log_binomial(n, np.array(k), share)[:, np.newaxis]
    if int(tops[:-1].sum()) * width * len(sizes) > MAX_PRODUCTS:
        total = np.zeros((len(sizes), len(steepness)))
        for row, (p, of_group) in enumerate(zip(share, sizes, strict=True)):
            distinct, times = np.unique(of_group[of_group > 0], return_counts=True)
            for size, n_times in zip(distinct.tolist(), times.tolist(), strict=True):
                terms = _terms(np.array([size]), min(size, k), np.array([p]), steepness)
                total[row] += n_times * np.log(terms.sum(axis=2)[0])
        return total - log_sum
    products = np.zeros((len(sizes), len(steepness), width))
    products[:, :, 0] = 1.0
    for column, top in zip(sizes.T[:-1], tops[:-1].tolist(), strict=True):
        if top:
            terms, before = _terms(column, top, share, steepness), products
            products = terms[:, :, :1] * before
            for h in range(1, top + 1):
                products[:, :, h:] += terms[:, :, h : h + 1] * before[:, :, : width - h]
    last = _terms(sizes[:, -1], k, share, steepness)[:, :, ::-1][:, :, :width]
    return np.asarray(np.log((products * last).sum(axis=2)) - log_sum)


def _terms(sizes: Integers, top: int, share: Floats, steepness: Floats) -> Floats:
    """Return binomial probabilities of 0 to `top` times exp(lambda T), (n, n_lambda, top + 1)."""
    n, p, h = sizes[:, np.newaxis], share[:, np.newaxis], np.arange(top + 1)
    occurs = h <= n
    h = np.where(occurs, h, 0)
    exponents = steepness[:, np.newaxis] * _information(n, h, p)[:, np.newaxis]
    exponents += _log_binomial(n, h, p)[:, np.newaxis]
    return np.where(occurs[:, np.newaxis], np.exp(exponents), 0.0)


def _log_binomial(n: Integers, h: Integers, p: Floats) -> Floats:
    choices = gammaln(n + 1) - gammaln(h + 1) - gammaln(n - h + 1)
    return np.asarray(choices + xlogy(h, p) + xlogy(n - h, 1 - p))


def _information(n: Integers, h: Integers, p: Floats) -> Floats:
    """Return n times the divergence of h / n from p in nats."""
    mine = xlogy(h, h) + xlogy(n - h, n - h) - xlogy(n, n)
    return np.asarray(mine - xlogy(h, p) - xlogy(n - h, 1 - p))


def log_tail_of_order(
    column: Floats, label: Floats, weights: Floats, freedom: float = 1.0
) -> float:
    """Bound the chance of as large an inner product of a column and a label.

    Parameters
    ----------
    column, label : ndarray of shape (n_rows,)
        What is left of each, with mean zero.
    weights : ndarray of shape (n_rows,)
        The number of rows that each stands for.
    freedom : float, default=1
        The dimension of the space from which the column was taken, nearest to the label.

    Returns
    -------
    float
        The natural logarithm of the bound.
    """
    total = weights.sum()
    scales = [math.sqrt(float(weights @ each**2)) for each in (column, label)]
    if min(scales) == 0:
        return 0.0
    column, label = column / scales[0] * math.sqrt(total), label / scales[1]
    product = float(weights @ (column * label))
    if product < 0:
        product, label = -product, -label
    values, shares = _condensed(column, weights / total)
    sizes, times = _condensed(label, weights)
    least = 0.0
    for steepness in (SHARES * product).tolist():
        exponents = steepness * np.multiply.outer(sizes, values)
        most = exponents.max(axis=1, keepdims=True)
        moment = float(times @ (np.log(np.exp(exponents - most) @ shares) + most[:, 0]))
        least = min(least, moment - steepness * product)
    if freedom == 1.0:
        return min(least + math.log(2.0), 0.0)  # two signs
    square = -2.0 * least
    if square <= freedom:
        return 0.0
    return -(square - freedom - freedom * math.log(square / freedom)) / 2.0


def _condensed(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the distinct values with their weights; if there are many, means of near ones.

    The lowest and the highest, which make a tail heavy, stay single.
    """
    order = np.argsort(values, kind="stable")
    values, weights = values[order], weights[order]
    begins = np.flatnonzero(np.diff(values, prepend=-np.inf) > 1e-9)
    if len(begins) > 2 * N_PARTS:
        n, alone = len(values), N_PARTS // 4
        between = np.linspace(alone, n - alone, N_PARTS).astype(np.int64)
        begins = np.unique(np.concatenate((np.arange(alone), between, np.arange(n - alone, n))))
    sums = np.add.reduceat(weights, begins)
    return np.add.reduceat(values * weights, begins) / sums, sums
