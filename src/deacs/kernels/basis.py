"""The work space of the simplex method, and what is read off its last basis: peers and weights."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.jit import lean_routine

__all__ = ["MAX_MEMBERS", "NOISE", "Answers", "Room", "make_room", "use_peers"]

MAX_MEMBERS = 520
"""No power of two, or the rows of their columns would share cache sets."""

NOISE = 1e-13
"""A weight below this share of all weights is rounding, not a peer."""

OUTPUT, MAKER, BASIS, MEMBER = range(4)
"""Rows of `Room.who`: the output of each row; the unit, not p, that makes most of it; of each
place in the basis k >= 0 for member k, -1 - r for the specialist of row r, -1 - m - r for its
surplus; the unit of each member."""

SCALE, DEMAND, AMOUNT, PRICE, PLAIN_PRICE, ENTERING, MADE, OWED, INVERSE = range(9)
"""Rows of `Room.numbers`: what each output was divided by; the demand for it; the intensity of each
place in the basis; the price of each output, and that of the output as it came; the entering column
in terms of the basis; what the basis makes of each output; what the prices miss of the cost of each
place. From `INVERSE` on, the inverse of the basis: a row an output, a column a place."""


class Room(NamedTuple):
    """The work space: few arrays, for each costs time when a kernel is compiled."""

    numbers: NDArray[np.float64]
    """(9 + s, s)"""
    members: NDArray[np.float64]
    """(s + 1, MAX_MEMBERS) scaled outputs of the members; the last row is their worth."""
    who: NDArray[np.int64]
    """(4, at least s and MAX_MEMBERS)"""
    worth: NDArray[np.float64]
    """(n_blocks, LANES) what each reference is worth at the prices."""


class Answers(NamedTuple):
    """Scores of some units, each with its peers and by how much it may be too high."""

    scores: NDArray[np.float64]
    """(k,) an upper bound on θ that the peers attain"""
    gaps: NDArray[np.float64]
    """(k,) θ is at least score (1 - gap); not a number where that is unknown"""
    peers: NDArray[np.int64]
    """(k, n) peers first, then -1"""
    weights: NDArray[np.float64]
    """(k, n) their intensities"""


def make_room(n_outputs: int, n_blocks: int, lanes: int) -> Room:
    """Return room for solving one unit after another."""
    return Room(
        np.empty((INVERSE + n_outputs, n_outputs)),
        np.empty((n_outputs + 1, MAX_MEMBERS)),
        np.empty((4, max(n_outputs, MAX_MEMBERS)), dtype=np.int64),
        np.empty((n_blocks, lanes)),
    )


@lean_routine
def use_peers(outputs, room, p, m, score_scale, answers, k):
    """Write the peers, multiplied until they make what p does; return the sum of weights.

    Whatever the basis says, the sum is an upper bound on θ, but for rounding of a few sums of
    non-negative numbers.

    IN outputs, room, p, m: rows in use, score_scale, k; OUT answers: row k of peers and weights.
    """
    numbers, _, who, _ = room
    _, _, peers, weights = answers
    noise = 0.0
    for i in range(m):
        if who[BASIS, i] >= -m and numbers[AMOUNT, i] > 0.0:
            noise += NOISE * numbers[AMOUNT, i]
    while True:
        for n in range(peers.shape[1]):
            peers[k, n] = -1
            weights[k, n] = 0.0
        n_peers = 0
        for i in range(m):
            code = who[BASIS, i]
            if code >= -m and numbers[AMOUNT, i] > noise:
                unit = who[MEMBER, code] if code >= 0 else who[MAKER, -1 - code]
                n = 0
                while n < n_peers and peers[k, n] != unit:
                    n += 1
                if n == n_peers:
                    peers[k, n] = unit
                    n_peers += 1
                weights[k, n] += numbers[AMOUNT, i] * score_scale
        factor = 0.0
        for i in range(m):
            made = 0.0
            for n in range(n_peers):
                made += weights[k, n] * outputs[peers[k, n], who[OUTPUT, i]]
            factor = max(factor, outputs[p, who[OUTPUT, i]] / made)
        if noise == 0.0 or not factor > 1.0 + NOISE:
            break
        noise = 0.0  # small is not noise where a small amount is demanded
    total = 0.0
    for n in range(n_peers):
        weights[k, n] *= factor
        total += weights[k, n]
    return total
