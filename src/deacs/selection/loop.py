"""The greedy loop: Algorithm 1 of the paper, for any criterion and any chooser.

==================  ===================================================
the paper           here
==================  ===================================================
D, C                inside the criterion
F - S               `candidates`
S                   `path.steps`
Gamma               `R`: scores of the candidates, one row for each
sigma               the sum of a row; a row of zeros does not compete
SupDEAsolver        `choose`: a judge and its wrappers (`choosers.py`)
delta               `n_features`
==================  ===================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import Note
from deacs.selection.choosers import Chooser, Ending, Round
from deacs.selection.criteria import Criterion

__all__ = ["CandidateTable", "Path", "Step", "select_greedily"]

STOP_REASON = "n_features_to_select"
"""The stop reason of a selection that has reached the requested number of features."""


@dataclass(frozen=True)
class CandidateTable:
    """The candidates of one step and their scores.

    Attributes
    ----------
    features : ndarray of int of shape (n,)
        The candidates, by column index.
    label_scores : ndarray of shape (n, n_labels)
        Label scores in bits.
    judge : callable
        Returns the judge's score of each candidate; slow if there are many.
    """

    features: NDArray[np.int64]
    label_scores: NDArray[np.float64]
    judge: Callable[[], NDArray[np.float64]]

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """The judge's score of each candidate; 0 if all its label scores are zero."""
        return self.judge()


class Step(NamedTuple):
    """One selected feature and the scores that selected it."""

    feature: int
    score: float
    label_scores: NDArray[np.float64]
    residual: NDArray[np.float64]
    n_competitors: int
    p_value: float = math.nan
    p_is_bound: bool = False


@dataclass
class Path:
    """The steps of a selection, and why it ended."""

    initial_residual: NDArray[np.float64]
    steps: list[Step] = field(default_factory=list)
    candidate_tables: list[CandidateTable] = field(default_factory=list)
    stop_reason: str = STOP_REASON
    notes: list[Note] = field(default_factory=list)
    next_p_value: float = math.nan
    views: list[NDArray[np.float64]] = field(default_factory=list)
    """With two views: the label scores of each selected feature by view, (2, n_labels)."""
    criterion: Criterion | None = None
    """The criterion given all steps, kept if it takes little memory."""

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
        """The p-value of each at selection, shape (n_selected,); NaN if it was not tested."""
        return np.array([step.p_value for step in self.steps], dtype=np.float64)

    @property
    def p_is_bound(self) -> NDArray[np.bool_]:
        """Whether each p-value is only an upper bound, shape (n_selected,)."""
        return np.array([step.p_is_bound for step in self.steps], dtype=bool)

    @property
    def label_scores(self) -> NDArray[np.float64]:
        """The label scores of each at selection, shape (n_selected, n_labels)."""
        n_labels = len(self.initial_residual)
        return np.array([step.label_scores for step in self.steps]).reshape(-1, n_labels)

    @property
    def residual(self) -> NDArray[np.float64]:
        """H(C_i | S) before the first step and after each, shape (n_selected + 1, n_labels)."""
        return np.array([self.initial_residual, *(step.residual for step in self.steps)])

    def first(self, n: int) -> Path:
        """Return the path with its first n steps, as if no more had been asked for."""
        if n == len(self.steps):
            return self
        return replace(
            self,
            steps=self.steps[:n],
            candidate_tables=self.candidate_tables[:n],
            views=self.views[:n],
            stop_reason=STOP_REASON,
            next_p_value=self.steps[n].p_value,
            criterion=None,
        )


def select_greedily(
    criterion: Criterion,
    choose: Chooser,
    n_features: int | None = None,
    done: Sequence[Step] = (),
    *,
    on_round: Callable[[Round], None] | None = None,
    on_step: Callable[[Step], None] | None = None,
) -> Path:
    """Add the chosen candidate to S, step by step, up to `n_features` or until none is chosen.

    `done` holds the first steps, which are kept; `on_round` is called before a feature joins S,
    `on_step` after.
    """
    path = Path(initial_residual=criterion.residual())
    for step in done:
        criterion.add(step.feature)
        path.steps.append(step)
    taken = np.array([step.feature for step in done], dtype=np.int64)
    candidates = np.delete(np.arange(criterion.n_features), taken)
    while len(candidates) and (n_features is None or len(path.steps) < n_features):
        R = criterion.scores(candidates)
        contest = Round.of(candidates, R, all_compete=not criterion.ends_at_zero)
        choice = choose(contest)
        if isinstance(choice, Ending):
            path.stop_reason, path.next_p_value = choice.reason, choice.next_p_value
            return path
        if on_round is not None:
            on_round(contest)

        winner = int(candidates[choice.row])
        criterion.add(winner)
        step = Step(
            feature=winner,
            score=choice.score,
            label_scores=R[choice.row],
            residual=criterion.residual(),
            n_competitors=choice.n_competitors,
            p_value=choice.p_value,
            p_is_bound=choice.p_is_bound,
        )
        path.steps.append(step)
        candidates = np.delete(candidates, choice.row)
        if on_step is not None:
            on_step(step)
    if n_features is None or len(path.steps) < n_features:
        path.stop_reason = "exhausted"
    return path
