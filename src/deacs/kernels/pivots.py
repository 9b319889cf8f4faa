r"""Steps of the primal simplex method for few rows and many columns.

.. math:: \min \sum_k c_k λ_k \quad \text{s.t.} \quad \sum_k λ_k a_k \mp s = b, \quad
          λ, s \ge 0.

The basis inverse is explicit. Only *members* are priced at every pivot; once no member improves the
objective, all references are priced, and some that are worth more than their cost become members
(column generation).
"""

import numpy as np

from deacs.kernels.basis import (
    AMOUNT,
    BASIS,
    COLUMN,
    DEMAND,
    ENTERING,
    INVERSE,
    MADE,
    MAX_MEMBERS,
    MEMBER,
    OWED,
    PENALTY,
    PLAIN_PRICE,
    PRICE,
    SCALE,
    SIGN,
)
from deacs.kernels.jit import lean_routine

__all__ = ["LANES", "add_member", "join", "pivot", "price", "refine"]

LANES = 128
"""References priced at once; a multiple of `BATCH`."""

BATCH = 16
"""The most references added at a time."""

TOLERANCE = 1e-13
"""The least gain per unit of intensity for which a column is added or enters."""

SMALLEST_PIVOT = 1e-10


@lean_routine
def pivot(room, m, n_members, limit, settled):
    """Pivot until no member is worth more than its cost and no price has the wrong sign.

    Return False if the sum of intensities fell below the limit, or the method is stuck, else True.
    Once `settled`, artificials leave the basis as soon as possible.
    """
    numbers, members, who, _ = room
    worth = members.shape[0] - 1
    idle = 0
    for _ in range(50 + 20 * m):
        gain, code = 0.0, 0
        for k in range(n_members):
            members[worth, k] = -members[worth - 1, k]
        largest = 1.0
        for i in range(m):
            price = numbers[PRICE, i]
            numbers[ENTERING, i] = 0.0
            largest = max(largest, abs(price))
            if -numbers[SIGN, i] * price > gain:
                gain, code = -numbers[SIGN, i] * price, -1 - m - i
            for k in range(n_members):
                members[worth, k] += price * members[i, k]
        for k in range(n_members):
            # Bland's rule (the first) after degenerate steps, to avoid cycles.
            if members[worth, k] > gain and (idle <= m or gain <= TOLERANCE * largest):
                gain, code = members[worth, k], k
        if gain <= TOLERANCE * largest:
            return True

        for c in range(m):
            amount = members[c, code] if code >= 0 else 0.0
            if c == -1 - m - code:
                amount = -numbers[SIGN, c]
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
                first = entering > pivot if idle <= m else who[BASIS, i] < who[BASIS, leaving]
                if ratio < step or (ratio == step and first):
                    leaving, step, pivot = i, ratio, entering
            elif settled and -m <= who[BASIS, i] < 0 and -entering > SMALLEST_PIVOT * largest:
                leaving, step, pivot = i, 0.0, entering
                break
        if leaving < 0:
            return False

        idle = 0 if step > 0.0 else idle + 1
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
            if who[BASIS, c] >= -m:  # slacks are not intensities
                total += amount
        if total < limit:
            return False
    return False


@lean_routine
def refine(room, m):
    """Do one step of iterative refinement of amounts and prices, to remove rounding errors."""
    numbers, members, who, _ = room
    costs = members.shape[0] - 2
    for i in range(m):
        numbers[MADE, i] = 0.0
    for i in range(m):
        code = who[BASIS, i]
        if code >= 0:
            worth = 0.0
            for c in range(m):
                numbers[MADE, c] += numbers[AMOUNT, i] * members[c, code]
                worth += numbers[PRICE, c] * members[c, code]
            numbers[OWED, i] = members[costs, code] - worth
        elif code >= -m:
            numbers[MADE, -1 - code] += numbers[AMOUNT, i]
            numbers[OWED, i] = numbers[PENALTY, -1 - code] - numbers[PRICE, -1 - code]
        else:
            r = -1 - m - code
            numbers[MADE, r] -= numbers[SIGN, r] * numbers[AMOUNT, i]
            numbers[OWED, i] = numbers[SIGN, r] * numbers[PRICE, r]
    for c in range(m):
        missing = numbers[DEMAND, c] - numbers[MADE, c]
        for i in range(m):
            numbers[AMOUNT, i] += numbers[INVERSE + c, i] * missing
            numbers[PRICE, c] += numbers[OWED, i] * numbers[INVERSE + c, i]


@lean_routine
def price(refs, room, p, m, n_members, cost):
    """Price every reference, all with the same cost, at prices of the right sign; add the best.

    Return the highest worth and the number of members.
    """
    _columns, blocks, _listed, _spans, _ = refs
    numbers, _, who, worth = room
    largest = cost
    for i in range(m):
        value = numbers[PRICE, i]
        if numbers[SIGN, i] * value < 0.0:
            value = 0.0
        numbers[PLAIN_PRICE, i] = value / numbers[SCALE, i]
        if cost == 0.0:
            largest = max(largest, abs(value))
    lanes = blocks.shape[2]
    for b in range(blocks.shape[0]):
        for j in range(lanes):
            worth[b, j] = 0.0
        for i in range(m):
            value = numbers[PLAIN_PRICE, i]
            if value != 0.0:
                r = who[COLUMN, i]
                for j in range(lanes):
                    worth[b, j] += value * blocks[b, r, j]
    return join(refs, room, p, m, n_members, cost, cost + TOLERANCE * largest)


@lean_routine
def join(refs, room, p, m, n_members, cost, least):
    """Add references with a worth above `least`: the best of every 16th.

    Return the highest worth and the number of members.
    """
    columns, blocks, listed, spans, _ = refs
    numbers, _, who, worth = room
    last, lanes = blocks.shape[0], blocks.shape[2]
    if spans[p, 0] >= 0:
        worth[spans[p, 0] // lanes, spans[p, 0] % lanes] = 0.0
    for b in range(last):
        for j in range(lanes):
            worth[last, j] = worth[b, j] if b == 0 else max(worth[last, j], worth[b, j])
    highest = 0.0
    for j in range(lanes):
        highest = max(highest, worth[last, j])
    for part in range(BATCH + 1):
        joins, most = -1, least
        if part < BATCH:
            # The core is sorted: every 16th is a representative sample, a contiguous part is not.
            promising = False
            for j in range(part, lanes, BATCH):
                promising |= worth[last, j] > least
            for b in range(last if promising else 0):
                for j in range(part, lanes, BATCH):
                    if worth[b, j] > most:
                        joins, most = b * lanes + j, worth[b, j]
        else:
            for e in range(spans[p, 1], spans[p, 2]):
                value = 0.0
                for i in range(m):
                    value += numbers[PLAIN_PRICE, i] * columns[listed[e], who[COLUMN, i]]
                highest = max(highest, value)
                if value > most:
                    joins, most = e, value
        if joins >= 0:
            n_members = add_member(refs, room, listed[joins], m, n_members, cost)
    return highest, n_members


@lean_routine
def add_member(refs, room, unit, m, n_members, cost):
    """Add a unit, unless it is a member or there is no room; return the number of members."""
    numbers, members, who, _ = room
    if n_members == MAX_MEMBERS:
        return n_members
    for k in range(n_members):
        if who[MEMBER, k] == unit:  # settled up to rounding
            return n_members
    who[MEMBER, n_members] = unit
    members[members.shape[0] - 2, n_members] = cost
    for i in range(m):
        members[i, n_members] = refs.columns[unit, who[COLUMN, i]] / numbers[SCALE, i]
    return n_members + 1
