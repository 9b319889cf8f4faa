"""The outcome of a fit: the numbers that notebook, terminal, JSON and page show.

It needs no rows. `deacs.report.Summary` adds the table, and what is counted from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deacs.greedy.judges import read_judge
from deacs.greedy.label_scores import read_label_score
from deacs.tables import Target

if TYPE_CHECKING:
    from deacs.greedy.loop import CandidateTable
    from deacs.information import ScoreKind
    from deacs.selection.held_out import HeldOut

__all__ = ["Fitted", "Outcome", "bits_text", "facts_of", "p_text", "tenths"]

Floats = NDArray[np.float64]

STOP_REASONS = {
    "n_features_to_select": "the requested number of features is reached",
    "budget": "the next feature would exceed the budget",
    "exhausted": "no remaining feature adds information about any {noun}",
    "chance": "no remaining feature outscores the best of as many uninformative ones",
    "not significant": "no remaining feature adds significant information about the {nouns}",
    "one of each group": "one column of each group is kept",
    "max_features": "the largest number of features to try is reached",
    "cross-validation": "cross-validation chose this number of features",
    "threshold": "no other feature is selected in enough resamples",
}

EXHAUSTED = {
    "CFS": "the search for the subset of highest merit ended",
    "FCBF": "every other feature is irrelevant, or redundant with a selected one",
}
"""What "exhausted" means for selectors with another rule than information about the classes."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """Label scores by which a selector selected.

    Attributes
    ----------
    label_scores : ndarray of shape (n_selected, n_classes)
        The information that each feature added about each class at selection, in bits.
    residual : ndarray of shape (n_selected + 1, n_classes)
        H(C_i | S) before the first feature and after each, in bits.
    held_out : callable, optional
        Returns estimates on held-out rows, or None if the rows are not in memory; called on first
        access, as it repeats the selection on folds.
    is_held_out : bool
        Whether that is done already.
    candidates : tuple of CandidateTable
        The candidates of each step, if the fit stored them.
    views : ndarray of shape (n_selected, 2, n_classes), optional
        The estimates from counts and from ranks, of which the label scores are the mean.
    """

    label_scores: Floats
    residual: Floats
    held_out: Callable[[], HeldOut | None] | None = None
    candidates: tuple[CandidateTable, ...] = ()
    views: Floats | None = None
    is_held_out: bool = False


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Outcome:
    """A selection: its features, their scores, and why it ended.

    Columns that are selected as a group are one feature.

    Attributes
    ----------
    method, score_name : str
        The names of the selector and of its scores.
    settings : mapping of str to object
        The parameters.
    target : Target
        The classes, labels or thresholds that label scores are about.
    n_features : int
        The number of features to select from.
    ranking : ndarray of int of shape (n_selected,)
        The selected features, in order.
    columns : tuple of tuples of int
        The table columns of each selected feature: one, or those of a group.
    selected_names : tuple of str
        The names of the selected features.
    scores : ndarray of shape (n_selected,)
        The selector's score of each.
    stop_reason : str
        Why the selection ended: a key, which `ending` puts in words.
    is_grouped : bool
        Whether columns were selected in groups.
    fitted : Fitted, optional
        The label scores of the fit; None if it selected by other scores.
    p_values : ndarray of shape (n_selected,), optional
        The p-value of each at selection, if tested; NaN for features in `include`.
    p_is_bound : ndarray of bool of shape (n_selected,), optional
        Whether each p-value is only an upper bound.
    next_p_value : float
        The least p-value when no candidate was significant; NaN if the selection ended otherwise.
    label_score : {"one-vs-rest", "divergence"}
        The kind of label scores.
    is_radial : bool
        Whether super-efficiency alone decided, so that it also names the runner-up.
    notes : tuple of str
        Caveats that a careful reader should know.
    """

    method: str
    score_name: str = "score"
    settings: Mapping[str, Any]
    target: Target
    n_features: int
    ranking: NDArray[np.int64]
    columns: tuple[tuple[int, ...], ...]
    selected_names: tuple[str, ...]
    scores: Floats
    stop_reason: str
    is_grouped: bool = False
    fitted: Fitted | None = None
    p_values: Floats | None = None
    p_is_bound: NDArray[np.bool_] | None = None
    next_p_value: float = np.nan
    label_score: ScoreKind = "one-vs-rest"
    is_radial: bool = False
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        kind, n = type(self).__name__, self.n_selected
        return f"<{kind} of {self.method}: {n} of {self.n_features} features>"

    @property
    def n_selected(self) -> int:
        """The number of selected features."""
        return len(self.ranking)

    @property
    def is_all(self) -> bool:
        """Whether every feature was ranked."""
        return self.n_selected == self.n_features

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, or of the labels of a multilabel target."""
        return tuple(str(name) for name in self.target.names)

    @property
    def noun(self) -> str:
        """The noun for one output: class, label or threshold."""
        return self.target.noun

    @property
    def nouns(self) -> str:
        """The noun for outputs: classes, labels or thresholds."""
        return self.target.nouns

    @property
    def ending(self) -> str:
        """Why the selection ended, in words."""
        if self.is_all and self.stop_reason == "exhausted":
            return "all features are ranked"
        if self.stop_reason == "exhausted" and self.method in EXHAUSTED:
            return EXHAUSTED[self.method]
        reason = STOP_REASONS.get(self.stop_reason, self.stop_reason)
        return reason.format(noun=self.noun, nouns=self.nouns)

    def p_text(self, step: int) -> str:
        """Return the p-value of a step as text; `-` if it was not tested."""
        if self.p_values is None:
            return "-"
        is_bound = self.p_is_bound is not None and bool(self.p_is_bound[step])
        return p_text(float(self.p_values[step]), is_bound)

    def is_shared(self, bits: Floats) -> bool:
        """Whether both of two classes have the same scores: C_1 and C_2 are one variable."""
        is_pair = bits.shape[-1] == 2 and self.target.membership is None
        return is_pair and np.allclose(bits[..., 0], bits[..., 1], rtol=1e-9)

    def most_informed(self, bits: Floats) -> list[tuple[str, str]]:
        """Return the classes that a feature is informative about, best first, with its bits."""
        best_first = np.argsort(-bits, kind="stable").tolist()
        return [(self.classes[i], bits_text(bits[i])) for i in best_first if bits[i] > 0]


def facts_of(setting: Any) -> dict[str, Any]:
    """Return the fields of an outcome that follow from the options of DEA-CS."""
    judge = read_judge(setting.judge)
    return {
        "score_name": judge.score_name,
        "label_score": read_label_score(setting.label_score).kind,
        "is_radial": judge.has_free_weights and setting.costs is None,
    }


def bits_text(bits: float) -> str:
    """Return bits with three decimals, or in scientific notation if they would read as zero."""
    return f"{bits:.3f}" if bits >= 0.0005 or bits == 0 else f"{bits:.1e}"


def tenths(share: float) -> str:
    """Return a gain or its error as a percentage with one decimal; NaN: no refit has one."""
    if math.isnan(share):
        return "not chosen again"
    return f"{share:.1%}".replace("-0.0%", "0.0%")


def p_text(p: float, is_bound: bool = False) -> str:
    """Return a p-value as text.

    A test with n permutations cannot resolve a p-value below about 1 / n. At that floor, or if only
    a bound was computed, the text shows an upper bound.

    Examples
    --------
    >>> p_text(0.0333, is_bound=True), p_text(0.0121), p_text(1e-9), p_text(float("nan"))
    ('<= 0.033', '0.012', '< 0.001', '-')
    """
    if math.isnan(p):
        return "-"
    if p < 0.001:
        return "< 0.001"
    return f"<= {p:.3f}" if is_bound else f"{p:.3f}"
