"""`Counts`: the state of one selection, from which criteria get scores given S and of pairs.

The columns are counted here, or where they are; criteria do not know which.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, CodedTable
from deacs.counts import (
    Conditioning,
    Estimator,
    JointValues,
    OrderConditioning,
    PairInformation,
    Pairs,
    ScoreKind,
)

__all__ = [
    "Counts",
    "CountsHere",
    "open_counts",
    "pairs_of",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Counts(Protocol):
    """Counts that criteria need: scores given all of S and terms of pairs, in bits."""

    @property
    def n_features(self) -> int:
        """The number of features."""

    def label_scores(self, candidates: Integers) -> Floats:
        """Return R(F; c_i | S), shape (n_candidates, n_labels)."""

    def residual(self) -> Floats:
        """Return H(C_i | S), shape (n_labels,)."""

    def condition_on(self, feature: int) -> None:
        """Add a feature to S."""

    def fresh(self) -> Counts:
        """Return counts of the same table with S empty."""

    def mean_group_size(self, features: Sequence[int]) -> float:
        """Return N divided by the number of joint values of these features that occur."""

    def relevance(self) -> Floats:
        """Return I(F; C) of every feature."""

    def entropy(self) -> Floats:
        """Return H(F) of every feature."""

    def class_entropy(self) -> float:
        """Return H(C)."""

    def redundancy(self, selected: int, candidates: Integers) -> Floats:
        """Return I(F; S) of candidates and one selected feature."""

    def pair_information(self, selected: int, candidates: Integers) -> PairInformation:
        """Return the joint information of candidates and one selected feature."""

    def order(self) -> OrderConditioning:
        """Return the order view of the same table with S empty."""


class CountsHere:
    """Counts of `CodedData`."""

    def __init__(
        self,
        data: CodedData,
        label_score: ScoreKind = "one-vs-rest",
        n_jobs: int | None = None,
        estimator: Estimator = "plug-in",
    ) -> None:
        self._data = data
        self._label_score: ScoreKind = label_score
        self._n_jobs = n_jobs
        self._estimator: Estimator = estimator

    @cached_property
    def _conditioning(self) -> Conditioning:
        return Conditioning.of(self._data)

    @cached_property
    def _joint_values(self) -> JointValues:
        return JointValues(self._data)

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs(self._data, self._n_jobs)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._data.n_features

    def label_scores(self, candidates: Integers) -> Floats:
        """Return R(F; c_i | S) in bits, shape (n_candidates, n_labels)."""
        return self._conditioning.scores(
            self._data.blocks, candidates, self._label_score, self._n_jobs, self._estimator
        )

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits, shape (n_labels,)."""
        return self._conditioning.label_entropies()

    def condition_on(self, feature: int) -> None:
        """Add a feature to S: one pass over the rows that are left."""
        data = self._data
        self._conditioning.add(
            data.column(feature), int(data.n_values[feature]), data.ignored(feature), self._n_jobs
        )

    def fresh(self) -> CountsHere:
        """Return counts of the same table with S empty."""
        return CountsHere(self._data, self._label_score, self._n_jobs, self._estimator)

    def mean_group_size(self, features: Sequence[int]) -> float:
        """Return N divided by the number of joint values of these features that occur."""
        return self._joint_values.mean_group_size(features)

    def order(self) -> OrderConditioning:
        """Return the order view of the same table with S empty."""
        return OrderConditioning(self._data, self._n_jobs)

    def relevance(self) -> Floats:
        """Return I(F; C) of every feature in bits."""
        return self._pairs.relevance

    def entropy(self) -> Floats:
        """Return H(F) of every feature in bits."""
        return self._pairs.entropy

    def class_entropy(self) -> float:
        """Return H(C) in bits."""
        return Conditioning.of(self._data).entropy()

    def redundancy(self, selected: int, candidates: Integers) -> Floats:
        """Return I(F; S) of candidates and one selected feature in bits."""
        return self._pairs.redundancy(selected, candidates)

    def pair_information(self, selected: int, candidates: Integers) -> PairInformation:
        """Return the joint information of candidates and one selected feature, in bits."""
        return self._pairs.information(selected, candidates)

    def group_information(self, group: Sequence[int], candidates: Integers) -> PairInformation:
        """Return the joint information of candidates and a group of features, in bits."""
        return self._pairs.information_with(group, candidates)


def open_counts(
    data: CodedTable,
    label_score: ScoreKind = "one-vs-rest",
    n_jobs: int | None = None,
    estimator: Estimator = "plug-in",
) -> Counts:
    """Begin a selection where the columns are."""
    if isinstance(data, CodedData):
        return CountsHere(data, label_score, n_jobs, estimator)
    return cast(Counts, data.counts(label_score, estimator))


def pairs_of(counts: Counts) -> Pairs | None:
    """Return the pairs of a table that is in memory."""
    return counts._pairs if isinstance(counts, CountsHere) else None
