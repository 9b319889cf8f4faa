"""Lazy evaluation of pair criteria that can only fall: only possible winners are counted.

J(F) = min(start, fold) or J(F) = start - fold / divisor, where the fold is the minimum or the sum
of non-negative terms, one for each selected feature. The terms computed so far bound J of a
candidate from above, so candidates are visited by descending bound, each only while its bound
reaches the best known J. A and B, D and G, E and Q, P are defined in `deacs.kernels.pairs`: sums of
X over the cells (f, s, c) and (f, s), and over those of the selected feature, of the candidate and
of the class.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.fixed_point import xlogx
from deacs.kernels.jit import lean_kernel, lean_routine
from deacs.kernels.weights import weight_of

__all__ = ["MANY_CELLS", "TERMS", "Contest", "Criterion", "fold_contenders"]

TERMS = {"conditional": 0, "joint": 1, "symmetrical_relevance": 2, "redundancy": 3, "overlap": 4}
"""The terms by name, as `deacs.selection` defines them."""

MANY_CELLS = 6
"""With more cells per row than this, most are empty, and cells are not traversed."""


class Criterion(NamedTuple):
    """A criterion at one step, as data."""

    term: int
    """One of `TERMS`."""
    is_least: bool
    """Whether the fold is the minimum of the terms, else their sum."""
    divisor: int
    """The divisor of a sum."""


class Contest(NamedTuple):
    """A table of codes in which all rows count, and the state of its features."""

    codes: NDArray[np.unsignedinteger[Any]]
    """(n_features, n_rows)"""
    n_values: NDArray[np.int64]
    labels: NDArray[np.int32]
    n_labels: int
    """1 if no term depends on the class."""
    weights: NDArray[np.int64] | None
    """Row weights; None: each row counts once."""
    total: int
    """N, the sum of the weights."""
    by_class: int
    """P."""
    table: NDArray[np.int64]
    """X(n) of small counts; of all counts if rows count once."""
    scale_bits: int
    rounding: int
    """The largest rounding error, in fixed-point units."""
    unit: float
    """Bits per unit."""
    own: NDArray[np.int64]
    """Q and E of each feature, -1 until they are computed, (n_features, 2)."""
    start: NDArray[np.float64]
    fold: NDArray[np.float64]
    seen: NDArray[np.int64]
    """The number of selected features in each fold, (n_features,)."""


@lean_routine
def _x(contest, n):
    """Return X(n); by a plain look-up if rows count once."""
    if contest.weights is None:
        return contest.table[n]
    return xlogx(n, contest.table, contest.scale_bits)


@lean_routine
def _cells(contest, feature, selected, counts):
    """Return A and B of a feature and a selected one.

    IN contest, feature, selected; TEMP counts (n_values**2 * (n_labels + 1),), zero on entry and
    exit. Cells are summed after all rows are counted; if there are many more cells than rows,
    every row adds X(n + 1) - X(n) instead.
    """
    codes, n_values, labels, n_labels, weights, _, _, table = contest[:8]
    n_keys = n_values[selected] * n_labels
    n_cells = n_values[feature] * n_keys
    cells = pairs = np.int64(0)
    if weights is None and n_cells > MANY_CELLS * codes.shape[1]:
        for r in range(codes.shape[1]):
            pair = np.int64(codes[feature, r]) * n_values[selected] + codes[selected, r]
            cell = pair * n_labels + (labels[r] if n_labels > 1 else 0)
            n, n_fs = counts[cell], counts[n_cells + pair]
            cells += table[n + 1] - table[n]
            pairs += table[n_fs + 1] - table[n_fs]
            counts[cell] = n + 1
            counts[n_cells + pair] = n_fs + 1
        for r in range(codes.shape[1]):
            pair = np.int64(codes[feature, r]) * n_values[selected] + codes[selected, r]
            counts[pair * n_labels + (labels[r] if n_labels > 1 else 0)] = 0
            counts[n_cells + pair] = 0
        return cells, pairs
    for r in range(codes.shape[1]):
        label = labels[r] if n_labels > 1 else 0
        key = np.int64(codes[selected, r]) * n_labels + label
        counts[np.int64(codes[feature, r]) * n_keys + key] += weight_of(weights, r)
    for first in range(0, n_cells, n_labels):
        n_fs = np.int64(0)
        for cell in range(first, first + n_labels):
            n_fs += counts[cell]
            cells += _x(contest, counts[cell])
            counts[cell] = 0
        pairs += _x(contest, n_fs)
    return cells, pairs


@lean_routine
def _bits(contest, units):
    """Convert units to bits per row; values within the rounding error are zero."""
    return (units if units > contest.rounding else 0) / contest.total * contest.unit


@lean_routine
def _term(contest, term, feature, selected, counts):
    """Return the term of a pair."""
    P, X_N = contest.by_class, _x(contest, contest.total)
    A, B = _cells(contest, feature, selected, counts)
    D, G = contest.own[selected]
    if term == 0:
        return _bits(contest, A - B - D + G)
    if term >= 3:
        Q, E = contest.own[feature]
        redundancy = _bits(contest, B - E - G + X_N)
        return max(redundancy - _bits(contest, A - D - Q + P), 0.0) if term == 4 else redundancy
    joint, entropy = _bits(contest, A - B - P + X_N), _bits(contest, X_N - A)
    if term == 2:
        return joint / entropy if entropy > 0 else 0.0
    return joint


@lean_kernel
def fold_contenders(contest, candidates, order, selected, criterion, best, slack, counts, bounds):
    """Update candidates while their bounds reach the best J; return the best J.

    IN contest, candidates (n,), order (k,): indices of candidates by descending bound,
    selected (n_selected,), criterion, best: the largest known J, slack: the difference that still
    ties; TEMP counts (see `_cells`); OUT contest.own, contest.fold, contest.seen, bounds (n,).
    """
    term, is_least, divisor = criterion
    own, start, fold, seen = contest[11:]
    for k in range(order.shape[0]):
        feature = candidates[order[k]]
        enough = best - slack * max(1.0, abs(best)) if best > -np.inf else best
        while True:
            bound = min(start[feature], fold[feature])
            if not is_least:
                bound = start[feature] - fold[feature] / divisor
            if seen[feature] == selected.shape[0] or bound < enough:
                break
            rival = selected[seen[feature]]
            for other in (feature, rival):
                if own[other, 0] < 0 and (other == rival or term >= 3):
                    own[other, 0], own[other, 1] = _cells(contest, other, other, counts)
            new = _term(contest, term, feature, rival, counts)
            fold[feature] = min(fold[feature], new) if is_least else fold[feature] + new
            seen[feature] += 1
        bounds[order[k]] = bound
        if seen[feature] == selected.shape[0]:
            best = max(best, bound)
    return best
