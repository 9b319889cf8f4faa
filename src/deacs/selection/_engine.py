"""Where the columns live. The loop asks an engine and never knows."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.information import Conditioning, LabelScore

__all__ = ["Engine", "LocalEngine"]

Codes = NDArray[np.unsignedinteger[Any]]


class Engine(Protocol):
    """What the loop needs of the data: scores of candidates given S, and one column on request."""

    @property
    def n_features(self) -> int:
        """The number of features."""

    def label_scores(self, candidates: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return R(F; c_i | S) in bits, shape (n_candidates, n_labels)."""

    def residual(self) -> NDArray[np.float64]:
        """Return H(C_i | S) in bits, shape (n_labels,)."""

    def column(self, feature: int) -> Codes:
        """Return the codes of one feature, shape (n_rows,)."""

    def condition_on(self, column: Codes) -> None:
        """Add a column to S."""


class LocalEngine:
    """All columns in memory, threads over blocks of features."""

    def __init__(
        self, data: CodedData, label_score: LabelScore = "one-vs-rest", n_jobs: int | None = None
    ) -> None:
        self._data = data
        self._label_score: LabelScore = label_score
        self._n_jobs = n_jobs
        self._conditioning = Conditioning(data.labels, data.n_classes)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._data.n_features

    @property
    def n_left(self) -> int:
        """The number of rows whose class S does not settle."""
        return self._conditioning.n_left

    def label_scores(self, candidates: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return R(F; c_i | S) in bits, shape (n_candidates, n_labels)."""
        return self._conditioning.scores(
            self._data.blocks, candidates, self._label_score, self._n_jobs
        )

    def residual(self) -> NDArray[np.float64]:
        """Return H(C_i | S) in bits, shape (n_labels,)."""
        return self._conditioning.label_entropies()

    def column(self, feature: int) -> Codes:
        """Return the codes of one feature, shape (n_rows,)."""
        return self._data.column(feature)

    def condition_on(self, column: Codes) -> None:
        """Add a column to S: one pass over the rows that are left."""
        self._conditioning.add(column, int(column.max()) + 1)
