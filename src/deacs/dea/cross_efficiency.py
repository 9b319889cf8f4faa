r"""Cross-efficiency: the scores of a unit under the optimal weights of all units.

Unit p has CCR efficiency θ_p. Of all prices u, v at which it attains θ_p, benevolent prices
maximise the efficiency of the other units, aggressive prices minimise it:

.. math:: \max \text{ or } \min \; u \sum_{j \ne p} y_j \quad \text{s.t.} \quad
          v \sum_{j \ne p} x_j = 1, \quad u y_p \ge θ_p\, v x_p, \quad
          u y_j \le v x_j \text{ for all } j, \quad u, v \ge 0.

At the prices of p, unit j has the score u y_j / v x_j; its cross-efficiency is the mean over p.

Sexton, T. R., Silkman, R. H. and Hogan, A. J. (1986). Data envelopment analysis: critique and
extensions. New Directions for Program Evaluation 32, 73-105. Doyle, J. and Green, R. (1994).
Efficiency and cross-efficiency in DEA: derivations, meanings and uses. Journal of the Operational
Research Society 45(5), 567-578 (their method II).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats
from deacs.dea.program import Program
from deacs.dea.radial import ccr
from deacs.dea.result import EFFICIENCY_TOLERANCE, ROUNDING, DEAResult
from deacs.dea.slacks import multipliers
from deacs.dea.solver import solve_programs
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
    goal : {"benevolent", "aggressive"}
        How to choose among the optimal prices of a unit. They are rarely unique, so without a
        secondary goal the result would depend on the solver.
    with_own : bool
        Whether the mean includes the score at the unit's own prices, its CCR efficiency.
    inputs, outputs, names, n_jobs
        As in `ccr`.

    Returns
    -------
    DEAResult
        Scores in [0, 1]; `matrix[p, j]` is the score of unit j at the prices of unit p. The status
        is that of the CCR score. Peers are those of `ccr`.

    Notes
    -----
    A unit without any output scores 0; a unit without any input raises an error. If the inputs of j
    cost nothing at the prices of p, that score is undefined: NaN in the matrix, and excluded from
    the mean. If the prices of some unit could not be determined, every score is "uncertain", since
    each is a mean over all units.

    Examples
    --------
    >>> result = cross_efficiency([[2, 4], [4, 2], [4, 4]], [1, 1, 1])
    >>> result.scores.round(4).tolist()
    [1.0, 1.0, 0.75]
    """
    one_of(goal, Goal, "goal")
    own = ccr(inputs, outputs, names=names, n_jobs=n_jobs)
    n, technology = own.n_units, Technology(own.table, "crs")
    x, y = technology.inputs, technology.outputs
    prices = np.full((n, x.shape[1] + y.shape[1]), np.nan)
    status, get_prices = own.status, lambda: own.multipliers
    if n > 1:
        prices = _prices_of_all(
            technology, own.scores, 1.0 if goal == "benevolent" else -1.0, n_jobs
        )
        get_prices = multipliers(technology, prices, gain=True)
        if np.isnan(prices).any():
            status = np.full(n, "uncertain", dtype=status.dtype)
    v, u = np.maximum(-prices[:, : x.shape[1]], 0.0), np.maximum(prices[:, x.shape[1] :], 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        cost, worth = v @ x.T, u @ y.T
        matrix = np.divide(worth, cost, out=np.full((n, n), np.nan), where=cost > 0)
    matrix = np.minimum(matrix, 1.0)
    np.fill_diagonal(matrix, own.scores)
    opinions = matrix.copy()
    if not with_own and n > 1:
        np.fill_diagonal(opinions, np.nan)
    counted = ~np.isnan(opinions)
    scores = np.where(counted, opinions, 0.0).sum(axis=0) / np.maximum(counted.sum(axis=0), 1)
    return replace(
        own,
        model=f"cross-efficiency, {goal}",
        scores=scores,
        status=status,
        matrix=matrix,
        _prices=get_prices,
    )


def _prices_of_all(
    technology: Technology, efficiencies: Floats, sign: float, n_jobs: int | None
) -> Floats:
    """Solve for the prices of each unit; NaN if they could not be determined."""
    x, y = technology.inputs, technology.outputs
    n, m, s = len(x), x.shape[1], y.shape[1]
    rest_x, rest_y = _means_of_others(x), _means_of_others(y)
    # If the score were rounded up, no prices would attain it.
    attained = np.where(efficiencies < 1, efficiencies * (1 - ROUNDING), 1.0)

    def build(units: NDArray[np.intp]) -> Program:
        # The dual: minimise (maximise) the price of the first equation.
        k, none = len(units), np.zeros((len(units), s))
        first = np.hstack([-sign * rest_x[units], none])
        second = -np.hstack([attained[units, None] * x[units], y[units]])
        return Program(
            cost=np.tile([sign, 0.0], (k, 1)),
            own=np.stack([first, second], axis=1),
            floor=np.tile([-np.inf, 0.0], (k, 1)),
            ceiling=np.full((k, 2), np.inf),
            lower=np.hstack([np.full((k, m), -np.inf), sign * rest_y[units]]),
            upper=np.hstack([np.zeros((k, m)), none + np.inf]),
            start=np.empty((k, 0), dtype=np.intp),
            unit=1.0,
        )

    prices = np.full((n, m + s), np.nan)
    found = solve_programs(technology, build, np.arange(n), n_jobs)
    for p, one in enumerate(found):
        if one.status == "optimal" and one.gap <= EFFICIENCY_TOLERANCE:
            prices[p] = one.prices
    return prices


def _means_of_others(columns: Floats) -> Floats:
    """Return, for each row, the mean of the others, without cancellation of small rows."""
    before, after = np.zeros(columns.shape), np.zeros(columns.shape)
    before[1:] = columns.cumsum(axis=0)[:-1]
    after[:-1] = columns[::-1].cumsum(axis=0)[::-1][1:]
    return np.asarray((before + after) / max(len(columns) - 1, 1))
