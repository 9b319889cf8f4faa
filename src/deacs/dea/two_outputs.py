"""Scores under a constant input with two outputs: a hull in the plane, no linear program."""

import numpy as np
from numpy.typing import NDArray

from deacs.dea.constant_input import empty_answers
from deacs.dea.data import Floats
from deacs.kernels.basis import Answers
from deacs.kernels.hull import score_in_plane

__all__ = ["SMALLEST", "two_outputs"]

SMALLEST = 1e-100
"""Products of coordinates below this would underflow."""


def two_outputs(outputs: Floats, units: NDArray[np.intp]) -> Answers:
    """Score units of a table with two outputs.

    Parameters
    ----------
    outputs : (n_units, 2) array
        At most 2; positive numbers are at least `SMALLEST`.
    units : int array
        The units to score, none of them idle or a sole producer.

    Returns
    -------
    Answers

    Notes
    -----
    O(n log n) for all units. Which points are corners is decided by signs of differences of
    products, each right up to a relative change of the coordinates by a few roundings; scores move
    with the coordinates by as little. Afterwards every point is checked against the chain.
    """
    points = outputs[outputs.any(axis=1)]
    members = np.flatnonzero(outputs.any(axis=1))
    x, y = points.T
    steep = y > x
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(steep, -x / y, y / x)  # exact to the last bit at both ends
    order = np.lexsort((slope, steep))
    n = len(order)
    room = np.zeros((n + 2, 2))
    room[1:-1] = points[order]
    best = np.argpartition(room[1:-1], (-2, -1), axis=0)[[-1, -2]] + 1
    found = empty_answers(n + 2, 2)
    score_in_plane(room, best, found)

    row = np.empty(len(outputs), dtype=np.int64)
    row[members[order]] = np.arange(1, n + 1)
    rows = row[units]
    unit_of = np.r_[-1, members[order], -1]
    peers = unit_of[found.peers[rows]]
    return Answers(found.scores[rows], found.gaps[rows], peers, found.weights[rows])
