"""The tie-breaking rule: of nearly equal scores the larger sum wins, then the lower column."""

from __future__ import annotations

from heapq import heappop, heappush
from math import copysign, inf, isinf
from operator import sub
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.dea import super_efficiency

__all__ = ["TIE_BITS", "TIE_TOLERANCE", "first_among_equals", "ordered_by_tie_rule", "ranked"]

Floats = NDArray[np.float64]

TIE_TOLERANCE = 1e-9
TIE_BITS = 1e-10
"""Scores in bits this close are equal: fixed point resolves them to about 1e-12."""


def first_among_equals(
    scores: Floats,
    R: Floats | None = None,
    x: Floats | None = None,
    tie_break: str = "sum",
) -> int:
    """Return the row of the largest score.

    Without `R`, scores are bits or differences of bits, equal within `TIE_BITS`; the first wins.
    With label scores `R` (and inputs `x`, for slacks), scores within `TIE_TOLERANCE`, relative, are
    equal: the larger sum of label scores wins; by "slacks" the least slack, then the larger sum;
    by "last" the last row.
    """
    top = float(scores.max())
    if R is None:
        return int(np.flatnonzero(scores >= _as_good_as(top))[0])
    least = top if isinf(top) else top * (1 - copysign(TIE_TOLERANCE, top))
    tied = np.flatnonzero(scores >= least)
    if tie_break == "last":
        return int(tied[-1])
    if tie_break == "slacks" and len(tied) > 1:
        slack = _slacks(R, x)[tied]
        tied = tied[slack <= slack.min() + TIE_TOLERANCE]
    sums = R[tied].sum(axis=1)
    return int(tied[sums >= sums.max() * (1 - TIE_TOLERANCE)][0])


def ranked(scores: Floats, n: int) -> list[int]:
    """Return the n rows that `first_among_equals` without `R` would choose one after another."""
    if 8 * n < len(scores):  # the others cannot be among the first n
        rows = np.flatnonzero(scores >= _as_good_as(float(np.partition(scores, -n)[-n])))
        rows = rows[np.argsort(-scores[rows], kind="stable")]
    else:
        rows = np.argsort(-scores, kind="stable")
    order, values = rows.tolist(), scores[rows].tolist()
    first = values[: n + 1]
    largest = max(1.0, abs(first[0]), abs(first[-1]))
    if min(map(sub, first, first[1:]), default=inf) > TIE_BITS * largest:
        return order[:n]  # no ties
    chosen: list[int] = []
    waiting: list[int] = []
    left, n_seen, leader = set(order), 0, 0
    while len(chosen) < n:
        while order[leader] not in left:
            leader += 1
        # A row tied with an earlier leader is tied with this one.
        while n_seen < len(order) and values[n_seen] >= _as_good_as(values[leader]):
            heappush(waiting, order[n_seen])
            n_seen += 1
        chosen.append(heappop(waiting))
        left.remove(chosen[-1])
    return chosen


def _as_good_as(top: Any) -> Any:
    """Return the least score that ties with the largest, both in bits."""
    # Dividing by nearly zero gives large scores, with rounding errors to match; inf - inf is NaN.
    return top - TIE_BITS * np.minimum(np.maximum(1.0, abs(top)), 1e300)


def ordered_by_tie_rule(scores: Floats, R: Floats) -> list[int]:
    """Return all rows in the order in which `first_among_equals` would choose them."""
    left = np.arange(len(scores))
    order: list[int] = []
    while len(left):
        place = first_among_equals(scores[left], R[left])
        order.append(int(left[place]))
        left = np.delete(left, place)
    return order


def _slacks(R: Floats, x: Floats | None) -> Floats:
    """Return the slacks of each row, every label as a share of its largest score."""
    slacks = super_efficiency(x, R, slacks=True).output_slacks
    # A unit with infinite super-efficiency has no peers, hence no slack.
    return np.asarray((np.nan_to_num(slacks) / np.maximum(R.max(axis=0), 1e-300)).sum(axis=1))
