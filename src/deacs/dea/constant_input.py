"""Scores under a constant input by the compiled simplex method, the fast path.

Every answer has two bounds. The upper one is the sum of the intensities of peers that produce the
unit's outputs; the lower one is the worth of the unit over the largest worth of a reference, at
some non-negative prices. Both are computed independently of the pivots.
"""

import numpy as np
from numpy.typing import NDArray

from deacs._kernels.threads import map_blocks
from deacs.dea.data import Floats
from deacs.dea.program import Solution
from deacs.dea.references import possible_peers
from deacs.kernels.basis import Answers, Room, make_room
from deacs.kernels.pivots import LANES
from deacs.kernels.simplex import Search, solve_units

__all__ = ["ConstantInput", "solutions_of"]


class ConstantInput:
    """At least two units with a constant input, and the possible peers among them.

    `cut` drops dominated references, which pays off if many units are scored.
    """

    def __init__(self, outputs: Floats, *, cut: bool) -> None:
        peers = possible_peers(outputs, outputs if cut else None)
        makers = np.argpartition(outputs, (-2, -1), axis=0)[[-1, -2]]
        self.references = peers._replace(makers=makers)

    def solve(
        self, units: NDArray[np.intp], enough: float = -np.inf, n_jobs: int | None = None
    ) -> Answers:
        """Score units that have an output and are not sole producers.

        An upper bound below `enough` is also accepted as an answer; its gap is then 1.
        """
        n, s = len(units), self.references.columns.shape[1]
        answers = _empty_answers(n, s)
        nobody, promises = np.full(n, -1), np.full(n, np.inf)

        def work(block: slice) -> None:
            room = self._room()
            while block.start < block.stop:  # a failure stops the kernel
                search = Search(units[block], nobody[block], promises[block], enough=enough)
                k, _ = solve_units(self.references, room, search, _part_of(answers, block))
                block = slice(block.start + k + 1, block.stop)

        # About s pivots of 1000 ns, and a few pricings of the core. Every unit starts from scratch,
        # so that its answer does not depend on blocks.
        map_blocks(work, n, n_jobs, s * (1000.0 + len(self.references.listed)))
        return answers

    def solve_until(self, search: Search) -> tuple[int, Answers]:
        """Score units in order until the outcome is decided.

        Return the position at which it stopped, or the number of units, and the answers so far.
        """
        answers = _empty_answers(len(search.units), self.references.columns.shape[1])
        k, n_solved = solve_units(self.references, self._room(), search, answers)
        return k, _part_of(answers, slice(n_solved))

    def _room(self) -> Room:
        n_blocks, s, _ = self.references.blocks.shape
        return make_room(s, n_blocks, LANES)


def _empty_answers(n: int, s: int) -> Answers:
    """Return arrays for the answers of n units with at most s peers each."""
    return Answers(np.empty(n), np.empty(n), np.empty((n, s), dtype=np.int64), np.empty((n, s)))


def _part_of(answers: Answers, part: slice) -> Answers:
    """Return views of some answers."""
    return Answers._make(array[part] for array in answers)


def solutions_of(answers: Answers) -> list[Solution]:
    """Return the answers one by one."""
    n_peers = (answers.peers >= 0).sum(axis=1).tolist()
    return [
        Solution("optimal", score, peers=peers[:n], weights=weights[:n], gap=gap)
        for score, gap, peers, weights, n in zip(
            answers.scores.tolist(),
            answers.gaps.tolist(),
            answers.peers,
            answers.weights,
            n_peers,
            strict=True,
        )
    ]
