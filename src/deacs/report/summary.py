"""The numbers of a selection, shared by the terminal, JSON and the HTML report.

Numbers that only the report shows (candidates, bits of features alone) are counted on first access.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.greedy.engine import open_counts
from deacs.greedy.loop import CandidateTable
from deacs.information import ScoreKind
from deacs.report.races import MOST_SHOWN, Race, counted_races, stored_races
from deacs.selection import HeldOut, Substitutes, p_text

__all__ = ["MOST_CLASSES", "Fitted", "Summary"]

Floats = NDArray[np.float64]

MOST_CLASSES = 40
"""The most classes shown one by one; of more, the least explained."""

MOST_REPLACED = 60
"""The most selected features for which substitutes are sought, each at the cost of a step."""


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


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """A selection: its features, what each adds about which class, and how to reproduce it.

    Attributes
    ----------
    method, score_name : str
        The names of the selector and of its scores.
    table : CodedData
        The coded table.
    data : CodedData
        The table selected from: the same, or one with a column for each group of columns.
    columns : tuple of tuples of int
        The table columns of each selected feature: one, or those of a group.
    ranking : ndarray of int of shape (n_selected,)
        The selected features, in order, by their place in `data`.
    scores : ndarray of shape (n_selected,)
        The selector's score of each.
    stop_reason : str
        Why the selection ended.
    settings : mapping of str to object
        The parameters.
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
    snippet : str
        Code or a command that reproduces the selection.
    find_substitutes : callable, optional
        Returns the substitutes for each selected feature; called on first access.
    """

    method: str
    score_name: str
    table: CodedData
    data: CodedData
    columns: tuple[tuple[int, ...], ...]
    ranking: NDArray[np.int64]
    scores: Floats
    stop_reason: str
    settings: Mapping[str, Any]
    fitted: Fitted | None = None
    p_values: Floats | None = None
    p_is_bound: NDArray[np.bool_] | None = None
    next_p_value: float = np.nan
    label_score: ScoreKind = "one-vs-rest"
    is_radial: bool = False
    notes: tuple[str, ...] = ()
    snippet: str = ""
    find_substitutes: Callable[[], Substitutes] | None = None

    def __repr__(self) -> str:
        return f"<Summary of {self.method}: {self.n_selected} of {self.n_features} features>"

    @property
    def n_selected(self) -> int:
        """The number of selected features."""
        return len(self.ranking)

    @property
    def n_features(self) -> int:
        """The number of features, or of groups of them, to select from."""
        return self.data.n_features

    @property
    def n_shown(self) -> int:
        """The number of selected features that the report shows one by one."""
        return min(self.n_selected, MOST_SHOWN)

    @property
    def is_grouped(self) -> bool:
        """Whether columns were selected in groups."""
        return self.data is not self.table

    @property
    def is_all(self) -> bool:
        """Whether every feature was ranked."""
        return self.n_selected == self.n_features

    @cached_property
    def n_useful(self) -> int:
        """The number of first features after which nothing more is gained."""
        if self.fitted is not None:
            return self.n_selected
        left = self.residual.sum(axis=1)
        return int(np.argmax(left <= left[-1] + 1e-9))

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, or of the labels of a multilabel target."""
        return tuple(str(label) for label in self.data.outputs)

    @property
    def noun(self) -> str:
        """The noun for one output: class or label."""
        return self.data.about.noun

    @property
    def nouns(self) -> str:
        """The noun for outputs: classes or labels."""
        return self.data.about.nouns

    @cached_property
    def class_rows(self) -> NDArray[np.intp]:
        """The number of rows of each class."""
        return self.data.class_rows

    @cached_property
    def selected_names(self) -> tuple[str, ...]:
        """The selected features' names, in order."""
        return tuple(self.data.feature_names[j] for j in self.ranking)

    @property
    def label_scores(self) -> Floats:
        """Information of each feature about each class given those before it, in bits.

        Shape (n_selected, n_classes), or (n_shown, n_classes) if the fit had no label scores.
        """
        return self._scored.label_scores

    @property
    def residual(self) -> Floats:
        """H(C_i | S) in bits before the first step and after each, (n_selected + 1, n_classes)."""
        return self._scored.residual

    @cached_property
    def unexplained_path(self) -> Floats:
        """The share of each class's uncertainty left, (n_selected + 1, n_classes), from 0 to 1."""
        if self.held_out is not None:
            return self.held_out.unexplained
        start = self.residual[0]
        shares = np.divide(self.residual, start, out=np.zeros_like(self.residual), where=start > 0)
        # If missing values are ignored, the rows that count change, so the share may rise.
        clipped: Floats = np.clip(shares, 0.0, 1.0)
        return clipped

    @property
    def unexplained(self) -> Floats:
        """The share of each class's uncertainty left at the end, from 0 to 1."""
        last: Floats = self.unexplained_path[-1]
        return last

    @cached_property
    def held_out(self) -> HeldOut | None:
        """Estimates on held-out rows; None if only those on the fitted rows are known."""
        fitted = self.fitted
        return None if fitted is None or fitted.held_out is None else fitted.held_out()

    @cached_property
    def adds(self) -> Floats:
        """The share of the classes' uncertainty that each feature explains, (n_selected,)."""
        if self.held_out is not None:
            return self.held_out.gain / self.held_out.loss
        left = self.unexplained_path @ self.residual[0] / max(self.residual[0].sum(), 1e-300)
        return np.asarray(left[:-1] - left[1:])

    @property
    def adds_error(self) -> Floats | None:
        """The standard error of `adds`, if estimated on held-out rows."""
        return None if self.held_out is None else self.held_out.gain_error / self.held_out.loss

    @cached_property
    def left(self) -> Floats:
        """The share of the classes' uncertainty left, shape (n_selected + 1,)."""
        return np.asarray(1.0 - np.concatenate(([0.0], np.cumsum(self.adds))))

    @cached_property
    def is_one_variable(self) -> bool:
        """Whether both of two classes have the same scores: C_1 and C_2 are one variable."""
        bits = self.label_scores
        is_pair = len(self.classes) == 2 and self.data.membership is None
        return is_pair and np.allclose(bits[:, 0], bits[:, 1], rtol=1e-9)

    def p_text(self, step: int) -> str:
        """Return the p-value of a step as text; `-` if it was not tested."""
        if self.p_values is None:
            return "-"
        is_bound = self.p_is_bound is not None and bool(self.p_is_bound[step])
        return p_text(float(self.p_values[step]), is_bound)

    @cached_property
    def shown_classes(self) -> NDArray[np.intp]:
        """The classes shown one by one: all, or the least explained."""
        order = np.argsort(-self.unexplained, kind="stable")[:MOST_CLASSES]
        return np.sort(order)

    @property
    def outputs(self) -> NDArray[np.intp]:
        """The classes with scores of their own: those shown, or one if two classes share theirs."""
        return self.shown_classes[:1] if self.is_one_variable else self.shown_classes

    @cached_property
    def output_names(self) -> tuple[str, ...]:
        """The names of `outputs`."""
        if self.is_one_variable:
            return (" or ".join(self.classes),)
        return tuple(self.classes[i] for i in self.outputs)

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """Discrete columns with as many values as rows."""
        n_rows = self.table.n_rows
        pairs = zip(self.table.feature_names, self.table.features, strict=True)
        return tuple(
            name
            for name, feature in pairs
            if feature.kind == "discrete" and feature.n_values == n_rows > 2
        )

    @cached_property
    def substitutes(self) -> Substitutes | None:
        """Substitutes for each selected feature; None if they cannot be found.

        That is: nothing was rejected, the method does not score given S, too many features were
        selected, or the rows are not in memory.
        """
        if self.find_substitutes is None or not 0 < self.n_selected <= MOST_REPLACED:
            return None
        return None if self.is_all else self.find_substitutes()

    def alone(self, features: NDArray[np.int64]) -> Floats:
        """Return I(F; C_i) of features alone, in bits, shape (n, n_classes)."""
        return open_counts(self.data).label_scores(features)

    @cached_property
    def races(self) -> tuple[Race, ...]:
        """The candidates of each step shown."""
        if self.fitted is not None and self.fitted.candidates:
            return stored_races(self.fitted.candidates, self.ranking)
        return counted_races(self.data, self.ranking, self.label_score)

    @cached_property
    def _scored(self) -> Fitted:
        """The fit's label scores, or those counted given S if it selected by other scores."""
        if self.fitted is not None:
            return self.fitted
        counts = open_counts(self.data, label_score=self.label_score)
        bits, residual = [], [counts.residual()]
        for step, feature in enumerate(self.ranking.tolist()):
            if step < self.n_shown:
                bits.append(counts.label_scores(np.array([feature]))[0])
            counts.condition_on(feature)
            residual.append(counts.residual())
        return Fitted(np.array(bits).reshape(-1, self.data.n_outputs), np.array(residual))
