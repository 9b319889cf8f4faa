r"""The primal simplex method for units of a constant input: few rows, many columns.

.. math:: θ_p = \min \sum_j λ_j \quad \text{s.t.} \quad \sum_{j \ne p} λ_j y_{jr} \ge y_{pr},
          \quad λ \ge 0.

The rows are the outputs that p has, each divided by the most that another unit makes of it, and the
demands by their sum. A *specialist* for each output, who makes 1 of it and nothing else at the cost
of 1, changes nothing, since the best producer of the output dominates him; the specialists are the
first basis. The basis inverse is explicit. Only *members* are priced at every pivot; whenever they
are settled, all references are priced and some that are worth more than 1 become members (column
generation). The demand alone decides where a unit starts, so that its answer does not depend on the
units solved before it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.basis import (
    AMOUNT,
    BASIS,
    DEMAND,
    ENTERING,
    INVERSE,
    MADE,
    MAKER,
    MAX_MEMBERS,
    MEMBER,
    NOISE,
    OUTPUT,
    OWED,
    PLAIN_PRICE,
    PRICE,
    SCALE,
    use_peers,
)
from deacs.kernels.jit import lean_kernel, lean_routine

__all__ = ["LANES", "References", "Search", "solve_units"]

LANES = 128
"""References priced at once; a multiple of `BATCH`."""

BATCH = 16
"""References that may join at once."""

TOLERANCE = 1e-13
"""A unit joins, and an output is free, if this is gained a unit of intensity."""

SMALLEST_PIVOT = 1e-10


class References(NamedTuple):
    """Possible peers: the core for every unit, and some extras of one unit each.

    Unit p is never compared with itself.
    """

    outputs: NDArray[np.float64]
    """(n_units, s)"""
    blocks: NDArray[np.float64]
    """(n_blocks, s, LANES) outputs of the core, in its order, and zeros where it has ended."""
    listed: NDArray[np.int64]
    """Units: the core, then the extras."""
    spans: NDArray[np.int64]
    """(n_units, 3) the place of a unit in the core, -1 outside; where in `listed` its extras begin,
    and where they end."""
    makers: NDArray[np.int64]
    """(2, s) the unit that makes most of an output, and who is next."""


class Search(NamedTuple):
    """The units to score, one after another, and when to end."""

    units: NDArray[np.intp]
    """(k,) units with an output, none a sole producer of one"""
    firsts: NDArray[np.int64]
    """(k,) a unit that alone makes some of all that the unit makes, where its search starts; -1 to
    start with the specialists"""
    promises: NDArray[np.float64]
    """(k,) upper bounds on the scores; at the first that does not exceed the bar, all is done"""
    bar: float = 0.0
    enough: float = -np.inf
    """an upper bound on a score below this ends the search for the unit"""
    raise_bar: float = 0.0
    raise_enough: float = -np.inf
    """shares of a score that become the bar and `enough`, where they exceed them"""
    close: float = np.inf
    """a score that is not below `enough`, with a gap above this, stops the kernel"""


@lean_kernel
def solve_units(refs, room, search, answers):
    """Score units one after another: pivot, price all, let the best join, again.

    Parameters
    ----------
    refs : IN References
    room : TEMP Room
    search : IN Search
    answers : OUT Answers
        The gap is 1 when the search ended early, and not a number when it failed.

    Returns
    -------
    position, n_solved : int
        Where in `units` it stopped, their number if it did not, and how many were solved.
    """
    units, firsts, promises, bar, enough, raise_bar, raise_enough, close = search
    n_units = units.shape[0]
    for k in range(n_units):
        if promises[k] <= bar:
            return n_units, k
        p = units[k]
        m, score_scale = _start(refs, room, p, firsts[k])
        limit = enough / score_scale * (1.0 - NOISE)  # the sum of a basis is rounded
        n_before, n_members = -1, 0
        if firsts[k] >= 0:
            n_members = 1
        highest = np.nan
        while n_members > n_before and _pivot(room, m, n_members, limit):
            _refine(room, m)
            n_before = n_members
            highest, n_members = _price(refs, room, p, m, n_members)
        upper = use_peers(refs.outputs, room, p, m, score_scale, answers, k)
        lower = 0.0
        for i in range(m):
            lower += room.numbers[PLAIN_PRICE, i] * refs.outputs[p, room.who[OUTPUT, i]]
        gap = 1.0 - lower / highest / upper
        if n_members > n_before:  # pivoting ended it
            gap = 1.0 if upper < enough else np.nan
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
    """Lay out the rows of p and the first basis; return m and the scale of θ.

    Without `first` that is the specialists. With it, `first` alone makes what p does: exactly what
    p makes of the scarcest output, and a surplus of every other.
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
            who[OUTPUT, m] = r
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
        numbers[PRICE, i] = 1.0
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
        numbers[INVERSE + scarce, scarce] = 1.0 / made
        who[BASIS, scarce] = 0
        numbers[AMOUNT, scarce] = amount
        numbers[PRICE, scarce] = 1.0 / made
    return m, total


@lean_routine
def _pivot(room, m, n_members, limit):
    """Pivot until no member is worth more than 1 and no price is negative: True.

    False: the sum of intensities fell below the limit, or the method is stuck.
    """
    numbers, members, who, _ = room
    worth = members.shape[0] - 1
    for _ in range(50 + 20 * m):
        gain, code = 0.0, 0
        for k in range(n_members):
            members[worth, k] = 0.0
        for i in range(m):
            price = numbers[PRICE, i]
            numbers[ENTERING, i] = 0.0
            if -price > gain:
                gain, code = -price, -1 - m - i
            for k in range(n_members):
                members[worth, k] += price * members[i, k]
        for k in range(n_members):
            if members[worth, k] - 1.0 > gain:
                gain, code = members[worth, k] - 1.0, k
        if gain <= TOLERANCE:
            return True

        for c in range(m):
            amount = members[c, code] if code >= 0 else -1.0 if c == -1 - m - code else 0.0
            if amount != 0.0:
                for i in range(m):
                    numbers[ENTERING, i] += amount * numbers[INVERSE + c, i]

        largest = 0.0
        for i in range(m):
            largest = max(largest, abs(numbers[ENTERING, i]))
        leaving, step, pivot = -1, np.inf, 0.0
        for i in range(m):
            entering = numbers[ENTERING, i]
            if entering > SMALLEST_PIVOT * largest:
                ratio = max(numbers[AMOUNT, i], 0.0) / entering
                if ratio < step or (ratio == step and entering > pivot):
                    leaving, step, pivot = i, ratio, entering
        if leaving < 0:
            return False

        who[BASIS, leaving] = code
        total = 0.0
        for c in range(m):
            factor = numbers[INVERSE + c, leaving] / pivot
            if factor != 0.0:
                for i in range(m):
                    numbers[INVERSE + c, i] -= numbers[ENTERING, i] * factor
                numbers[INVERSE + c, leaving] = factor
                numbers[PRICE, c] -= gain * factor
            amount = step if c == leaving else numbers[AMOUNT, c] - numbers[ENTERING, c] * step
            numbers[AMOUNT, c] = amount
            if who[BASIS, c] >= -m:  # surplus costs nothing
                total += amount
        if total < limit:
            return False
    return False


@lean_routine
def _refine(room, m):
    """One step of iterative refinement: what pivots have rounded away in amounts and prices."""
    numbers, members, who, _ = room
    for i in range(m):
        numbers[MADE, i] = 0.0
    for i in range(m):
        code = who[BASIS, i]
        worth = 0.0
        if code >= 0:
            for c in range(m):
                numbers[MADE, c] += numbers[AMOUNT, i] * members[c, code]
                worth += numbers[PRICE, c] * members[c, code]
            numbers[OWED, i] = 1.0 - worth
        elif code >= -m:
            numbers[MADE, -1 - code] += numbers[AMOUNT, i]
            numbers[OWED, i] = 1.0 - numbers[PRICE, -1 - code]
        else:
            numbers[MADE, -1 - m - code] -= numbers[AMOUNT, i]
            numbers[OWED, i] = numbers[PRICE, -1 - m - code]
    for c in range(m):
        missing = numbers[DEMAND, c] - numbers[MADE, c]
        for i in range(m):
            numbers[AMOUNT, i] += numbers[INVERSE + c, i] * missing
            numbers[PRICE, c] += numbers[OWED, i] * numbers[INVERSE + c, i]


@lean_routine
def _price(refs, room, p, m, n_members):
    """Price every reference at the non-negative part of the prices; let the best join.

    Return the highest worth and the number of members.
    """
    outputs, blocks, listed, spans, _ = refs
    numbers, members, who, worth = room
    for i in range(m):
        numbers[PLAIN_PRICE, i] = max(numbers[PRICE, i], 0.0) / numbers[SCALE, i]
    lanes = blocks.shape[2]
    for b in range(blocks.shape[0]):
        for j in range(lanes):
            worth[b, j] = 0.0
        for i in range(m):
            price = numbers[PLAIN_PRICE, i]
            if price > 0.0:
                r = who[OUTPUT, i]
                for j in range(lanes):
                    worth[b, j] += price * blocks[b, r, j]
    if spans[p, 0] >= 0:
        worth[spans[p, 0] // lanes, spans[p, 0] % lanes] = 0.0
    highest = 0.0
    for part in range(BATCH + 1):
        joins, most = -1, 1.0 + TOLERANCE
        if part < BATCH:
            # The core is ordered by strength: every 16th is a fair sample, a sixteenth is not.
            for b in range(blocks.shape[0]):
                for j in range(part, lanes, BATCH):
                    highest = max(highest, worth[b, j])
                    if worth[b, j] > most:
                        joins, most = b * lanes + j, worth[b, j]
        else:
            for e in range(spans[p, 1], spans[p, 2]):
                value = 0.0
                for i in range(m):
                    value += numbers[PLAIN_PRICE, i] * outputs[listed[e], who[OUTPUT, i]]
                highest = max(highest, value)
                if value > most:
                    joins, most = e, value
        if joins >= 0 and n_members < MAX_MEMBERS:
            unit = listed[joins]
            known = False
            for k in range(n_members):
                known |= who[MEMBER, k] == unit  # settled up to rounding
            if not known:
                who[MEMBER, n_members] = unit
                for i in range(m):
                    members[i, n_members] = outputs[unit, who[OUTPUT, i]] / numbers[SCALE, i]
                n_members += 1
    return highest, n_members
