r"""Super-efficiency: how far a unit lies beyond the frontier of the others.

.. math:: θ_p = \min θ \quad \text{s.t.} \quad \sum_{j \ne p} λ_j x_j \le θ x_p, \quad
          \sum_{j \ne p} λ_j y_j \ge y_p, \quad L \le \sum_{j \ne p} λ_j \le U, \quad λ \ge 0,

with L ≤ Σ λ ≤ U by returns to scale: nothing under constant ones, Σ λ = 1 under variable ones.

Andersen, P. and Petersen, N. C. (1993). A procedure for ranking efficient units in data
envelopment analysis. Management Science 39(10), 1261-1264.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from deacs.dea.data import Table, read_table, units
from deacs.dea.radial import Orientation, radial, radial_result, solve_radial
from deacs.dea.result import EFFICIENCY_TOLERANCE, DEAResult, Multipliers
from deacs.dea.scorer import Scorer
from deacs.dea.technology import ReturnsToScale, Technology, one_of

__all__ = ["super_efficiency"]


def super_efficiency(
    inputs: Any,
    outputs: Any,
    *,
    returns_to_scale: ReturnsToScale = "crs",
    orientation: Orientation = "input",
    slacks: bool = False,
    names: Sequence[Any] | None = None,
    n_jobs: int | None = None,
) -> DEAResult:
    """Score each unit against all others.

    Parameters
    ----------
    inputs : array-like or frame of shape (n_units, n_inputs), or None
        Non-negative; each unit has a positive one. One dimension means one input, None a constant
        input of 1.
    outputs : array-like or frame of shape (n_units, n_outputs)
        Non-negative. One dimension means one output.
    returns_to_scale : {"crs", "vrs", "nirs", "ndrs"}
        Constant, variable, non-increasing or non-decreasing.
    orientation : {"input", "output"}
        Whether to ask for the inputs that the others need, or for the outputs that they make; the
        score is θ, or 1/φ. Under constant returns to scale both are the same.
    slacks : bool
        Whether to run the second phase, which finds peers with the largest slacks.
    names : sequence or None
        A name for each unit.
    n_jobs : int or None
        Threads, as in scikit-learn; they do not change a bit of the answer.

    Returns
    -------
    DEAResult
        A score of 1.25 means: the unit could use a quarter more of every input and the others
        would still not do better. +inf (status "infeasible") means that the others cannot do what
        the unit does, 0 that the unit produces nothing.

    Notes
    -----
    Under constant returns to scale, whether a score is infinite is decided on the zeros of the
    table: θ_p = +inf if and only if p has an output that no other unit has whose positive inputs
    are among p's. Under variable ones it has a meaning of its own: no mixture of the others makes
    as much (input orientation), or gets by with as little (output orientation), however it is
    scaled; it says that the unit lies at the end of the range, not that it is infinitely good.

    A unit without any output scores 0 under constant returns and in output orientation; in input
    orientation under others, Σ λ bounds what the peers need. A unit without any input is refused.

    Every finite score carries a proof, two bounds computed apart from the solver; they differ by at
    most 1e-9 relative. Where numbers span so wide a range that they do not, the program is solved
    in whole numbers; the status is "uncertain" where that would take too long. A score above the
    largest double is +inf, and its status "efficient".

    Each unit takes a small program, solved by a simplex method of our own to which references join
    when the prices ask for them. What that does not settle is a program for HiGHS.

    Examples
    --------
    >>> result = super_efficiency(None, [[4, 1], [3, 3], [1, 4], [1, 1]])
    >>> result
    <DEAResult super-efficiency: 4 units, 3 efficient, 1 inefficient>
    >>> result.scores.round(3).tolist()
    [1.333, 1.2, 1.333, 0.333]
    """
    one_of(orientation, Orientation, "orientation")
    one_of(returns_to_scale, ReturnsToScale, "returns_to_scale")
    table = read_table(inputs, outputs, names=names)
    if returns_to_scale == "crs":
        return _constant_returns(table, inputs is None, orientation, slacks, n_jobs)
    return radial(
        "super-efficiency",
        table,
        returns_to_scale,
        orientation,
        itself=True,
        slacks=slacks,
        n_jobs=n_jobs,
    )


def _constant_returns(
    table: Table, constant: bool, orientation: str, slacks: bool, n_jobs: int | None
) -> DEAResult:
    normal = units(None if constant else table.inputs, table.outputs)
    n = table.n_units
    scores = np.where(normal.sole, np.inf, 0.0)
    unsure = np.zeros(n, dtype=np.bool_)
    peers = [np.empty(0, dtype=np.intp)] * n
    weights = [np.empty(0)] * n
    scored = np.flatnonzero(~normal.sole & ~normal.idle)
    if len(scored) and normal.usable and normal.inputs.shape[1] > 1:
        technology = Technology(read_table(normal.inputs, normal.outputs), "crs")
        found = solve_radial(technology, scored, "input", itself=True, n_jobs=n_jobs)
    else:
        found = Scorer(normal).solve_all(scored, n_jobs)
    # Nobody here is infeasible: the zeros of the table say so, whatever the solver says.
    scores[scored] = [one.objective for one in found]
    unsure[scored] = [
        one.status != "optimal" or not one.gap <= EFFICIENCY_TOLERANCE for one in found
    ]
    with np.errstate(all="ignore"):  # beyond the range of doubles
        for p, one in zip(scored.tolist(), found, strict=True):
            peers[p], weights[p] = one.peers, one.weights
            if not constant:
                weights[p] = weights[p] * (normal.sizes[p] / normal.sizes[peers[p]])
            if orientation == "output":
                weights[p] = weights[p] / scores[p]

    def prices() -> Multipliers:
        # The fast methods keep no prices; these come from the textbook program.
        return radial(
            "", table, "crs", orientation, itself=True, slacks=False, n_jobs=n_jobs
        ).multipliers

    return radial_result(
        "super-efficiency",
        Technology(table, "crs"),
        scores,
        unsure,
        normal.sole,
        peers,
        weights,
        orientation=orientation,
        itself=True,
        slacks=slacks,
        n_jobs=n_jobs,
        prices=prices,
    )
