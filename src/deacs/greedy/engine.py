"""Engines: where columns are stored and counted, hidden from the criteria.

An `Engine` is an object with settings, as in `DEACS(engine=OutOfCoreEngine(memory="2GB"))`. It
opens a coded table and returns `Counts`, the state of one selection, which begins with S empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, CodedTable, encode
from deacs.exceptions import InputError, Parameter
from deacs.information import (
    Conditioning,
    Estimator,
    JointValues,
    OrderConditioning,
    PairInformation,
    Pairs,
    ScoreKind,
)

__all__ = [
    "Capabilities",
    "Counts",
    "Engine",
    "LocalCounts",
    "LocalEngine",
    "OrderedCounts",
    "check_capabilities",
    "most_label_scores",
    "open_counts",
    "pairs_of",
    "table_of",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Capabilities of an engine beyond counting.

    Attributes
    ----------
    estimators : bool
        Whether its counts support estimators other than the plug-in one.
    order : bool
        Whether its counts have an order view.
    order_of_codes : bool
        Whether that view ranks codes rather than values: the order within intervals is lost.
    overlapping : bool
        Whether it counts outputs that share rows, as in multilabel problems.
    """

    estimators: bool = False
    order: bool = False
    order_of_codes: bool = False
    overlapping: bool = False


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


class OrderedCounts(Counts, Protocol):
    """Counts with an order view."""

    def order(self) -> OrderConditioning:
        """Return the order view of the same table with S empty."""


class Engine(Protocol):
    """Protocol of engines, which code tables and count the coded columns."""

    capabilities: Capabilities

    def encode(self, X: Any, y: Any, **how: Any) -> CodedTable:
        """Code a table; the parameters are those of `deacs.encode`."""

    def open(
        self, data: Any, label_score: ScoreKind = "one-vs-rest", n_jobs: int | None = None
    ) -> Counts:
        """Begin a selection; an engine that supports estimators also takes `estimator=`."""


class LocalEngine:
    """Engine for columns in memory, with threads over blocks of features."""

    capabilities = Capabilities(estimators=True, order=True, overlapping=True)

    def encode(self, X: Any, y: Any, **how: Any) -> CodedData:
        """Code a table; the parameters are those of `deacs.encode`."""
        return encode(X, y, **how)

    def open(
        self,
        data: Any,
        label_score: ScoreKind = "one-vs-rest",
        n_jobs: int | None = None,
        estimator: Estimator = "plug-in",
    ) -> LocalCounts:
        """Begin a selection from `CodedData`."""
        if not isinstance(data, CodedData):
            raise InputError(
                f"LocalEngine needs CodedData, got {type(data).__name__}; call deacs.encode first"
            )
        return LocalCounts(data, label_score, n_jobs, estimator)


class LocalCounts:
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

    def most(self) -> Floats:
        """Return upper bounds on the label scores of any feature, shape (n_labels,), in bits.

        These are H(C_i | S), or 1 if each feature is counted on the rows in which it is present.
        """
        residual = self.residual()
        if self._label_score != "one-vs-rest":
            return np.full_like(residual, np.inf)
        return np.ones_like(residual) if self._data.ignores_missing else residual

    def condition_on(self, feature: int) -> None:
        """Add a feature to S: one pass over the rows that are left."""
        data = self._data
        self._conditioning.add(
            data.column(feature), int(data.n_values[feature]), data.ignored(feature), self._n_jobs
        )

    def fresh(self) -> LocalCounts:
        """Return counts of the same table with S empty."""
        return LocalCounts(self._data, self._label_score, self._n_jobs, self._estimator)

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
    engine: Engine | None = None,
    label_score: ScoreKind = "one-vs-rest",
    n_jobs: int | None = None,
    estimator: Estimator = "plug-in",
) -> Counts:
    """Begin a selection with the given engine or, by default, with the one for this table."""
    engine = engine or engine_of(data)
    if data.membership is not None and not engine.capabilities.overlapping:
        raise InputError(
            Parameter("y"),
            f" with outputs that share rows ({data.about.kind}) needs a table in memory, got "
            f"{type(engine).__name__}; leave ",
            Parameter("engine"),
            " out, or fit one label at a time",
        )
    how: dict[str, Any] = {"estimator": estimator} if engine.capabilities.estimators else {}
    return engine.open(data, label_score, n_jobs, **how)


def table_of(counts: Counts) -> CodedData | None:
    """Return the coded table behind the counts if all of it is in memory."""
    return counts._data if isinstance(counts, LocalCounts) else None


def pairs_of(counts: Counts) -> Pairs | None:
    """Return the pairs of a table that is in memory."""
    return counts._pairs if isinstance(counts, LocalCounts) else None


def most_label_scores(counts: Counts) -> Floats:
    """Return upper bounds on label scores given S, in bits; infinite if unknown."""
    if isinstance(counts, LocalCounts):
        return counts.most()
    return np.full_like(counts.residual(), np.inf)


def engine_of(data: Any) -> Engine:
    """Return the engine for a table: its own if it has one, else the local engine."""
    own: Engine | None = getattr(data, "engine", None)
    return LocalEngine() if own is None else own


def check_capabilities(engine: Engine, *, estimator: Estimator, order: bool) -> None:
    """Raise an error for label scores that an engine does not support."""
    name = type(engine).__name__
    lacks_estimator = estimator != "plug-in" and not engine.capabilities.estimators
    lacks_order = order and not engine.capabilities.order
    if lacks_estimator or lacks_order:
        lacking = f"estimator={estimator!r}" if lacks_estimator else "order=True"
        raise InputError(
            f"{lacking} needs a table in memory, got {name}; use ",
            Parameter("label_score", "one-vs-rest"),
            " (DEACS.published), which every engine can count",
            parameter="label_score",
        )
