"""The selection walked through once more: who competed at each step, and what is left after it.

For each selected feature the bits of every candidate given what came before, R(F; c_i | S), and
the H(C_i | S) that is left. So a page can be made for any selector, whether or not it counts bits
itself, and without keeping all candidates during the fit.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.dea import best_unit
from deacs.exceptions import InputError
from deacs.information import Conditioning, ScoreKind
from deacs.selection._criteria import Criterion

__all__ = ["MOST_SHOWN", "Race", "leader", "runner_up", "walk"]

Floats = NDArray[np.float64]

MOST_SHOWN = 60
"""Selected features that are shown one by one; what is left out is said."""


@dataclass(frozen=True, eq=False)
class Race:
    """One step: who competed, in bits for each class, and who won.

    Attributes
    ----------
    features : ndarray of int of shape (n,)
        The candidates, by column.
    label_scores : ndarray of shape (n, n_classes)
        R(F; c_i | S) in bits.
    winner : int
        The row of the feature that was selected.
    """

    features: NDArray[np.int64]
    label_scores: Floats
    winner: int

    @cached_property
    def runner_up(self) -> int | None:
        """The row that super-efficiency ranks first without the winner; None: nobody counts."""
        return runner_up(self.label_scores, self.winner)

    @cached_property
    def leader(self) -> int | None:
        """The row that super-efficiency ranks first among all; None: nobody counts."""
        return leader(self.label_scores)


def walk(
    data: CodedData,
    ranking: NDArray[np.int64],
    label_score: str,
    *,
    known: tuple[Floats, Floats] | None = None,
    criterion: Criterion | None = None,
) -> dict[str, Any]:
    """Follow the ranking: who competed at each step, and what is left after it.

    Parameters
    ----------
    data : CodedData
        The table, or one whose columns are groups of columns.
    ranking : ndarray of int of shape (n_selected,)
        The selected columns, in order.
    label_score : {"one-vs-rest", "divergence"}
        What a feature is worth to a label.
    known : label scores and residuals of the fit, optional
        Taken as they are, if the label scores are those that are counted here.
    criterion : Criterion, optional
        What scored the candidates, with S empty; default: R given the joint value of S.
    """
    kind = cast(ScoreKind, label_score)
    conditioning = Conditioning(data.labels, data.n_classes, data.weights)
    candidates = np.arange(data.n_features)
    alone = conditioning.scores(data.blocks, candidates, "one-vs-rest")
    residual, races = [conditioning.label_entropies()], []
    for step, feature in enumerate(ranking.tolist()):
        if step < MOST_SHOWN:
            if criterion is None:
                bits = conditioning.scores(data.blocks, candidates, kind)
            else:
                bits = criterion.scores(candidates)
                criterion.add(feature)
            winner = int(np.searchsorted(candidates, feature))
            races.append(Race(candidates, bits, winner))
            candidates = np.delete(candidates, winner)
        conditioning.add(data.column(feature), int(data.n_values[feature]), data.ignored(feature))
        residual.append(conditioning.label_entropies())
    label_scores = np.array([race.label_scores[race.winner] for race in races])
    label_scores = label_scores.reshape(-1, data.n_classes)
    made = {"label_scores": label_scores, "residual": np.array(residual)}
    if known is not None:
        shown = known[0][:MOST_SHOWN]
        if not np.allclose(shown, label_scores, rtol=1e-6, atol=1e-9):
            raise InputError(
                "X, y must be what the selector was fitted on, and sample_weight too, but the bits "
                "of its features are others here; fit it on this table first"
            )
        made = {"label_scores": shown, "residual": known[1]}
    return {**made, "alone": alone, "races": tuple(races)}


def runner_up(label_scores: Floats, winner: int) -> int | None:
    """Return the row that super-efficiency would rank first without the winner, if any counts."""
    others = np.delete(np.arange(len(label_scores)), winner)
    first = leader(label_scores[others])
    return None if first is None else int(others[first])


def leader(label_scores: Floats) -> int | None:
    """Return the row that super-efficiency ranks first, if any counts."""
    telling = np.flatnonzero(label_scores.any(axis=1))
    if not len(telling):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few candidates for many classes: the notes say so
        return int(telling[best_unit(label_scores[telling]).unit])
