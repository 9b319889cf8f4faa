r"""The slacks-based measure, also known as the enhanced Russell graph measure.

.. math:: ρ_p = \min \frac{1 - \frac{1}{m} \sum_i s^-_i / x_{pi}}
                          {1 + \frac{1}{s} \sum_r s^+_r / y_{pr}} \quad \text{s.t.} \quad
          \sum_j λ_j x_j + s^- = x_p, \quad \sum_j λ_j y_j - s^+ = y_p, \quad
          L \le \sum_j λ_j \le U, \quad λ, s \ge 0.

Multiplied by t > 0 such that the denominator is 1, with Λ = tλ and S = ts relative to x_p and y_p,
it is linear (Charnes and Cooper):

.. math:: \min t - \frac{1}{m} \sum_i S^-_i \quad \text{s.t.} \quad
          t + \frac{1}{s} \sum_r S^+_r = 1, \quad
          \sum_j Λ_j x_{ji} + x_{pi} S^-_i = t x_{pi}, \quad
          \sum_j Λ_j y_{jr} - y_{pr} S^+_r = t y_{pr}.

Input orientation has only the numerator, output orientation only the denominator.

Tone, K. (2001). A slacks-based measure of efficiency in data envelopment analysis. European Journal
of Operational Research 130(3), 498-509. Pastor, J. T., Ruiz, J. L. and Sirvent, I. (1999). An
enhanced DEA Russell graph efficiency measure. European Journal of Operational Research 115(3),
596-607.

Super-efficiency by slacks: the least change of inputs and outputs at which others reach a unit.

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

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats, Table, column_sizes, read_table
from deacs.dea.program import NOBODY, NOTHING, Program, are_unsure, prices_of
from deacs.dea.result import EFFICIENCY_TOLERANCE, ROUNDING, DEAResult, Multipliers
from deacs.dea.slack_models import label_slacks, slack_model
from deacs.dea.slacks import Peers, multipliers
from deacs.dea.solver import solve_programs
from deacs.dea.technology import ReturnsToScale, Technology, one_of

__all__ = ["SlackOrientation", "sbm", "super_sbm"]

SlackOrientation = Literal["none", "input", "output"]


def sbm(
    inputs: Any,
    outputs: Any,
    *,
    returns_to_scale: ReturnsToScale = "crs",
    orientation: SlackOrientation = "none",
    names: Sequence[Any] | None = None,
    n_jobs: int | None = None,
) -> DEAResult:
    """Score each unit by the mean share of inputs needed over the mean expansion of outputs.

    Parameters
    ----------
    inputs, outputs : array-like or frame of shape (n_units, n_columns)
        Non-negative; each unit has a positive input. One dimension means one column, inputs=None a
        constant input of 1.
    returns_to_scale : {"crs", "vrs", "nirs", "ndrs"}
    orientation : {"none", "input", "output"}
        Which slacks count: all, those of inputs, those of outputs.
    names : sequence or None
        Names of the units.
    n_jobs : int or None
        Number of threads, as in scikit-learn; the result does not depend on it.

    Returns
    -------
    DEAResult
        Scores in [0, 1], exactly 1 if no slack is possible; never above `ccr` (or `bcc` with the
        same returns to scale and orientation).

    Notes
    -----
    The ratios s/x and s/y are undefined at zeros, so zero inputs and outputs are excluded from the
    averages: m and s count the positive ones. A zero input has no slack anyway; a zero output may
    have one, and then a unit with score 1 is "weakly efficient". A unit without any output scores
    0, unless only inputs count; a unit without any input raises an error.

    Examples
    --------
    >>> sbm([2, 4, 8, 12], [1, 5, 8, 9]).scores.round(4).tolist()
    [0.4, 1.0, 0.8, 0.6]
    """
    one_of(orientation, SlackOrientation, "orientation")
    table = read_table(inputs, outputs, names=names)
    if orientation == "none":
        return _without_idle(_graph(table, returns_to_scale, n_jobs))
    shares = _shares(table)
    m = table.inputs.shape[1]
    toward_inputs = orientation == "input"
    shares[:, slice(m, None) if toward_inputs else slice(m)] = 0.0
    result = slack_model(
        f"SBM, {orientation}-oriented",
        table,
        returns_to_scale,
        _own_steps(table),
        shares,
        (lambda sums: 1.0 - sums) if toward_inputs else (lambda sums: 1.0 / (1.0 + sums)),
        best="largest",
        n_jobs=n_jobs,
    )
    return result if toward_inputs else _without_idle(result)


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
    returns_to_scale : {"crs", "vrs", "nirs", "ndrs"}
    orientation : {"none", "input", "output"}
        Whether the others may use more inputs and produce less output than the unit, or only one
        of the two.
    inputs, outputs, names, n_jobs
        As in `sbm`.

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
    build = _programs(technology, beyond=True, orientation=orientation)
    may_be_efficient = np.isin(plain.status, ("efficient", "weakly efficient", "uncertain"))
    units = np.flatnonzero(may_be_efficient & (plain.scores >= 1 - EFFICIENCY_TOLERANCE))
    found = solve_programs(technology, build, units, n_jobs)
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
        if not one.gap <= EFFICIENCY_TOLERANCE:
            status[p] = "uncertain"
        elif one.status == "infeasible" and status[p] != "uncertain":
            status[p] = "infeasible"
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


def _without_idle(result: DEAResult) -> DEAResult:
    """Set the scores of units without outputs to the limit for vanishing outputs."""
    idle = ~result.table.outputs.any(axis=1)
    result.scores[idle] = 0.0
    result.status[idle] = "inefficient"
    return result


def _shares(table: Table) -> Floats:
    """Return the weights of the slacks: 1 over the number of positive inputs or outputs."""
    parts = []
    for columns in (table.inputs, table.outputs):
        has = columns > 0
        count = np.maximum(has.sum(axis=1, keepdims=True), 1)
        parts.append(has / count)
    return np.hstack(parts)


def _own_steps(table: Table) -> Floats:
    columns = np.hstack([table.inputs, table.outputs])
    return np.where(columns > 0, columns, column_sizes(columns))


def _programs(
    technology: Technology, *, beyond: bool, orientation: str = "none"
) -> Callable[[NDArray[np.intp]], Program]:
    """Return a function that builds the linear programs of the fractional scores.

    `beyond`: super-efficiency. The unit is excluded from its references, and slacks change sign;
    `orientation` selects the slacks.
    """
    table, shares = technology.table, _shares(technology.table)
    m, s, total = table.inputs.shape[1], table.outputs.shape[1], len(technology.least)
    n_columns = m + s
    sign = -1.0 if beyond else 1.0
    steps = technology.matrix[:, :n_columns]
    if not beyond:
        steps = _own_steps(table) / technology.scale
    signs = sign * np.r_[np.ones(m), -np.ones(s)]
    # t λ is bounded by t times the bound of λ. The last row is multiplied by the number of outputs,
    # since 1/s is not exact in doubles.
    least = np.where(np.isfinite(technology.least), 0.0, -np.inf)
    most = np.where(np.isfinite(technology.most), 0.0, np.inf)
    lower = np.r_[np.full(m, -np.inf if beyond else 0.0), np.zeros(s), least]
    upper = np.r_[np.zeros(m), np.full(s, np.inf if beyond else 0.0), most]
    makes = (table.outputs > 0).astype(np.float64)
    count = np.maximum(makes.sum(axis=1), 1.0)
    ceiling = np.full(1 + n_columns, np.inf)
    ceiling[1 : 1 + m] = 0.0 if orientation == "output" else np.inf
    ceiling[1 + m :] = 0.0 if orientation == "input" else np.inf

    at = np.arange(n_columns)

    def build(units: NDArray[np.intp]) -> Program:
        n = len(units)
        own = np.zeros((n, 1 + n_columns, n_columns + total + 1))
        own[:, 0, :n_columns] = -technology.matrix[units, :n_columns]
        own[:, 0, n_columns:-1] = -1.0
        own[:, 0, -1] = count[units]
        own[:, 1 + at, at] = signs * steps[units]
        own[:, 1 + m :, -1] = sign * makes[units]
        ones = np.ones((n, 1))
        return Program(
            cost=np.hstack([ones, -sign * shares[units, :m], np.zeros((n, s))]),
            own=own,
            floor=np.zeros((n, 1 + n_columns)),
            ceiling=ones * ceiling,
            lower=np.hstack([np.tile(lower, (n, 1)), count[units, None]]),
            upper=np.hstack([np.tile(upper, (n, 1)), count[units, None]]),
            start=np.empty((n, 0), dtype=np.intp) if beyond else units[:, None],
            itself=beyond,
            unit=0.0 if beyond else 1.0,
            limit=technology.limit(units) * (m if beyond else 1),
        )

    return build


def _graph(table: Table, returns_to_scale: str, n_jobs: int | None) -> DEAResult:
    """Solve the linear programs of the non-oriented score."""
    technology = Technology(table, returns_to_scale, n_extra=1)
    build = _programs(technology, beyond=False)
    found = solve_programs(technology, build, np.arange(table.n_units), n_jobs)
    scores = np.array([one.objective for one in found])
    with np.errstate(all="ignore"):  # out of the range of doubles
        weights = [one.weights / one.own[0] if len(one.own) else one.weights for one in found]
    peers, status = label_slacks(
        Technology(table, returns_to_scale),
        scores,
        Peers([one.peers for one in found], weights, are_unsure(found)),
        scores >= 1 - EFFICIENCY_TOLERANCE,
        _shares(table) == 0,
        n_jobs,
    )
    return DEAResult(
        "SBM",
        np.where(scores >= 1 - ROUNDING, 1.0, np.maximum(scores, 0.0)),
        status,
        tuple(peers.units),
        tuple(peers.weights),
        table,
        table.groups,
        _prices=multipliers(technology, prices_of(found, technology.matrix.shape[1]), gain=True),
    )
