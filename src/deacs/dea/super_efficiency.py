r"""Super-efficiency: the efficiency of a unit relative to the frontier of the others.

.. math:: θ_p = \min θ \quad \text{s.t.} \quad \sum_{j \ne p} λ_j x_j \le θ x_p, \quad
          \sum_{j \ne p} λ_j y_j \ge y_p, \quad L \le \sum_{j \ne p} λ_j \le U, \quad λ \ge 0,

with L ≤ Σ λ ≤ U by returns to scale: no bounds if constant, Σ λ = 1 if variable.

Andersen, P. and Petersen, N. C. (1993). A procedure for ranking efficient units in data
envelopment analysis. Management Science 39(10), 1261-1264.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from deacs.dea.data import Table, read_table, units
from deacs.dea.program import NOBODY, NOTHING, are_unsure
from deacs.dea.radial import Orientation, radial, radial_prices, radial_result, solve_radial
from deacs.dea.result import DEAResult
from deacs.dea.scorer import Scorer
from deacs.dea.slacks import Peers
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
    inputs, outputs : array-like or frame of shape (n_units, n_columns)
        Non-negative; each unit has a positive input. One dimension means one column, inputs=None a
        constant input of 1.
    returns_to_scale : {"crs", "vrs", "nirs", "ndrs"}
        Constant, variable, non-increasing or non-decreasing.
    orientation : {"input", "output"}
        Input: the score is θ. Output: 1/φ, with φ the factor of the outputs that the others
        attain. Under constant returns to scale both are the same.
    slacks : bool
        Whether to run the second phase, which finds peers with the largest slacks.
    names : sequence or None
        Names of the units.
    n_jobs : int or None
        Number of threads, as in scikit-learn; the result does not depend on it.

    Returns
    -------
    DEAResult
        A score of 1.25 means that the unit would stay efficient with a quarter more of every input.
        +inf (status "infeasible") means that the others cannot produce its outputs, 0 that it
        produces nothing.

    Notes
    -----
    Under constant returns to scale, the zeros of the table decide whether a score is infinite:
    θ_p = +inf if and only if p has an output that no other unit has whose positive inputs are among
    those of p. Under variable returns, it means that no convex combination of the others produces
    as much (input orientation), or needs as little (output orientation): the unit lies at the end
    of the range, which does not make it infinitely good.

    A unit without any output scores 0 under constant returns and in output orientation; in input
    orientation under other returns its score is positive, since Σ λ bounds the inputs of the peers
    from below. A unit without any input raises an error.

    Every finite score is certified by two bounds that do not depend on the solver; they differ by
    at most a relative 1e-9. If numbers span too wide a range for that, the program is solved
    exactly; the status is "uncertain" if that would take too long. A score above the largest double
    is +inf, with the status "efficient".

    Programs are solved by a compiled simplex method with column generation, and by HiGHS if that
    fails.

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
    peers = Peers.of([NOBODY] * n, [NOTHING] * n)
    scored = np.flatnonzero(~normal.sole & ~normal.idle)
    if len(scored) and normal.usable and normal.inputs.shape[1] > 1:
        technology = Technology(read_table(normal.inputs, normal.outputs), "crs")
        found = solve_radial(technology, scored, "input", itself=True, n_jobs=n_jobs)
    else:
        found = Scorer(normal).solve_all(scored, n_jobs)
    # None of these is infeasible: the zeros of the table decide, not the solver.
    scores[scored] = [one.objective for one in found]
    peers.unsure[scored] = are_unsure(found)
    peers.unsure[scored] |= np.array([one.status != "optimal" for one in found], dtype=np.bool_)
    with np.errstate(all="ignore"):  # out of the range of doubles
        for p, one in zip(scored.tolist(), found, strict=True):
            weights = one.weights
            if not constant:
                weights = weights * (normal.sizes[p] / normal.sizes[one.peers])
            if orientation == "output":
                weights = weights / scores[p]
            peers.units[p], peers.weights[p] = one.peers, weights
    return radial_result(
        "super-efficiency",
        Technology(table, "crs"),
        scores,
        peers,
        normal.sole,
        orientation=orientation,
        itself=True,
        slacks=slacks,
        n_jobs=n_jobs,
        # The fast methods keep no prices; they are computed from the standard program.
        prices=radial_prices(table, orientation, itself=True, n_jobs=n_jobs),
    )
