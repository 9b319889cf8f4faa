"""Base class of the Relief family: rows as points, and ranking by weight.

Numbers are scaled to [0, 1] by their range, nominal values become codes, missing values NaN.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Collection, Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from deacs.coding import CodedData, CodedTable
from deacs.coding.copies import copies_note
from deacs.coding.encode import encode_table
from deacs.coding.kinds import discrete_mask
from deacs.coding.notes import declared_in, warn_of
from deacs.exceptions import InputError, Note, Parameter, TableWarning
from deacs.greedy.loop import Path
from deacs.greedy.notes import table_notes
from deacs.greedy.options import is_number, is_whole
from deacs.greedy.stopping import included_features, n_features_wanted
from deacs.selection._base import BaseSelector, ranked_path
from deacs.selection._points import Instances, as_numbers, by_value, from_codes, to_unit_range
from deacs.selection.result import Source
from deacs.tables import (
    Labels,
    Table,
    Target,
    TargetOption,
    in_memory,
    read_columns,
    read_labels,
)
from deacs.tables.targets import above_least

__all__ = ["InstanceSelector", "Instances", "SampledOptions", "SampledSelector"]

MOST_NOTED = 100
"""How many of the first features are looked at for leaks."""
TIED = 1e-12
"""Weights this close are equal; the lower column comes first."""


class InstanceOptions(TypedDict, total=False):
    """The keyword parameters that the whole Relief family shares."""

    include: Sequence[str | int] | None
    discrete_features: Any
    n_jobs: int | None


class SampledOptions(InstanceOptions, total=False):
    """The same, with those that draw rows."""

    n_samples: float | None
    random_state: Any


class InstanceSelector(BaseSelector):
    """A selector of the Relief family: it weighs features by differences of neighbouring rows.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to select: a number, or a share in (0, 1]; None ranks them all.
    include : list of names or indices, optional
        Features to rank first, in this order.
    discrete_features : "auto", bool, mask, names or indices, default="auto"
        Which columns are discrete; see `deacs.encode`. Discrete values are equal or not, numbers
        differ by their distance as a share of the column's range.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        W(F) of every column.
    ranking_ : ndarray of int of shape (n_selected,)
        Column indices, the largest weight first; weights within 1e-12 are equal, and the lower
        column comes first.
    scores_ : ndarray of shape (n_selected,)
        The weights of the ranked columns.
    notes_ : list of str
        Caveats that a careful reader should know.
    stop_reason_ : {"n_features_to_select", "exhausted"}
        Why the ranking ended; "exhausted" if all features are ranked.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; not with a numeric target.
    n_features_in_, feature_names_in_
        As in all scikit-learn estimators.
    """

    target: ClassVar[TargetOption] = "classes"
    """The kind of target; the same for all selectors of a class."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_features_to_select": [Integral, Real, None],
        "include": ["array-like", str, Integral, None],
        "discrete_features": ["array-like", str, "boolean"],
        "n_jobs": [Integral, None],
    }
    _shares_options = True

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        include: Sequence[str | int] | None = None,
        discrete_features: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.discrete_features = discrete_features
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Weigh and rank the features.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features), or CodedData
            Numbers, strings, categories, booleans; missing values allowed.
        y : array-like of shape (n_samples,)
            The classes; None if X is CodedData, which holds them.
        """
        self._validate_params()
        source, instances = self._read_instances(X, y)
        self.weights_ = self._weigh(instances)
        path = self._ranked(source)
        path.notes = instances.notes(path.ranking)
        self.result_ = self._result(source, path)
        known = X.notes if isinstance(X, CodedData) else ()
        warn_of(note for note in path.notes if note not in known)
        return self

    @abstractmethod
    def _weigh(self, instances: Instances) -> NDArray[np.float64]:
        """Return a weight for each feature."""

    def _read_instances(self, X: Any, y: Any) -> tuple[Source, Instances]:
        """Begin `fit`: turn the table into points, and store names and classes."""
        if isinstance(X, CodedTable) and not isinstance(X, CodedData):
            raise InputError(
                f"{type(self).__name__} measures distances between rows in memory, got "
                f"{type(X).__name__}; use store.to_memory(), or a selector that counts"
            )
        target = None
        if isinstance(X, CodedData):
            if self.target == "numbers":
                raise InputError(
                    f"{type(self).__name__} measures how far targets are apart, and CodedData has "
                    "their intervals only; pass the table itself"
                )
            self._name_as(X, y=y)
            if X.weights is not None:
                raise InputError(
                    f"{type(self).__name__} counts every row once, but this CodedData has "
                    "weights; encode the table without ",
                    Parameter("sample_weight"),
                )
            coded = [from_codes(X, j) for j in range(X.n_features)]
            notes: Any = partial(table_notes, X)
            labels, names = Labels(X.labels, X.classes), list(X.feature_names)
        else:
            X = in_memory(X)
            self._require_target(X, y)
            table = read_columns(X)
            names = table.names
            labels = read_labels(y, table.n_rows, self.target)
            target = labels.numbers
            discrete = discrete_mask(table, self.discrete_features)
            declared = declared_in(self.discrete_features, names)
            coded = [
                by_value(column) if is_discrete else as_numbers(column)
                for column, is_discrete in zip(table.columns, discrete, strict=True)
            ]
            validate_data(self, X, y, skip_check_array=True)
            notes = partial(_notes, table, labels, discrete, declared)
        # Distances need the number itself, so there are no thresholds to name.
        about = labels.target if target is None else Target("numbers", np.empty(0))
        if isinstance(X, CodedData):
            rows: dict[str, Any] = {"coded": X}
        else:
            coding = {"discrete_features": self.discrete_features, "target": self.target}
            rows = {"X": X, "y": y, "coding": coding}
        source = self._source(X, names, about, **rows)
        columns = np.array([column for column, _ in coded])
        n_values = np.array([n for _, n in coded], dtype=np.int64)
        columns[n_values < 0] = to_unit_range(columns[n_values < 0])
        scaled = None if target is None else to_unit_range(above_least(target)[np.newaxis])[0]
        codes = labels.codes if target is None else np.zeros_like(labels.codes)
        return source, Instances(columns, n_values, codes, int(codes.max()) + 1, scaled, notes)

    def _ranked(self, source: Source) -> Path:
        """Rank the features by weight."""
        weights = self.weights_
        n_wanted = n_features_wanted(self.n_features_to_select, len(weights))
        order = np.argsort(-weights, kind="stable")
        fresh = np.diff(weights[order], prepend=np.inf) < -TIED
        ranking = order[np.lexsort((order, np.cumsum(fresh)))]
        included = included_features(self.include, source.names, n_wanted)
        ranking = np.array([*included, *ranking[~np.isin(ranking, included)]], dtype=np.int64)
        stop_reason = "exhausted" if n_wanted is None else "n_features_to_select"
        return ranked_path(ranking[:n_wanted], weights[ranking[:n_wanted]], stop_reason)


class SampledSelector(InstanceSelector):
    """A selector that seeks the neighbours of all rows, or of a sample of them."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InstanceSelector._parameter_constraints,
        "n_samples": [Real, None],
        "random_state": ["random_state"],
    }
    _shares_options = True

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_samples: float | None = None,
        random_state: Any = None,
        **options: Unpack[InstanceOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.n_samples = n_samples
        self.random_state = random_state

    def _sampled(self, n_rows: int) -> NDArray[np.int64]:
        """Draw rows by `n_samples`: None is all rows, an int their number, a float their share."""
        given = self.n_samples
        if given is None:
            return np.arange(n_rows)
        wanted = 0
        if is_whole(given):
            wanted = int(given)
        elif is_number(given) and 0 < given <= 1:
            wanted = max(1, int(float(given) * n_rows))
        if not 1 <= wanted <= n_rows:
            raise InputError(
                f"n_samples must be None, an int between 1 and {n_rows} (the number of rows) or a "
                f"float in (0, 1], got {given!r}"
            )
        return np.sort(check_random_state(self.random_state).choice(n_rows, wanted, replace=False))


def _notes(
    table: Table,
    labels: Labels,
    discrete: NDArray[np.bool_],
    declared: Collection[str],
    ranking: NDArray[np.int64],
) -> list[Note]:
    """Return notes on the first features of a ranking and all columns of text, coded for that."""
    text = [j for j, column in enumerate(table.columns) if column.kind == "nominal"]
    chosen = list(dict.fromkeys([*ranking[:MOST_NOTED].tolist(), *text]))
    columns = Table(tuple(table.columns[j] for j in chosen), table.n_rows)
    with warnings.catch_warnings(action="ignore", category=TableWarning):  # the selector warns
        data = encode_table(columns, labels, discrete=discrete[chosen], declared=declared)
        by_value = encode_table(table, labels, discrete=np.ones(len(table.columns), dtype=bool))
    copies = copies_note(by_value)
    ranked = [k for k, j in enumerate(chosen) if j in set(ranking.tolist())]
    notes = table_notes(data, ranked, n_features=len(table.columns))
    return notes if copies is None else [*notes, copies]
