"""The numbers of a selection, shared by the terminal, JSON and the HTML report.

Numbers that only the report shows (candidates, bits of features alone) are counted on first access.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.exceptions import Note
from deacs.greedy.counts import open_counts
from deacs.report.races import MOST_SHOWN, Race, counted_races, stored_races
from deacs.selection import HeldOut, Outcome, Substitutes
from deacs.selection.outcome import Fitted

__all__ = ["MOST_CLASSES", "Summary"]

Floats = NDArray[np.float64]

MOST_CLASSES = 40
"""The most classes shown one by one; of more, the least explained."""

MOST_REPLACED = 60
"""The most selected features for which substitutes are sought, each at the cost of a step."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Summary(Outcome):
    """A selection and its table: what each feature adds about which class.

    Attributes
    ----------
    table : CodedData
        The coded table.
    data : CodedData
        The table selected from: the same, or one with a column for each group of columns.
    snippet : str
        Code or a command that reproduces the selection.
    find_substitutes : callable, optional
        Returns the substitutes for each selected feature; called on first access.
    """

    table: CodedData
    data: CodedData
    snippet: str = ""
    find_substitutes: Callable[[], Substitutes] | None = None

    @property
    def n_shown(self) -> int:
        """The number of selected features that the report shows one by one."""
        return min(self.n_selected, MOST_SHOWN)

    @cached_property
    def n_useful(self) -> int:
        """The number of first features after which nothing more is gained."""
        if self.fitted is not None:
            return self.n_selected
        left = self.residual.sum(axis=1)
        return int(np.argmax(left <= left[-1] + 1e-9))

    @cached_property
    def class_rows(self) -> NDArray[np.intp]:
        """The number of rows of each class."""
        return self.data.class_rows

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
        """The share of each class's uncertainty left at the end, from 0 to 1; 0 without any."""
        return np.where(self.residual[0] > 0, self.unexplained_path[-1], 0.0)

    @cached_property
    def held_out(self) -> HeldOut | None:
        """Estimates on held-out rows; None if only those on the fitted rows are known."""
        fitted = self.fitted
        return None if fitted is None or fitted.held_out is None else fitted.held_out()

    @cached_property
    def adds(self) -> Floats:
        """The share of the classes' uncertainty, or of a number's variance, that each explains.

        Shape (n_selected,). On held-out rows, in the refits that selected it; NaN if none did.
        """
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
        """The share of the uncertainty or variance left, shape (n_selected + 1,).

        On held-out rows, after as many features of each refit.
        """
        if self.held_out is not None:
            return self.held_out.left
        return np.asarray(1.0 - np.concatenate(([0.0], np.cumsum(self.adds))))

    def again(self, step: int) -> str:
        """Return how many of the refits selected a feature again, as text."""
        held_out = self.held_out
        return "" if held_out is None else f"{held_out.chosen[step]}/{held_out.n_refits}"

    @property
    def amount(self) -> str:
        """What features explain a share of, in words."""
        if self.held_out is not None and self.held_out.is_number:
            return "the variance of the target"
        return f"the uncertainty about {self.whole}"

    @property
    def whole(self) -> str:
        """The target in words."""
        return "the target" if self.noun == "threshold" else f"the {self.nouns}"

    @cached_property
    def is_one_variable(self) -> bool:
        """Whether both of two classes have the same scores: C_1 and C_2 are one variable."""
        return self.is_shared(self.label_scores)

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
        """Discrete columns with as many values as rows, except numbers and dates read as text."""
        n_rows = self.table.n_rows
        as_text = {
            name
            for note in self.notes
            if isinstance(note, Note) and note.kind == "read as text"
            for name in note.columns
        }
        pairs = zip(self.table.feature_names, self.table.features, strict=True)
        return tuple(
            name
            for name, feature in pairs
            if feature.kind == "discrete" and feature.n_values == n_rows > 2 and name not in as_text
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
