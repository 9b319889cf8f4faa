"""Subsets of the rows of a table, to fit selectors on folds and resamples.

Whether a column is discrete is decided once, on all rows and without the classes: an integer column
that is continuous on all rows must not become discrete on half of them, where it has fewer values.
Everything else, cut points in particular, is learned from the given rows.

A row with a whole number as weight is drawn as that many equal rows, so that some of them may fall
into one half and some into the other. A row of any other weight is drawn whole, and so are all rows
if there would be more than 2**24.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from deacs._kernels.threads import map_blocks
from deacs.coding import CodedData, encode, take_columns, take_rows
from deacs.coding.kinds import discrete_mask
from deacs.exceptions import InputError, Parameter, TableWarning
from deacs.selection.stopping import STOPS, included_features, read_stop
from deacs.tables import (
    in_memory,
    read_columns,
    read_labels,
    read_weights,
)
from deacs.tables.targets import TargetKind, TargetOption

__all__ = [
    "SAMPLINGS",
    "RowSubsets",
    "Rows",
    "Sampling",
    "each",
    "places_on_resamples",
    "seeding",
    "weights_for",
]


Rows = NDArray[np.int64]

MOST_ROWS = 1 << 24
"""The largest number of repeated rows, at 8 bytes each; beyond it rows are drawn whole."""


class RowSubsets:
    """A table and its target, for fitting selectors on subsets of its rows.

    Parameters
    ----------
    X, y, sample_weight : as `fit` takes them
        The whole table; y and sample_weight are None if X is CodedData.
    selector : a selector
        Its `discrete_features`, if it has the parameter, tells which columns are discrete.

    Attributes
    ----------
    weights : ndarray of shape (n_rows,), or None
        As given; None if every row counts once. For fractional weights in CodedData only the
        proportions are known; they are scaled to a mean of 1.
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
        """Return the target of some rows as given: classes, labels or numbers."""
        return self.labels.values_of(rows)

    def targets_of(self, rows: Rows) -> Any:
        """Return the target of some rows for selectors that count.

        Labels are passed as read from all rows, as in a subset a label may be in no row or in all.
        """
        return self.labels.take(rows) if self.kind == "labels" else self.classes_of(rows)

    def strata(self, n_folds: int) -> NDArray[Any]:
        """Return the strata for folds: classes, sets of labels, or intervals of a number."""
        if self.kind == "classes":
            return self.classes_of(np.arange(self.n_rows))
        codes, counts = self.labels.codes, np.bincount(self.labels.codes)
        # Sets of labels in fewer rows than there are folds form one stratum.
        return codes if self.kind == "numbers" else np.where(counts[codes] < n_folds, -1, codes)

    def weights_of(self, rows: Rows) -> NDArray[Any] | None:
        """Return the weights of some rows."""
        return None if self.weights is None else self.weights[rows]

    def counts_of(self, rows: Rows) -> NDArray[Any] | None:
        """Return the weights of some rows as counts; fractions are scaled to a mean of 1."""
        if self.weights is None or self.are_counts:
            return self.weights_of(rows)
        return np.asarray(self.weights[rows] * (self.n_rows / self.weights.sum()))

    def rows_to_draw(self) -> Rows:
        """Return the rows of positive weight, repeated as often as a whole weight says."""
        rows = np.arange(self.n_rows)
        if self.weights is None:
            return rows
        return rows.repeat(self.weights.astype(np.int64) if self._repeats else self.weights > 0)

    def drawn(self, rows: Rows) -> tuple[Rows, NDArray[Any] | None]:
        """Return drawn rows as rows of the table, and the weight of each."""
        return (
            np.unique(rows, return_counts=True) if self._repeats else (rows, self.weights_of(rows))
        )

    @property
    def _repeats(self) -> bool:
        """Whether a row is drawn as several equal rows, by its weight."""
        return self.weights is not None and self.are_counts and self.weights.sum() <= MOST_ROWS

    def fit(
        self, selector: Any, rows: Rows, weights: NDArray[Any] | None, **parameters: Any
    ) -> Any:
        """Fit a clone of a selector to some rows, with changed parameters if any are given."""
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

    def varying(self, fitted: Any, rows: Rows, weights: NDArray[Any] | None, columns: Rows) -> Rows:
        """Return the columns with two or more values in some rows, which a selector was fitted to.

        Numbers count after the selector's cuts.
        """
        if len(columns) == 0:
            return columns
        if not isinstance(self.X, CodedData) and fitted.result_.source.coded is not None:
            n_values = fitted.result_.source.data.n_values  # of these rows alone
            return np.asarray(columns[n_values[columns] > 1])
        values = take_columns(take_rows(self.X, rows), columns)
        if isinstance(self.X, CodedData):
            return np.asarray(columns[(values != values[0]).any(axis=0)])
        coded = encode(
            values,
            self.targets_of(rows),
            discrete_features=self.discrete(rows)[columns],
            discretizer=getattr(fitted, "discretizer", None),
            target=self.kind,
            sample_weight=weights,
        )
        return columns[coded.n_values > 1]

    def discrete(self, rows: Rows) -> NDArray[np.bool_]:
        """Return which columns are discrete."""
        mask = self._discrete.copy()
        # A column of Python objects that are all missing in these rows has no kind.
        mask[[j for j, missing in self._missing.items() if missing[rows].all()]] = True
        return mask


def weights_for(selector: Any, sample_weight: Any) -> dict[str, Any]:
    """Return the weights as keyword arguments of a selector's `fit`, if there are any."""
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
    """Return the row weights of coded data, and whether they are whole numbers."""
    if data.weights is None or data.weights_are_counts:
        return data.weights, True
    return data.weights * (data.n_rows / int(data.weights.sum())), False


Sampling = Literal["pairs", "halves", "bootstrap"]
SAMPLINGS: tuple[Sampling, ...] = get_args(Sampling)

A_FIT = 1e9
"""In nanoseconds; a fit is always worth a thread."""


def places_on_resamples(
    selector: Any,
    table: RowSubsets,
    *,
    sampling: Sampling,
    n_resamples: int,
    random_state: Any,
    n_jobs: int | None,
) -> NDArray[np.int32]:
    """Select on resamples; return each feature's place in the ranking, -1 if it was not selected.

    Parameters
    ----------
    selector : a selector
        Cloned for every resample.
    table : RowSubsets
        The table.
    sampling : {"pairs", "halves", "bootstrap"}
        Complementary pairs of halves of the rows; independent halves; or as many rows as there
        are, drawn with replacement. All are stratified by class.
    n_resamples, random_state, n_jobs
        Their number, their seed and the number of threads, on which the result does not depend.

    Returns
    -------
    ndarray of shape (n_resamples, n_features)
        Nothing is selected on a resample with only one class. A column that is constant in the
        resample counts as not selected, unless it is in `include`: ranking criteria also select
        such columns, always the lower ones first.
    """
    if sampling == "pairs" and n_resamples % 2:
        raise InputError(
            f"n_resamples must be even with sampling='pairs', got {n_resamples}; pairs have two"
        )
    # One seed for the rows and one for the selector, drawn before any thread runs.
    seeds = check_random_state(random_state).randint(2**31 - 1, size=(n_resamples, 2))
    places = np.full((n_resamples, table.n_features), -1, dtype=np.int32)

    rows_to_draw = table.rows_to_draw()
    labels = table.labels.codes[rows_to_draw]

    def select(resample: int) -> None:
        chosen = _drawn(labels, sampling, resample, seeds[:, 0])
        if len(np.unique(labels[chosen])) < 2:
            return
        rows, weights = table.drawn(rows_to_draw[chosen])
        fitted = table.fit(selector, rows, weights, **seeding(selector, int(seeds[resample, 1])))
        ranking = fitted.ranking_
        places[resample, ranking] = np.arange(len(ranking))
        if getattr(selector, "groups", None) is None:
            included = getattr(selector, "include", None)
            free = ranking[len(included_features(included, fitted.result_.source.names, None)) :]
            varying = table.varying(fitted, rows, weights, free)
            places[resample, np.setdiff1d(free, varying)] = -1

    each(select, n_resamples, n_jobs)
    return places


def seeding(selector: Any, seed: int) -> dict[str, Any]:
    """Return parameters that seed every part of a selector that has no seed.

    These are every `random_state` that is None, also of a nested estimator, and a stopping test
    given by name: `stop="significant"`, `n_features_to_select="auto"`.
    """
    parameters = selector.get_params()
    seeds: dict[str, Any] = {}
    for name, value in parameters.items():
        prefix, _, own = name.rpartition("__")
        number = f"{prefix}__n_features_to_select" if prefix else "n_features_to_select"
        if own == "random_state" and value is None:
            seeds[name] = seed
        elif own == "stop" and (value is None or (isinstance(value, str) and value in STOPS)):
            test = read_stop(value, parameters.get(number))
            if test is not None:
                seeds[name] = test.set_params(random_state=seed)
    return seeds


def each(work: Callable[[int], None], n_items: int, n_jobs: int | None) -> None:
    """Call `work` for every item, on threads that inherit the caller's scikit-learn config."""
    config = get_config()

    def share(part: slice) -> None:
        with config_context(**config):
            for item in range(part.start, part.stop):
                work(item)

    with warnings.catch_warnings():
        # With fewer rows more columns look like identifiers; the fit to all rows has warned.
        warnings.simplefilter("ignore", TableWarning)
        map_blocks(share, n_items, n_jobs, A_FIT)


def _drawn(labels: NDArray[np.int32], sampling: Sampling, k: int, seeds: NDArray[Any]) -> Rows:
    """Return the rows of resample k in ascending order."""
    if sampling == "bootstrap":
        rng = np.random.default_rng(seeds[k])
        by_class = (np.flatnonzero(labels == label) for label in np.unique(labels))
        return np.sort(np.concatenate([rng.choice(rows, len(rows)) for rows in by_class]))
    half = k % 2 if sampling == "pairs" else 0
    rng = np.random.default_rng(seeds[k - half])
    # Dealt out class by class, so that halves differ by at most one row of each class.
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    return np.sort(order[half::2][: len(labels) // 2])
