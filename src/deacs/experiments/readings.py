"""A reading that the DEA-CS paper leaves open: what a linear program without a solution is worth.

Where one candidate alone tells anything of a label, its program has no solution. Its
super-efficiency is infinite then, and it wins. Whoever takes a solver's answer as it comes may
count it as nothing instead, and it loses. The other readings are parameters of `DEACS`, and other
typings of the data sets in the registry.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from deacs.coding import CodedData
from deacs.dea import super_efficiency
from deacs.information import Conditioning

__all__ = ["FiniteDEACS"]

TIE = 1e-9


class FiniteDEACS(BaseEstimator):  # type: ignore[misc]
    """DEA-CS in which a program without a solution scores 0, not infinity.

    Parameters
    ----------
    n_features_to_select : int, default=30
        How many to select at most.

    Attributes
    ----------
    ranking_ : ndarray of int
        The selected columns, in order.
    stop_reason_ : str
        Why it ended.
    """

    def __init__(self, n_features_to_select: int = 30) -> None:
        self.n_features_to_select = n_features_to_select

    def fit(self, data: CodedData, y: None = None) -> Self:
        """Select features of a coded table."""
        conditioning = Conditioning(data.labels, data.n_classes, data.weights)
        candidates = np.arange(data.n_features)
        selected: list[int] = []
        self.stop_reason_ = "n_features_to_select"
        while len(selected) < self.n_features_to_select:
            R = conditioning.scores(data.blocks, candidates, "one-vs-rest")
            telling = np.flatnonzero(R.any(axis=1))
            if not len(telling):
                self.stop_reason_ = "exhausted"
                break
            row = int(telling[_winner(R[telling])])
            feature = int(candidates[row])
            conditioning.add(
                data.column(feature), int(data.n_values[feature]), data.ignored(feature)
            )
            selected.append(feature)
            candidates = np.delete(candidates, row)
        self.ranking_ = np.array(selected, dtype=np.int64)
        return self


def _winner(R: NDArray[np.float64]) -> int:
    """Return the row with the largest finite score; of equal ones the largest sum, then the first.

    If all are infinite, all score 0.
    """
    if len(R) == 1:
        return 0
    scores = super_efficiency(None, R).scores.copy()
    scores[np.isinf(scores)] = 0.0
    tied = np.flatnonzero(scores >= scores.max() * (1 - TIE))
    sums = R[tied].sum(axis=1)
    return int(tied[np.flatnonzero(sums >= sums.max() * (1 - TIE))[0]])
