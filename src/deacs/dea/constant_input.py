"""Scores under a constant input, by the compiled simplex method: the fast path.

Every answer carries two bounds. The upper one is the sum of intensities of peers that make what the
unit does; the lower one is the worth of the unit over the highest worth of a reference, at any
non-negative prices. Neither trusts the pivots before it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deacs.dea.certificate import Certified
from deacs.dea.data import Floats
from deacs.kernels.basis import Room, make_room
from deacs.kernels.dominance import maximal_units
from deacs.kernels.simplex import LANES, References, solve_units
from deacs.kernels.threads import map_blocks

__all__ = ["Answers", "ConstantInput"]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Scores of some units, each at most the share `gaps` too high; a gap may be not a number.

    Attributes
    ----------
    scores, gaps : (k,) arrays
    peers : (k, n_outputs) int array
        Peers first, then -1.
    weights : (k, n_outputs) array
    """

    scores: Floats
    gaps: Floats
    peers: NDArray[np.int64]
    weights: Floats

    def of(self, part: slice) -> tuple[Floats, Floats, NDArray[np.int64], Floats]:
        """Return views of a part of the answers."""
        return self.scores[part], self.gaps[part], self.peers[part], self.weights[part]

    def __getitem__(self, k: int) -> Certified:
        n_peers = int((self.peers[k] >= 0).sum())
        return Certified(
            float(self.scores[k]),
            float(self.gaps[k]),
            self.peers[k, :n_peers],
            self.weights[k, :n_peers],
        )

    def lists(self) -> tuple[list[NDArray[np.int64]], list[Floats]]:
        """Return the peers of each unit, and their weights."""
        n_peers = (self.peers >= 0).sum(axis=1).tolist()
        peers = [row[:n] for row, n in zip(self.peers, n_peers, strict=True)]
        weights = [row[:n] for row, n in zip(self.weights, n_peers, strict=True)]
        return peers, weights


class ConstantInput:
    """Units with a constant input, and which of them can be peers.

    Parameters
    ----------
    outputs : (n_units, n_outputs) array
        At least two units.
    cut : bool
        Whether to leave out references that others dominate, which pays when many units are scored.

    Notes
    -----
    Unit p needs no reference j that another reference k dominates: in a program that uses j, k does
    as well. So all units are compared with the units that none dominates (the core), and a member
    of the core also with those that it alone dominates, which its removal exposes.
    """

    def __init__(self, outputs: Floats, *, cut: bool) -> None:
        n, s = outputs.shape
        core = np.arange(n)
        extras, starts = core[:0], np.zeros(n + 1, dtype=np.int64)
        if cut:
            shadow = np.empty(n, dtype=np.int64)
            strongest_first = np.argsort(-outputs.sum(axis=1), kind="stable")
            core = core[: maximal_units(outputs, strongest_first, core, shadow)]
            extras = np.argsort(shadow, kind="stable")[np.count_nonzero(shadow < 0) :]
            starts[1:] = np.bincount(shadow[extras], minlength=n).cumsum()
        spans = np.column_stack((np.full(n, -1), starts[:-1], starts[1:]))
        spans[:, 1:] += len(core)
        spans[core, 0] = np.arange(len(core))
        padded = np.zeros((-(-len(core) // LANES) * LANES, s))
        padded[: len(core)] = outputs[core]
        self.references = References(
            outputs,
            np.ascontiguousarray(padded.reshape(-1, LANES, s).swapaxes(1, 2)),
            np.concatenate((core, extras)),
            spans,
            np.argpartition(outputs, (-2, -1), axis=0)[[-1, -2]],
        )

    def solve(
        self, units: NDArray[np.intp], enough: float = -np.inf, n_jobs: int | None = None
    ) -> Answers:
        """Score units that have an output and are no sole producers.

        An upper bound on a score below `enough` is an answer, too; its gap is then 1.
        """
        n, s = len(units), self.references.outputs.shape[1]
        answers = _empty_answers(n, s)
        nobody, promises = np.full(n, -1), np.full(n, np.inf)

        def work(block: slice) -> None:
            room = self._room()
            while block.start < block.stop:  # a failure stops the kernel
                k, _ = solve_units(
                    *(self.references, room, units[block], nobody[block], promises[block]),
                    *(0.0, enough, (0.0, -np.inf), np.inf, *answers.of(block)),
                )
                block = slice(block.start + k + 1, block.stop)

        # About s pivots of 1000 ns, and the core priced a few times. A unit starts afresh, so that
        # blocks do not matter to its answer.
        map_blocks(work, n, n_jobs, s * (1000.0 + len(self.references.listed)))
        return answers

    def solve_until(
        self,
        units: NDArray[np.intp],
        firsts: NDArray[np.int64],
        promises: Floats,
        *,
        bar: float,
        enough: float,
        raises: tuple[float, float],
        close: float,
    ) -> tuple[int, Answers]:
        """Score units one after another, until all is known; see `solve_units`.

        Return where it stopped, the number of units if it did not, and the answers so far.
        """
        answers = _empty_answers(len(units), self.references.outputs.shape[1])
        k, n_solved = solve_units(
            *(self.references, self._room(), units, firsts, promises),
            *(bar, enough, raises, close, *answers.of(slice(None))),
        )
        return k, Answers(*answers.of(slice(n_solved)))

    def _room(self) -> Room:
        n_blocks, s, _ = self.references.blocks.shape
        return make_room(s, n_blocks, LANES)


def _empty_answers(n: int, s: int) -> Answers:
    return Answers(np.empty(n), np.empty(n), np.empty((n, s), dtype=np.int64), np.empty((n, s)))
