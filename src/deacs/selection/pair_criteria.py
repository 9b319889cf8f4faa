"""Criteria over pairs of a candidate and a selected feature, and the formulas of the filters.

J(F) = score(I(F; C), fold over s in S of term(F, s)); the term of each pair is computed once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Literal, Self

import numpy as np

from deacs.counts.counts import Counts, pairs_of
from deacs.counts.pairs import Falling
from deacs.selection.criteria import Criterion, Floats, Integers
from deacs.selection.ties import TIE_BITS

__all__ = [
    "Formula",
    "LabelwiseCriterion",
    "Pair",
    "PairCriterion",
    "PairwiseCriterion",
]


class Pair:
    """Candidates F and one selected feature S, in bits; one number for each candidate.

    Attributes
    ----------
    relevance : ndarray of shape (n,)
        I(F; C).
    redundancy : ndarray of shape (n,)
        I(F; S).
    conditional, class_redundancy, joint, joint_entropy : ndarray of shape (n,)
        I(F; C | S), I(F; S | C), I(F, S; C) and H(F, S, C); only if the formula needs the class.
    selected_relevance, selected_entropy : float
        I(S; C) and H(S).
    """

    def __init__(
        self, counts: Counts, selected: int, candidates: Integers, needs_class: bool
    ) -> None:
        relevance = counts.relevance()
        self.relevance = relevance[candidates]
        self.selected_relevance = float(relevance[selected])
        self._counts, self._selected = counts, selected
        if needs_class:
            self._found = counts.pair_information(selected, candidates)
        else:
            self.redundancy = counts.redundancy(selected, candidates)

    @cached_property
    def selected_entropy(self) -> float:
        """H(S)."""
        return float(self._counts.entropy()[self._selected])

    @property
    def symmetrical_relevance(self) -> Floats:
        """I(F, S; C) / H(F, S, C); 0 if the joint entropy is zero."""
        joint, entropy = self.joint, self.joint_entropy
        return np.divide(joint, entropy, out=np.zeros_like(joint), where=entropy > 0)

    @property
    def overlap(self) -> Floats:
        """The part of I(F; S) that is about the class: max(I(F; S) - I(F; S | C), 0)."""
        return np.maximum(self.redundancy - self.class_redundancy, 0.0)

    def __getattr__(self, name: str) -> Floats:
        # Terms are computed on first access.
        if name.startswith("_"):
            raise AttributeError(name)
        value: Floats = getattr(self._found, name)
        return value


@dataclass(frozen=True)
class Formula:
    """J(F) = score(I(F; C), fold over s of term(F, s), |S|).

    Attributes
    ----------
    score : callable
        Maps relevance (n,), the folded terms (n,) and |S| to J (n,). |S| may be 0.
    term : callable, optional
        Maps a `Pair` to one number for each candidate; None: J is the relevance alone.
    fold : {"sum", "min"}
        How terms are combined over S.
    falling : Falling, optional
        The same as data, for formulas that can only fall as S grows: stale values are then upper
        bounds, and most candidates are never updated. `least_of` and `relevance_less` make these.
    needs_class : bool
        Whether the term depends on the class; redundancy alone is counted faster.
    n_terms : int
        The length of a term; above 1 it is a row for each candidate.
    """

    score: Callable[[Floats, Floats, int], Floats]
    term: Callable[[Pair], Floats] | None = None
    fold: Literal["sum", "min"] = "sum"
    needs_class: bool = True
    n_terms: int = 1
    falling: Falling | None = None

    @classmethod
    def least_of(cls, term: str, *, at_most_relevance: bool = False) -> Self:
        """J is the least term (and at most the relevance); the relevance while S is empty."""

        def score(relevance: Floats, least: Floats, n_selected: int) -> Floats:
            bounded = at_most_relevance or n_selected == 0
            return np.minimum(relevance, least) if bounded else least

        falling = Falling(term, is_least=True, from_relevance=at_most_relevance)
        return cls(score, attrgetter(term), fold="min", falling=falling)

    @classmethod
    def relevance_less(cls, term: str, *, mean: bool = False) -> Self:
        """J is the relevance minus the sum (or the mean) of nonnegative terms."""

        def score(relevance: Floats, total: Floats, n_selected: int) -> Floats:
            return relevance - total / (max(n_selected, 1) if mean else 1)

        falling = Falling(term, is_least=False, mean=mean)
        return cls(score, attrgetter(term), needs_class=term != "redundancy", falling=falling)


class PairwiseCriterion(Criterion):
    """Base of criteria over pairs of a candidate and a selected feature."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._relevance = counts.relevance()
        self.most_relevant = float(self._relevance.max())
        self._selected: list[int] = []

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._counts.n_features

    def add(self, feature: int) -> None:
        """Add a feature to S; its terms are computed when they are needed."""
        self._selected.append(feature)

    def conditions(self) -> list[list[int]]:
        """Return the selected features, each as a set of its own."""
        return [[feature] for feature in self._selected]


class PairCriterion(PairwiseCriterion):
    """A formula over pairs; each pair is computed once, and only if it can change the winner.

    `lazy=False` computes all scores, for callers that use more than the winner.
    """

    can_exchange = True

    def __init__(self, counts: Counts, formula: Formula, *, lazy: bool = True) -> None:
        super().__init__(counts)
        self._formula = formula
        self._least_counts = formula.fold == "min"
        shape = (self.n_features, formula.n_terms) if formula.n_terms > 1 else self.n_features
        self._folded = np.full(shape, np.inf if self._least_counts else 0.0)
        self._terms: dict[int, Floats] = {}
        # The number of selected features folded into each feature's terms.
        self._seen = np.zeros(self.n_features, dtype=np.int64)
        pairs = pairs_of(counts) if lazy and formula.falling is not None else None
        self._contest = pairs if pairs is not None and pairs.suit_contests else None
        is_bounded = formula.falling is not None and formula.falling.from_relevance
        self._start = self._relevance if is_bounded else np.full(self.n_features, np.inf)

    def scores(self, candidates: Integers) -> Floats:
        """Return J in a column; if lazy, values too small to win may be stale."""
        if self._formula.term is not None and self._selected:
            if self._contest is not None and self._formula.falling is not None:
                bounds, state = self._score(candidates), (self._start, self._folded, self._seen)
                falling, slack = self._formula.falling, 2 * TIE_BITS
                self._contest.contest(falling, candidates, self._selected, slack, state, bounds)
                return bounds[:, np.newaxis]
            self._update(candidates)
        return self._score(candidates)[:, np.newaxis]

    def _score(self, candidates: Integers) -> Floats:
        return self._valued(candidates, self._folded[candidates], len(self._selected))

    def _valued(self, candidates: Integers, folded: Floats, n_selected: int) -> Floats:
        """Return J from folded terms."""
        return self._formula.score(self._relevance[candidates], folded, n_selected)

    def _update(self, candidates: Integers) -> None:
        """Fold in the terms of S that the candidates still lack."""
        for place in range(int(self._seen[candidates].min()), len(self._selected)):
            self._fold_in(place, candidates[self._seen[candidates] == place])

    def _fold_in(self, place: int, candidates: Integers) -> None:
        if len(candidates) == 0 or self._formula.term is None:
            return
        pair = self._pair(self._selected[place], candidates)
        term, folded = self._formula.term(pair), self._folded[candidates]
        self._folded[candidates] = np.minimum(folded, term) if self._least_counts else folded + term
        self._seen[candidates] = place + 1

    def _pair(self, selected: int, candidates: Integers) -> Pair:
        return Pair(self._counts, selected, candidates, self._formula.needs_class)

    def without(self, feature: int) -> Callable[[Integers], Floats]:
        """Return J in a column, without the terms of one selected feature."""
        rest = [other for other in self._selected if other != feature]

        def scores(candidates: Integers) -> Floats:
            folded = np.full_like(self._folded[candidates], np.inf if self._least_counts else 0.0)
            for other in rest:
                term = self._terms_with(other)[candidates]
                folded = np.minimum(folded, term) if self._least_counts else folded + term
            return self._valued(candidates, folded, len(rest))[:, np.newaxis]

        return scores

    def _terms_with(self, selected: int) -> Floats:
        """Return the term of every feature with one selected feature, cached for reuse."""
        if selected not in self._terms and self._formula.term is not None:
            everything = np.arange(self.n_features)
            self._terms[selected] = self._formula.term(self._pair(selected, everything))
        return self._terms[selected]


TINY_BITS = 1e-11
"""The largest difference that rounding alone may leave."""


class _LabelPair(Pair):
    """The terms of `Pair` for every label y_i in place of the class: arrays of shape (n, n_labels).

    `redundancy`, I(F; s), and `entropy`, H(F), have shape (n, 1); `selected_relevance`, I(s; y_i),
    has (n_labels,). All follow from I(F; y_i | s), which is counted for all labels in one pass.
    """

    def __init__(
        self, counts: Counts, relevance: Floats, selected: int, candidates: Integers
    ) -> None:
        self._counts, self._selected, self._candidates = counts, selected, candidates
        self.relevance, self.selected_relevance = relevance[candidates], relevance[selected]
        self.entropy = counts.entropy()[candidates, np.newaxis]
        self.selected_entropy = float(counts.entropy()[selected])

    @cached_property
    def redundancy(self) -> Floats:  # type: ignore[override]
        """I(F; s)."""
        return self._counts.redundancy(self._selected, self._candidates)[:, np.newaxis]

    @cached_property
    def conditional(self) -> Floats:
        """I(F; y_i | s)."""
        given = self._counts.fresh()
        given.condition_on(self._selected)
        return given.label_scores(self._candidates)

    @property
    def class_redundancy(self) -> Floats:
        """I(F; s | y_i)."""
        bits = self.redundancy + self.conditional - self.relevance
        return np.asarray(np.where(bits > TINY_BITS, bits, 0.0))

    @property
    def joint(self) -> Floats:
        """I(F, s; y_i)."""
        return np.asarray(self.selected_relevance + self.conditional)

    @property
    def joint_entropy(self) -> Floats:
        """H(F, s, y_i) = H(F) + H(s) - I(F; s) + H(y_i) - I(F, s; y_i)."""
        both = self.entropy + self.selected_entropy - self.redundancy
        return np.asarray(both + self._counts.fresh().residual() - self.joint)


class LabelwiseCriterion(PairCriterion):
    """A formula over pairs for every label of a row, summed over labels.

    The formula is elementwise, so that it applies to a row of labels, too.
    """

    def __init__(self, counts: Counts, formula: Formula) -> None:
        super().__init__(counts, formula, lazy=False)
        self._relevance = counts.fresh().label_scores(np.arange(counts.n_features))
        self._varies = counts.fresh().residual() > 0
        shape = self._relevance.shape + ((formula.n_terms,) if formula.n_terms > 1 else ())
        self._folded = np.full(shape, np.inf if formula.fold == "min" else 0.0)

    def _valued(self, candidates: Integers, folded: Floats, n_selected: int) -> Floats:
        each = self._formula.score(self._relevance[candidates], folded, n_selected)
        # A label that all rows or no row has adds nothing, not even redundancy.
        return np.asarray((each if self._varies.all() else each[:, self._varies]).sum(axis=1))

    def _pair(self, selected: int, candidates: Integers) -> _LabelPair:
        return _LabelPair(self._counts, self._relevance, selected, candidates)
