r"""The primal simplex method for units of a constant input: few rows, many columns.

.. math:: θ_p = \min \sum_j λ_j \quad \text{s.t.} \quad \sum_{j \ne p} λ_j y_{jr} \ge y_{pr},
          \quad λ \ge 0.

The rows are the outputs of p, each divided by the largest amount of another unit, and the demands
by their sum. The first basis consists of *artificials*, one for each output: the unit vector, at a
cost of 1. They do not change the optimum, since the best producer of the output dominates them. The
basis inverse is explicit. Only *members* are priced at every pivot; once no member improves the
objective, all references are priced, and some that are worth more than 1 become members (column
generation). The start depends on the demand alone, so that an answer does not depend on the units
solved before.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.basis import (
    AMOUNT,
    BASIS,
    COLUMN,
    DEMAND,
    INVERSE,
    MAKER,
    MEMBER,
    NOISE,
    PENALTY,
    PLAIN_PRICE,
    PRICE,
    SCALE,
    SIGN,
    use_peers,
)
from deacs.kernels.jit import lean_routine, patient_kernel
from deacs.kernels.pivots import add_member, pivot, price, refine

__all__ = ["References", "Search", "solve_units"]


class References(NamedTuple):
    """Possible peers: the core for every unit, and some extras of one unit each."""

    columns: NDArray[np.float64]
    """(n_units, s) outputs, or all rows of a program"""
    blocks: NDArray[np.float64]
    """(n_blocks, s, LANES) columns of the core, in its order, padded with zeros."""
    listed: NDArray[np.int64]
    """Units: the core, then the extras."""
    spans: NDArray[np.int64]
    """(n_units, 3) the place in the core of a unit that is not compared with itself, else -1; where
    in `listed` its extras begin, and where they end."""
    makers: NDArray[np.int64]
    """(2, s) the units with the most and second most of each output; for a constant input only."""


class Search(NamedTuple):
    """The units to score, in order, and the conditions to stop."""

    units: NDArray[np.intp]
    """(k,) units with an output, none a sole producer of one"""
    firsts: NDArray[np.int64]
    """(k,) a unit that has all outputs of the unit, from which its search starts; -1 to start with
    the artificials"""
    promises: NDArray[np.float64]
    """(k,) upper bounds on the scores; the first that does not exceed the bar ends the search"""
    bar: float = 0.0
    enough: float = -np.inf
    """an upper bound on a score below this ends the search for the unit"""
    raise_bar: float = 0.0
    raise_enough: float = -np.inf
    """shares of a score that raise the bar and `enough`"""
    close: float = np.inf
    """a score that is not below `enough`, with a gap above this, stops the kernel"""


@patient_kernel
def solve_units(refs, room, search, answers):
    """Score units one after another by pivoting and column generation.

    Parameters
    ----------
    refs : IN References
    room : TEMP Room
    search : IN Search
    answers : OUT Answers
        The gap is 1 if the search ended early, and NaN if it failed.

    Returns
    -------
    position, n_solved : int
        The position in `units` at which it stopped, or their number, and the number solved.
    """
    units, firsts, promises, bar, enough, raise_bar, raise_enough, close = search
    n_units = units.shape[0]
    for k in range(n_units):
        if promises[k] <= bar:
            return n_units, k
        p = units[k]
        m, score_scale = _start(refs, room, p, firsts[k])
        limit = enough / score_scale * (1.0 - NOISE)  # allow for rounding of the sum
        n_before, n_members = -1, 0
        if firsts[k] >= 0:
            n_members = 1
        elif m == 2 and refs.blocks.shape[0] > 1 and refs.spans[p, 0] >= 0:
            # The core is sorted along the frontier: neighbours are likely peers.
            for place in (refs.spans[p, 0] - 1, refs.spans[p, 0] + 1):
                if 0 <= place < refs.listed.shape[0]:
                    n_members = add_member(refs, room, refs.listed[place], m, n_members, 1.0)
        highest = np.nan
        while n_members > n_before and pivot(room, m, n_members, limit, False):
            refine(room, m)
            n_before = n_members
            highest, n_members = price(refs, room, p, m, n_members, 1.0)
        upper = use_peers(refs.columns, room, p, m, score_scale, answers, k)
        lower = 0.0
        for i in range(m):
            lower += room.numbers[PLAIN_PRICE, i] * refs.columns[p, room.who[COLUMN, i]]
        gap = np.nan
        if n_members > n_before:  # pivoting ended it
            gap = 1.0 if upper < enough else np.nan
        elif highest > 0.0 and upper > 0.0:
            gap = 1.0 - lower / highest / upper
        answers.scores[k] = upper
        answers.gaps[k] = gap
        if upper >= enough:
            if not gap <= close:
                return k, k + 1
            bar = max(bar, raise_bar * upper)
            enough = max(enough, raise_enough * upper)
    return n_units, n_units


@lean_routine
def _start(refs, room, p, first):
    """Set up the rows of p and the first basis; return m and the scale of θ.

    Without `first`, the basis is the artificials. With it, `first` alone produces the outputs of p:
    exactly the amount of its scarcest output, and a surplus of the others.
    """
    outputs, _, _, _, makers = refs
    numbers, members, who, _ = room
    m = 0
    total = 0.0
    for r in range(outputs.shape[1]):
        if outputs[p, r] > 0.0:
            maker = makers[0, r]
            if maker == p:
                maker = makers[1, r]
            who[COLUMN, m] = r
            who[MAKER, m] = maker
            numbers[SCALE, m] = outputs[maker, r]
            numbers[DEMAND, m] = outputs[p, r] / outputs[maker, r]
            total += numbers[DEMAND, m]
            if first >= 0:
                members[m, 0] = outputs[first, r] / outputs[maker, r]
            m += 1
    for i in range(m):
        numbers[DEMAND, i] /= total
        for c in range(m):
            numbers[INVERSE + c, i] = 0.0
        numbers[INVERSE + i, i] = 1.0
        who[BASIS, i] = -1 - i
        numbers[AMOUNT, i] = numbers[DEMAND, i]
        numbers[PRICE, i] = numbers[SIGN, i] = numbers[PENALTY, i] = 1.0
    if first >= 0:
        scarce = 0
        for i in range(m):
            if numbers[DEMAND, i] * members[scarce, 0] > numbers[DEMAND, scarce] * members[i, 0]:
                scarce = i
        made = members[scarce, 0]
        amount = numbers[DEMAND, scarce] / made
        for i in range(m):
            numbers[INVERSE + i, i] = -1.0
            numbers[INVERSE + scarce, i] = members[i, 0] / made
            who[BASIS, i] = -1 - m - i
            numbers[AMOUNT, i] = members[i, 0] * amount - numbers[DEMAND, i]
            numbers[PRICE, i] = 0.0
        who[MEMBER, 0] = first
        members[members.shape[0] - 2, 0] = 1.0
        numbers[INVERSE + scarce, scarce] = 1.0 / made
        who[BASIS, scarce] = 0
        numbers[AMOUNT, scarce] = amount
        numbers[PRICE, scarce] = 1.0 / made
    return m, total
