"""Where the columns live. Criteria ask an engine and never know."""

from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.information import Conditioning, PairInformation, Pairs, ScoreKind

__all__ = ["Engine", "LocalEngine"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Engine(Protocol):
    """What criteria need of the data: scores given all of S, and terms of pairs, in bits."""

    @property
    def n_features(self) -> int:
        """The number of features."""

    def label_scores(self, candidates: Integers) -> Floats:
        """Return R(F; c_i | S), shape (n_candidates, n_labels)."""

    def residual(self) -> Floats:
        """Return H(C_i | S), shape (n_labels,)."""

    def condition_on(self, feature: int) -> None:
        """Add a feature to S."""

    def relevance(self) -> Floats:
        """Return I(F; C) of every feature."""

    def entropy(self) -> Floats:
        """Return H(F) of every feature."""

    def redundancy(self, selected: int, candidates: Integers) -> Floats:
        """Return I(F; S) of candidates and one selected feature."""

    def pair_information(self, selected: int, candidates: Integers) -> PairInformation:
        """Return what candidates and one selected feature tell together."""


class LocalEngine:
    """All columns in memory, threads over blocks of features."""

    def __init__(
        self, data: CodedData, label_score: ScoreKind = "one-vs-rest", n_jobs: int | None = None
    ) -> None:
        self._data = data
        self._label_score: ScoreKind = label_score
        self._n_jobs = n_jobs

    @cached_property
    def _conditioning(self) -> Conditioning:
        return Conditioning(self._data.labels, self._data.n_classes, self._data.weights)

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs(self._data, self._n_jobs)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._data.n_features

    @property
    def n_left(self) -> int:
        """The number of rows whose class S does not settle."""
        return self._conditioning.n_left

    def label_scores(self, candidates: Integers) -> Floats:
        """Return R(F; c_i | S) in bits, shape (n_candidates, n_labels)."""
        return self._conditioning.scores(
            self._data.blocks, candidates, self._label_score, self._n_jobs
        )

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits, shape (n_labels,)."""
        return self._conditioning.label_entropies()

    def condition_on(self, feature: int) -> None:
        """Add a feature to S: one pass over the rows that are left."""
        data = self._data
        self._conditioning.add(
            data.column(feature), int(data.n_values[feature]), data.ignored(feature)
        )

    def relevance(self) -> Floats:
        """Return I(F; C) of every feature in bits."""
        return self._pairs.relevance

    def entropy(self) -> Floats:
        """Return H(F) of every feature in bits."""
        return self._pairs.entropy

    def redundancy(self, selected: int, candidates: Integers) -> Floats:
        """Return I(F; S) of candidates and one selected feature in bits."""
        return self._pairs.redundancy(selected, candidates)

    def pair_information(self, selected: int, candidates: Integers) -> PairInformation:
        """Return what candidates and one selected feature tell together, in bits."""
        return self._pairs.information(selected, candidates)
