"""The candidates of each step, their bits about each class, and the winner.

They come from the fit if it stored them (`store_candidates=True`, as the command line does for a
report). Otherwise R(F; c_i | S) is counted here, given the joint value of S.
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
"""The number of selected features shown one by one; the report says how many it omits."""


@dataclass(frozen=True, eq=False)
class Race:
    """One step: the candidates, their bits about each class, and the winner.

    Attributes
    ----------
    features : ndarray of int of shape (n,)
        The candidates, by column.
    label_scores : ndarray of shape (n, n_classes)
        Their label scores in bits.
    winner : int
        The row of the selected feature.
    """

    features: NDArray[np.int64]
    label_scores: Floats
    winner: int

    @cached_property
    def runner_up(self) -> int | None:
        """The row ranked first by super-efficiency without the winner; None if none has a score."""
        return runner_up(self.label_scores, self.winner)

    @cached_property
    def leader(self) -> int | None:
        """The row ranked first by super-efficiency; None if none has a score."""
        return leader(self.label_scores)


def stored_races(tables: Sequence[CandidateTable], ranking: NDArray[np.int64]) -> tuple[Race, ...]:
    """Return the first steps as stored by the fit."""
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
    """Yield the conditioning on the first 0, 1, ... features of a ranking."""
    conditioning = Conditioning.of(data)
    yield conditioning
    for feature in ranking:
        conditioning.add(data.column(feature), int(data.n_values[feature]), data.ignored(feature))
        yield conditioning


def runner_up(label_scores: Floats, winner: int) -> int | None:
    """Return the row ranked first by super-efficiency without the winner, if any has a score."""
    others = np.delete(np.arange(len(label_scores)), winner)
    first = leader(label_scores[others])
    return None if first is None else int(others[first])


def leader(label_scores: Floats) -> int | None:
    """Return the row ranked first by super-efficiency, if any has a score."""
    informative = np.flatnonzero(label_scores.any(axis=1))
    if not len(informative):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few candidates for many classes: noted elsewhere
        return int(informative[best_unit(label_scores[informative]).unit])
