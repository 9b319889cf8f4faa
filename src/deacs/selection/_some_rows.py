"""Some rows of a table: what selectors are fitted to when they are tried on folds and resamples.

Kinds of columns are decided once, on all rows and without the classes: an integer column that is
continuous on all rows must not become discrete on a half of them, where it has fewer values. All
else, cut points first of all, a selector learns from the rows it is given.

A row whose weight is a whole number is drawn as the equal rows that it stands for, so that some of
them may fall into a half and some into the other. A row of any other weight is drawn whole, and so
are all where that would be more than 2**24 rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from deacs.coding import CodedData, encode, take_columns, take_rows
from deacs.coding.kinds import discrete_mask
from deacs.exceptions import InputError, Parameter
from deacs.tables import (
    in_memory,
    read_columns,
    read_labels,
    read_weights,
)
from deacs.tables.targets import TargetKind, TargetOption

__all__ = ["Rows", "SomeRows", "weights_for"]

Rows = NDArray[np.int64]

MOST_ROWS = 1 << 24
"""Rows that are numbered one by one, 8 bytes each; heavier ones are drawn whole."""


class SomeRows:
    """A table with its classes, of which selectors see some rows at a time.

    Parameters
    ----------
    X, y, sample_weight : as `fit` takes them
        The whole table; y and sample_weight are None if X is CodedData.
    selector : a selector
        Its `discrete_features`, if it has any, says which columns are discrete.

    Attributes
    ----------
    weights : ndarray of shape (n_rows,), or None
        As they were given; None if every row counts once. Of fractions in CodedData only
        the proportions are known: they count as one row each on average.
    are_counts : bool
        Whether weights are whole numbers.
    """

    def __init__(self, X: Any, y: Any, selector: Any, sample_weight: Any = None) -> None:
        self.X = in_memory(X)
        if isinstance(X, CodedData):
            self.labels, self.n_features = X.targets, X.n_features
            self.weights, self.are_counts = _weights_in_rows(X)
            return
        table = read_columns(self.X)
        weights = read_weights(sample_weight, table.n_rows)
        counts = None if weights is None else weights.counts
        asked: TargetOption = getattr(selector, "target", "auto")
        self.labels = read_labels(y, table.n_rows, asked, counts)
        self.n_features = len(table.columns)
        self.weights = None if weights is None else np.asarray(sample_weight, dtype=np.float64)
        self.are_counts = weights is None or weights.scale == 1.0
        counted = table if weights is None else table.take(np.flatnonzero(weights.counts))
        self._discrete = discrete_mask(counted, getattr(selector, "discrete_features", "auto"))
        self._missing = {
            j: column.missing
            for j, column in enumerate(table.columns)
            if column.missing is not None
        }

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.labels.codes)

    @property
    def kind(self) -> TargetKind:
        """The kind of target: classes, labels or numbers, read from all rows."""
        return self.labels.target.kind

    def classes_of(self, rows: Rows) -> NDArray[Any]:
        """Return the classes of some rows, as the caller names them; or labels, or numbers."""
        return self.labels.values_of(rows)

    def targets_of(self, rows: Rows) -> Any:
        """Return the target of some rows as selectors that count take it.

        Labels are read already: some rows alone may have none of a label, or all of it.
        """
        return self.labels.take(rows) if self.kind == "labels" else self.classes_of(rows)

    def strata(self, n_folds: int) -> NDArray[Any]:
        """Return what folds should have equal shares of: classes, sets of labels, intervals."""
        if self.kind == "classes":
            return self.classes_of(np.arange(self.n_rows))
        codes, counts = self.labels.codes, np.bincount(self.labels.codes)
        # Sets of labels that are rarer than folds count as one.
        return codes if self.kind == "numbers" else np.where(counts[codes] < n_folds, -1, codes)

    def weights_of(self, rows: Rows) -> NDArray[Any] | None:
        """Return the weights of some rows."""
        return None if self.weights is None else self.weights[rows]

    def counts_of(self, rows: Rows) -> NDArray[Any] | None:
        """Return how many rows some rows stand for; fractions for one each on average."""
        if self.weights is None or self.are_counts:
            return self.weights_of(rows)
        return np.asarray(self.weights[rows] * (self.n_rows / self.weights.sum()))

    def rows_to_draw(self) -> Rows:
        """Return the rows that count; those of a whole weight as often as it says."""
        rows = np.arange(self.n_rows)
        if self.weights is None:
            return rows
        return rows.repeat(self.weights.astype(np.int64) if self._repeats else self.weights > 0)

    def drawn(self, rows: Rows) -> tuple[Rows, NDArray[Any] | None]:
        """Return some of the rows to draw as rows of the table, and what each counts there."""
        return (
            np.unique(rows, return_counts=True) if self._repeats else (rows, self.weights_of(rows))
        )

    @property
    def _repeats(self) -> bool:
        """Whether a row is drawn as the equal rows that it stands for."""
        return self.weights is not None and self.are_counts and self.weights.sum() <= MOST_ROWS

    def fit(
        self, selector: Any, rows: Rows, weights: NDArray[Any] | None, **parameters: Any
    ) -> Any:
        """Fit a clone of a selector, with other parameters where they are given, to some rows."""
        fitted = clone(selector).set_params(**parameters)
        if isinstance(self.X, CodedData):
            counts = read_weights(weights, len(rows))
            some = take_rows(self.X, rows)
            if counts is not None:
                some = replace(some, weights=counts.counts, weight_scale=counts.scale)
            return fitted.fit(some)
        if "discrete_features" in fitted.get_params(deep=False):
            fitted.set_params(discrete_features=self.discrete(rows))
        some, y = take_rows(self.X, rows), self.classes_of(rows)
        if "target" in fitted.get_params(deep=False):
            fitted.set_params(target=self.kind)
            y = self.targets_of(rows)
        return fitted.fit(some, y, **weights_for(selector, weights))

    def varying(
        self, selector: Any, rows: Rows, weights: NDArray[Any] | None, columns: Rows
    ) -> Rows:
        """Return those columns that have two values or more in some rows, as the selector cuts."""
        if len(columns) == 0:
            return columns
        values = take_columns(take_rows(self.X, rows), columns)
        if isinstance(self.X, CodedData):
            return np.asarray(columns[(values != values[0]).any(axis=0)])
        coded = encode(
            values,
            self.targets_of(rows),
            discrete_features=self.discrete(rows)[columns],
            discretizer=getattr(selector, "discretizer", None),
            target=self.kind,
            sample_weight=weights,
        )
        return columns[coded.n_values > 1]

    def discrete(self, rows: Rows) -> NDArray[np.bool_]:
        """Return which columns are discrete."""
        mask = self._discrete.copy()
        # A column of Python objects of which these rows have none has no kind left.
        mask[[j for j, missing in self._missing.items() if missing[rows].all()]] = True
        return mask


def weights_for(selector: Any, sample_weight: Any) -> dict[str, Any]:
    """Return what to pass to a selector's `fit` beside the table, if anything."""
    if sample_weight is None:
        return {}
    if not has_fit_parameter(selector, "sample_weight"):
        raise InputError(
            Parameter("sample_weight"),
            f" needs a selector that takes weights, got {type(selector).__name__}, which "
            "counts every row once; leave it out, or use a selector that counts",
        )
    return {"sample_weight": sample_weight}


def _weights_in_rows(data: CodedData) -> tuple[NDArray[Any] | None, bool]:
    """Return what the rows of coded data count, and whether as whole numbers."""
    if data.weights is None or data.weights_are_counts:
        return data.weights, True
    return data.weights * (data.n_rows / int(data.weights.sum())), False
