"""Judges: from a table of label scores, which candidate is best, and what each is worth.

Rows of R are candidates, columns labels; no row is all zero. x are the candidates' costs, one
column for each kind, or None: then all cost the same.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from deacs.dea import DEAResult, bam, best_unit, ram, score_of, super_efficiency, super_sbm
from deacs.dea.assurance import assured_best, assured_scores

__all__ = [
    "JUDGES",
    "TIE_BITS",
    "TIE_TOLERANCE",
    "Assured",
    "Judge",
    "JudgeByScores",
    "Largest",
    "TieBreak",
    "WeightedSum",
]

Floats = NDArray[np.float64]
TieBreak = Literal["sum", "slacks", "last"]

TIE_TOLERANCE = 1e-9
TIE_BITS = 1e-10
"""Scores in bits that are this close are equal: fixed point knows them to about 1e-12."""


class Judge(Protocol):
    """What the loop needs of a judge."""

    def best(self, R: Floats, x: Floats | None, tie_break: TieBreak) -> tuple[int, float]:
        """Return the row of the winner and its score."""

    def score(self, R: Floats, x: Floats | None, row: int) -> float:
        """Return the score of one row."""

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the score of every row."""


class JudgeByScores(ABC):
    """A judge that scores every candidate and takes the largest."""

    def best(self, R: Floats, x: Floats | None, tie_break: TieBreak) -> tuple[int, float]:
        """Return the row with the largest score, and the score."""
        scores = self.scores(R, x)
        row = first_by_tie_rule(scores, R, x, tie_break)
        return row, float(scores[row])

    def score(self, R: Floats, x: Floats | None, row: int) -> float:
        """Return the score of one row."""
        return float(self.scores(R, x)[row])

    @abstractmethod
    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the score of every row."""


class Radial(JudgeByScores):
    """Super-efficiency, costs as inputs: the paper's judge when all cost the same."""

    def best(self, R: Floats, x: Floats | None, tie_break: TieBreak) -> tuple[int, float]:
        """Return the row with the largest theta, and theta."""
        per_cost = _per_cost(R, x)
        if per_cost is None or tie_break == "slacks":
            return super().best(R, x, tie_break)
        winner = best_unit(per_cost, tie_break=tie_break)
        return winner.unit, winner.score

    def score(self, R: Floats, x: Floats | None, row: int) -> float:
        """Return theta of one row."""
        per_cost = _per_cost(R, x)
        return super().score(R, x, row) if per_cost is None else score_of(per_cost, row)

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return theta of every row."""
        per_cost = _per_cost(R, x)
        result = super_efficiency(x, R) if per_cost is None else super_efficiency(None, per_cost)
        return result.scores


class Sum(JudgeByScores):
    """The plain sum of label scores (for what it costs), without DEA."""

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the sum of every row, divided by the sum of its costs."""
        totals = R.sum(axis=1)
        return np.asarray(totals if x is None else totals / x.sum(axis=1))


@dataclass(frozen=True)
class WeightedSum(Sum):
    """The sum of label scores, some labels counting more."""

    label_weights: Floats

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the weighted sum of every row, divided by the sum of its costs."""
        return super().scores(R * self.label_weights, x)


@dataclass(frozen=True)
class SlackModel(JudgeByScores):
    """A model that counts slacks; efficient units, if it leaves them at 1, by super-efficiency."""

    model: Callable[..., DEAResult]

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the model's score of every row; at least 1 for efficient ones."""
        scores = self.model(x, R).scores
        efficient = scores >= 1 - TIE_TOLERANCE
        if self.model is super_sbm or not efficient.any():
            return scores
        return np.where(efficient, np.maximum(super_efficiency(x, R).scores, 1.0), scores)


@dataclass(frozen=True)
class Assured(JudgeByScores):
    """Super-efficiency with label prices that differ by a factor at most."""

    ratio: float
    label_weights: Floats

    def best(self, R: Floats, x: Floats | None, tie_break: TieBreak) -> tuple[int, float]:
        """Return the row with the largest theta, and theta."""
        weighed = self._weighed(R, x)
        tied, best = assured_best(weighed, self.ratio)
        scores = np.full(len(R), -np.inf)
        scores[tied] = best
        row = first_by_tie_rule(scores, weighed, None, tie_break)
        return row, best

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return theta of every row."""
        return assured_scores(self._weighed(R, x), self.ratio)

    def _weighed(self, R: Floats, x: Floats | None) -> Floats:
        return R * self.label_weights if x is None else R * self.label_weights / x


class Largest(JudgeByScores):
    """The largest of a single score, which may be negative; the lower column among equals."""

    def best(self, R: Floats, x: Floats | None, tie_break: TieBreak) -> tuple[int, float]:
        """Return the row with the largest score, and the score."""
        scores = R[:, 0]
        best = scores.max()
        # A quotient by nearly nothing is large, and so is what rounding leaves in it.
        tied = scores >= best - TIE_BITS * max(1.0, abs(best))
        row = int(np.flatnonzero(tied)[0])
        return row, float(scores[row])

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the score of every row."""
        return R[:, 0]


def first_by_tie_rule(scores: Floats, R: Floats, x: Floats | None, tie_break: TieBreak) -> int:
    """Among the largest scores: the least slack if asked, the larger sum, the lower row."""
    top = scores.max()
    tied = np.flatnonzero(scores >= (top if np.isinf(top) else top * (1 - TIE_TOLERANCE)))
    if tie_break == "last":
        return int(tied[-1])
    if tie_break == "slacks" and len(tied) > 1:
        slack = _slacks(R, x)[tied]
        tied = tied[slack <= slack.min() + TIE_TOLERANCE]
    sums = R[tied].sum(axis=1)
    return int(tied[sums >= sums.max() * (1 - TIE_TOLERANCE)][0])


def _slacks(R: Floats, x: Floats | None) -> Floats:
    """What peers tell beyond a candidate, each label as a share of the most that any tells."""
    slacks = super_efficiency(x, R, slacks=True).output_slacks
    # A sole informant has no peers, and nothing beyond it.
    return np.asarray((np.nan_to_num(slacks) / np.maximum(R.max(axis=0), 1e-300)).sum(axis=1))


def _per_cost(R: Floats, x: Floats | None) -> Floats | None:
    """With one positive cost, scores for a unit of it: the same theta, and no more an input."""
    if x is None:
        return R
    return R / x if x.shape[1] == 1 else None


JUDGES: dict[str, Judge] = {
    "radial": Radial(),
    "sum": Sum(),
    "sbm": SlackModel(super_sbm),
    "ram": SlackModel(ram),
    "bam": SlackModel(bam),
}
