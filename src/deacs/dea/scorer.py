"""Choose the solver: compiled simplex method, HiGHS, or exact integer simplex method.

All return an answer with two bounds. If the bounds of a faster method do not meet, the next method
is tried, and the answer with the closer bounds is kept. The last method is exact.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deacs.dea.constant_input import ConstantInput, solutions_of
from deacs.dea.data import Floats, Units, read_table
from deacs.dea.program import Solution
from deacs.dea.programs import Solver
from deacs.dea.radial import radial_rays
from deacs.dea.rays import Rays
from deacs.dea.result import EFFICIENCY_TOLERANCE
from deacs.dea.technology import Technology
from deacs.kernels.basis import Answers
from deacs.kernels.simplex import Search

__all__ = ["ROUNDING", "Scorer"]

ROUNDING = 1e-12
"""An upper bound this close to the best score does not exceed it."""

CLOSE = 1e-12
"""The relative gap between the bounds on θ above which a slower, more robust method is used."""


class Scorer:
    """Super-efficiency of units against all others.

    `n_solved` counts the linear programs solved so far, by any method.
    """

    def __init__(self, units: Units) -> None:
        self.units = units
        self.n_solved = 0
        self._quick = units.usable and units.inputs.shape[1] == 1

    @cached_property
    def _technology(self) -> Technology:
        units = self.units
        table = (units.inputs, units.outputs) if units.usable else units.given
        return Technology(read_table(table[0], table[1]), "crs")

    @cached_property
    def _solver(self) -> Solver:
        return Solver(self._technology.references)

    @cached_property
    def _rays(self) -> Rays:
        return radial_rays(self._technology, "input")

    @cached_property
    def _uncut(self) -> ConstantInput:
        return ConstantInput(self.units.outputs, cut=False)

    def solve(self, p: int, enough: float = -np.inf) -> Solution:
        """Score unit p, which must have an output and must not be a sole producer.

        An upper bound on the score below `enough` is also accepted; its gap is then large.
        """
        if not self._quick:
            return self._ask_highs(p, enough)
        self.n_solved += int(np.count_nonzero(self.units.outputs[p]) > 1)
        (fast,) = solutions_of(self._uncut.solve(np.array([p]), enough))
        return self._check(fast, p, enough)

    def solve_all(self, chosen: NDArray[np.intp], n_jobs: int | None = None) -> list[Solution]:
        """Score the given units; each must have an output and not be a sole producer."""
        if len(chosen) == 0 or not self._quick:
            return [self._ask_highs(p) for p in chosen.tolist()]
        self.n_solved += len(chosen)
        core = ConstantInput(self.units.outputs, cut=True)
        fast = solutions_of(core.solve(chosen, n_jobs=n_jobs))
        return [self._check(one, p) for one, p in zip(fast, chosen.tolist(), strict=True)]

    def raise_the_bar(
        self,
        order: NDArray[np.intp],
        through: NDArray[np.int64],
        lower: Floats,
        upper: Floats,
    ) -> int:
        """Close the bounds of units in `order` while an upper bound exceeds the best lower bound.

        Programs start from the unit `through` that gave the upper bound, unless it is -1. Return
        the position of a unit that needs a more robust method, or the number of units. Constant
        input only.
        """
        best = float(lower.max())
        search = Search(
            order,
            through[order],
            upper[order],
            bar=best * (1 + ROUNDING),
            enough=best * (1 - EFFICIENCY_TOLERANCE),
            raise_bar=1 + ROUNDING,
            raise_enough=1 - EFFICIENCY_TOLERANCE,
            close=CLOSE,
        )
        k, answers = self._uncut.solve_until(search)
        self._narrow(order, answers, lower, upper)
        return k

    def first_to_attain(
        self,
        order: NDArray[np.intp],
        through: NDArray[np.int64],
        floor: float,
        lower: Floats,
        upper: Floats,
    ) -> int:
        """Close the bounds of units in `order` until one attains the floor.

        Return its position, or that of a unit that needs a more robust method. Constant input only.
        """
        attained = lower[order] >= floor
        n = int(attained.argmax()) if attained.any() else len(order)
        is_open = np.flatnonzero(upper[order[:n]] >= floor)
        tried = order[is_open]
        search = Search(tried, through[tried], upper[tried], enough=floor, close=-1.0)
        k, answers = self._uncut.solve_until(search)
        self._narrow(tried, answers, lower, upper)
        return int(is_open[k]) if k < len(tried) else n

    def _narrow(
        self, order: NDArray[np.intp], answers: Answers, lower: Floats, upper: Floats
    ) -> None:
        """Update the bounds of the first units in `order` from their answers."""
        n = len(answers.scores)
        self.n_solved += n
        upper[order[:n]] = np.fmin(upper[order[:n]], answers.scores)
        settled = answers.gaps <= CLOSE
        lower[order[:n][settled]] = upper[order[:n][settled]] = answers.scores[settled]

    def _check(self, answer: Solution, p: int, enough: float = -np.inf) -> Solution:
        if answer.gap <= CLOSE or answer.objective < enough:
            return answer
        steady = self._ask_highs(p, enough)
        return answer if answer.gap <= steady.gap else steady

    def _ask_highs(self, p: int, enough: float = -np.inf) -> Solution:
        n_before = self._solver.n_solved
        program = self._rays.programs(np.array([p]), itself=True)[0]
        answer = self._solver.solve(p, program, enough=enough)
        self.n_solved += self._solver.n_solved - n_before
        return answer
