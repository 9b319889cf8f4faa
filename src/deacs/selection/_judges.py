"""Judges: from a table of label scores, which candidate is best, and what each is worth."""

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from deacs.dea import best_unit, score_of, super_efficiency

__all__ = ["JUDGES", "Judge", "TieBreak"]

TieBreak = Literal["sum", "last"]

TIE_TOLERANCE = 1e-9


class Judge(Protocol):
    """Rows of R are candidates, columns labels; no row is all zero."""

    def best(self, R: NDArray[np.float64], tie_break: TieBreak) -> tuple[int, float]:
        """Return the row of the winner and its score."""

    def score(self, R: NDArray[np.float64], row: int) -> float:
        """Return the score of one row."""

    def scores(self, R: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the score of every row."""


class Radial:
    """Super-efficiency with a constant input: the paper's judge."""

    def best(self, R: NDArray[np.float64], tie_break: TieBreak) -> tuple[int, float]:
        """Return the row with the largest theta, and theta."""
        winner = best_unit(R, tie_break=tie_break)
        return winner.unit, winner.score

    def score(self, R: NDArray[np.float64], row: int) -> float:
        """Return theta of one row."""
        return score_of(R, row)

    def scores(self, R: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return theta of every row."""
        return super_efficiency(None, R).scores


class Sum:
    """The plain sum of label scores, without DEA: what the radial judge is compared with."""

    def best(self, R: NDArray[np.float64], tie_break: TieBreak) -> tuple[int, float]:
        """Return the row with the largest sum, and the sum."""
        totals = self.scores(R)
        tied = np.flatnonzero(totals >= totals.max() * (1 - TIE_TOLERANCE))
        row = int(tied[-1] if tie_break == "last" else tied[0])
        return row, float(totals[row])

    def score(self, R: NDArray[np.float64], row: int) -> float:
        """Return the sum of one row."""
        return float(R[row].sum())

    def scores(self, R: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of every row."""
        return np.asarray(R.sum(axis=1))


JUDGES: dict[str, Judge] = {"radial": Radial(), "sum": Sum()}
