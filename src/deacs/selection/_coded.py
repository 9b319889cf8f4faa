"""Base class of selectors that work on coded tables: coding, weights, groups of columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from numbers import Integral, Real
from pathlib import Path as FilePath
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from deacs.coding import MISSING, CodedData, CodedTable, encode, named_features
from deacs.coding.notes import warn_of
from deacs.coding.on_disk import open_codes
from deacs.exceptions import InputError, Parameter
from deacs.greedy.counts import Counts, open_counts
from deacs.greedy.groups import Grouping, grouped
from deacs.greedy.loop import Path
from deacs.greedy.select import Progress
from deacs.greedy.stopping import STOPS, Significant, included_features, read_stop
from deacs.information import ScoreKind
from deacs.rows.encode import encode as encode_elsewhere
from deacs.rows.encode import is_elsewhere
from deacs.selection._base import BaseSelector
from deacs.selection._exchange import Selected
from deacs.selection.outcome import Outcome
from deacs.tables import TARGETS, in_memory

__all__ = ["OF_THE_TEST", "CodedSelector"]


OF_THE_TEST: dict[str, Any] = {
    "n_features_to_select": [Integral, Real, StrOptions({"auto"}), None],
    "stop": [StrOptions(set(STOPS)), Significant, None],
}
"""Constraints of selectors that accept "auto" and a significance test."""


@dataclass(frozen=True, eq=False)
class Origin:
    """The table that a selector was fitted on, coded and as given.

    `X` is None if the table was given coded, or is elsewhere.
    """

    table: CodedTable
    X: Any = None
    sample_weight: Any = None


class CodedSelector(BaseSelector):
    """A greedy selector on `CodedData`. Subclasses turn coded data into a `Path`."""

    _by_rank: tuple[str, ...] = ("ranking_", "scores_", "p_values_", "p_is_bound_")
    _needs_order = False
    _progress: Progress | None = None
    _origin: Origin | None
    """None in a pickled selector."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_features_to_select": [Integral, Real, None],
        "include": ["array-like", str, Integral, None],
        "discrete_features": ["array-like", str, bool, np.bool_],
        "discretizer": [str, HasMethods(["fit"]), None],
        "missing": [StrOptions(set(MISSING))],
        "groups": [dict, list, tuple, None],
        "target": [StrOptions(set(TARGETS))],
        "n_jobs": [Integral, None],
    }

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Select features.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features), or CodedData
            Numbers, strings, categories, booleans; missing values allowed.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), or list of sets
            The classes; or multiple labels per row, as a matrix of 0 and 1 or as sets. None if X is
            CodedData, which holds them.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of rows; whole numbers count as repeated rows (see `deacs.encode`).
        """
        self._validate_params()
        with ExitStack() as made:
            data = self._read(X, y, sample_weight, made)
            self._selection = Selected(data, self._path(data))
            self._record(self._selection.path)
            known = set(self._origin.table.notes) if self._origin is not None else set()
            warn_of(note for note in self.notes_ if note not in known)
        return self

    def set_progress(self, progress: Progress | None) -> Self:
        """Have `fit` report each selected feature.

        This is not a parameter: clones and pickles drop it.

        Parameters
        ----------
        progress : callable or None
            Called with `(step, name)` after each selected feature; None turns reports off.
        """
        if progress is not None and not callable(progress):
            raise InputError(
                f"progress must be callable or None, got {progress!r}", parameter="progress"
            )
        self._progress = progress
        return self

    @abstractmethod
    def _path(self, data: CodedTable, begun: Path | None = None) -> Path:
        """Select features of coded data, or continue from the first steps of a path."""

    def _resumed(self, data: CodedTable, path: Path) -> Path:
        return self._path(data, path)

    def _units(self) -> list[int]:
        ranking: list[int] = self.ranking_.tolist()
        return ranking if self._grouping is None else self._grouping.units_of(ranking)

    def _unit(self, feature: str | int, parameter: str) -> int:
        if self._grouping is not None and isinstance(feature, str):
            names = self._selection.data.feature_names if self._selection is not None else ()
            if feature in names:
                return names.index(feature)
        column = named_features([feature], self._feature_names, parameter)
        return column[0] if self._grouping is None else self._grouping.units_of(column)[0]

    def _hold(self, units: list[int]) -> None:
        columns = self._columns_of(units).tolist()
        is_named = hasattr(self, "feature_names_in_")
        self.include = [self._feature_names[j] for j in columns] if is_named else columns
        self.n_features_to_select: Any = len(units)

    def coded_table(self, X: Any, y: Any, sample_weight: Any = None) -> CodedData | None:
        """Return the coded table of the fit if it was fitted on this table.

        Parameters
        ----------
        X, y, sample_weight
            As given to `fit`: the same objects, or equal classes.

        Returns
        -------
        CodedData or None
            None for another table, or if the coded one is no longer in memory.
        """
        check_is_fitted(self)
        origin = self._origin
        if origin is None or X is not origin.X or sample_weight is not origin.sample_weight:
            return None
        if not isinstance(origin.table, CodedData):
            return None
        target = origin.table.targets.values_of(np.arange(origin.table.n_rows))
        return origin.table if np.array_equal(target, np.asarray(y)) else None

    def __getstate__(self) -> Any:
        # Rows are dropped, so that a pickled selector is small and discloses no data.
        state = {**super().__getstate__(), "_selection": None, "_origin": None}
        state.pop("_progress", None)  # often cannot be pickled
        return state

    def _counts(self, data: CodedTable, label_score: ScoreKind = "one-vs-rest") -> Counts:
        """Begin a selection where the columns are."""
        return open_counts(data, label_score, self.n_jobs)

    @property
    def _test(self) -> Significant | None:
        """The test that ends the selection, if the selector has one."""
        return read_stop(getattr(self, "stop", None), self.n_features_to_select)

    def _read(self, X: Any, y: Any, sample_weight: Any, made: ExitStack) -> CodedTable:
        """Begin `fit`: code the table unless it is coded, and store names and classes.

        The end of `made` closes the tables that are made here.
        """
        data: CodedTable
        how = {
            "discrete_features": self.discrete_features,
            "discretizer": self.discretizer,
            "missing": self.missing,
            "target": self.target,
            "sample_weight": sample_weight,
            "n_jobs": self.n_jobs,
        }
        if self._test is not None:
            how["recodable"] = True
        if self._needs_order:
            how["order"] = True
        if isinstance(X, CodedTable):
            self._name_as(X, y=y, sample_weight=sample_weight)
            data = X
            self._origin = Origin(data)
        elif isinstance(X, str | FilePath):
            self._name_as(data := open_codes(X), y=y, sample_weight=sample_weight)
            self._origin = Origin(data)
        elif is_elsewhere(X) and not hasattr(y, "__array__"):
            data = encode_elsewhere(X, y, **how)
            made.callback(data.close)
            self._name_as(data)
            self._origin = Origin(data)
        else:
            X = in_memory(X)
            self._require_target(X, y)
            data = encode(X, y, **how)
            if isinstance(X, np.ndarray):
                self._name_as(data)
            else:
                validate_data(self, X, y, skip_check_array=True)
            self._origin = Origin(data, X, sample_weight)
        self._remember(X, data.feature_names, data.about)
        self._grouping: Grouping | None = None
        if self.groups is not None:
            if self._test is not None and any(f.by_classes for f in data.features):
                raise InputError(
                    Parameter("groups"),
                    " with a test that ends the selection needs columns that were cut without the "
                    "classes: the test would have to place the cuts of all members again; use ",
                    Parameter("discretizer", "equal-frequency"),
                    ", or leave the groups out",
                )
            self._grouping, data = grouped(data, self.groups)
            made.callback(data.close)
        return data

    def _included(self) -> list[int]:
        """Return the units selected first: columns, or groups of columns."""
        included = included_features(self.include, self._feature_names, None)
        return included if self._grouping is None else self._grouping.units_of(included)

    def _record(self, path: Path) -> NDArray[np.intp]:
        """Store the path; return, for each selected column, the step that selected it."""
        self._forget("p_values_", "p_is_bound_", "next_p_value_", "groups_")
        self.ranking_ = self._columns_of(path.ranking)
        if self._grouping is not None:
            self.groups_ = [self._columns_of([unit]) for unit in path.ranking]
        steps = self._steps()
        self.scores_ = path.scores[steps]
        self.stop_reason_ = path.stop_reason
        self.notes_ = path.notes
        if self._test is not None:
            self.p_values_ = path.p_values[steps]
            self.p_is_bound_ = path.p_is_bound[steps]
            self.next_p_value_ = path.next_p_value
        return steps

    def _steps(self) -> NDArray[np.intp]:
        """Return, for each selected column, the step that selected it."""
        if self._grouping is None:
            return np.arange(len(self.ranking_))
        return np.repeat(np.arange(len(self.groups_)), [len(group) for group in self.groups_])

    def _columns_of(self, units: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        if self._grouping is None:
            return np.asarray(units, dtype=np.int64)
        return self._grouping.columns_of(units)

    def truncate(self, n_features: int) -> Self:
        """Return the same fit with its first `n_features` features; nothing is recomputed.

        Parameters
        ----------
        n_features : int
            How many columns to keep, from 1 to the number selected; groups are kept whole.
        """
        shorter = super().truncate(n_features)
        shorter._selection, shorter._origin = self._selection, self._origin
        if self._grouping is not None:
            ends = np.cumsum([len(group) for group in self.groups_])
            if n_features not in ends:
                raise InputError(
                    f"n_features must not cut a group: it must be one of {ends.tolist()}, "
                    f"got {n_features}"
                )
            shorter.groups_ = self.groups_[: int(np.searchsorted(ends, n_features)) + 1]
            shorter.n_features_to_select = len(shorter.groups_)
        if hasattr(self, "p_values_") and n_features < len(self.ranking_):
            shorter.next_p_value_ = float(self.p_values_[n_features])
        return shorter

    def outcome(self) -> Outcome:
        """Return the numbers of the fit that notebook, terminal and report show."""
        outcome = super().outcome()
        if self._grouping is not None:
            units = self._units()
            outcome = replace(
                outcome,
                is_grouped=True,
                n_features=len(self._grouping.members),
                ranking=np.array(units, dtype=np.int64),
                columns=tuple(self._grouping.members[unit] for unit in units),
                selected_names=tuple(self._grouping.names[unit] for unit in units),
                scores=self.scores_[self._first_columns()],
            )
        if not hasattr(self, "p_values_"):
            return outcome
        first = self._first_columns()
        return replace(
            outcome,
            p_values=self.p_values_[first],
            p_is_bound=self.p_is_bound_[first],
            next_p_value=self.next_p_value_,
        )

    def _first_columns(self) -> NDArray[np.intp]:
        """Return the place of each selected unit's first column in `ranking_`."""
        if self._grouping is None:
            return np.arange(len(self.ranking_))
        return np.cumsum([0, *map(len, self.groups_)], dtype=np.intp)[:-1]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _columns(self) -> dict[str, Any]:
        table = super()._columns()
        if hasattr(self, "p_values_"):
            table["p_value"] = self.p_values_
            table["p_is_bound"] = self.p_is_bound_
        return table
