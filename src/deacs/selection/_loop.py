"""The one greedy loop: Algorithm 1 of the paper.

==================  ===================================================
the paper           here
==================  ===================================================
D, C                inside the engine
F - S               `candidates`
S                   `path.steps`
Gamma               `R`: label scores of the candidates, one row for each
sigma               the sum of a row; a row of zeros is no unit of the DEA
SupDEAsolver        `judge.best`
delta               `n_features`
==================  ===================================================
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from deacs.selection._engine import Engine
from deacs.selection._judges import Judge, TieBreak

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


@dataclass(slots=True)
class Path:
    """What the loop did."""

    initial_residual: NDArray[np.float64]
    steps: list[Step] = field(default_factory=list)
    candidate_tables: list[CandidateTable] = field(default_factory=list)
    stop_reason: str = "n_features_to_select"
    notes: list[str] = field(default_factory=list)

    @property
    def ranking(self) -> NDArray[np.int64]:
        """The selected features, shape (n_selected,)."""
        return np.array([step.feature for step in self.steps], dtype=np.int64)

    @property
    def scores(self) -> NDArray[np.float64]:
        """The judge's score of each at selection, shape (n_selected,)."""
        return np.array([step.score for step in self.steps], dtype=np.float64)

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
    engine: Engine,
    judge: Judge,
    n_features: int | None = None,
    *,
    include: Sequence[int] = (),
    tie_break: TieBreak = "sum",
    store_candidates: bool = False,
    on_step: Callable[[Step], None] | None = None,
) -> Path:
    """Add the judge's favourite, again and again, until `n_features` or until none tells anything.

    Features in `include` come first, in the given order, and are scored as any other step.
    """
    path = Path(initial_residual=engine.residual())
    candidates = np.arange(engine.n_features)
    while n_features is None or len(path.steps) < n_features:
        R = engine.label_scores(candidates)
        competes = np.asarray(R.any(axis=1))
        forced = include[len(path.steps)] if len(path.steps) < len(include) else None
        if forced is None and not competes.any():
            path.stop_reason = "exhausted"
            break

        units = np.flatnonzero(competes)
        if forced is None:
            unit, score = judge.best(R[units], tie_break)
            row = int(units[unit])
        else:
            row = int(np.flatnonzero(candidates == forced)[0])
            unit = int(np.searchsorted(units, row))
            score = judge.score(R[units], unit) if competes[row] else 0.0
        if store_candidates:
            path.candidate_tables.append(_table(candidates, R, units, judge))

        winner = int(candidates[row])
        engine.condition_on(engine.column(winner))
        step = Step(winner, score, R[row], engine.residual(), len(units))
        path.steps.append(step)
        candidates = np.delete(candidates, row)
        if on_step is not None:
            on_step(step)
    return path


def _table(
    candidates: NDArray[np.int64],
    R: NDArray[np.float64],
    units: NDArray[np.intp],
    judge: Judge,
) -> CandidateTable:
    scores = np.zeros(len(candidates))
    if len(units):
        scores[units] = judge.scores(R[units])
    return CandidateTable(candidates, R, scores)
