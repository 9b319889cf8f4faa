"""Bounds on many scores, closed one program after another until the question is answered.

Both kernels go through `order` and keep `lower` and `upper` bounds on the score of each unit. They
stop at a unit whose program they cannot settle: the bounds stay as they are, the caller sees to it.
"""

import numpy as np

from deacs.kernels.jit import kernel, routine
from deacs.kernels.simplex import solve_unit, tableau

__all__ = ["first_to_attain", "raise_the_bar"]


@kernel
def raise_the_bar(refs, order, through, best, tolerance, close, rounding, lower, upper):
    """Close the bounds of units by falling upper bound, while one may beat the best lower bound.

    Parameters
    ----------
    refs : IN References
    order : IN (k,) array
        Units, by falling upper bound.
    through : IN (n_units,) array
        A unit that alone gives the upper bound, where the search starts; -1 where there is none.
    best : IN float
        The best lower bound.
    tolerance : IN float
        A unit that is below the best by more than this share is left with its upper bound.
    close : IN float
        The largest gap of a score.
    rounding : IN float
        An upper bound this share above the best does not promise more.
    lower, upper : IN OUT (n_units,) arrays

    Returns
    -------
    position, n_solved : int
        Where in `order` it stopped, its length if nothing is left to do, and programs solved.
    """
    t = tableau(refs)
    s = refs.outputs.shape[1]
    peers, weights = np.empty(s, np.int64), np.empty(s)
    n_solved = 0
    for k in range(len(order)):
        p = order[k]
        if upper[p] <= best * (1.0 + rounding):
            break
        n_solved += 1
        enough = best * (1.0 - tolerance)
        score, gap = solve_unit(refs, t, p, through[p], enough, peers, weights)
        if not _narrow(p, score, gap, enough, close, lower, upper):
            return k, n_solved
        best = max(best, lower[p])
    return len(order), n_solved


@kernel
def first_to_attain(refs, order, through, floor, close, lower, upper):
    """Find the first unit in `order` whose score is at least the floor.

    Parameters and results are as in `raise_the_bar`; the position is that of the first unit, if
    its lower bound is at least the floor.
    """
    t = tableau(refs)
    s = refs.outputs.shape[1]
    peers, weights = np.empty(s, np.int64), np.empty(s)
    n_solved = 0
    for k in range(len(order)):
        p = order[k]
        if lower[p] < floor <= upper[p]:
            n_solved += 1
            score, gap = solve_unit(refs, t, p, through[p], floor, peers, weights)
            if not _narrow(p, score, gap, floor, close, lower, upper):
                return k, n_solved
        if lower[p] >= floor:
            return k, n_solved
    return len(order), n_solved


@routine
def _narrow(p, score, gap, enough, close, lower, upper):
    """Take a score, or a bound below `enough`, into the bounds of p; False if it is neither."""
    if score < enough:
        upper[p] = min(upper[p], score)
        return True
    if gap <= close:
        lower[p] = upper[p] = score
        return True
    return False
