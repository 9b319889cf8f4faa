r"""Super-efficiency with one input, by the compiled simplex method with few rows.

.. math:: θ_p = \min \sum_{j \ne p} λ_j \quad \text{s.t.} \quad
          \sum_{j \ne p} λ_j y_{jr} \ge y_{pr} \text{ for every } r, \quad λ \ge 0,

with outputs per unit of the input. Every answer has two bounds. The upper one is the sum of the
intensities of peers that produce the unit's outputs; the lower one is the worth of the unit over
the largest worth of a reference, at some non-negative prices. Both are computed independently of
the pivots. Where they do not meet, the program is solved as those of several inputs are.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import dea as kernels
from deacs._kernels.threads import map_blocks
from deacs.dea.data import Floats, read_table
from deacs.dea.program import NOTHING, Solution
from deacs.dea.solver import radial_programs, solve_programs
from deacs.dea.technology import SAFE, References, Technology, possible_peers

__all__ = ["CLOSE", "Answers", "ConstantInput", "Search", "Units", "normal_form"]

CLOSE = 1e-12
"""The relative gap between the bounds on θ above which a slower, more robust method is used."""


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Units with a constant input in normal form, which does not change a score.

    Attributes
    ----------
    outputs : (n_units, n_outputs) array
        Distinct outputs per unit of the input, in [0, 2).
    sizes : (n_units,) array
        The factor by which each unit was divided.
    totals : (n_units,) array
        Sum of the outputs of each unit, as given.
    idle, sole : (n_units,) bool arrays
        Units without outputs, and those with an output that no other unit has.
    usable : bool
        Whether products of normalised numbers stay within the range of doubles.
    """

    outputs: Floats
    sizes: Floats
    totals: Floats
    idle: NDArray[np.bool_]
    sole: NDArray[np.bool_]
    usable: bool


def normal_form(outputs: Floats, inputs: Floats | None = None) -> Units:
    """Bring outputs, and positive `inputs` of one column unless they are constant, to normal form.

    >>> units = normal_form(np.array([[1.0, 0.0], [1.0, 3.0]]))
    >>> units.outputs.tolist(), units.sole.tolist()
    ([[1.0, 0.0], [1.0, 1.5]], [False, True])
    """
    # Zeros are judged in the table as given, before any division can underflow.
    made = outputs > 0
    sole = (made & (made.sum(axis=0) == 1)).any(axis=1)
    with np.errstate(over="ignore"):
        totals = outputs.sum(axis=1)
    y, usable = _distinct(outputs)
    sizes = np.ones(len(y))
    if inputs is not None:
        x, x_usable = _distinct(inputs)
        if usable and x_usable:
            sizes = x[:, 0]
            y, usable = _distinct(y / sizes[:, None])
        usable &= x_usable
    idle = np.asarray(~made.any(axis=1))
    return Units(y, sizes, totals, idle, sole, usable)


def _distinct(table: Floats) -> tuple[Floats, bool]:
    """Scale each column to a maximum in [1, 2); drop repeated columns and columns of zeros.

    Also return whether all numbers are large enough to compute with.
    """
    # Powers of two are exact, so equal columns stay equal.
    highest = table.max(axis=0)
    power = 1 - np.frexp(highest)[1]
    # A finite factor suffices, and multiplication is faster.
    ordinary = np.abs(power).max(initial=0) < 1000
    scaled = table * np.ldexp(1.0, power) if ordinary else np.ldexp(table, power)
    is_usable = bool(np.count_nonzero(scaled >= SAFE) == np.count_nonzero(table > 0))
    columns = np.ascontiguousarray(scaled.T)
    first = {columns[c].tobytes(): c for c in reversed(range(table.shape[1])) if highest[c] > 0}
    if len(first) == table.shape[1]:
        return np.ascontiguousarray(scaled), is_usable
    return np.ascontiguousarray(scaled[:, sorted(first.values())]), is_usable


class Search(NamedTuple):
    """Units to score, in order, and the conditions to stop."""

    units: NDArray[np.intp]
    """(k,) units with an output, none a sole producer of one"""
    firsts: NDArray[np.int64]
    """(k,) a unit that has all outputs of the unit, from which its search starts; -1: none"""
    promises: Floats
    """(k,) upper bounds on the scores; the first that does not exceed the bar ends the search"""
    bar: float = 0.0
    enough: float = -np.inf
    """an upper bound on a score below this ends the search for the unit"""
    raise_bar: float = 0.0
    raise_enough: float = -np.inf
    """shares of a score that raise the bar and `enough`"""
    close: float = np.inf
    """a score that is not below `enough`, with a gap above this, stops the search"""


class Answers(NamedTuple):
    """Scores of some units, with their peers and error bounds."""

    scores: Floats
    """(k,) an upper bound on θ that the peers attain"""
    gaps: Floats
    """(k,) θ is at least score (1 - gap); 1 if the search ended early, NaN if it failed"""
    peers: NDArray[np.int64]
    """(k, n) peers first, then -1"""
    weights: Floats
    """(k, n) their intensities"""

    def part(self, part: slice) -> "Answers":
        """Return views of some answers."""
        return Answers._make(array[part] for array in self)


class ConstantInput:
    """Super-efficiency of units against all others; `n_solved` counts the programs."""

    def __init__(self, units: Units) -> None:
        self.units = units
        self.n_solved = 0

    @cached_property
    def _references(self) -> References:
        return self._made_by(possible_peers(self.units.outputs, None))

    @cached_property
    def _undominated(self) -> References:
        """References to score many units, without those that others dominate."""
        return self._made_by(possible_peers(self.units.outputs, self.units.outputs))

    def _made_by(self, references: References) -> References:
        most = np.argpartition(self.units.outputs, (-2, -1), axis=0)[[-1, -2]]
        return references._replace(makers=np.ascontiguousarray(most))

    def solve(self, p: int, enough: float = -np.inf) -> Solution:
        """Score unit p, which must have an output and must not be a sole producer.

        An upper bound on the score below `enough` is also accepted; its gap is then large.
        """
        if not self.units.usable:
            return Solution("failed")
        self.n_solved += int(np.count_nonzero(self.units.outputs[p]) > 1)
        (fast,) = self._solutions(self._references, np.array([p]), enough)
        return fast if fast.objective < enough else self._checked(p, fast)

    def solve_all(self, chosen: NDArray[np.intp], n_jobs: int | None = None) -> list[Solution]:
        """Score the given units; each must have an output and not be a sole producer."""
        if not (len(chosen) and self.units.usable):
            return [Solution("failed")] * len(chosen)
        self.n_solved += len(chosen)
        fast = self._solutions(self._undominated, chosen, n_jobs=n_jobs)
        return [self._checked(p, one) for p, one in zip(chosen.tolist(), fast, strict=True)]

    def solve_until(self, search: Search) -> tuple[int, Answers]:
        """Score units in order until the outcome is decided.

        Return the position at which it stopped, or the number of units, and the answers so far.
        """
        answers = self._answers(len(search.units))
        k, n = kernels.score_units(self._references, search, answers)
        self.n_solved += n
        return k, answers.part(slice(n))

    def _solutions(
        self,
        references: References,
        units: NDArray[np.intp],
        enough: float = -np.inf,
        n_jobs: int | None = None,
    ) -> list[Solution]:
        n, s = len(units), self.units.outputs.shape[1]
        answers = self._answers(n)
        nobody, no_bound = np.full(n, -1), np.full(n, np.inf)

        def work(block: slice) -> None:
            search = Search(units[block], nobody[block], no_bound[block], enough=enough)
            kernels.score_units(references, search, answers.part(block))

        # About s pivots of 1000 ns, and a few pricings of the core. Every unit starts from scratch,
        # so that its answer does not depend on blocks.
        map_blocks(work, n, n_jobs, s * (1000.0 + len(references.listed)))
        n_peers = (answers.peers >= 0).sum(axis=1).tolist()
        parts = answers.scores.tolist(), answers.gaps.tolist(), answers.peers, answers.weights
        return [
            Solution("optimal", score, peers=peers[:k], weights=weights[:k], gap=gap)
            for score, gap, peers, weights, k in zip(*parts, n_peers, strict=True)
        ]

    def _answers(self, n: int) -> Answers:
        shape = n, self.units.outputs.shape[1]
        return Answers(np.empty(n), np.empty(n), np.empty(shape, dtype=np.int64), np.empty(shape))

    @cached_property
    def _technology(self) -> Technology:
        return Technology(read_table(None, self.units.outputs), "crs")

    def _checked(self, p: int, fast: Solution) -> Solution:
        """Return an answer whose bounds meet, else the better one of two methods."""
        if fast.gap <= CLOSE:
            return fast
        self.n_solved += 1
        build = radial_programs(self._technology, "input", itself=True)
        (steady,) = solve_programs(self._technology, build, np.array([p]))
        # Its prices are those of other rows.
        return fast if fast.gap <= steady.gap else steady._replace(prices=NOTHING)
