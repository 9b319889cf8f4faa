r"""CCR efficiency: the share of its inputs with which best practice could produce a unit's outputs.

.. math:: θ_p = \min θ \quad \text{s.t.} \quad \sum_j λ_j x_j \le θ x_p, \quad
          \sum_j λ_j y_j \ge y_p, \quad λ \ge 0.

Charnes, A., Cooper, W. W. and Rhodes, E. (1978). Measuring the efficiency of decision making
units. European Journal of Operational Research 2(6), 429-444.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from deacs.dea.radial import BEYOND, Orientation, radial_prices, radial_result
from deacs.dea.result import DEAResult
from deacs.dea.slacks import Peers
from deacs.dea.super_efficiency import super_efficiency
from deacs.dea.technology import Technology

__all__ = ["ccr"]


def ccr(
    inputs: Any,
    outputs: Any,
    *,
    orientation: Orientation = "input",
    slacks: bool = True,
    names: Sequence[Any] | None = None,
    n_jobs: int | None = None,
) -> DEAResult:
    """Score each unit against all units, under constant returns to scale.

    Parameters
    ----------
    inputs, outputs : array-like or frame of shape (n_units, n_columns)
        Non-negative; each unit has a positive input. One dimension means one column, inputs=None a
        constant input of 1.
    orientation : {"input", "output"}
        Whether peers and slacks show less input for the same outputs, or more output from the same
        inputs. The scores are the same.
    slacks : bool
        Whether to run the second phase, which separates weakly efficient from efficient units.
    names : sequence or None
        Names of the units.
    n_jobs : int or None
        Number of threads, as in scikit-learn; the result does not depend on it.

    Returns
    -------
    DEAResult
        Scores in [0, 1]. An efficient unit has itself as its only peer.

    Notes
    -----
    A unit without any output scores 0 and is "inefficient"; a unit without any input raises an
    error, since its efficiency would be unbounded. If a unit does not use some input, units that
    use it cannot be its peers. The score ignores slacks: a dominated unit can score 1; its status
    is then "weakly efficient". `sbm` accounts for slacks.

    Examples
    --------
    >>> ccr([2, 3, 3, 4], [1, 3, 2, 3]).scores.round(4).tolist()
    [0.5, 1.0, 0.6667, 0.75]
    """
    # θ = min(1, θ_super), as `solve_radial` shows.
    beyond = super_efficiency(inputs, outputs, orientation=orientation, names=names, n_jobs=n_jobs)
    table, found = beyond.table, Peers.of(beyond.peers, beyond.weights)
    for p in np.flatnonzero(beyond.scores >= 1).tolist():
        found.units[p], found.weights[p] = np.array([p]), np.ones(1)
    found.unsure[beyond.status == "uncertain"] = True
    return radial_result(
        "CCR",
        Technology(table, "crs"),
        np.minimum(beyond.scores, 1.0),
        found,
        np.zeros(table.n_units, dtype=np.bool_),
        orientation=orientation,
        itself=False,
        slacks=slacks,
        n_jobs=n_jobs,
        prices=radial_prices(table, orientation, itself=False, n_jobs=n_jobs),
        beyond=beyond.scores >= 1 + BEYOND,
    )
