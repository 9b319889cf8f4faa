"""The one greedy loop: Algorithm 1 of the paper, for any criterion.

==================  ===================================================
the paper           here
==================  ===================================================
D, C                inside the criterion
F - S               `candidates`
S                   `path.steps`
Gamma               `R`: scores of the candidates, one row for each
sigma               the sum of a row; a row of zeros is no unit of the DEA
SupDEAsolver        `judge.best`
delta               `n_features`
==================  ===================================================
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deacs.selection._costs import Budget
from deacs.selection._criteria import Criterion
from deacs.selection._judges import Judge, TieBreak

if TYPE_CHECKING:
    from deacs.selection._significance import Significance

__all__ = ["CandidateTable", "Path", "Step", "select_greedily"]


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """Everything one step saw: who competed, with which scores.

    Attributes
    ----------
    features : ndarray of int of shape (n,)
        The candidates, by column index.
    label_scores : ndarray of shape (n, n_labels)
        R(F; c_i | S) in bits.
    scores : ndarray of shape (n,)
        The judge's score (theta for the radial judge); 0 where every label score is zero.
    """

    features: NDArray[np.int64]
    label_scores: NDArray[np.float64]
    scores: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Step:
    """One selected feature and why."""

    feature: int
    score: float
    label_scores: NDArray[np.float64]
    residual: NDArray[np.float64]
    n_competitors: int
    p_value: float = math.nan


@dataclass(slots=True)
class Path:
    """What the loop did."""

    initial_residual: NDArray[np.float64]
    steps: list[Step] = field(default_factory=list)
    candidate_tables: list[CandidateTable] = field(default_factory=list)
    stop_reason: str = "n_features_to_select"
    notes: list[str] = field(default_factory=list)
    next_p_value: float = math.nan

    @property
    def ranking(self) -> NDArray[np.int64]:
        """The selected features, shape (n_selected,)."""
        return np.array([step.feature for step in self.steps], dtype=np.int64)

    @property
    def scores(self) -> NDArray[np.float64]:
        """The judge's score of each at selection, shape (n_selected,)."""
        return np.array([step.score for step in self.steps], dtype=np.float64)

    @property
    def p_values(self) -> NDArray[np.float64]:
        """The p-value of each at selection, shape (n_selected,); NaN where it was not tested."""
        return np.array([step.p_value for step in self.steps], dtype=np.float64)

    @property
    def label_scores(self) -> NDArray[np.float64]:
        """R(F; c_i | S) of each at selection, shape (n_selected, n_labels)."""
        n_labels = len(self.initial_residual)
        return np.array([step.label_scores for step in self.steps]).reshape(-1, n_labels)

    @property
    def residual(self) -> NDArray[np.float64]:
        """H(C_i | S) before the first and after each, shape (n_selected + 1, n_labels)."""
        return np.array([self.initial_residual, *(step.residual for step in self.steps)])


def select_greedily(
    criterion: Criterion,
    judge: Judge,
    n_features: int | None = None,
    *,
    include: Sequence[int] = (),
    tie_break: TieBreak = "sum",
    costs: NDArray[np.float64] | None = None,
    budget: Budget | None = None,
    significance: "Significance | None" = None,
    store_candidates: bool = False,
    on_step: Callable[[Step], None] | None = None,
) -> Path:
    """Add the judge's favourite, again and again, until `n_features` or the criterion's own end.

    Features in `include` come first, in the given order, and are scored as any other step. With a
    `budget` the selection ends when the next feature would pass it. With `significance` the judge
    must do without its favourite if that is not significant, and the selection ends when no
    candidate is.
    """
    path = Path(initial_residual=criterion.residual())
    candidates = np.arange(criterion.n_features)
    while len(candidates) and (n_features is None or len(path.steps) < n_features):
        R = criterion.scores(candidates)
        competes = np.asarray(R.any(axis=1)) | (not criterion.ends_at_zero)
        forced = include[len(path.steps)] if len(path.steps) < len(include) else None
        if forced is None and not competes.any():
            break

        units, p_value = np.flatnonzero(competes), math.nan
        x = None if costs is None else costs[candidates[units]]
        if forced is None:
            unit, score = judge.best(R if competes.all() else R[units], x, tie_break)
            if significance is not None:
                test = significance.given(_conditions(criterion, path), candidates)
                if test.p_value(units[unit]) > significance.alpha:
                    passed = units[test.p_values[units] <= significance.alpha]
                    if len(passed) == 0:
                        path.next_p_value = float(test.p_values[units].min())
                        path.stop_reason = "not significant"
                        return path
                    units = passed
                    x = None if costs is None else costs[candidates[units]]
                    unit, score = judge.best(R[units], x, tie_break)
                p_value = test.p_value(units[unit])
            row = int(units[unit])
        else:
            row = int(np.flatnonzero(candidates == forced)[0])
            # A criterion may leave those behind who cannot win; this one need not win.
            R[row] = criterion.scores(candidates[row : row + 1])
            unit = int(np.searchsorted(units, row))
            score = judge.score(R[units], x, unit) if competes[row] else 0.0
        winner = int(candidates[row])
        if budget is not None and not budget.allows([*path.ranking, winner]):
            path.stop_reason = "budget"
            return path
        if store_candidates:
            path.candidate_tables.append(_table(candidates, R, units, x, judge))

        criterion.add(winner)
        step = Step(winner, score, R[row], criterion.residual(), len(units), p_value)
        path.steps.append(step)
        candidates = np.delete(candidates, row)
        if on_step is not None:
            on_step(step)
    if n_features is None or len(path.steps) < n_features:
        path.stop_reason = "exhausted"
    return path


def _conditions(criterion: Criterion, path: Path) -> list[list[int]]:
    """What the criterion conditions on: all of S jointly, or block by block."""
    blocks: list[list[int]] | None = getattr(criterion, "blocks", None)
    return [path.ranking.tolist()] if blocks is None else blocks


def _table(
    candidates: NDArray[np.int64],
    R: NDArray[np.float64],
    units: NDArray[np.intp],
    x: NDArray[np.float64] | None,
    judge: Judge,
) -> CandidateTable:
    scores = np.zeros(len(candidates))
    if len(units):
        scores[units] = judge.scores(R[units], x)
    return CandidateTable(candidates, R, scores)
