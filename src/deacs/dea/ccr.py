r"""CCR efficiency: the share of its inputs with which the best could do what a unit does.

.. math:: θ_p = \min θ \quad \text{s.t.} \quad \sum_j λ_j x_j \le θ x_p, \quad
          \sum_j λ_j y_j \ge y_p, \quad λ \ge 0.

Charnes, A., Cooper, W. W. and Rhodes, E. (1978). Measuring the efficiency of decision making
units. European Journal of Operational Research 2(6), 429-444.
"""

from typing import Any

import numpy as np

from deacs.dea.result import DEAResult
from deacs.dea.super_efficiency import super_efficiency

__all__ = ["ccr"]


def ccr(inputs: Any, outputs: Any) -> DEAResult:
    """Score each unit against all units, input-oriented, under constant returns to scale.

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
        Scores in [0, 1]. A unit whose score is 1 has itself as its only peer.

    Examples
    --------
    >>> ccr([2, 3, 3, 4], [1, 3, 2, 3]).scores.round(4).tolist()
    [0.5, 1.0, 0.6667, 0.75]
    """
    # θ = min(1, θ_super): λ_p = 1 gives 1. If an optimum has θ < 1 and λ_p = a, then a < 1 (inputs:
    # a x_p ≤ θ x_p), and the other λ over 1 - a attain (θ - a) / (1 - a) ≤ θ without p.
    beyond = super_efficiency(inputs, outputs)
    itself = beyond.scores >= 1
    return DEAResult(
        "CCR",
        np.minimum(beyond.scores, 1.0),
        np.where(beyond.status == "infeasible", "efficient", beyond.status),
        tuple(np.array([p]) if itself[p] else peers for p, peers in enumerate(beyond.peers)),
        tuple(np.ones(1) if itself[p] else weights for p, weights in enumerate(beyond.weights)),
    )
