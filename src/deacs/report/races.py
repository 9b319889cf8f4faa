"""The candidates of each step, with their bits for each class, and the winner.

They come from the fit where it kept them (`store_candidates=True`; the command line does so for a
page). Otherwise they are counted here, R(F; c_i | S) given the joint value of what was selected.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.dea import best_unit
from deacs.greedy.loop import CandidateTable
from deacs.information import Conditioning, ScoreKind

__all__ = ["MOST_SHOWN", "Race", "counted_races", "given", "leader", "runner_up", "stored_races"]

Floats = NDArray[np.float64]

MOST_SHOWN = 60
"""Selected features that are shown one by one; a page says how many it leaves out."""


@dataclass(frozen=True, eq=False)
class Race:
    """One step: the candidates, with their bits for each class, and the winner.

    Attributes
    ----------
    features : ndarray of int of shape (n,)
        The candidates, by column.
    label_scores : ndarray of shape (n, n_classes)
        Their label scores in bits.
    winner : int
        The row of the feature that was selected.
    """

    features: NDArray[np.int64]
    label_scores: Floats
    winner: int

    @cached_property
    def runner_up(self) -> int | None:
        """The row that super-efficiency ranks first without the winner; None: none has a score."""
        return runner_up(self.label_scores, self.winner)

    @cached_property
    def leader(self) -> int | None:
        """The row that super-efficiency ranks first among all; None: none has a score."""
        return leader(self.label_scores)


def stored_races(tables: Sequence[CandidateTable], ranking: NDArray[np.int64]) -> tuple[Race, ...]:
    """Return the first steps as the fit saw them."""
    steps = zip(tables[:MOST_SHOWN], ranking.tolist(), strict=False)
    return tuple(
        Race(table.features, table.label_scores, int(np.searchsorted(table.features, feature)))
        for table, feature in steps
    )


def counted_races(
    data: CodedData, ranking: NDArray[np.int64], label_score: ScoreKind
) -> tuple[Race, ...]:
    """Count the label scores of all candidates of the first steps."""
    candidates, races = np.arange(data.n_features), []
    first = ranking[:MOST_SHOWN].tolist()
    for feature, conditioning in zip(first, given(data, first), strict=False):
        winner = int(np.searchsorted(candidates, feature))
        bits = conditioning.scores(data.blocks, candidates, label_score)
        races.append(Race(candidates, bits, winner))
        candidates = np.delete(candidates, winner)
    return tuple(races)


def given(data: CodedData, ranking: Iterable[int]) -> Iterator[Conditioning]:
    """Yield what a ranking conditions on: nothing, its first feature, its first two, to all."""
    conditioning = Conditioning.of(data)
    yield conditioning
    for feature in ranking:
        conditioning.add(data.column(feature), int(data.n_values[feature]), data.ignored(feature))
        yield conditioning


def runner_up(label_scores: Floats, winner: int) -> int | None:
    """Return the row that super-efficiency would rank first without the winner, if any counts."""
    others = np.delete(np.arange(len(label_scores)), winner)
    first = leader(label_scores[others])
    return None if first is None else int(others[first])


def leader(label_scores: Floats) -> int | None:
    """Return the row that super-efficiency ranks first, if any counts."""
    informative = np.flatnonzero(label_scores.any(axis=1))
    if not len(informative):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few candidates for many classes: the notes say so
        return int(informative[best_unit(label_scores[informative]).unit])
