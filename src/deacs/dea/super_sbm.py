r"""Super-efficiency by slacks: the least change of inputs and outputs at which others reach a unit.

.. math:: δ_p = \min \frac{\frac{1}{m} \sum_i \bar x_i / x_{pi}}
                          {\frac{1}{s} \sum_r \bar y_r / y_{pr}} \quad \text{s.t.} \quad
          \bar x \ge \sum_{j \ne p} λ_j x_j, \quad \bar y \le \sum_{j \ne p} λ_j y_j, \quad
          \bar x \ge x_p, \quad 0 \le \bar y \le y_p, \quad
          L \le \sum_{j \ne p} λ_j \le U, \quad λ \ge 0.

With x̄ = x_p (1 + Φ), ȳ = y_p (1 - Ψ) and everything multiplied by t such that the denominator is 1:

.. math:: \min t + \frac{1}{m} \sum_i Φ_i \quad \text{s.t.} \quad
          t - \frac{1}{s} \sum_r Ψ_r = 1, \quad
          \sum_{j \ne p} Λ_j x_{ji} \le x_{pi} (t + Φ_i), \quad
          \sum_{j \ne p} Λ_j y_{jr} \ge y_{pr} (t - Ψ_r).

Tone, K. (2002). A slacks-based measure of super-efficiency in data envelopment analysis. European
Journal of Operational Research 143(1), 32-41.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.dea.program import NOBODY, NOTHING, Solution
from deacs.dea.programs import solve_programs
from deacs.dea.radial import multipliers
from deacs.dea.result import EFFICIENCY_TOLERANCE, ROUNDING, DEAResult, Multipliers
from deacs.dea.sbm import SlackOrientation, fractional_programs, sbm
from deacs.dea.technology import ReturnsToScale, Technology

__all__ = ["super_sbm"]


def super_sbm(
    inputs: Any,
    outputs: Any,
    *,
    returns_to_scale: ReturnsToScale = "crs",
    orientation: SlackOrientation = "none",
    names: Sequence[Any] | None = None,
    n_jobs: int | None = None,
) -> DEAResult:
    """Rank SBM-efficient units by their distance beyond the others; the rest keep their SBM score.

    Parameters
    ----------
    inputs, outputs : array-like or frame of shape (n_units, n_columns)
        Non-negative; each unit has a positive input. One dimension means one column, inputs=None a
        constant input of 1.
    returns_to_scale : {"crs", "vrs", "nirs", "ndrs"}
    orientation : {"none", "input", "output"}
        Whether the others may use more inputs and produce less output than the unit, or only one
        of the two.
    names : sequence or None
        Names of the units.
    n_jobs : int or None
        Number of threads, as in scikit-learn; the result does not depend on it.

    Returns
    -------
    DEAResult
        At least 1 for SBM-efficient units, else the SBM score. +inf (status "infeasible") if the
        others cannot reach the unit: without orientation, if no other unit with a subset of its
        inputs produces any of its outputs; oriented, as in `super_efficiency`. Slacks of efficient
        units are negative: the shortfall of the others.

    Notes
    -----
    As in `sbm`, zero inputs and outputs are excluded from the averages, and a unit without any
    output scores 0, unless only inputs count.

    Examples
    --------
    >>> super_sbm([2, 4, 8], [1, 5, 8]).scores.round(4).tolist()
    [0.4, 1.25, 0.8]
    """
    plain = sbm(
        inputs,
        outputs,
        returns_to_scale=returns_to_scale,
        orientation=orientation,
        names=names,
        n_jobs=n_jobs,
    )
    technology = Technology(plain.table, returns_to_scale, n_extra=1)
    build = fractional_programs(technology, beyond=True, orientation=orientation)
    units = np.flatnonzero(np.isin(plain.status, ("efficient", "weakly efficient")))
    found = solve_programs(technology.references, build, units, n_jobs, exactly=technology.wide)
    return _with_efficient(plain, technology, units, found)


def _with_efficient(
    plain: DEAResult, technology: Technology, units: NDArray[np.intp], found: list[Solution]
) -> DEAResult:
    """Merge the answers for efficient units into the SBM result."""
    scores, status = plain.scores.copy(), plain.status.copy()
    peers, weights = list(plain.peers), list(plain.weights)
    prices = np.full((plain.n_units, technology.matrix.shape[1]), np.nan)
    for p, one in zip(units.tolist(), found, strict=True):
        if one.status == "optimal":
            scores[p] = one.objective if one.objective > 1 + ROUNDING else 1.0
            peers[p], weights[p] = one.peers, one.weights / one.own[0]
            prices[p] = one.prices
        else:
            scores[p] = np.inf if one.status == "infeasible" else np.nan
            peers[p], weights[p] = NOBODY, NOTHING
        if one.status == "infeasible":
            status[p] = "infeasible"
        elif not one.gap <= EFFICIENCY_TOLERANCE:
            status[p] = "uncertain"
    of_efficient = multipliers(technology, prices, gain=True)()
    missing = np.isnan(prices[:, 0])

    def both() -> Multipliers:
        pairs = zip(of_efficient, plain.multipliers, strict=True)
        return Multipliers._make(
            np.where(missing.reshape((-1,) + (1,) * (one.ndim - 1)), other, one)
            for one, other in pairs
        )

    return replace(
        plain,
        model=plain.model.replace("SBM", "super-SBM"),
        scores=scores,
        status=status,
        peers=tuple(peers),
        weights=tuple(weights),
        _prices=both,
    )
