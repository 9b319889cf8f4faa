"""Criteria: the scores that the greedy loop maximises.

A criterion scores candidates given S, from counts, and adds the winner to S. `LabelCriterion`
conditions on the joint value of S; `pair_criteria` has those that consider the selected features
one by one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from deacs.greedy.engine import Counts, most_label_scores
from deacs.greedy.ties import ranked

if TYPE_CHECKING:
    from deacs.significance.rank_test import RankTest

__all__ = [
    "Bounded",
    "Criterion",
    "Exchangeable",
    "FixedScores",
    "Floats",
    "Integers",
    "LabelCriterion",
    "LabelScoring",
    "Marginal",
    "OpenEnded",
    "Ranked",
    "Sequential",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Criterion(Protocol):
    """Protocol of the criteria that the loop maximises."""

    ends_at_zero: bool
    """Whether a candidate whose scores are all zero must not be selected."""

    @property
    def n_features(self) -> int:
        """The number of features."""

    def scores(self, candidates: Integers) -> Floats:
        """Return one row of scores for each candidate given S."""

    def add(self, feature: int) -> None:
        """Take a feature into S."""

    def conditions(self) -> list[list[int]]:
        """Return the sets of selected features on which scores are conditioned, each jointly."""

    def residual(self) -> Floats:
        """Return the uncertainty left of each label, in bits, if the criterion knows."""


@runtime_checkable
class Exchangeable(Criterion, Protocol):
    """A criterion that can score candidates in the place of one selected feature."""

    def scores_without(self, feature: int, candidates: Integers) -> Floats:
        """Return scores given S without one of its features; blocks of S stay as they are.

        Candidates are that feature and any that are not in S.
        """


@runtime_checkable
class Bounded(Exchangeable, Protocol):
    """A criterion with upper bounds on scores that are faster than the scores."""

    def most_without(self, feature: int, candidates: Integers) -> Floats:
        """Return upper bounds on `scores_without`."""


class LabelScoring(Bounded, Protocol):
    """A criterion that scores every label, given S as a whole or in parts."""

    def least_scores(self, candidates: Integers) -> Floats:
        """Return the least label scores over parts of S, of candidates that were scored last."""


class OpenEnded(Criterion, Protocol):
    """A criterion whose scores are rarely zero; it ends when no score exceeds chance."""

    def beyond_chance(self, candidates: Integers) -> NDArray[np.bool_]:
        """Return which candidates outscore the best of as many noise columns of large cells."""

    def outscores_its_like(self, feature: int) -> bool:
        """Whether one of those also outscores columns with its own counts, however rare."""


@runtime_checkable
class Ranked(Criterion, Protocol):
    """A criterion that knows the order of values: candidates can also be tested by rank."""

    def rank_test(self, candidates: Integers) -> RankTest:
        """Return the test by rank given S."""


class Marginal:
    """Base of criteria whose scores are not conditioned on selected features."""

    def add(self, feature: int) -> None:
        """Do nothing: scores do not depend on S."""

    def conditions(self) -> list[list[int]]:
        """Return no condition."""
        return [[]]

    def residual(self) -> Floats:
        """Return an empty array: the uncertainty left given all of S is not computed."""
        return np.empty(0)


class Sequential(Marginal):
    """Base of criteria with one score that know which features come next, without rounds."""

    n_features: int

    @abstractmethod
    def sequence(self, n: int) -> Iterator[tuple[int, float, int]]:
        """Yield the features with the largest score given those before, n at most.

        With each its score, and how many candidates there were to choose from.
        """


class FixedScores(Sequential):
    """Scores that do not depend on S, such as I(F; C): a selection is a ranking by them."""

    ends_at_zero = False

    def __init__(self, values: Floats) -> None:
        self.values, self.n_features = values, len(values)

    def scores(self, candidates: Integers) -> Floats:
        """Return the scores in a column."""
        return self.values[candidates, np.newaxis]

    def sequence(self, n: int) -> Iterator[tuple[int, float, int]]:
        """Yield the first n features of the ranking."""
        winners = ranked(self.values, n)
        return zip(
            winners, self.values[winners].tolist(), range(len(self.values), 0, -1), strict=False
        )


class LabelCriterion:
    """Scores given the joint value of S: R(F; c_i | S) for every label, or I(F; C | S)."""

    ends_at_zero = True

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._selected: list[int] = []
        self._rest: tuple[list[int], Counts] | None = None  # the latest S without one feature

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._counts.n_features

    def scores(self, candidates: Integers) -> Floats:
        """Return label scores in bits, shape (n_candidates, n_labels)."""
        return self._counts.label_scores(candidates)

    def least_scores(self, candidates: Integers) -> Floats:
        """Return label scores in bits: S is one part."""
        return self.scores(candidates)

    def add(self, feature: int) -> None:
        """Condition on one more feature."""
        self._counts.condition_on(feature)
        self._selected.append(feature)

    def scores_without(self, feature: int, candidates: Integers) -> Floats:
        """Return label scores given the joint value of the rest of S."""
        return self._given_rest(feature).label_scores(candidates)

    def most_without(self, feature: int, candidates: Integers) -> Floats:
        """Return the uncertainty that the rest of S leaves, the same for all."""
        most = most_label_scores(self._given_rest(feature))
        return np.broadcast_to(most, (len(candidates), len(most)))

    def _given_rest(self, feature: int) -> Counts:
        rest = [other for other in self._selected if other != feature]
        if self._rest is None or self._rest[0] != rest:
            counts = self._counts.fresh()
            for other in rest:
                counts.condition_on(other)
            self._rest = rest, counts
        return self._rest[1]

    def conditions(self) -> list[list[int]]:
        """Return S, as one set."""
        return [self._selected]

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits."""
        return self._counts.residual()
