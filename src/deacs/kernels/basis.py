"""The workspace of the simplex method, and the peers and weights of its final basis."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.jit import lean_routine

__all__ = ["MAX_MEMBERS", "NOISE", "Answers", "Room", "make_room", "use_peers"]

MAX_MEMBERS = 520
"""Not a power of two, so that the rows of a matrix of members do not share cache sets."""

NOISE = 1e-13
"""A weight below this share of all weights is a rounding error."""

COLUMN, MAKER, BASIS, MEMBER = range(4)
"""Rows of `Room.who`: the column of the table behind each row; the unit, not p, that makes most of
it; for each place in the basis, k >= 0 for member k, -1 - r for the artificial of row r,
-1 - m - r for its slack; the unit of each member, or -1."""

SCALE, DEMAND, SIGN, PENALTY = range(4)
"""Rows of `Room.numbers`: the scale of each row; its demand; its sense, 1 for at least, -1 for at
most, 0 for equal; the cost of its artificial column, the unit vector of the row."""

AMOUNT, PRICE, PLAIN_PRICE, ENTERING, MADE, OWED, INVERSE = range(4, 11)
"""The intensity of each place in the basis; the price of each row, and that of the unscaled column;
the entering column in terms of the basis; the row sums of the basis solution; the residual of the
prices for each place. From `INVERSE` on, the inverse of the basis: one row per row, one column per
place."""


class Room(NamedTuple):
    """The work space; few arrays, since each adds to the compile time of a kernel."""

    numbers: NDArray[np.float64]
    """(11 + s, s)"""
    members: NDArray[np.float64]
    """(s + 2, MAX_MEMBERS) scaled columns of the members, their costs and their worth."""
    who: NDArray[np.int64]
    """(4, at least s and MAX_MEMBERS)"""
    worth: NDArray[np.float64]
    """(n_blocks + 1, LANES) the worth of each reference at the prices, and a spare row."""


class Answers(NamedTuple):
    """Scores of some units, with their peers and error bounds."""

    scores: NDArray[np.float64]
    """(k,) an upper bound on θ that the peers attain"""
    gaps: NDArray[np.float64]
    """(k,) θ is at least score (1 - gap); NaN if that is unknown"""
    peers: NDArray[np.int64]
    """(k, n) peers first, then -1"""
    weights: NDArray[np.float64]
    """(k, n) their intensities"""


def make_room(n_rows: int, n_blocks: int, lanes: int) -> Room:
    """Return a work space for solving units one after another."""
    return Room(
        np.empty((INVERSE + n_rows, n_rows)),
        np.empty((n_rows + 2, MAX_MEMBERS)),
        np.empty((4, max(n_rows, MAX_MEMBERS)), dtype=np.int64),
        np.empty((n_blocks + 1, lanes)),
    )


@lean_routine
def use_peers(outputs, room, p, m, score_scale, answers, k):
    """Write the peers, scaled to produce the outputs of p; return the sum of weights.

    For any basis, the sum is an upper bound on θ, up to the rounding of a few sums of non-negative
    numbers.

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
        noise = 0.0  # a small weight may matter for a small demand
    total = 0.0
    for n in range(n_peers):
        weights[k, n] *= factor
        total += weights[k, n]
    return total
