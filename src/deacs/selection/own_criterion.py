"""OwnCriterion: greedy selection by a user-defined criterion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np

from deacs.counts.counts import Counts
from deacs.exceptions import InputError
from deacs.selection._filter import FilterOptions, InformationFilter
from deacs.selection.criteria import Criterion, Floats, Integers
from deacs.selection.pair_criteria import Pair, PairwiseCriterion
from deacs.selection.source import Source

__all__ = ["CallableCriterion", "OwnCriterion", "PairTerms"]


class OwnCriterion(InformationFilter):
    """Select the feature with the largest value of a user-defined function of pairs.

    Parameters
    ----------
    criterion : callable
        Maps `deacs.selection.PairTerms` to one number for each candidate. Terms are in bits, for n
        candidates (rows) and m selected features (columns, none at first).

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Notes
    -----
    Terms of all pairs are cached: 40 bytes for each feature and selected feature.

    Examples
    --------
    mRMR with the largest instead of the mean redundancy:

    >>> from sklearn.datasets import load_wine
    >>> from deacs import OwnCriterion
    >>> def criterion(terms):
    ...     return terms.relevance - terms.redundancy.max(axis=1, initial=0)
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> OwnCriterion(criterion, n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'alcohol', 'proline']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InformationFilter._parameter_constraints,
        "criterion": [callable],
    }

    def __init__(
        self,
        criterion: Callable[[PairTerms], Floats],
        n_features_to_select: float | None = None,
        **options: Unpack[FilterOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.criterion = criterion

    def _criterion(self, source: Source) -> Criterion:
        return CallableCriterion(self._counts(source.data), self.criterion)


@dataclass(frozen=True, slots=True)
class PairTerms:
    """Terms for a user-defined criterion, in bits: n candidates, m selected features.

    Attributes
    ----------
    relevance : ndarray of shape (n,)
        I(F; C).
    entropy : ndarray of shape (n,)
        H(F).
    redundancy, conditional, class_redundancy, joint, joint_entropy : ndarray of shape (n, m)
        I(F; S), I(F; C | S), I(F; S | C), I(F, S; C) and H(F, S, C) for every selected S, in order.
    selected_relevance, selected_entropy : ndarray of shape (m,)
        I(S; C) and H(S).
    """

    relevance: Floats
    entropy: Floats
    redundancy: Floats
    conditional: Floats
    class_redundancy: Floats
    joint: Floats
    joint_entropy: Floats
    selected_relevance: Floats
    selected_entropy: Floats


OF_PAIRS = ("redundancy", "conditional", "class_redundancy", "joint", "joint_entropy")


class CallableCriterion(PairwiseCriterion):
    """A user-defined function from `PairTerms` to J, or to a row of outputs for each candidate."""

    def __init__(
        self, counts: Counts, function: Callable[[PairTerms], Floats], *, several: bool = False
    ) -> None:
        super().__init__(counts)
        self._function = function
        self._several = several
        self._terms: list[Floats] = []

    def scores(self, candidates: Integers) -> Floats:
        """Return J in a column, or the outputs."""
        everything = np.arange(self.n_features)
        for feature in self._selected[len(self._terms) :]:
            pair = Pair(self._counts, feature, everything, needs_class=True)
            self._terms.append(np.array([getattr(pair, name) for name in OF_PAIRS]))
        chosen = np.array(self._selected, dtype=np.int64)
        of_candidates = np.array([one[:, candidates] for one in self._terms])
        shape = len(chosen), len(OF_PAIRS), len(candidates)
        terms = PairTerms(
            relevance=self._relevance[candidates],
            entropy=self._counts.entropy()[candidates],
            **dict(zip(OF_PAIRS, of_candidates.reshape(shape).transpose(1, 2, 0), strict=True)),
            selected_relevance=self._relevance[chosen],
            selected_entropy=self._counts.entropy()[chosen],
        )
        scores = np.asarray(self._function(terms), dtype=np.float64)
        table = scores[:, np.newaxis] if scores.ndim == 1 else scores
        n_allowed = table.shape[-1] if self._several else 1
        if table.shape != (len(candidates), n_allowed) or np.isnan(table).any():
            what, found = ("criteria", "numbers") if self._several else ("criterion", "one number")
            raise InputError(
                f"{what} must return {found} for each of the {len(candidates)} candidates, none of "
                f"them NaN, got shape {scores.shape} with {int(np.isnan(scores).sum())} NaN"
            )
        return table
