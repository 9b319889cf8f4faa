"""Super-efficiency with two outputs: the hull of the other units, in the plane.

The frontier is a chain of points by rising angle, from the specialist (X, 0) to the specialist
(0, Y), where X and Y are the most that a unit makes; adding specialists changes no score, since the
best producer dominates them. A ray from the origin through p meets one link of the chain, and θ_p
says how far out p lies on it. Where p itself is a corner of the chain, its removal exposes a new
chain between its two neighbours, and only there; every point lies between the neighbours of at most
two corners, so all these chains together take O(n).

Graham, R. L. (1972). An efficient algorithm for determining the convex hull of a finite planar set.
Information Processing Letters 1(4), 132-133.
"""

import numpy as np

from deacs.kernels.jit import kernel, routine

__all__ = ["score_in_plane"]

NOISE = 1e-13


@kernel
def score_in_plane(points, best, answers):
    """Score every point against all others.

    Parameters
    ----------
    points : IN (n + 2, 2) array
        Rows 1 to n are non-negative, by rising angle, none (0, 0), and none alone in having a
        coordinate. The first and the last row are room for the specialists.
    best : IN (2, 2) array
        Column c: the row where coordinate c is largest, and the row that is next.
    answers : OUT Answers
        Of n + 2 rows; peers are rows of points. The gap is not a number where a point lies above
        the chain, which rounding alone could do.
    """
    scores, gaps, peers, weights = answers
    n = len(points) - 2
    chain = np.empty(n + 2, np.int64)
    local = np.empty(n + 2, np.int64)
    _set_specialists(points, best, 0)
    length = _chain(points, 0, n + 1, 0, chain)
    proved = _encloses(points, 0, n + 1, 0, chain, length)
    link = 1  # from chain[link - 1] to chain[link]
    for p in range(1, n + 1):
        if chain[link] == p:
            _set_specialists(points, best, p)
            first, last = chain[link - 1], chain[link + 1]
            n_local = _chain(points, first, last, p, local)
            k = 1
            while local[k] < p:
                k += 1
            scores[p], gaps[p] = _score(points, best, local[:n_local], k, p, peers[p], weights[p])
            if not _encloses(points, first, last, p, local, n_local):
                gaps[p] = np.nan
            _set_specialists(points, best, 0)
            link += 1
        else:
            scores[p], gaps[p] = _score(points, best, chain[:length], link, p, peers[p], weights[p])
        if not proved:
            gaps[p] = np.nan


@routine
def _best_other(best, p, c):
    return best[1, c] if best[0, c] == p else best[0, c]


@routine
def _set_specialists(points, best, p):
    """Fill the first and the last row as if p were not there."""
    points[0, 0], points[0, 1] = points[_best_other(best, p, 0), 0], 0.0
    points[-1, 0], points[-1, 1] = 0.0, points[_best_other(best, p, 1), 1]


@kernel
def _chain(points, first, last, skip, chain):
    """Write the corners of the hull of rows first to last, without `skip`; return how many."""
    length = 0
    for c in range(first, last + 1):
        if c == skip and c > 0:
            continue
        if first < c < last:
            # Only what no neighbour dominates: from corner to corner x falls and y rises, so that
            # the scan cannot turn back on a ray with several points.
            while length >= 2 and _dominates(points[c], points[chain[length - 1]]):
                length -= 1
            x, y = points[chain[length - 1]]
            if points[c, 1] <= y or points[c, 0] > x:
                continue
        while length >= 2:
            a, b = chain[length - 2], chain[length - 1]
            left = (points[b, 0] - points[a, 0]) * (points[c, 1] - points[b, 1])
            right = (points[b, 1] - points[a, 1]) * (points[c, 0] - points[b, 0])
            if left > right:
                break
            length -= 1
        chain[length] = c
        length += 1
    return length


@routine
def _dominates(strong, weak):
    return strong[0] >= weak[0] and strong[1] >= weak[1]


@routine
def _encloses(points, first, last, skip, chain, length):
    """Whether no point from row first to last, but `skip`, lies above the link on its ray."""
    k = 1
    for c in range(first + 1, last):
        if chain[k] == c:
            k += 1
        elif c != skip:
            (ax, ay), (bx, by) = points[chain[k - 1]], points[chain[k]]
            u, v = by - ay, ax - bx
            highest = max(u * ax + v * ay, u * bx + v * by)
            if not u * points[c, 0] + v * points[c, 1] <= highest * (1.0 + NOISE):
                return False
    return True


@routine
def _score(points, best, chain, k, p, peers, weights):
    """Score p on the link from chain[k - 1] to chain[k]; return the score and its gap."""
    a, b = chain[k - 1], chain[k]
    x, y = points[p]
    (ax, ay), (bx, by) = points[a], points[b]
    if x == 0.0 or y == 0.0:  # a ratio
        c = 0 if y == 0.0 else 1
        peers[0], peers[1] = _best_other(best, p, c), -1
        weights[0], weights[1] = points[p, c] / points[peers[0], c], 0.0
        return weights[0], 0.0
    size = ax * by - ay * bx
    peers[0] = _best_other(best, p, 0) if a == 0 else a
    peers[1] = _best_other(best, p, 1) if b == len(points) - 1 else b
    weights[0] = max((x * by - y * bx) / size, 0.0)
    weights[1] = max((ax * y - ay * x) / size, 0.0)
    upper = _make_enough(points, p, peers, weights)
    # The normal of the link is the best pair of prices; a link next to it may see a corner above
    # it by rounding.
    u, v = max(by - ay, 0.0), max(ax - bx, 0.0)
    highest = 0.0
    for j in range(max(k - 2, 0), min(k + 2, len(chain))):
        highest = max(highest, u * points[chain[j], 0] + v * points[chain[j], 1])
    return upper, 1.0 - (u * x + v * y) / highest / upper


@routine
def _make_enough(points, p, peers, weights):
    """Drop a needless peer, multiply the weights until they make what p does, and sum them."""
    if peers[0] == peers[1]:
        weights[0] += weights[1]
        weights[1] = 0.0
    if weights[0] < weights[1]:
        peers[0], peers[1] = peers[1], peers[0]
        weights[0], weights[1] = weights[1], weights[0]
    total = weights[0] + weights[1]
    alone = weights[0] * _shortfall(points, p, peers, weights, 1)
    factor = _shortfall(points, p, peers, weights, 2)
    if weights[1] <= NOISE * total and alone <= total * factor * (1.0 + NOISE):
        weights[0], weights[1], peers[1] = alone, 0.0, -1
        return alone
    weights[0] *= factor
    weights[1] *= factor
    return weights[0] + weights[1]


@routine
def _shortfall(points, p, peers, weights, n_peers):
    """Return by what the first peers must be multiplied to make what p does."""
    factor = 0.0
    for c in range(2):
        made = 0.0
        for k in range(n_peers):
            made += weights[k] * points[peers[k], c]
        if not made > 0.0:
            return np.inf
        factor = max(factor, points[p, c] / made)
    return factor
