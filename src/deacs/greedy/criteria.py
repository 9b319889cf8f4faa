"""Criteria: the scores that the greedy loop maximises.

A criterion scores candidates given S, from counts, and adds the winner to S. `LabelCriterion`
conditions on the joint value of S; `pair_criteria` has those that consider the selected features
one by one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.greedy.counts import Counts

if TYPE_CHECKING:
    from deacs.significance.rank_test import RankTest

__all__ = ["Criterion", "FixedScores", "Floats", "Integers", "LabelCriterion", "Rest"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Rest(NamedTuple):
    """Scores given S without one of its features, of that feature and of any outside S."""

    scores: Callable[[Integers], Floats]
    bounds: Callable[[Integers], Floats] | None = None
    """Upper bounds on the scores, if there are any that are faster."""


class Criterion(ABC):
    """Base of criteria. Those whose scores depend on S define `add` and what follows it."""

    ends_at_zero = False
    """Whether a candidate whose scores are all zero must not be selected."""
    is_fixed = False
    """Whether scores do not depend on S, so that a selection is a ranking."""
    knows_order = False
    """Whether it sees the order of values: candidates are then tested by rank, too."""
    can_exchange = False
    """Whether it has `without`."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """The number of features."""

    @abstractmethod
    def scores(self, candidates: Integers) -> Floats:
        """Return one row of scores for each candidate given S."""

    def add(self, feature: int) -> None:
        """Take a feature into S; nothing to do if scores do not depend on it."""
        return

    def conditions(self) -> list[list[int]]:
        """Return the sets of selected features on which scores are conditioned, each jointly."""
        return [[]]

    def residual(self) -> Floats:
        """Return the uncertainty left of each label, in bits; empty if it is not known."""
        return np.empty(0)

    def without(self, feature: int) -> Rest:
        """Return scores given S without one of its features."""
        raise TypeError(f"{type(self).__name__} has no scores without {feature}")

    def least_scores(self, candidates: Integers) -> Floats:
        """Return the least scores over the parts of S, of candidates that were scored last."""
        return self.scores(candidates)

    def beyond_chance(self, candidates: Integers) -> NDArray[np.bool_]:
        """Return which candidates outscore the best of as many noise columns of large cells."""
        return np.ones(len(candidates), dtype=bool)

    def outscores_its_like(self, feature: int) -> bool:
        """Whether one of those also outscores columns with its own counts, however rare."""
        return True

    def rank_test(self, candidates: Integers) -> RankTest | None:
        """Return the test by rank given S, if the criterion knows the order of values."""
        return None


class FixedScores(Criterion):
    """Scores that do not depend on S, such as I(F; C)."""

    is_fixed = True

    def __init__(self, values: Floats) -> None:
        self.values = values

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.values)

    def scores(self, candidates: Integers) -> Floats:
        """Return the scores in a column."""
        return self.values[candidates, np.newaxis]


class LabelCriterion(Criterion):
    """Scores given the joint value of S: R(F; c_i | S) for every label, or I(F; C | S)."""

    ends_at_zero = True
    can_exchange = True

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._selected: list[int] = []

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._counts.n_features

    def scores(self, candidates: Integers) -> Floats:
        """Return label scores in bits, shape (n_candidates, n_labels)."""
        return self._counts.label_scores(candidates)

    def add(self, feature: int) -> None:
        """Condition on one more feature."""
        self._counts.condition_on(feature)
        self._selected.append(feature)

    def without(self, feature: int) -> Rest:
        """Return scores given the joint value of the rest of S, which leaves this uncertainty."""
        rest = self._counts.fresh()
        for other in self._selected:
            if other != feature:
                rest.condition_on(other)
        most = rest.most()
        return Rest(rest.label_scores, lambda some: np.broadcast_to(most, (len(some), len(most))))

    def conditions(self) -> list[list[int]]:
        """Return S, as one set."""
        return [self._selected]

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits."""
        return self._counts.residual()
