r"""The primal simplex method for one unit of a constant input: few rows, many columns.

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

from deacs.kernels.jit import kernel, routine
from deacs.kernels.peers import NOISE, best_other, use_peers

__all__ = ["References", "solve_unit", "solve_units", "tableau"]

MAX_MEMBERS = 520
"""No power of two, or the rows of their columns would share cache sets."""

BATCH = 16
"""How many references may join at once."""

BLOCK = 512
"""References priced at once: their worth stays in the cache."""

TOLERANCE = 1e-13
"""A unit joins, and an output is free, if this is gained a unit of intensity."""

SMALLEST_PIVOT = 1e-10


class References(NamedTuple):
    """Who may be a peer of whom.

    Unit p is compared with the core, and with the extras from `starts[p]` to `starts[p + 1]`, but
    never with itself.
    """

    outputs: np.ndarray  # (n_units, n_outputs)
    core: np.ndarray  # (n_core,) unit of each core column
    columns: np.ndarray  # (n_outputs, n_core) outputs of the core
    place: np.ndarray  # (n_units,) column of each unit, -1 outside the core
    starts: np.ndarray  # (n_units + 1,)
    extras: np.ndarray
    best: np.ndarray  # (2, n_outputs) unit that makes most of an output, and who is next


class _Tableau(NamedTuple):
    """The work space: m rows are in use, a row a demanded output or a place in the basis."""

    rows: np.ndarray  # (s,) output of each row
    scale: np.ndarray  # (s,) what each output was divided by
    demand: np.ndarray  # (s,)
    inverse: np.ndarray  # (s, s) of the basis: output times place
    # Of each place: k >= 0 for member k, -1 - r for the specialist of row r, -1 - m - r for its
    # surplus.
    basis: np.ndarray
    amounts: np.ndarray  # (s,) intensities of the basis
    prices: np.ndarray  # (s,) of the outputs
    entering: np.ndarray  # (s,) the entering column in terms of the basis
    made: np.ndarray  # (s,) what the basis makes of each output
    owed: np.ndarray  # (s,) what the prices miss of the cost of each place
    members: np.ndarray  # (MAX_MEMBERS,) unit of each member
    columns: np.ndarray  # (s, MAX_MEMBERS) scaled outputs of the members
    member_worth: np.ndarray  # (MAX_MEMBERS,)
    plain_prices: np.ndarray  # (s,) prices of the outputs as they came
    worth: np.ndarray  # (n_core,)


@kernel
def solve_units(refs, units, enough, scores, gaps, peers, weights):
    """Score units one after another.

    Parameters
    ----------
    refs : IN References
    units : IN (k,) array
        Units with an output, none a sole producer of one.
    enough : IN float
        An upper bound on a score below this ends the search.
    scores, gaps : OUT (k,) arrays
        An upper bound on θ that the peers attain; θ is at least score (1 - gap). The gap is 1 when
        the search ended early, and not a number when it failed.
    peers, weights : OUT (k, n_outputs) arrays
        The peers, then -1, and their intensities.
    """
    t = tableau(refs)
    for k in range(len(units)):
        scores[k], gaps[k] = solve_unit(refs, t, units[k], -1, enough, peers[k], weights[k])


@routine
def tableau(refs):
    """Return room for solving one unit after another."""
    s, n_core = refs.columns.shape
    return _Tableau(
        np.empty(s, np.int64),
        np.empty(s),
        np.empty(s),
        np.empty((s, s)),
        np.empty(s, np.int64),
        np.empty(s),
        np.empty(s),
        np.empty(s),
        np.empty(s),
        np.empty(s),
        np.empty(MAX_MEMBERS, np.int64),
        np.empty((s, MAX_MEMBERS)),
        np.empty(MAX_MEMBERS),
        np.empty(s),
        np.empty(n_core),
    )


@routine
def solve_unit(refs, t, p, first, enough, peers, weights):
    """Score one unit, as `solve_units` does: pivot, price all, let the best join, again.

    With `first` >= 0, the first basis is that unit alone, which must make all that p makes, instead
    of the specialists.
    """
    m, score_scale = _start(refs, t, p)
    n_members = 0
    if first >= 0:
        n_members = _start_with(refs, t, m, first)
    limit = enough / score_scale * (1.0 - NOISE)  # the sum of a basis is rounded
    while True:
        if not _pivot(t, m, n_members, limit):
            upper = use_peers(refs, t, p, m, score_scale, peers, weights)
            return upper, (1.0 if upper < enough else np.nan)
        _refine(t, m)
        highest = _price_all(refs, t, p, m)
        n_before = n_members
        if highest > 1.0 + TOLERANCE:
            n_members = _join(refs, t, p, m, n_members)
        if n_members == n_before:
            lower = 0.0
            for i in range(m):
                lower += t.plain_prices[i] * refs.outputs[p, t.rows[i]]
            upper = use_peers(refs, t, p, m, score_scale, peers, weights)
            return upper, 1.0 - lower / highest / upper


@routine
def _start(refs, t, p):
    """Lay out the rows of p and the basis of specialists; return m and the scale of θ."""
    m = 0
    total = 0.0
    for r in range(refs.outputs.shape[1]):
        if refs.outputs[p, r] > 0.0:
            t.rows[m] = r
            t.scale[m] = refs.outputs[best_other(refs, p, r), r]
            t.demand[m] = refs.outputs[p, r] / t.scale[m]
            total += t.demand[m]
            m += 1
    for i in range(m):
        for c in range(m):
            t.inverse[c, i] = 0.0
        t.demand[i] /= total
        t.inverse[i, i] = 1.0
        t.basis[i] = -1 - i
        t.amounts[i] = t.demand[i]
        t.prices[i] = 1.0
    return m, total


@routine
def _start_with(refs, t, m, first):
    """Replace the specialists by one unit and the surplus of all outputs but the scarcest."""
    _add_member(refs, t, m, 0, first)
    scarce = 0
    for i in range(m):
        if t.demand[i] * t.columns[scarce, 0] > t.demand[scarce] * t.columns[i, 0]:
            scarce = i
    made = t.columns[scarce, 0]
    amount = t.demand[scarce] / made
    for i in range(m):
        t.inverse[i, i] = -1.0
        t.inverse[scarce, i] = t.columns[i, 0] / made
        t.basis[i] = -1 - m - i
        t.amounts[i] = t.columns[i, 0] * amount - t.demand[i]
        t.prices[i] = 0.0
    t.inverse[scarce, scarce] = 1.0 / made
    t.basis[scarce] = 0
    t.amounts[scarce] = amount
    t.prices[scarce] = 1.0 / made
    return 1


@routine
def _pivot(t, m, n_members, limit):
    """Pivot until no member is worth more than 1 and no price is negative: True.

    False: the sum of intensities fell below the limit, or the method is stuck.
    """
    for _ in range(50 + 20 * m):
        gain, code = _most_gainful(t, m, n_members)
        if gain <= TOLERANCE:
            return True
        _express(t, m, code)
        leaving, step = _leaving(t, m)
        if leaving < 0:
            return False
        for c in range(m):
            factor = t.inverse[c, leaving] / t.entering[leaving]
            if factor != 0.0:
                for i in range(m):
                    t.inverse[c, i] -= t.entering[i] * factor
                t.inverse[c, leaving] = factor
                t.prices[c] -= gain * factor
        for i in range(m):
            t.amounts[i] -= t.entering[i] * step
        t.amounts[leaving] = step
        t.basis[leaving] = code
        total = 0.0
        for i in range(m):
            if t.basis[i] >= -m:  # surplus costs nothing
                total += t.amounts[i]
        if total < limit:
            return False
    return False


@routine
def _most_gainful(t, m, n_members):
    """Return what the best member or surplus gains a unit of intensity, and its basis code."""
    gain, code = 0.0, 0
    worth = t.member_worth
    for k in range(n_members):
        worth[k] = 0.0
    for i in range(m):
        price = t.prices[i]
        if -price > gain:
            gain, code = -price, -1 - m - i
        for k in range(n_members):
            worth[k] += price * t.columns[i, k]
    for k in range(n_members):
        if worth[k] - 1.0 > gain:
            gain, code = worth[k] - 1.0, k
    return gain, code


@routine
def _express(t, m, code):
    """Write the entering column, a member or a surplus, in terms of the basis."""
    entering = t.entering
    if code < 0:
        for i in range(m):
            entering[i] = -t.inverse[-1 - m - code, i]
        return
    for i in range(m):
        entering[i] = 0.0
    for c in range(m):
        amount = t.columns[c, code]
        if amount != 0.0:
            for i in range(m):
                entering[i] += amount * t.inverse[c, i]


@routine
def _leaving(t, m):
    """Return the place that runs empty first, of equals that with the largest pivot, and when."""
    largest = 0.0
    for i in range(m):
        largest = max(largest, abs(t.entering[i]))
    leaving, step = -1, np.inf
    for i in range(m):
        if t.entering[i] > SMALLEST_PIVOT * largest:
            ratio = max(t.amounts[i], 0.0) / t.entering[i]
            if ratio < step or (ratio == step and t.entering[i] > t.entering[leaving]):
                leaving, step = i, ratio
    return leaving, step


@routine
def _refine(t, m):
    """One step of iterative refinement: what pivots have rounded away in amounts and prices."""
    for i in range(m):
        t.made[i] = 0.0
    for i in range(m):
        code = t.basis[i]
        worth = 0.0
        if code >= 0:
            for c in range(m):
                t.made[c] += t.amounts[i] * t.columns[c, code]
                worth += t.prices[c] * t.columns[c, code]
            t.owed[i] = 1.0 - worth
        elif code >= -m:
            t.made[-1 - code] += t.amounts[i]
            t.owed[i] = 1.0 - t.prices[-1 - code]
        else:
            t.made[-1 - m - code] -= t.amounts[i]
            t.owed[i] = t.prices[-1 - m - code]
    for c in range(m):
        missing = t.demand[c] - t.made[c]
        for i in range(m):
            t.amounts[i] += t.inverse[c, i] * missing
        for i in range(m):
            t.prices[c] += t.owed[i] * t.inverse[c, i]


@routine
def _price_all(refs, t, p, m):
    """Price every reference at the non-negative part of the prices; return the highest worth."""
    for i in range(m):
        t.plain_prices[i] = max(t.prices[i], 0.0) / t.scale[i]
    n_core = len(refs.core)
    highest = 0.0
    for start in range(0, n_core, BLOCK):
        stop = min(start + BLOCK, n_core)
        worth = t.worth[start:stop]  # slices: loops from 0 become vector instructions
        for j in range(stop - start):
            worth[j] = 0.0
        for i in range(m):
            price = t.plain_prices[i]
            if price > 0.0:
                column = refs.columns[t.rows[i], start:stop]
                for j in range(stop - start):
                    worth[j] += price * column[j]
    if refs.place[p] >= 0:
        t.worth[refs.place[p]] = 0.0
    for j in range(n_core):
        highest = max(highest, t.worth[j])
    for e in range(refs.starts[p], refs.starts[p + 1]):
        highest = max(highest, _worth(refs, t, m, refs.extras[e]))
    return highest


@routine
def _worth(refs, t, m, j):
    worth = 0.0
    for i in range(m):
        worth += t.plain_prices[i] * refs.outputs[j, t.rows[i]]
    return worth


@routine
def _join(refs, t, p, m, n_members):
    """Let the best of each of 16 parts of the core join, and the best extra."""
    n_core = len(refs.core)
    for first in range(min(BATCH, n_core)):
        best, highest = -1, 1.0 + TOLERANCE
        # The core is ordered by strength: every 16th is a fair sample, a sixteenth is not.
        for j in range(first, n_core, BATCH):
            if t.worth[j] > highest:
                best, highest = j, t.worth[j]
        if best >= 0:
            n_members = _add_member(refs, t, m, n_members, refs.core[best])
    best, highest = -1, 1.0 + TOLERANCE
    for e in range(refs.starts[p], refs.starts[p + 1]):
        worth = _worth(refs, t, m, refs.extras[e])
        if worth > highest:
            best, highest = refs.extras[e], worth
    if best >= 0:
        n_members = _add_member(refs, t, m, n_members, best)
    return n_members


@routine
def _add_member(refs, t, m, n_members, j):
    if n_members == MAX_MEMBERS:
        return n_members
    for k in range(n_members):
        if t.members[k] == j:  # settled up to rounding
            return n_members
    t.members[n_members] = j
    for i in range(m):
        t.columns[i, n_members] = refs.outputs[j, t.rows[i]] / t.scale[i]
    return n_members + 1
