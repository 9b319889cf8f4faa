"""The workspace of the simplex method, and the peers and weights of its final basis."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.jit import lean_routine

__all__ = ["MAX_MEMBERS", "NOISE", "Answers", "Room", "make_room", "use_peers"]

MAX_MEMBERS = 520
"""No power of two, or the rows of their columns would share cache sets."""

NOISE = 1e-13
"""A weight below this share of all weights is rounding, not a peer."""

COLUMN, MAKER, BASIS, MEMBER = range(4)
"""Rows of `Room.who`: the column of the table behind each row; the unit, not p, that makes most of
it; of each place in the basis k >= 0 for member k, -1 - r for the specialist of row r, -1 - m - r
for its slack; the unit of each member, -1 for none."""

SCALE, DEMAND, SIGN, PENALTY = range(4)
"""Rows of `Room.numbers`: what each row was divided by; the demand; 1 where a row is at least that,
-1 where it is at most that, 0 where it equals it; what the specialist costs, who makes 1 of the row
and nothing else."""

AMOUNT, PRICE, PLAIN_PRICE, ENTERING, MADE, OWED, INVERSE = range(4, 11)
"""The intensity of each place in the basis; the price of each row, and that of the column as it
came; the entering column in terms of the basis; what the basis makes of each row; what the prices
miss of the cost of each place. From `INVERSE` on, the inverse of the basis: a row a row, a column a
place."""


class Room(NamedTuple):
    """The work space: few arrays, for each costs time when a kernel is compiled."""

    numbers: NDArray[np.float64]
    """(11 + s, s)"""
    members: NDArray[np.float64]
    """(s + 2, MAX_MEMBERS) scaled columns of the members, what each costs and what it is worth."""
    who: NDArray[np.int64]
    """(4, at least s and MAX_MEMBERS)"""
    worth: NDArray[np.float64]
    """(n_blocks + 1, LANES) what each reference is worth at the prices; then a row to spare."""


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


def make_room(n_rows: int, n_blocks: int, lanes: int) -> Room:
    """Return room for solving one unit after another."""
    return Room(
        np.empty((INVERSE + n_rows, n_rows)),
        np.empty((n_rows + 2, MAX_MEMBERS)),
        np.empty((4, max(n_rows, MAX_MEMBERS)), dtype=np.int64),
        np.empty((n_blocks + 1, lanes)),
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
                made += weights[k, n] * outputs[peers[k, n], who[COLUMN, i]]
            short = outputs[p, who[COLUMN, i]] / made if made > 0.0 else np.inf
            factor = max(factor, short)
        if noise == 0.0 or not factor > 1.0 + NOISE:
            break
        noise = 0.0  # small is not noise where a small amount is demanded
    total = 0.0
    for n in range(n_peers):
        weights[k, n] *= factor
        total += weights[k, n]
    return total
