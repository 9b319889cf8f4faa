"""The result of a fit: what attributes of estimators, notebook, terminal, JSON and page read.

It is made once, at the end of `fit`, and never changes; what takes long is computed when it is
first asked for. Pickles keep the numbers and leave the rows behind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, CodedTable
from deacs.counts.counts import open_counts
from deacs.exceptions import InputError, Note
from deacs.selection.direction import Direction, directions
from deacs.selection.loop import CandidateTable, Path
from deacs.selection.notes import notes_left
from deacs.selection.rules import Rules
from deacs.selection.source import Source
from deacs.selection.substitutes import Substitutes, find_substitutes
from deacs.tables import Target

if TYPE_CHECKING:
    from deacs.counts import ScoreKind
    from deacs.selection.held_out import HeldOut

__all__ = ["MOST_CLASSES", "MOST_SHOWN", "Result", "bits_text", "p_text", "tenths"]

Floats = NDArray[np.float64]

MOST_SHOWN = 60
"""The number of selected features shown one by one; the report says how many it omits."""

MOST_CLASSES = 40
"""The most classes shown one by one; of more, the least explained."""


STOP_REASONS = {
    "n_features_to_select": "the requested number of features is reached",
    "budget": "the next feature would exceed the budget",
    "exhausted": "no remaining feature adds information about any {noun}",
    "chance": "no remaining feature beats chance",
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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result:
    """A selection: its features, their scores, why it ended, and what follows from these.

    Columns that were selected as a group are one feature.

    Attributes
    ----------
    method : str
        The name of the selector.
    parameters : mapping of str to object
        Its parameters.
    source : Source
        The table of the fit.
    path : Path
        The steps of the selection.
    selector : estimator
        The selector before the fit, to select again.
    score_name : str
        The name of the scores.
    has_label_scores : bool
        Whether the selector selected by label scores, which the path then holds.
    label_score : {"one-vs-rest", "divergence"}
        Their kind.
    is_radial : bool
        Whether super-efficiency alone decided, so that it also names the runner-up.
    is_tested : bool
        Whether a test ended the selection, so that features have p-values.
    """

    method: str
    parameters: Mapping[str, Any]
    source: Source
    path: Path
    selector: Any
    score_name: str = "score"
    has_label_scores: bool = False
    label_score: ScoreKind = "one-vs-rest"
    is_radial: bool = False
    is_tested: bool = False

    def __repr__(self) -> str:
        kind, n = type(self).__name__, self.n_selected
        return f"<{kind} of {self.method}: {n} of {self.n_features} features>"

    def __getstate__(self) -> dict[str, Any]:
        state = {one.name: getattr(self, one.name) for one in fields(self)}
        if self.is_held_out:
            state["_estimates"] = self._estimates
        for name in {"directions", "rules"} & vars(self).keys():
            state[name] = getattr(self, name)
        return state | {"path": replace(self.path, criterion=None)}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # nothing in it changes

    def first(self, n: int) -> Result:
        """Return the result with its first n features; nothing is computed again."""
        path = self.path.first(n)
        if path is not self.path:
            path.notes = notes_left(self.notes, self.selected_names[n:])
        parameters = {**self.parameters}
        if "n_features_to_select" in parameters:
            parameters["n_features_to_select"] = n
        shorter = replace(self, path=path, parameters=parameters)
        if self.is_held_out:
            vars(shorter)["_estimates"] = self.require_held_out().at(np.arange(n))
        if "directions" in vars(self):
            vars(shorter)["directions"] = self.directions[:n]
        return shorter

    @property
    def n_features(self) -> int:
        """The number of features to select from."""
        return self.source.n_units

    @cached_property
    def ranking(self) -> NDArray[np.int64]:
        """The selected features, in order, shape (n_selected,)."""
        return self.path.ranking

    @property
    def n_selected(self) -> int:
        """The number of selected features."""
        return len(self.path.steps)

    @property
    def is_all(self) -> bool:
        """Whether every feature was ranked."""
        return self.n_selected == self.n_features

    @property
    def is_grouped(self) -> bool:
        """Whether columns were selected in groups."""
        return self.source.grouping is not None

    @cached_property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """The columns of each selected feature: one, or those of a group."""
        return tuple(map(self.source.columns_of, self.ranking.tolist()))

    @cached_property
    def selected_names(self) -> tuple[str, ...]:
        """The names of the selected features."""
        names = self.source.unit_names
        return tuple(names[unit] for unit in self.ranking.tolist())

    @cached_property
    def column_ranking(self) -> NDArray[np.int64]:
        """The selected columns, in order; those of a group one after the other."""
        return np.array([j for columns in self.columns for j in columns], dtype=np.int64)

    @cached_property
    def step_of(self) -> NDArray[np.intp]:
        """The step that selected each selected column, shape (n_selected_columns,)."""
        return np.repeat(np.arange(self.n_selected), [len(columns) for columns in self.columns])

    @cached_property
    def scores(self) -> Floats:
        """The selector's score of each at selection, shape (n_selected,)."""
        return self.path.scores

    @property
    def p_values(self) -> Floats | None:
        """The p-value of each at selection, if tested; NaN for features in `include`."""
        return self.path.p_values if self.is_tested else None

    @property
    def p_is_bound(self) -> NDArray[np.bool_] | None:
        """Whether each p-value is only an upper bound."""
        return self.path.p_is_bound if self.is_tested else None

    @property
    def next_p_value(self) -> float:
        """The least p-value when no candidate was significant; NaN if it ended otherwise."""
        return self.path.next_p_value

    @property
    def stop_reason(self) -> str:
        """Why the selection ended: a key, which `ending` puts in words."""
        return self.path.stop_reason

    @property
    def ending(self) -> str:
        """Why the selection ended, in words."""
        if self.is_all and self.stop_reason == "exhausted":
            return "all features are ranked"
        if self.stop_reason == "exhausted" and self.method in EXHAUSTED:
            return EXHAUSTED[self.method]
        reason = STOP_REASONS.get(self.stop_reason, self.stop_reason)
        return reason.format(noun=self.noun, nouns=self.nouns)

    @property
    def notes(self) -> list[Note]:
        """Caveats that a careful reader should know."""
        return self.path.notes

    @property
    def views(self) -> Floats | None:
        """Estimates from counts and from ranks, of which label scores are the mean, if two."""
        return np.array(self.path.views) if self.path.views else None

    @property
    def candidates(self) -> Sequence[CandidateTable]:
        """The candidates of each step, if the fit stored them."""
        return self.path.candidate_tables

    # What the scores are about: classes, labels or thresholds.

    @property
    def target(self) -> Target:
        """The outputs: classes, labels or thresholds."""
        target = self.source.target
        if target.kind == "numbers" and not len(target.names) and self.source.has_rows:
            # Selectors that measure distances to a number have no thresholds until it is coded.
            return self.data.about
        return target

    @property
    def noun(self) -> str:
        """The noun for one output: class, label or threshold."""
        return self.source.target.noun

    @property
    def nouns(self) -> str:
        """The noun for outputs: classes, labels or thresholds."""
        return self.source.target.nouns

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, or of the labels of a multilabel target."""
        return tuple(map(str, self.target.names))

    @property
    def whole(self) -> str:
        """The target in words."""
        return "the target" if self.noun == "threshold" else f"the {self.nouns}"

    @property
    def data(self) -> CodedTable:
        """The table selected from."""
        return self.source.data

    @property
    def class_rows(self) -> NDArray[np.intp]:
        """The number of rows of each class."""
        return self.data.class_rows

    @property
    def label_scores(self) -> Floats:
        """Information of each feature about each class given those before it, in bits.

        Shape (n_selected, n_classes), or (n_shown, n_classes) if the fit had no label scores.
        """
        return self._scored[0]

    @property
    def residual(self) -> Floats:
        """H(C_i | S) in bits before the first step and after each, (n_selected + 1, n_classes)."""
        return self._scored[1]

    @cached_property
    def _scored(self) -> tuple[Floats, Floats]:
        """Label scores and residuals of the fit, or counted given S if it had none."""
        if self.has_label_scores:
            return self.path.label_scores, self.path.residual
        counts = open_counts(self.data, self.label_score)
        bits, residual = [], [counts.residual()]
        for step, feature in enumerate(self.ranking.tolist()):
            if step < self.n_shown:
                bits.append(counts.label_scores(np.array([feature]))[0])
            counts.condition_on(feature)
            residual.append(counts.residual())
        return np.array(bits).reshape(-1, self.data.n_outputs), np.array(residual)

    def alone(self, features: NDArray[np.int64]) -> Floats:
        """Return I(F; C_i) of features alone, in bits, shape (n, n_classes)."""
        return open_counts(self.data).label_scores(features)

    def is_shared(self, bits: Floats) -> bool:
        """Whether both of two classes have the same scores: C_1 and C_2 are one variable."""
        is_pair = bits.shape[-1] == 2 and self.target.membership is None
        return is_pair and np.allclose(bits[..., 0], bits[..., 1], rtol=1e-9)

    @cached_property
    def is_one_variable(self) -> bool:
        """Whether this is so for all selected features."""
        return self.is_shared(self.label_scores)

    def most_informed(self, bits: Floats, step: int) -> list[tuple[str, str, str]]:
        """Return the classes that a feature is informative about, best first.

        With the symbol of the values that speak for each, and the bits. Of two classes with the
        same bits, the second is the one that values speak for.
        """
        best_first = np.argsort(-bits, kind="stable").tolist()
        if self.is_shared(bits):
            best_first = [1, 0]
        return [
            (self.classes[i], self.direction(step, i).symbol, bits_text(bits[i]))
            for i in best_first
            if bits[i] > 0
        ]

    @cached_property
    def directions(self) -> tuple[tuple[Direction, ...], ...]:
        """Which values of each selected feature speak for each output.

        Empty for groups of columns, for features after the first 60, and without the rows.
        """
        if not self.source.has_rows or not isinstance(self.source.table, CodedData):
            return ()
        before: list[int] = []
        found: list[tuple[Direction, ...]] = []
        for columns in self.columns[:MOST_SHOWN]:
            is_one = len(columns) == 1
            found.append(directions(self.source.table, columns[0], before) if is_one else ())
            before += columns
        return tuple(found)

    def direction(self, step: int, output: int) -> Direction:
        """Return the values of a selected feature that speak for an output, if they are known."""
        found = self.directions[step] if step < len(self.directions) else ()
        return found[self.spoken_for(output)] if found else Direction("none")

    def spoken_for(self, output: int) -> int:
        """Return the output whose values are shown: of two classes in one line, the second."""
        return 1 if self.is_one_variable else output

    # What is expected in new rows.

    @cached_property
    def _estimates(self) -> HeldOut | AttributeError:
        from deacs.selection.held_out import Refits

        try:
            return Refits(self.selector, self.source).held_out(self.ranking.tolist())
        except AttributeError as error:
            return error.with_traceback(None)

    @property
    def is_held_out(self) -> bool:
        """Whether estimates on held-out rows are known already."""
        return "_estimates" in vars(self) and self.held_out is not None

    @property
    def held_out(self) -> HeldOut | None:
        """Estimates on held-out rows, at the cost of about four fits.

        None if only those on the fitted rows can be known; `require_held_out` says why.
        """
        if not self.has_label_scores or isinstance(self._estimates, AttributeError):
            return None
        return self._estimates

    def require_held_out(self) -> HeldOut:
        """Return estimates on held-out rows; an `AttributeError` says why there are none."""
        if isinstance(self._estimates, AttributeError):
            raise self._estimates
        return self._estimates

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

    @property
    def amount(self) -> str:
        """What features explain a share of, in words."""
        if self.held_out is not None and self.held_out.is_number:
            return "the variance of the target"
        return f"the uncertainty about {self.whole}"

    def again(self, step: int) -> str:
        """Return how many of the refits selected a feature again, as text."""
        held_out = self.held_out
        return "" if held_out is None else f"{held_out.chosen[step]}/{held_out.n_refits}"

    def p_text(self, step: int) -> str:
        """Return the p-value of a step as text; `-` if it was not tested."""
        one = self.path.steps[step]
        return p_text(one.p_value, one.p_is_bound) if self.is_tested else "-"

    # What is shown of it.

    @property
    def n_shown(self) -> int:
        """The number of selected features that the report shows one by one."""
        return min(self.n_selected, MOST_SHOWN)

    @cached_property
    def n_useful(self) -> int:
        """The number of first features after which nothing more is gained."""
        if self.has_label_scores:
            return self.n_selected
        left = self.residual.sum(axis=1)
        return int(np.argmax(left <= left[-1] + 1e-9))

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

    def identifiers(self, notes: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return discrete columns with as many values as rows.

        Numbers and dates that `notes`, or those of the fit, say were read as text are left out.
        """
        table = self.source.table
        as_text = {
            name
            for note in (self.notes if notes is None else notes)
            if isinstance(note, Note) and note.kind == "read as text"
            for name in note.columns
        }
        return tuple(
            name
            for name, feature in zip(table.feature_names, table.features, strict=True)
            if feature.kind == "discrete"
            and feature.n_values == table.n_rows > 2
            and name not in as_text
        )

    @cached_property
    def rules(self) -> Rules:
        """What the selected columns looked like, for files and to check new rows."""
        table = self.source.table
        if not isinstance(table, CodedData):
            raise InputError("rules need the fitted rows in memory; fit on a sample of them")
        return Rules.of(table, self.column_ranking.tolist(), self.source.X)

    # What could stand in for it.

    @cached_property
    def substitutes(self) -> Substitutes | None:
        """Substitutes for each selected feature; None if they cannot be found.

        That is: nothing was rejected, the method does not score given S, too many features were
        selected, or the rows are not in memory.
        """
        if not 0 < self.n_selected <= MOST_SHOWN or self.is_all:
            return None
        return self.find_substitutes()

    def find_substitutes(self, n: int = 3) -> Substitutes | None:
        """Return the n best substitutes of every selected feature; None if there is no criterion.

        That is: the method does not score given S, or the coded rows are not at hand.
        """
        kept = self.path.criterion
        criterion = kept
        if kept is None and self.source.coded is not None and self.data.is_open:
            exchangeable = getattr(self.selector, "_exchangeable", None)
            criterion = None if exchangeable is None else exchangeable(self.source)
        if criterion is None:
            return None
        ranking = self.ranking.tolist()
        return find_substitutes(criterion, ranking, self.data, n, is_given=kept is not None)

    @property
    def code(self) -> str:
        """Code that repeats the fit, with the parameters that differ from the defaults."""
        import deacs
        from deacs.selection import OPTIONS

        defaults = signature(getattr(deacs, self.method, type(self.selector))).parameters
        changed = [
            f"{key}={value!r}"
            for key, value in self.parameters.items()
            if key not in defaults or repr(value) != repr(defaults[key].default)
        ]
        kinds = {type(value).__name__ for value in self.parameters.values()}
        options = sorted(kinds & set(OPTIONS))
        return (
            f"from deacs import {', '.join([self.method, *options])}\n\n"
            f"selector = {self.method}({', '.join(changed)}).fit(X, y)\n"
            "selector.to_frame()  # one row for each selected feature\n"
            "X_selected = selector.transform(X)"
        )


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
