"""Criteria: the scores that the greedy loop maximises.

A criterion scores candidates given S, from counts, and adds the winner to S. `LabelCriterion`
conditions on the joint value of S; `pair_criteria` has those that consider the selected features
one by one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deacs.counts import ScoreKind, read_estimator
from deacs.counts.counts import Counts
from deacs.selection.options import Options, options_class, read_options

if TYPE_CHECKING:
    from deacs.significance.rank_test import RankTest

__all__ = [
    "LABEL_SCORES",
    "Criterion",
    "Divergence",
    "FixedScores",
    "Floats",
    "Integers",
    "LabelCriterion",
    "LabelScores",
    "OneVsRest",
    "read_label_score",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


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
    most_relevant = inf
    """The largest I(F; C) in bits, if it is known."""
    selected_views: Sequence[Floats] = ()
    """If it takes the mean of two views: both scores of each selected feature, (2, n_labels)."""

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

    def without(self, feature: int) -> Callable[[Integers], Floats]:
        """Return scores given the rest of S, of that feature and of any outside S."""
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

    def __init__(self, values: Floats, most_relevant: float = inf) -> None:
        self.values = values
        self.most_relevant = most_relevant

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

    def without(self, feature: int) -> Callable[[Integers], Floats]:
        """Return scores given the joint value of the rest of S."""
        rest = self._counts.fresh()
        for other in self._selected:
            if other != feature:
                rest.condition_on(other)
        return rest.label_scores

    def conditions(self) -> list[list[int]]:
        """Return S, as one set."""
        return [self._selected]

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits."""
        return self._counts.residual()


class LabelScores(Options):
    """Base of label scores."""

    kind: ClassVar[ScoreKind]
    estimator: str = "plug-in"
    order: bool = False


@options_class
class OneVsRest(LabelScores):
    """I(F; C_i | S) with C_i = [C = c_i], from counts and optionally from ranks.

    Parameters
    ----------
    estimator : {"plug-in", "miller-madow", "excess"}, default="plug-in"
        How I(F; C_i | S) is estimated: from frequencies, as in the paper, which is biased upwards
        if counts are small; with the Miller-Madow bias correction; or minus its expectation under
        labels shuffled within the groups of S. Never below zero.
    order : bool, default=False
        Whether to take the mean with an estimate from partial correlations of ranks (see
        docs/papers/two-views.md). Counts see dependence of any shape but run out of rows as S
        grows; ranks see only order but do not run out of rows.
    """

    estimator: str = "plug-in"
    order: bool = False
    kind: ClassVar[ScoreKind] = "one-vs-rest"


@options_class
class Divergence(LabelScores):
    """Div(F; c_i | S), which differs between the labels of a two-class problem too."""

    kind: ClassVar[ScoreKind] = "divergence"


LABEL_SCORES: dict[str, Callable[[], LabelScores]] = {
    "two-views": lambda: OneVsRest(estimator="excess", order=True),
    "one-vs-rest": OneVsRest,
    "divergence": Divergence,
}
"""Label scores by name."""


def read_label_score(label_score: Any) -> LabelScores:
    """Read the parameter `label_score`: a name, or an object."""
    found = read_options("label_score", label_score, LABEL_SCORES, LabelScores)
    read_estimator(found.estimator)
    return found
