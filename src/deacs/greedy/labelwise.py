"""Multilabel filters: a formula over pairs for each label separately, summed over labels.

In multilabel problems the ordinary filters take the set of a row's labels as its class. Here the
same formula is applied to each label y_i in place of the class: J(F) = sum over i of J_i(F). All
terms follow from I(F; y_i | s), which is counted for all labels in one pass:

    I(F; s | y_i) = I(F; s) + I(F; y_i | s) - I(F; y_i)
    I(F, s; y_i) = I(s; y_i) + I(F; y_i | s)
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from deacs.greedy.counts import Counts
from deacs.greedy.criteria import Floats, Integers
from deacs.greedy.pair_criteria import Formula, Pair, PairCriterion

__all__ = ["LabelPair", "LabelwiseCriterion"]

TINY_BITS = 1e-11
"""The largest difference that rounding alone may leave."""


class LabelPair(Pair):
    """The terms of `Pair` for every label: arrays of shape (n, n_labels).

    `redundancy`, I(F; s), and `entropy`, H(F), have shape (n, 1); `selected_relevance`, I(s; y_i),
    has (n_labels,).
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
    """A formula over pairs for every label, summed over labels.

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

    def _pair(self, selected: int, candidates: Integers) -> LabelPair:
        return LabelPair(self._counts, self._relevance, selected, candidates)
