"""Which method scores which units: a ratio, a hull, the compiled simplex method, HiGHS, integers.

All give an answer with two bounds. Where the faster method's bounds do not meet, the next one is
asked, and the answer whose bounds are closer stands. The last one, in whole numbers, is exact.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deacs.dea.certificate import Certified
from deacs.dea.constant_input import Answers, ConstantInput
from deacs.dea.data import Floats, Units, read_table
from deacs.dea.radial import solve_exactly
from deacs.dea.result import EFFICIENCY_TOLERANCE
from deacs.dea.technology import Technology
from deacs.dea.two_outputs import SMALLEST, two_outputs

if TYPE_CHECKING:
    from deacs.dea.envelopment import Envelopment

__all__ = ["ROUNDING", "Scorer"]

ROUNDING = 1e-12
"""A bound this close above a score does not promise a better one."""

CLOSE = 1e-12
"""A relative gap between the bounds on θ above which a slower, steadier method is asked."""


ALL_COMPILED_FROM = 400
SOME_COMPILED_FROM = 2000
"""Numbers in a table from which on compiled methods score all units, and the few that a search for
the best one needs.

HiGHS takes tens of milliseconds for smaller ones, and whoever has only such tables never waits for
the compiler, which takes four seconds on a first call.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Certified answers, one list for each of their parts."""

    scores: Floats
    gaps: Floats
    peers: list[NDArray[np.intp]]
    weights: list[Floats]


class Scorer:
    """Certified scores of units against all others.

    Parameters
    ----------
    units : Units

    Attributes
    ----------
    n_solved : int
        Linear programs solved so far, by whichever method.
    compiled : bool
        Whether the table is worth compiled methods when some units are scored.
    """

    def __init__(self, units: Units) -> None:
        self.units = units
        self.n_solved = 0
        constant, size = units.inputs.shape[1] == 1, units.outputs.size
        self.compiled = constant and size >= SOME_COMPILED_FROM
        self._all_compiled = constant and size >= ALL_COMPILED_FROM

    @cached_property
    def _highs(self) -> "Envelopment":
        from deacs.dea.envelopment import Envelopment  # most tables never need HiGHS

        return Envelopment(self.units)

    @cached_property
    def _uncut(self) -> ConstantInput:
        return ConstantInput(self.units.outputs, cut=False)

    def solve(self, p: int, enough: float = -np.inf) -> Certified:
        """Score unit p, which must have an output and must not be a sole producer.

        An upper bound on the score below `enough` is an answer, too; its gap is then large.
        """
        if not self.compiled or not self.units.usable:
            return self._ask_highs(p, enough)
        self.n_solved += int(np.count_nonzero(self.units.outputs[p]) > 1)
        return self._check(self._uncut.solve(np.array([p]), enough)[0], p, enough)

    def solve_all(self, chosen: NDArray[np.intp], n_jobs: int | None = None) -> Scored:
        """Score the chosen units, each with an output and no sole producer."""
        if len(chosen) == 0 or not self._all_compiled or not self.units.usable:
            return _scored([self._ask_highs(p) for p in chosen.tolist()])
        fast = self._solve_fast(chosen, n_jobs)
        found = Scored(fast.scores, fast.gaps, *fast.lists())
        for k in np.flatnonzero(~(fast.gaps <= CLOSE)).tolist():
            answer = self._check(fast[k], int(chosen[k]))
            found.scores[k], found.gaps[k] = answer.score, answer.gap
            found.peers[k], found.weights[k] = answer.peers, answer.weights
        return found

    def raise_the_bar(
        self,
        order: NDArray[np.intp],
        through: NDArray[np.int64],
        lower: Floats,
        upper: Floats,
    ) -> int:
        """Close bounds of units in `order`, while an upper one exceeds the best lower one.

        Programs start from the unit `through` that alone gives the upper bound, if it is not -1.
        Return the position of a unit that takes a steadier method, or the number of units.
        Constant input only.
        """
        if not self.compiled:
            return 0
        best = float(lower.max())
        k, answers = self._uncut.solve_until(
            *(order, through[order], upper[order]),
            bar=best * (1 + ROUNDING),
            enough=best * (1 - EFFICIENCY_TOLERANCE),
            raises=(1 + ROUNDING, 1 - EFFICIENCY_TOLERANCE),
            close=CLOSE,
        )
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
        """Close bounds of units in `order` until one attains the floor.

        Return its position, or that of a unit that takes a steadier method. Constant input only.
        """
        if not self.compiled:
            return next(k for k, p in enumerate(order.tolist()) if upper[p] >= floor)
        attained = lower[order] >= floor
        n = int(attained.argmax()) if attained.any() else len(order)
        is_open = np.flatnonzero(upper[order[:n]] >= floor)
        tried = order[is_open]
        k, answers = self._uncut.solve_until(
            *(tried, through[tried], upper[tried]),
            bar=0.0,
            enough=floor,
            raises=(0.0, 0.0),
            close=-1.0,
        )
        self._narrow(tried, answers, lower, upper)
        return int(is_open[k]) if k < len(tried) else n

    def _narrow(
        self, order: NDArray[np.intp], answers: Answers, lower: Floats, upper: Floats
    ) -> None:
        """Take answers to the first units in `order` into their bounds."""
        n = len(answers.scores)
        self.n_solved += n
        upper[order[:n]] = np.fmin(upper[order[:n]], answers.scores)
        settled = answers.gaps <= CLOSE
        lower[order[:n][settled]] = upper[order[:n][settled]] = answers.scores[settled]

    def _solve_fast(self, chosen: NDArray[np.intp], n_jobs: int | None) -> Answers:
        outputs = self.units.outputs
        if outputs.shape[1] == 2 and outputs[outputs > 0].min() >= SMALLEST:
            return two_outputs(outputs, chosen)
        self.n_solved += len(chosen)
        return ConstantInput(outputs, cut=True).solve(chosen, n_jobs=n_jobs)

    def _check(self, answer: Certified, p: int, enough: float = -np.inf) -> Certified:
        if answer.gap <= CLOSE or answer.score < enough:
            return answer
        steady = self._ask_highs(p, enough)
        return answer if answer.gap <= steady.gap else steady

    def _ask_highs(self, p: int, enough: float = -np.inf) -> Certified:
        if not self.units.usable:
            return self._ask_integers(p)
        n_before = self._highs.n_solved
        answer = self._highs.solve(p, enough)
        self.n_solved += self._highs.n_solved - n_before
        if answer.gap <= EFFICIENCY_TOLERANCE or answer.score < enough:
            return answer
        exact = self._ask_integers(p)
        return exact if exact.gap == 0 else answer

    def _ask_integers(self, p: int) -> Certified:
        """Score unit p exactly, unless its program is too large for that."""
        self.n_solved += 1
        (one,) = solve_exactly(self._technology, np.array([p]))
        sizes = self.units.sizes
        with np.errstate(over="ignore"):
            weights = one.weights * (sizes[one.peers] / sizes[p])
        return Certified(one.objective, one.gap, one.peers, weights)

    @cached_property
    def _technology(self) -> Technology:
        return Technology(read_table(*self.units.given), "crs")


def _scored(answers: list[Certified]) -> Scored:
    return Scored(
        np.array([answer.score for answer in answers]),
        np.array([answer.gap for answer in answers]),
        [answer.peers for answer in answers],
        [answer.weights for answer in answers],
    )
