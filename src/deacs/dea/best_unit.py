r"""Find the unit with the largest super-efficiency under a constant input by bounds.

With outputs y (0/0 = 0, x/0 = inf), the best other producer of each output bounds θ_p on both
sides, and one other unit alone bounds it from above:

.. math:: L_p = \max_r \frac{y_{pr}}{\max_{j \ne p} y_{jr}} \;\le\; θ_p \;\le\;
          U_p = \min \Bigl( \min_{j \in J,\, j \ne p} \max_r \frac{y_{pr}}{y_{jr}},\;
          \sum_r \frac{y_{pr}}{\max_{j \ne p} y_{jr}} \Bigr).

J is the set of units with the largest sums. Only units whose U reaches the best known value need a
linear program.
"""

import operator
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import dea as kernels
from deacs.dea.constant_input import CLOSE, Answers, ConstantInput, Search, Units, normal_form
from deacs.dea.data import read_columns
from deacs.dea.result import EFFICIENCY_TOLERANCE, ROUNDING
from deacs.dea.technology import SAFE
from deacs.exceptions import InputError, Parameter

__all__ = ["Winner", "best_unit", "score_of"]

N_FAVOURITES = 4
"""Number of units with the largest L that are solved before U is computed."""

N_STRONGEST = 96
"""Number of units in J; a linear program costs about as much as a hundred more, and decides."""


@dataclass(frozen=True, slots=True)
class Winner:
    """The best unit, its super-efficiency, and the number of linear programs solved."""

    unit: int
    score: float
    n_solved: int


def best_unit(outputs: Any, *, tie_break: Literal["sum", "last"] = "sum") -> Winner:
    """Find the unit with the largest super-efficiency, given a constant input.

    Parameters
    ----------
    outputs : array-like or frame of shape (n_units, n_outputs)
        Non-negative, with at least one positive number.
    tie_break : {"sum", "last"}
        Which unit wins among those whose scores are the largest up to a relative 1e-9: "sum", the
        one with the largest sum of outputs (again up to 1e-9), then the lowest index; "last", the
        highest index.

    Returns
    -------
    Winner
        The same as from `super_efficiency` and the tie-breaking rule.

    Notes
    -----
    The bounds take O(n s) operations, and few comparisons for dominated units. A linear program
    starts from the unit that gave its upper bound and ends as soon as it falls below the best known
    score. A sole producer of some output scores +inf without bounds or programs.

    Examples
    --------
    >>> best_unit([[4, 1], [3, 3], [1, 3], [1, 1]])
    Winner(unit=1, score=1.3636..., n_solved=2)
    """
    if tie_break not in ("sum", "last"):
        raise InputError(Parameter("tie_break"), f" must be 'sum' or 'last', got {tie_break!r}")
    units = _units(outputs)
    if units.idle.all():
        raise InputError(Parameter("outputs"), " must have a positive number, got only zeros")
    return _Race(units).run(tie_break)


def score_of(outputs: Any, unit: int) -> float:
    """Return the super-efficiency of one unit, given a constant input.

    Parameters
    ----------
    outputs : array-like or frame of shape (n_units, n_outputs)
        Non-negative.
    unit : int
        Row of the unit.

    Returns
    -------
    float
        θ, +inf for a sole producer, 0 for a unit without outputs.

    Examples
    --------
    >>> score_of([[4, 1], [2, 2], [1, 4]], 0)
    2.0
    """
    units = _units(outputs)
    unit = operator.index(unit)
    if not 0 <= unit < len(units.idle):
        raise InputError(f"unit must be between 0 and {len(units.idle) - 1}, got {unit}")
    return _theta(ConstantInput(units), unit)


def _units(outputs: Any) -> Units:
    units = normal_form(read_columns(outputs, "output"))
    if not units.usable:
        raise InputError(
            Parameter("outputs"),
            f" must be 0 or at least {SAFE:.0e} of the largest number in their column, for bounds "
            "in floating point; got a smaller one",
        )
    return units


class _Race:
    """Bounds on the score of each unit, closed by linear programs if needed."""

    def __init__(self, units: Units) -> None:
        self.units = units
        self.through = np.full(len(units.idle), -1)
        self.programs = ConstantInput(units)
        if units.sole.any():
            self.lower = np.where(units.sole, np.inf, 0.0)
            self.upper = self.lower.copy()
            return
        y = units.outputs
        second, first = np.partition(y, -2, axis=0)[-2:]
        # Two units may share the first place; then first = second, and the bounds still hold.
        ratios = y / np.where(y == first, second, first)
        if y.shape[1] == 1:  # both bounds are the score
            self.lower, self.upper = ratios[:, 0], ratios[:, 0].copy()
            return
        ratios = np.asfortranarray(ratios)  # few columns: vectorised over units
        self.lower, self.upper = ratios.max(axis=1), ratios.sum(axis=1)
        sizes = y.sum(axis=1)
        strongest = np.argsort(-sizes, kind="stable")[:N_STRONGEST]
        # The expensive part of U stops as soon as it falls below the best known value, so a good
        # value is worth a few programs.
        self._raise_the_bar(np.argsort(-self.lower, kind="stable")[:N_FAVOURITES])
        threshold = self.lower.max() * (1 - EFFICIENCY_TOLERANCE)
        kernels.upper_bounds(y, sizes, strongest, threshold, self.upper, self.through)

    def run(self, tie_break: str) -> Winner:
        promising = np.flatnonzero(self.upper > self.lower.max() * (1 + ROUNDING))
        self._raise_the_bar(promising[np.argsort(-self.upper[promising], kind="stable")])
        best = self.lower.max()
        floor = best * (1 - EFFICIENCY_TOLERANCE)
        rivals = np.flatnonzero(self.upper >= floor)
        if tie_break == "last":
            unit = self._first(rivals[::-1].copy(), floor)
        else:
            totals = self.units.totals[rivals]
            richest = self._first(rivals[np.argsort(-totals, kind="stable")], floor)
            enough = self.units.totals[richest] * (1 - EFFICIENCY_TOLERANCE)
            unit = self._first(rivals[totals >= enough], floor)
        if min(self.upper[unit], best) > self.lower[unit] * (1 + ROUNDING):
            self._solve(unit, enough=0.0)
        return Winner(unit, float(self.lower[unit]), self.programs.n_solved)

    def _raise_the_bar(self, order: NDArray[np.intp]) -> None:
        """Solve the most promising unit until no upper bound exceeds the best lower bound.

        Programs start from the unit `through` that gave the upper bound, unless it is -1.
        """
        while len(order) and self.upper[order[0]] > self.lower.max() * (1 + ROUNDING):
            best = float(self.lower.max())
            search = Search(
                order,
                self.through[order],
                self.upper[order],
                bar=best * (1 + ROUNDING),
                enough=best * (1 - EFFICIENCY_TOLERANCE),
                raise_bar=1 + ROUNDING,
                raise_enough=1 - EFFICIENCY_TOLERANCE,
                close=CLOSE,
            )
            k, answers = self.programs.solve_until(search)
            self._narrow(order, answers)
            if k < len(order):
                self._solve(int(order[k]), self.lower.max() * (1 - EFFICIENCY_TOLERANCE))
            order = order[k + 1 :]

    def _first(self, candidates: NDArray[np.intp], floor: float) -> int:
        """Return the first candidate whose score is at least the floor; there is one."""
        while True:
            attained = self.lower[candidates] >= floor
            n = int(attained.argmax()) if attained.any() else len(candidates)
            is_open = np.flatnonzero(self.upper[candidates[:n]] >= floor)
            if not len(is_open):
                return int(candidates[n])
            tried = candidates[is_open]
            search = Search(tried, self.through[tried], self.upper[tried], enough=floor, close=-1.0)
            k, answers = self.programs.solve_until(search)
            self._narrow(tried, answers)
            if k < len(tried) and self.lower[tried[k]] < floor:
                self._solve(int(tried[k]), floor)

    def _narrow(self, order: NDArray[np.intp], answers: Answers) -> None:
        """Update the bounds of the first units in `order` from their answers."""
        order = order[: len(answers.scores)]
        self.upper[order] = np.fmin(self.upper[order], answers.scores)
        settled = answers.gaps <= CLOSE
        self.lower[order[settled]] = self.upper[order[settled]] = answers.scores[settled]

    def _solve(self, p: int, enough: float) -> None:
        """Close the bounds of p, or bring the upper one below `enough`."""
        self.upper[p] = _theta(self.programs, p, enough)
        if self.upper[p] >= enough:
            self.lower[p] = self.upper[p]


def _theta(programs: ConstantInput, p: int, enough: float = 0.0) -> float:
    """Return the score of p, or an upper bound on it that is below `enough`."""
    units = programs.units
    if units.idle[p] or units.sole[p]:
        return np.inf if units.sole[p] else 0.0
    answer = programs.solve(p, enough)
    if not (answer.gap <= EFFICIENCY_TOLERANCE or answer.objective < enough):
        found = f"the score {answer.objective} of unit {p} is uncertain"
        message = f"{found}: it may be too high by the share {answer.gap:.1e}"
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    return answer.objective
