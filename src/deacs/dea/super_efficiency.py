r"""Super-efficiency: how far a unit stands beyond the frontier of the others.

.. math:: θ_p = \min θ \quad \text{s.t.} \quad \sum_{j \ne p} λ_j x_j \le θ x_p, \quad
          \sum_{j \ne p} λ_j y_j \ge y_p, \quad λ \ge 0.

Andersen, P. and Petersen, N. C. (1993). A procedure for ranking efficient units in data
envelopment analysis. Management Science 39(10), 1261-1264.
"""

import math
from typing import Any

import numpy as np

from deacs.dea.data import units
from deacs.dea.result import EFFICIENCY_TOLERANCE, DEAResult
from deacs.dea.scorer import Scorer

__all__ = ["super_efficiency"]


def super_efficiency(inputs: Any, outputs: Any, *, n_jobs: int | None = None) -> DEAResult:
    """Score each unit against all others, input-oriented, under constant returns to scale.

    Parameters
    ----------
    inputs : array-like or frame of shape (n_units, n_inputs), or None
        Non-negative; each unit has a positive one. One dimension means one input, None a constant
        input of 1.
    outputs : array-like or frame of shape (n_units, n_outputs)
        Non-negative. One dimension means one output.
    n_jobs : int or None
        Threads, as in scikit-learn: None is 1, -1 all cores. They serve a single input, and do not
        change a bit of the answer.

    Returns
    -------
    DEAResult
        A score of 1.25 means: the unit could use a quarter more of every input and the others
        would still not do better. +inf means that the others cannot produce what the unit does,
        0 that the unit produces nothing.

    Notes
    -----
    Whether a score is infinite is decided on the zeros of the table: θ_p = +inf if and only if p
    has an output that no other unit has whose positive inputs are among p's. Every finite score
    carries a proof, two bounds computed apart from the solver; it is their upper one, and they
    differ by at most 1e-9 relative unless the status is "uncertain".

    With a single input, one output is a ratio, two distinct outputs are a hull in the plane,
    O(n log n) for all units, and more take one small linear program for each unit, of as many rows
    as outputs, solved by our own simplex method; HiGHS solves what that could not settle. With
    several inputs, HiGHS solves them all, hot-started from unit to unit.

    Examples
    --------
    >>> result = super_efficiency(None, [[4, 1], [3, 3], [1, 4], [1, 1]])
    >>> result
    <DEAResult super-efficiency: 4 units, 3 efficient, 1 inefficient>
    >>> result.scores.round(3).tolist()
    [1.333, 1.2, 1.333, 0.333]
    """
    table = units(inputs, outputs)
    n = len(table.sizes)
    scores = np.where(table.sole, math.inf, 0.0)
    status = np.where(table.sole, "infeasible", "inefficient")
    peers = [np.empty(0, dtype=np.intp)] * n
    weights = [np.empty(0)] * n
    scored = np.flatnonzero(~table.sole & ~table.idle)
    found = Scorer(table).solve_all(scored, n_jobs)
    scores[scored] = found.scores
    status[scored[found.scores >= 1 - EFFICIENCY_TOLERANCE]] = "efficient"
    status[scored[~(found.gaps <= EFFICIENCY_TOLERANCE)]] = "uncertain"
    for k, p in enumerate(scored.tolist()):
        peers[p], weights[p] = found.peers[k], found.weights[k]
        if inputs is not None:
            weights[p] = weights[p] * (table.sizes[p] / table.sizes[peers[p]])
    return DEAResult("super-efficiency", scores, status, tuple(peers), tuple(weights))
