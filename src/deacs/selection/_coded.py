"""Base class of selectors that work on coded tables: coding, weights, groups of columns."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import ExitStack
from copy import copy
from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path as FilePath
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from deacs.coding import MISSING, CodedTable, encode, named_features
from deacs.coding.notes import warn_of
from deacs.coding.on_disk import open_codes
from deacs.counts import ScoreKind
from deacs.counts.counts import Counts, open_counts
from deacs.exceptions import InputError, Parameter
from deacs.rows.encode import encode as encode_elsewhere
from deacs.rows.encode import is_elsewhere
from deacs.selection._base import BaseSelector
from deacs.selection.criteria import Criterion
from deacs.selection.groups import grouped
from deacs.selection.loop import Path
from deacs.selection.options import is_whole
from deacs.selection.result import Result
from deacs.selection.select import Progress
from deacs.selection.source import Source
from deacs.selection.stopping import STOPS, Significant, included_features, read_stop
from deacs.selection.substitutes import Substitutes
from deacs.tables import TARGETS, in_memory

__all__ = ["OF_THE_TEST", "CodedSelector"]


OF_THE_TEST: dict[str, Any] = {
    "n_features_to_select": [Integral, Real, StrOptions({"auto"}), None],
    "stop": [StrOptions(set(STOPS)), Significant, None],
}
"""Constraints of selectors that accept "auto" and a significance test."""


class CodedSelector(BaseSelector):
    """A greedy selector on `CodedData`. Subclasses turn coded data into a `Path`."""

    _needs_order = False
    _progress: Progress | None = None
    include: Any
    n_features_to_select: Any

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
            source = self._read(X, y, sample_weight, made)
            path = self._path(source)
            self.result_ = self._result(source, path)
        known = set(source.table.notes)  # of which coding has warned
        warn_of(note for note in path.notes if note not in known)
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
    def _path(self, source: Source, begun: Path | None = None) -> Path:
        """Select features of a table, or continue from the first steps of a path."""

    def _result(self, source: Source, path: Path) -> Result:
        return replace(super()._result(source, path), is_tested=self._test is not None)

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        state.pop("_progress", None)  # often cannot be pickled
        return state

    def _counts(self, data: CodedTable, label_score: ScoreKind = "one-vs-rest") -> Counts:
        """Begin a selection where the columns are."""
        return open_counts(data, label_score, self.n_jobs)

    @property
    def _test(self) -> Significant | None:
        """The test that ends the selection, if the selector has one."""
        return read_stop(getattr(self, "stop", None), self.n_features_to_select)

    def _read(self, X: Any, y: Any, sample_weight: Any, made: ExitStack) -> Source:
        """Code the table unless it is coded, and store names and classes.

        The end of `made` closes the tables that are made here.
        """
        data: CodedTable
        how: dict[str, Any] = {
            "discrete_features": self.discrete_features,
            "discretizer": self.discretizer,
            "missing": self.missing,
            "target": self.target,
            "n_jobs": self.n_jobs,
        }
        rows: dict[str, Any] = {}
        needs: dict[str, Any] = {"recodable": True} if self._test is not None else {}
        if self._needs_order:
            needs["order"] = True
        if isinstance(X, CodedTable):
            self._name_as(X, y=y, sample_weight=sample_weight)
            data = X
        elif isinstance(X, str | FilePath):
            self._name_as(data := open_codes(X), y=y, sample_weight=sample_weight)
        elif is_elsewhere(X) and not hasattr(y, "__array__"):
            data = encode_elsewhere(X, y, sample_weight=sample_weight, **how, **needs)
            made.callback(data.close)
            self._name_as(data)
        else:
            X = in_memory(X)
            self._require_target(X, y)
            data = encode(X, y, sample_weight=sample_weight, **how, **needs)
            if isinstance(X, np.ndarray):
                self._name_as(data)
            else:
                validate_data(self, X, y, skip_check_array=True)
            weights = None if sample_weight is None else np.array(sample_weight)
            rows = {"X": X, "sample_weight": weights, "coding": how}
        source = self._source(X, data.feature_names, data.about, coded=data, **rows)
        if self.groups is None:
            return source
        if self._test is not None and any(f.by_classes for f in data.features):
            raise InputError(
                Parameter("groups"),
                " with a test that ends the selection needs columns that were cut without the "
                "classes: the test would have to place the cuts of all members again; use ",
                Parameter("discretizer", "equal-frequency"),
                ", or leave the groups out",
            )
        grouping, units = grouped(data, self.groups)
        made.callback(units.close)
        return replace(source, grouping=grouping, units=units)

    def _included(self, source: Source) -> list[int]:
        """Return the units selected first: columns, or groups of columns."""
        return source.units_of(included_features(self.include, source.names, None))

    @property
    def groups_(self) -> list[NDArray[np.int64]]:
        """With `groups`: the columns of each selected group."""
        if not self.result_.is_grouped:
            raise AttributeError("groups_ needs groups")
        return [np.array(columns, dtype=np.int64) for columns in self.result_.columns]

    @property
    def p_values_(self) -> NDArray[np.float64]:
        """With a test: the p-value of each at selection, shape (n_selected,)."""
        found: NDArray[np.float64] = self._of_the_test("p_values")
        return found[self.result_.step_of]

    @property
    def p_is_bound_(self) -> NDArray[np.bool_]:
        """With a test: whether each p-value is only an upper bound, shape (n_selected,)."""
        found: NDArray[np.bool_] = self._of_the_test("p_is_bound")
        return found[self.result_.step_of]

    @property
    def next_p_value_(self) -> float:
        """With a test: the least p-value at the step that found none significant, else NaN."""
        found: float = self._of_the_test("next_p_value")
        return found

    def _of_the_test(self, name: str) -> Any:
        if not self.result_.is_tested:
            raise AttributeError(f"{name}_ needs a test that ends the selection, see `stop`")
        return getattr(self.result_, name)

    def substitutes(self, n: int = 3) -> Substitutes:
        """Return which rejected features could stand in for each selected one, and at what loss.

        Parameters
        ----------
        n : int, default=3
            How many for each selected feature, at most.

        Returns
        -------
        Substitutes
            By the name of the selected feature: its scores given the rest of S, and the rejected
            features that lose least of them, with what is kept and lost for each class.

        Notes
        -----
        Scores are the selector's own, of every rejected feature. See docs/substitutes.md.
        """
        if not is_whole(n) or n < 1:
            raise InputError(f"n must be a whole number from 1 on, got {n!r}", parameter="n")
        self._require_rows("substitutes")
        found = self.result_.find_substitutes(int(n))
        if found is None:
            raise self._no_exchange("substitutes")
        return found

    def swap(self, feature: str | int, substitute: str | int) -> Self:
        """Return this selection with one feature in the place of another, fitted.

        Steps before it stay as they are; it and those after it are scored again, in the same order.

        Parameters
        ----------
        feature : str or int
            A selected feature, by name or index.
        substitute : str or int
            One that was not selected.

        Returns
        -------
        fitted selector
            `include` and `n_features_to_select` say what it holds, so that fitting it again gives
            the same.
        """
        units = self._exchangeable_units("swap")
        place = self._place(feature)
        other = self._unit(substitute, "substitute")
        if other in units:
            raise InputError(
                f"substitute must be a feature that was not selected, got {substitute!r}, which is "
                f"number {units.index(other) + 1} of the selection",
                parameter="substitute",
            )
        return self._exchanged(place, [*units[:place], other, *units[place + 1 :]])

    def drop(self, feature: str | int) -> Self:
        """Return this selection without one of its features, fitted.

        Steps before it stay as they are, those after it are scored again, in the same order.

        Parameters
        ----------
        feature : str or int
            A selected feature, by name or index.
        """
        units = self._exchangeable_units("drop")
        if len(units) == 1:
            raise InputError(
                "feature must not be the only one that is selected", parameter="feature"
            )
        place = self._place(feature)
        return self._exchanged(place, [*units[:place], *units[place + 1 :]])

    def _exchangeable(self, source: Source) -> Criterion | None:
        """Return the selector's criterion with S empty, if it scores given the rest of S."""
        return None

    def _exchangeable_units(self, what: str) -> list[int]:
        self._require_rows(what)
        result = self.result_
        if result.path.criterion is None and self._exchangeable(result.source) is None:
            raise self._no_exchange(what)
        units: list[int] = result.ranking.tolist()
        return units

    def _require_rows(self, what: str) -> None:
        check_is_fitted(self)
        source = self.result_.source
        if source.coded is None:
            raise InputError(
                f"{what} needs the fitted rows in memory, which pickled selectors do not hold; "
                "call it before pickling, or fit again"
            )
        if not source.data.is_open:
            raise InputError(
                f"{what} needs the coded table, which is gone from where the rows are; code it "
                "yourself by deacs.encode(frame, target, stay=True), and fit and ask before close()"
            )

    def _no_exchange(self, what: str) -> InputError:
        return InputError(
            f"{what} is for selectors that score candidates given the selected features, such "
            f"as DEACS, CMI and JMI; {type(self).__name__} does not"
        )

    def _unit(self, feature: str | int, parameter: str) -> int:
        """Return the unit that a name or index means: a column, or the group of one."""
        source = self.result_.source
        if source.grouping is not None and feature in source.unit_names:
            return source.unit_names.index(str(feature))
        return source.units_of(named_features([feature], source.names, parameter))[0]

    def _place(self, feature: str | int) -> int:
        """Return the place of a selected feature in the ranking."""
        units: list[int] = self.result_.ranking.tolist()
        unit = self._unit(feature, "feature")
        if unit not in units:
            chosen = ", ".join(map(repr, self.result_.selected_names[:8]))
            raise InputError(
                f"feature must be a selected feature ({chosen}{', ...' if units[8:] else ''}), "
                f"got {feature!r}",
                parameter="feature",
            )
        return units.index(unit)

    def _exchanged(self, place: int, units: list[int]) -> Self:
        """Return a copy that holds these units, the first of them as they were selected."""
        other, source = copy(self), self.result_.source
        columns = [j for unit in units for j in source.columns_of(unit)]
        is_named = hasattr(self, "feature_names_in_")
        other.include = [source.names[j] for j in columns] if is_named else columns
        other.n_features_to_select = len(units)
        path = other._path(source, self.result_.path.first(place))
        if len(path.steps) < len(units):
            raise InputError(
                "the changed selection would pass the budget; leave a feature out by drop first"
            )
        other.result_ = other._result(source, path)
        return other

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _columns(self) -> dict[str, Any]:
        table = super()._columns()
        if self.result_.is_tested:
            table["p_value"] = self.p_values_
            table["p_is_bound"] = self.p_is_bound_
        return table
