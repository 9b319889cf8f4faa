r"""The primal simplex method for programs of units with any rows and columns of their own.

.. math:: \min c z \quad \text{s.t.} \quad \sum_j λ_j a_j + \sum_k z_k b_k \mp s = d, \quad
          λ, z, s \ge 0.

The first basis consists of slacks and, for rows with a demand, of *artificials*: unit vectors with
a penalty. If artificials remain at the end, the program continues without costs and minimises them:
either their minimum proves that the program is infeasible, or a feasible basis is found, from which
the program is solved with its costs. The start depends on the program alone, so that answers do not
depend on each other.
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
    MEMBER,
    PENALTY,
    PLAIN_PRICE,
    PRICE,
    SCALE,
    SIGN,
)
from deacs.kernels.jit import lean_routine, patient_kernel
from deacs.kernels.pivots import join, pivot, price, refine

__all__ = ["FAILED", "FOUND", "INFEASIBLE", "LEFT_OUT", "Found", "Programs", "solve_envelopment"]

FOUND, INFEASIBLE, FAILED = range(3)
"""Statuses of programs."""

LEFT_OUT = 2.0
"""The sign of a row without bounds."""

LACKING = 1e-11
"""The share of the demand that artificials may provide; the proof decides whether it matters."""


class Programs(NamedTuple):
    """The programs of some units."""

    units: NDArray[np.intp]
    """(n,) the unit that must not be a peer, if `References` say so"""
    signs: NDArray[np.float64]
    """(n, r) the sense of each row: 1 for at least its demand, -1 for at most, 0 for equal, or
    `LEFT_OUT`"""
    demands: NDArray[np.float64]
    """(n, r) d"""
    own: NDArray[np.float64]
    """(n, k, r) b"""
    costs: NDArray[np.float64]
    """(n, k) c"""
    firsts: NDArray[np.int64]
    """(n, any) likely peers, padded with -1; guessed if the array has no columns"""
    penalties: NDArray[np.float64]
    """(n,) the penalty of meeting all demands by artificials; 0 to begin without costs"""
    enough: NDArray[np.float64]
    """(n,) a lower bound on the objective at which a program may end"""


class Found(NamedTuple):
    """Answers, not yet verified."""

    states: NDArray[np.int64]
    """(n,) `FOUND`, `INFEASIBLE` or `FAILED`"""
    own: NDArray[np.float64]
    """(n, k) z"""
    peers: NDArray[np.int64]
    """(n, r) peers, padded with 0"""
    weights: NDArray[np.float64]
    """(n, r) λ"""
    prices: NDArray[np.float64]
    """(n, r) prices; for an infeasible program, a certificate of infeasibility"""


@patient_kernel
def solve_envelopment(refs, room, programs, found):
    """Solve programs one after another by pivoting and column generation.

    IN refs: References, programs; TEMP room; OUT found.
    """
    units, _, _, _, costs, _, penalties, enough = programs
    numbers, members, who, _ = room
    cost_row, n_own = members.shape[0] - 2, costs.shape[1]
    for k in range(units.shape[0]):
        p = units[k]
        m, n_members = _start(refs, room, programs, k)
        # Costs and penalties (0), then artificials alone (1), then costs alone (2).
        state, level = FAILED, 0 if penalties[k] > 0.0 else 1
        while pivot(room, m, n_members, -np.inf, level == 2):
            refine(room, m)
            n_before = n_members
            _, n_members = price(refs, room, p, m, n_members, 0.0)
            if n_members > n_before:
                continue
            lacking, bound = False, 0.0
            for i in range(m):
                code = who[BASIS, i]
                bound += numbers[PRICE, i] * numbers[DEMAND, i]
                if -m <= code < 0:
                    lacking |= numbers[AMOUNT, i] > LACKING * numbers[DEMAND, -1 - code]
            if level == 2 or (level == 0 and (not lacking or bound >= enough[k])):
                state = FOUND
                break
            if level == 1 and lacking:
                state = INFEASIBLE
                break
            level += 1
            for n in range(n_own):
                members[cost_row, n] = costs[k, n] if level == 2 else 0.0
            for i in range(m):
                numbers[PENALTY, i] = 1.0 if level == 1 else 0.0
                numbers[PRICE, i] = 0.0
            refine(room, m)  # starting from zero: the prices of the basis

        found.states[k] = state
        for n in range(n_own):
            found.own[k, n] = 0.0
        for r in range(found.peers.shape[1]):
            found.peers[k, r] = 0
            found.weights[k, r] = 0.0
            found.prices[k, r] = 0.0
        for i in range(m):
            found.prices[k, who[COLUMN, i]] = numbers[PLAIN_PRICE, i]
            code = who[BASIS, i]
            if 0 <= code < n_own:
                found.own[k, code] = numbers[AMOUNT, i]
            elif code >= 0 and numbers[AMOUNT, i] > 0.0:
                found.peers[k, i] = who[MEMBER, code]
                found.weights[k, i] = numbers[AMOUNT, i]


@lean_routine
def _start(refs, room, programs, k):
    """Set up the rows of a unit and the first basis; return the numbers of rows and members."""
    units, signs, demands, own, costs, firsts, penalties, _ = programs
    columns, blocks, _, _, _ = refs
    numbers, members, who, worth = room
    cost_row, n_own = members.shape[0] - 2, costs.shape[1]
    m = 0
    for r in range(signs.shape[1]):
        if signs[k, r] != LEFT_OUT:
            scale = 1.0 if demands[k, r] >= 0.0 else -1.0
            demand, sign = scale * demands[k, r], scale * signs[k, r]
            who[COLUMN, m] = r
            numbers[SCALE, m] = scale
            numbers[DEMAND, m] = numbers[AMOUNT, m] = demand
            numbers[SIGN, m] = sign
            numbers[PENALTY, m] = 1.0
            numbers[PLAIN_PRICE, m] = 0.0  # `join` reads it
            if penalties[k] > 0.0:
                numbers[PENALTY, m] = penalties[k] / (demand if demand > 0.0 else 1.0)
            for n in range(n_own):
                members[m, n] = own[k, n, r] * scale
            m += 1
    for i in range(m):
        for c in range(m):
            numbers[INVERSE + c, i] = 0.0
        if numbers[SIGN, i] < 0.0 or (numbers[SIGN, i] > 0.0 and numbers[DEMAND, i] == 0.0):
            who[BASIS, i] = -1 - m - i
            numbers[INVERSE + i, i] = -numbers[SIGN, i]
            numbers[PRICE, i] = 0.0
        else:
            who[BASIS, i] = -1 - i
            numbers[INVERSE + i, i] = 1.0
            numbers[PRICE, i] = numbers[PENALTY, i]
    n_members = n_own
    for n in range(n_own):
        who[MEMBER, n] = -1
        members[cost_row, n] = costs[k, n] if penalties[k] > 0.0 else 0.0
    for n in range(firsts.shape[1]):
        if firsts[k, n] >= 0:
            who[MEMBER, n_members] = firsts[k, n]
            members[cost_row, n_members] = 0.0
            for i in range(m):
                members[i, n_members] = columns[firsts[k, n], who[COLUMN, i]] / numbers[SCALE, i]
            n_members += 1
    if firsts.shape[1] == 0:
        # The units with the largest ratio of outputs to inputs, weighted by those of p.
        p, lanes, last = units[k], blocks.shape[2], blocks.shape[0]
        for b in range(last):
            for j in range(lanes):
                worth[b, j] = 0.0
                worth[last, j] = 0.0
            for i in range(m):
                r = who[COLUMN, i]
                into = b if signs[k, r] > 0.0 else last
                if columns[p, r] > 0.0 and signs[k, r] != 0.0:
                    for j in range(lanes):
                        worth[into, j] += blocks[b, r, j] / columns[p, r]
            for j in range(lanes):
                if worth[last, j] > 0.0:
                    worth[b, j] /= worth[last, j]
        _, n_members = join(refs, room, p, m, n_members, 0.0, 0.0)
    return m, n_members
