"""Choosers: from one round of scores to the candidate that joins S, or a reason to stop.

`ByJudge` takes a judge's winner. The others wrap a chooser: `Included` puts given features first,
`BeyondChance` and `Significantly` require the winner to pass a test, and `WithinBudget` stops when
the winner costs too much.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deacs.selection.criteria import Criterion
from deacs.selection.judges import SettledJudge

if TYPE_CHECKING:
    from deacs.selection.costs import Budget
    from deacs.significance import Significance

__all__ = [
    "BeyondChance",
    "ByJudge",
    "Choice",
    "Chooser",
    "Ending",
    "Included",
    "Round",
    "Significantly",
    "WithinBudget",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Round:
    """One round: the remaining candidates, a row of scores for each, and which ones compete."""

    candidates: Integers
    R: Floats
    rows: NDArray[np.intp]

    @classmethod
    def of(cls, candidates: Integers, R: Floats, *, all_compete: bool) -> Round:
        """Return a round in which all candidates compete, or only those with a nonzero score."""
        rows = np.arange(len(R)) if all_compete else np.flatnonzero(R.any(axis=1))
        return cls(candidates, R, rows)

    @property
    def scores(self) -> Floats:
        """The scores of the candidates that compete."""
        return self.R if len(self.rows) == len(self.R) else self.R[self.rows]


@dataclass(frozen=True, slots=True)
class Choice:
    """The winning row, its score and how it won."""

    row: int
    score: float
    n_competitors: int
    p_value: float = math.nan
    p_is_bound: bool = False


@dataclass(frozen=True, slots=True)
class Ending:
    """Why no candidate was chosen."""

    reason: str
    next_p_value: float = math.nan


Chooser = Callable[[Round], Choice | Ending]


class ByJudge:
    """Choose the judge's winner.

    Features that cost nothing come before all others: while any of them has a score, they compete
    among themselves, as if all cost the same, and the winner's score is inf. `prices` holds the
    cost of every feature, (n_features, n_kinds): the inputs of the DEA.
    """

    def __init__(self, judge: SettledJudge, prices: Floats | None = None) -> None:
        self._judge = judge
        self._prices = prices

    def __call__(self, contest: Round) -> Choice | Ending:
        """Choose among the candidates that compete."""
        if len(contest.rows) == 0:
            return Ending("exhausted")
        x = self._inputs(contest)
        free = _free(x)
        if free.any():
            place, _ = self._judge.best(contest.scores[free], None)
            place, score = int(np.flatnonzero(free)[place]), math.inf
        else:
            place, score = self._judge.best(contest.scores, x)
        return Choice(int(contest.rows[place]), score, len(contest.rows))

    def scores(self, contest: Round) -> Floats:
        """Return the score of every candidate: 0 if it has no label score, inf if it is free."""
        scores = np.zeros(len(contest.R))
        if len(contest.rows):
            x = self._inputs(contest)
            free = _free(x)
            found = np.full(len(contest.rows), np.inf)
            if not free.any():
                found = self._judge.scores(contest.scores, x)
            elif x is not None and not free.all():
                found[~free] = self._judge.scores(contest.scores[~free], x[~free])
            scores[contest.rows] = found
        return scores

    def score(self, contest: Round, row: int) -> float:
        """Return the score of one row, which need not compete."""
        place = int(np.searchsorted(contest.rows, row))
        if place == len(contest.rows) or contest.rows[place] != row:
            return 0.0
        x = self._inputs(contest)
        if _free(x).any():
            return float(self.scores(contest)[row])
        return self._judge.score(contest.scores, x, place)

    def _inputs(self, contest: Round) -> Floats | None:
        prices = self._prices
        return None if prices is None else prices[contest.candidates[contest.rows]]


class Included:
    """Choose the given features first, in their order; they are scored like any other."""

    def __init__(
        self, choose: Chooser, judge: ByJudge, criterion: Criterion, features: Sequence[int]
    ) -> None:
        self._choose = choose
        self._judge = judge
        self._criterion = criterion
        self._waiting = list(features)

    def __call__(self, contest: Round) -> Choice | Ending:
        """Choose the next given feature, if any is left."""
        if not self._waiting:
            return self._choose(contest)
        row = int(np.flatnonzero(contest.candidates == self._waiting.pop(0))[0])
        # A lazy criterion may skip candidates that cannot win; this one need not win.
        contest.R[row] = self._criterion.scores(contest.candidates[row : row + 1])
        return Choice(row, self._judge.score(contest, row), len(contest.rows))


class BeyondChance:
    """Choose while some candidate beats chance: the best of as many uninformative ones."""

    def __init__(self, choose: Chooser, criterion: Criterion) -> None:
        self._choose = choose
        self._criterion = criterion

    def __call__(self, contest: Round) -> Choice | Ending:
        """Choose among the candidates that outscore chance.

        A winner is looked at again where cells are rare; if it fails, the others compete.
        """
        beyond = self._criterion.beyond_chance(contest.candidates)[contest.rows]
        rows = contest.rows[beyond]
        while True:
            if len(contest.rows) > len(rows) == 0:
                return Ending("chance")
            choice = self._choose(replace(contest, rows=rows))
            if isinstance(choice, Ending):
                return choice
            if self._criterion.outscores_its_like(int(contest.candidates[choice.row])):
                return choice
            rows = rows[rows != choice.row]


class Significantly:
    """Choose among the candidates that pass a significance test, if any."""

    def __init__(self, choose: Chooser, criterion: Criterion, significance: Significance) -> None:
        self._choose = choose
        self._criterion = criterion
        self._significance = significance

    def __call__(self, contest: Round) -> Choice | Ending:
        """Test the winner; if it fails, choose again among all that pass.

        A step may have a higher level to spend; it does so only if none passes at the usual one.
        """
        choice = self._choose(contest)
        if isinstance(choice, Ending):
            return choice
        usual, most = self._significance.levels.usual, self._significance.level
        ranks = self._criterion.rank_test(contest.candidates)
        test = self._significance.given(
            self._criterion.conditions(), contest.candidates, ranks=ranks
        )
        if test.measured(choice.row).value > min(usual, most):
            p_values = test.p_values[contest.rows]
            least = float(p_values.min())
            passed = contest.rows[p_values <= min(max(usual, least), most)]
            if len(passed) == 0:
                return Ending("not significant", least)
            choice = self._choose(replace(contest, rows=passed))
            if isinstance(choice, Ending):
                return choice
        p_value, is_bound = test.measured(choice.row)
        self._significance.levels.take(p_value)
        return replace(choice, p_value=p_value, p_is_bound=is_bound)


class WithinBudget:
    """Choose while the selection stays within the budget."""

    def __init__(self, choose: Chooser, budget: Budget, bought: Sequence[int] = ()) -> None:
        self._choose = choose
        self._budget = budget
        self._bought = list(bought)

    def __call__(self, contest: Round) -> Choice | Ending:
        """Stop when the winner would exceed the budget."""
        choice = self._choose(contest)
        if isinstance(choice, Ending):
            return choice
        self._bought.append(int(contest.candidates[choice.row]))
        return choice if self._budget.allows(self._bought) else Ending("budget")


def _free(x: Floats | None) -> NDArray[np.bool_]:
    return np.zeros(0, dtype=bool) if x is None else ~np.asarray(x.any(axis=1))
