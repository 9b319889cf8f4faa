r"""Cross-efficiency: what all units think of a unit, each at the prices that suit itself.

Unit p has CCR efficiency θ_p. Of all prices u, v at which it attains θ_p, the benevolent ones make
the others look best, the aggressive ones worst:

.. math:: \max \text{ or } \min \; u \sum_{j \ne p} y_j \quad \text{s.t.} \quad
          v \sum_{j \ne p} x_j = 1, \quad u y_p = θ_p\, v x_p, \quad
          u y_j \le v x_j \; (j \ne p), \quad u, v \ge 0.

Then unit p gives unit j the score u y_j / v x_j; the cross-efficiency of j is the mean over p.

Sexton, T. R., Silkman, R. H. and Hogan, A. J. (1986). Data envelopment analysis: critique and
extensions. New Directions for Program Evaluation 32, 73-105. Doyle, J. and Green, R. (1994).
Efficiency and cross-efficiency in DEA: derivations, meanings and uses. Journal of the Operational
Research Society 45(5), 567-578 (their method II).
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from deacs.dea.ccr import ccr
from deacs.dea.programs import Program, solve_programs
from deacs.dea.radial import multipliers
from deacs.dea.result import EFFICIENCY_TOLERANCE, DEAResult
from deacs.dea.technology import Technology, one_of

__all__ = ["cross_efficiency"]

Goal = Literal["benevolent", "aggressive"]


def cross_efficiency(
    inputs: Any,
    outputs: Any,
    *,
    goal: Goal = "benevolent",
    with_own: bool = True,
    names: Sequence[Any] | None = None,
    n_jobs: int | None = None,
) -> DEAResult:
    """Score each unit by the mean of its efficiencies at the prices of all units.

    Parameters
    ----------
    inputs, outputs : array-like or frame of shape (n_units, n_columns)
        Non-negative; each unit has a positive input. inputs=None is a constant input of 1.
    goal : {"benevolent", "aggressive"}
        Which of the prices that suit a unit are taken. Some goal is needed: the prices of the CCR
        program are seldom unique, and without one the answer would depend on the solver.
    with_own : bool
        Whether a unit's own opinion, its CCR efficiency, counts in its mean.
    names : sequence or None
        A name for each unit.
    n_jobs : int or None
        Threads, as in scikit-learn; they do not change a bit of the answer.

    Returns
    -------
    DEAResult
        Scores in [0, 1]; `matrix[p, j]` is the score of unit j at the prices of unit p. The status
        is that of the CCR score. Peers are those of `ccr`.

    Notes
    -----
    If at the prices of p the inputs of j cost nothing, its score there is not defined: NaN in the
    matrix, left out of the mean. A unit whose inputs no other unit has sets prices by its CCR
    program alone.

    Examples
    --------
    >>> result = cross_efficiency([[2, 4], [4, 2], [4, 4]], [1, 1, 1])
    >>> result.scores.round(4).tolist()
    [1.0, 1.0, 0.75]
    """
    one_of(goal, Goal, "goal")
    own = ccr(inputs, outputs, names=names, n_jobs=n_jobs)
    table = own.table
    technology = Technology(table, "crs")
    x, y = technology.inputs, technology.outputs
    n, m, s = table.n_units, x.shape[1], y.shape[1]
    benevolent = goal == "benevolent"
    sign = 1.0 if benevolent else -1.0
    sum_x, sum_y = x.sum(axis=0), y.sum(axis=0)

    def build(p: int) -> Program:
        # The dual: minimise (maximise) the price of the first equation; both equations are free.
        rest_x, rest_y = (sum_x - x[p]) / (n - 1), (sum_y - y[p]) / (n - 1)
        columns = np.vstack(
            [
                np.r_[-sign * rest_x, np.zeros(s)],
                np.r_[own.scores[p] * x[p], y[p]],
            ]
        )
        return Program(
            cost=np.array([sign, 0.0]),
            own=columns,
            floor=np.full(2, -np.inf),
            ceiling=np.full(2, np.inf),
            lower=np.r_[np.full(m, -np.inf), sign * rest_y],
            upper=np.r_[np.zeros(m), np.full(s, np.inf)],
            magnitude=np.ones(m + s),
            start=np.empty(0, dtype=np.intp),
            barred=np.arange(n) == p,
            unit=1.0,
        )

    found = solve_programs(
        technology.references, build, np.arange(n) if n > 1 else np.empty(0, int), n_jobs
    )
    prices = np.full((n, m + s), np.nan)
    for p, one in enumerate(found):
        if one.status == "optimal" and one.gap <= EFFICIENCY_TOLERANCE:
            prices[p] = one.prices
    goals = multipliers(technology, prices, gain=True)()
    lost = np.isnan(prices).any(axis=1)
    if lost.any():
        plain = own.multipliers
        goals.inputs[lost], goals.outputs[lost] = plain.inputs[lost], plain.outputs[lost]

    v, u = np.maximum(goals.inputs, 0.0), np.maximum(goals.outputs, 0.0)
    cost, worth = v @ table.inputs.T, u @ table.outputs.T
    matrix = np.divide(worth, cost, out=np.full((n, n), np.nan), where=cost > 0)
    matrix = np.minimum(matrix, 1.0)
    np.fill_diagonal(matrix, own.scores)
    opinions = matrix.copy()
    if not with_own and n > 1:
        np.fill_diagonal(opinions, np.nan)
    counted = ~np.isnan(opinions)
    scores = np.where(counted, opinions, 0.0).sum(axis=0) / np.maximum(counted.sum(axis=0), 1)
    return DEAResult(
        f"cross-efficiency, {goal}",
        scores,
        own.status,
        own.peers,
        own.weights,
        table,
        own.aims,
        matrix=matrix,
        _prices=lambda: goals,
    )
