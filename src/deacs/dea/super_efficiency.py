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
from deacs.dea.envelopment import Envelopment
from deacs.dea.result import EFFICIENCY_TOLERANCE, DEAResult

__all__ = ["super_efficiency"]


def super_efficiency(inputs: Any, outputs: Any) -> DEAResult:
    """Score each unit against all others, input-oriented, under constant returns to scale.

    Parameters
    ----------
    inputs : array-like or frame of shape (n_units, n_inputs), or None
        Non-negative; each unit has a positive one. One dimension means one input, None a constant
        input of 1.
    outputs : array-like or frame of shape (n_units, n_outputs)
        Non-negative. One dimension means one output.

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
    differ by at most 1e-9 relative unless the status is "uncertain". One linear program is solved
    for each unit, hot-started from the last; none if the unit has one input and one output.

    Examples
    --------
    >>> result = super_efficiency(None, [[4, 1], [3, 3], [1, 4], [1, 1]])
    >>> result
    <DEAResult super-efficiency: 4 units, 3 efficient, 1 inefficient>
    >>> result.scores.round(3).tolist()
    [1.333, 1.2, 1.333, 0.333]
    """
    table = units(inputs, outputs)
    envelopment = Envelopment(table)
    n = len(table.sizes)
    scores = np.where(table.sole, math.inf, 0.0)
    status = np.where(table.sole, "infeasible", "inefficient")
    peers = [np.empty(0, dtype=np.intp)] * n
    weights = [np.empty(0)] * n
    for p in np.flatnonzero(~table.sole & ~table.idle).tolist():
        answer = envelopment.solve(p)
        scores[p] = answer.score
        peers[p] = answer.peers
        weights[p] = answer.weights * table.sizes[p] / table.sizes[answer.peers]
        if not answer.gap <= EFFICIENCY_TOLERANCE:
            status[p] = "uncertain"
        elif answer.score >= 1 - EFFICIENCY_TOLERANCE:
            status[p] = "efficient"
    return DEAResult("super-efficiency", scores, status, tuple(peers), tuple(weights))
