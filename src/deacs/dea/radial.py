r"""Radial scores: the distance of a unit from the frontier along a ray.

Input-oriented, with L ≤ Σ λ ≤ U by returns to scale:

.. math:: θ_p = \min θ \quad \text{s.t.} \quad \sum_j λ_j x_j \le θ x_p, \quad
          \sum_j λ_j y_j \ge y_p, \quad L \le \sum_j λ_j \le U, \quad λ \ge 0.

Output-oriented, φ ≥ 1 is the largest for which the unit's inputs allow φ y_p; its score is 1/φ:

.. math:: φ_p = \max φ \quad \text{s.t.} \quad \sum_j λ_j x_j \le x_p, \quad
          \sum_j λ_j y_j \ge φ y_p, \quad L \le \sum_j λ_j \le U, \quad λ \ge 0.

Constant returns do not bound Σ λ (CCR); variable ones have Σ λ = 1 (BCC), non-increasing ones
Σ λ ≤ 1, non-decreasing ones Σ λ ≥ 1. For a super-efficiency, j ≠ p. A second phase keeps the score
and takes, among all peers that attain it, those with the largest slacks, each divided by the
maximum of its column.

Charnes, A., Cooper, W. W. and Rhodes, E. (1978). Measuring the efficiency of decision making
units. European Journal of Operational Research 2(6), 429-444. Banker, R. D., Charnes, A. and
Cooper, W. W. (1984). Some models for estimating technical and scale inefficiencies in data
envelopment analysis. Management Science 30(9), 1078-1092. Andersen, P. and Petersen, N. C. (1993).
A procedure for ranking efficient units in data envelopment analysis. Management Science 39(10),
1261-1264.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.dea.constant_input import ConstantInput, normal_form
from deacs.dea.data import Columns, Floats, Table, read_table
from deacs.dea.program import NOTHING, Solution, prices_of
from deacs.dea.result import EFFICIENCY_TOLERANCE, ROUNDING, DEAResult, Multipliers
from deacs.dea.slacks import Peers, label_efficient, label_weakly, multipliers, second_phase
from deacs.dea.solver import radial_programs, solve_programs
from deacs.dea.technology import ReturnsToScale, Technology, one_of

__all__ = ["bcc", "ccr", "super_efficiency"]

Orientation = Literal["input", "output"]


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
    table = read_table(inputs, outputs, names=names)
    return _radial("CCR", table, "crs", orientation, itself=False, slacks=slacks, n_jobs=n_jobs)


def bcc(
    inputs: Any,
    outputs: Any,
    *,
    returns_to_scale: ReturnsToScale = "vrs",
    orientation: Orientation = "input",
    slacks: bool = True,
    names: Sequence[Any] | None = None,
    n_jobs: int | None = None,
) -> DEAResult:
    """Score each unit against all units, under variable returns to scale.

    Parameters
    ----------
    returns_to_scale : {"vrs", "nirs", "ndrs", "crs"}
        Variable, non-increasing, non-decreasing or constant.
    orientation : {"input", "output"}
        Input: the score is θ. Output: 1/φ, with φ the factor by which all outputs could grow. Under
        variable returns to scale they differ.
    inputs, outputs, slacks, names, n_jobs
        As in `ccr`.

    Returns
    -------
    DEAResult
        Scores in [0, 1].

    Notes
    -----
    With a constant input every unit scores 1 in input orientation under variable returns, since
    Σ λ = 1 needs the same input. A unit without any output scores 0 in output orientation, where φ
    is unbounded; in input orientation its score is positive, since Σ λ bounds the inputs of the
    peers from below. A unit without any input raises an error.

    Examples
    --------
    >>> bcc([2, 3, 3, 4], [1, 3, 2, 3]).scores.round(4).tolist()
    [1.0, 1.0, 0.8333, 0.75]
    >>> bcc([2, 3, 3, 4], [1, 3, 2, 3], orientation="output").scores.round(4).tolist()
    [1.0, 1.0, 0.6667, 1.0]
    """
    table = read_table(inputs, outputs, names=names)
    one_of(returns_to_scale, ReturnsToScale, "returns_to_scale")
    model = {"vrs": "BCC", "crs": "CCR"}.get(returns_to_scale, f"BCC, {returns_to_scale}")
    how: dict[str, Any] = {"itself": False, "slacks": slacks, "n_jobs": n_jobs}
    return _radial(model, table, returns_to_scale, orientation, **how)


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
    returns_to_scale : {"crs", "vrs", "nirs", "ndrs"}
        Constant, variable, non-increasing or non-decreasing.
    orientation : {"input", "output"}
        Input: the score is θ. Output: 1/φ, with φ the factor of the outputs that the others
        attain. Under constant returns to scale both are the same.
    slacks : bool
        Whether to run the second phase, which finds peers with the largest slacks.
    inputs, outputs, names, n_jobs
        As in `ccr`.

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
    at most a relative 1e-9. If numbers span too wide a range for that, the status is "uncertain".

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
    table = read_table(inputs, outputs, names=names)
    how: dict[str, Any] = {"itself": True, "slacks": slacks, "n_jobs": n_jobs}
    return _radial("super-efficiency", table, returns_to_scale, orientation, **how)


def _radial(
    model: str,
    table: Table,
    returns_to_scale: str,
    orientation: str,
    *,
    itself: bool,
    slacks: bool,
    n_jobs: int | None,
) -> DEAResult:
    """Score all units, and assign a status to each; `itself` excludes a unit from its peers."""
    one_of(orientation, Orientation, "orientation")
    technology = Technology(table, returns_to_scale)
    crs, toward_inputs = returns_to_scale == "crs", orientation == "input"
    n = table.n_units
    no_output = ~table.outputs.any(axis=1)
    # Known without a program: φ is unbounded for a unit without outputs.
    idle = no_output & (crs or not toward_inputs)
    by_ratios = crs and table.inputs.shape[1] == 1
    sole = np.zeros(n, dtype=np.bool_)
    if crs and itself and not by_ratios:
        sole = _sole_producers(table.inputs > 0, table.outputs > 0)
    found = [Solution("optimal", 0.0, gap=0.0)] * n
    for p in np.flatnonzero(sole).tolist():
        found[p] = Solution("infeasible", gap=0.0)
    units = np.flatnonzero(~(idle | sole))
    if by_ratios:
        solved = _by_ratios(table, units, orientation, itself=itself, n_jobs=n_jobs)
    else:
        solved = _solve(technology, units, orientation, itself=itself, n_jobs=n_jobs)
    for p, one in zip(units.tolist(), solved, strict=True):
        found[p] = one

    scores = np.array([_score(one, toward_inputs or by_ratios) for one in found])
    scores[idle] = 0.0
    if not itself:
        scores = np.where(scores >= 1 - ROUNDING, 1.0, scores)
    unsure = np.array([not one.gap <= EFFICIENCY_TOLERANCE for one in found]) | np.isnan(scores)
    if crs and not by_ratios:  # the zeros of the table decide, not the solver
        unsure |= np.isinf(scores) & ~sole
    peers = Peers([one.peers for one in found], [one.weights for one in found], unsure)
    aims = _aims(table, scores, orientation)
    # With φ = 0 the others produce nothing of some output of the unit.
    without = np.array([one.status == "infeasible" or one.objective == 0 for one in found])
    infeasible = np.isinf(scores) & without & ~unsure
    efficient = (scores >= 1 - EFFICIENCY_TOLERANCE) & ~unsure & ~infeasible
    # Beyond 1 the others do not reach the unit, so no slack of theirs is its own.
    reached = efficient & (scores <= 1 + EFFICIENCY_TOLERANCE) if itself else efficient
    status = np.where(efficient, "efficient", "inefficient").astype("<U16")
    prices = prices_of(found, technology.matrix.shape[1])
    if slacks:
        first = peers
        peers = second_phase(
            technology,
            aims,
            first,
            itself=itself,
            n_jobs=n_jobs,
            efficient=reached,
            priced=None if by_ratios else prices,
        )
        if itself:
            label_weakly(status, technology, aims, peers, reached)
            _without_themselves(peers, first, reached)
        else:
            label_efficient(status, technology, aims, peers)
    status[infeasible] = "infeasible"
    status[unsure] = "uncertain"

    def solve_prices() -> Multipliers:
        """Price by the standard program, as the method for one input keeps no prices."""
        units = np.arange(n)
        solved = _solve(technology, units, orientation, itself=itself, n_jobs=n_jobs)
        prices = prices_of(solved, technology.matrix.shape[1])
        return multipliers(technology, prices, gain=toward_inputs)()

    return DEAResult(
        model,
        scores,
        status,
        tuple(peers.units),
        tuple(peers.weights),
        table,
        aims,
        # Units that were scored without a program have prices, too.
        _prices=solve_prices
        if len(units) < n or by_ratios
        else multipliers(technology, prices, gain=toward_inputs),
    )


def _sole_producers(consumes: NDArray[np.bool_], produces: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark units with an output that no other unit with a subset of their inputs produces."""
    if consumes.all():  # one pattern of inputs: each unit is a reference of every other
        return np.asarray((produces & (produces.sum(axis=0) == 1)).any(axis=1))
    sole = np.zeros(len(consumes), dtype=np.bool_)
    patterns, member = np.unique(consumes, axis=0, return_inverse=True)
    for index, pattern in enumerate(patterns):
        among = ~(consumes & ~pattern).any(axis=1)
        once = produces[among].sum(axis=0) == 1
        sole |= (member.ravel() == index) & (produces & once).any(axis=1)
    return sole


def _by_ratios(
    table: Table, chosen: NDArray[np.intp], orientation: str, *, itself: bool, n_jobs: int | None
) -> list[Solution]:
    """Score units with one input under constant returns by the outputs per unit of that input."""
    constant = bool((table.inputs == table.inputs[0]).all())
    units = normal_form(table.outputs, None if constant else table.inputs)
    sole = units.sole[chosen]
    found = [Solution("infeasible", gap=0.0)] * len(chosen)
    solved = ConstantInput(units).solve_all(chosen[~sole], n_jobs)
    for k, one in zip(np.flatnonzero(~sole).tolist(), solved, strict=True):
        found[k] = one
    with np.errstate(all="ignore"):  # out of the range of doubles
        for k, (p, one) in enumerate(zip(chosen.tolist(), found, strict=True)):
            if not itself and (one.status == "infeasible" or one.objective >= 1):
                found[k] = Solution("optimal", 1.0, NOTHING, np.array([p]), np.ones(1), gap=one.gap)
            elif one.status == "optimal":
                weights = one.weights * (units.sizes[p] / units.sizes[one.peers])
                if orientation == "output":
                    weights = weights / one.objective
                found[k] = one._replace(weights=weights)
    return found


def _solve(
    technology: Technology,
    units: NDArray[np.intp],
    orientation: str,
    *,
    itself: bool,
    n_jobs: int | None,
) -> list[Solution]:
    """Solve the radial programs of some units."""
    build = radial_programs(technology, orientation, itself=itself)
    found = solve_programs(technology, build, units, n_jobs)
    m = technology.inputs.shape[1]
    for k, (p, one) in enumerate(zip(units.tolist(), found, strict=True)):
        if one.objective == 0 and orientation == "input":
            # Such an optimum leaves open what its inputs cost; at any θ > 0 they cost 1.
            x, prices = technology.inputs[p], one.prices.copy()
            if not prices[:m] @ x:
                prices[:m] = -np.divide(1.0, x, out=np.zeros(m), where=x > 0) / np.count_nonzero(x)
            prices[:m] /= -(prices[:m] @ x)
            found[k] = one._replace(prices=prices)
    return found


def _score(solution: Solution, toward_inputs: bool) -> float:
    if solution.status == "infeasible":
        return np.inf
    if solution.status == "failed":
        return np.nan
    if toward_inputs:
        return solution.objective
    return -1.0 / solution.objective if solution.objective < 0 else np.inf


def _aims(table: Table, scores: Floats, orientation: str) -> Columns:
    """Return the projections of the units: θ x_p and y_p, or x_p and y_p / θ."""
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        if orientation == "input":
            return table.inputs * scores[:, None], table.outputs, table.undesirable
        aims = table.outputs / scores[:, None]
    return table.inputs, np.where(table.outputs == 0, 0.0, aims), table.undesirable


def _without_themselves(found: Peers, first: Peers, reached: NDArray[np.bool_]) -> None:
    """Give units without slack, which the second phase may leave to themselves, their peers."""
    for p in np.flatnonzero(reached).tolist():
        if p in found.units[p]:
            found.units[p], found.weights[p] = first.units[p], first.weights[p]
