"""Base class of selectors whose selection can be repeated on folds for held-out estimates."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from deacs.coding import CodedData
from deacs.exceptions import InputError
from deacs.greedy.blocks import read_conditioning
from deacs.greedy.costs import read_costs
from deacs.greedy.judges import read_judge
from deacs.greedy.label_scores import read_label_score
from deacs.greedy.loop import CandidateTable
from deacs.greedy.setting import Setting
from deacs.greedy.stopping import read_stop
from deacs.selection._coded import CodedSelector
from deacs.selection._refits import Refits, TableChanged
from deacs.selection.held_out import HeldOut
from deacs.selection.outcome import Fitted, Outcome, facts_of

__all__ = ["Repeatable"]

SHORT_FORMS: dict[str, Callable[[Any], Any]] = {
    "label_score": read_label_score,
    "conditioning": read_conditioning,
    "judge": read_judge,
    "stop": read_stop,
    "costs": read_costs,
}
"""Parameters whose options may be given in short, by a name or as prices, and how to read them."""


OF_THE_TABLE = ("_refits", "_selection", "_origin", "_progress")
"""Attributes that copies share."""


class Repeatable(CodedSelector):
    """A selector defined by a `Setting` that keeps its rows in memory until it is pickled."""

    _refits: Refits | None
    _held_out: HeldOut | None

    def set_params(self, **params: Any) -> Self:
        """Set parameters; `judge__weight_ratio=2` sets an option, also if a word stands for it."""
        for name, read in SHORT_FORMS.items():
            given = params.get(name, getattr(self, name))
            inner = [key for key in params if key.startswith(f"{name}__")]
            if inner and given is None and name == "stop":
                given = read_stop(
                    None, params.get("n_features_to_select", self.n_features_to_select)
                )
            if inner and given is None:
                raise InputError(
                    f"{inner[0]} needs {name}, got None; set {name} first", parameter=inner[0]
                )
            if inner:
                params[name] = read(given)
        super().set_params(**params)
        return self

    def _repeatable(self, setting: Setting) -> Refits | None:
        """Return what repeating the selection takes, if the rows are in memory."""
        origin = self._origin
        if origin is None or not isinstance(origin.table, CodedData):
            return None
        coding = {"discretizer": self.discretizer, "missing": self.missing}
        return Refits(
            origin.table,
            setting,
            origin.X,
            None if origin.sample_weight is None else np.array(origin.sample_weight),
            coding,
            self.groups,
            self.n_jobs,
        )

    @property
    def held_out_(self) -> HeldOut:
        """Estimates on rows held out from the selection.

        Computed on first access, by repeating the selection on folds, which takes about as long as
        four fits; small tables are divided into folds several times. It needs the fitted rows,
        which pickled selectors do not hold, as they were in `fit`: an `AttributeError` says if X
        was changed since.
        """
        check_is_fitted(self)
        if self._held_out is None:
            if self._refits is None:
                raise AttributeError(
                    "unexplained_ needs the fitted rows in memory; ask for it before pickling, and "
                    "where a store or a cluster holds the rows, fit a sample of them"
                )
            self._held_out = self._refits.held_out(self._units()).at(self._steps())
        return self._held_out

    @property
    def unexplained_(self) -> NDArray[np.float64]:
        """Share of each class's uncertainty left on held-out rows, (n_selected + 1, n_classes)."""
        return self.held_out_.unexplained

    def outcome(self) -> Outcome:
        """Return the numbers of the fit that notebook, terminal and report show."""
        ends = np.append(self._first_columns(), len(self.ranking_))

        def held_out() -> HeldOut | None:
            if self._held_out is None and self._refits is None:
                return None
            try:
                return self.held_out_.at(ends[1:] - 1)
            except TableChanged:  # the rest of the fit can be shown
                return None

        views = getattr(self, "views_", None)
        fitted = Fitted(
            self.label_scores_[ends[:-1]],
            self.residual_[ends],
            held_out,
            tuple(self._by_unit(step) for step in getattr(self, "candidates_", ())),
            None if views is None else views[ends[:-1]],
            self._held_out is not None,
        )
        return replace(super().outcome(), fitted=fitted, **facts_of(self))

    def _by_unit(self, step: CandidateTable) -> CandidateTable:
        """Name the candidates by their units, not by their first columns."""
        if self._grouping is None:
            return step
        units = self._grouping.units_of(step.features.tolist())
        return replace(step, features=np.array(units, dtype=np.int64))

    def __getstate__(self) -> Any:
        return {**super().__getstate__(), "_refits": None}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Copy the fit; the table, which no one changes, is shared, and not left behind."""
        made = memo[id(self)] = type(self).__new__(type(self))
        for name, value in vars(self).items():
            setattr(made, name, value if name in OF_THE_TABLE else deepcopy(value, memo))
        return made
