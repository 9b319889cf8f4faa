"""Selectors on some of the rows: which rows, and what they select there.

Kinds of columns are decided once, on all rows and without the classes: an integer column that is
continuous on all rows must not become discrete on a half of them, where it has fewer values. All
else, cut points first of all, a selector learns from the rows it is given.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, get_args

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.utils import check_random_state

from deacs.coding import CodeBlock, CodedData, encode
from deacs.coding.kinds import discrete_mask
from deacs.exceptions import IdentifierWarning, InputError
from deacs.kernels.threads import map_blocks
from deacs.selection._wishes import included_features
from deacs.tables import Labels, in_memory, is_frame, read_columns, read_labels

__all__ = [
    "SAMPLINGS",
    "Sampling",
    "SomeRows",
    "each",
    "places_on_resamples",
    "take_columns",
    "take_rows",
]

Rows = NDArray[np.int64]
Sampling = Literal["pairs", "halves", "bootstrap"]
SAMPLINGS: tuple[Sampling, ...] = get_args(Sampling)

A_FIT = 1e9
"""Nanoseconds; a fit is always worth a thread."""


class SomeRows:
    """A table with its classes, of which selectors see some rows at a time.

    Parameters
    ----------
    X, y : as `fit` takes them
        The whole table; y is None if X is CodedData.
    selector : a selector
        Its `discrete_features` says which columns are discrete.
    """

    def __init__(self, X: Any, y: Any, selector: Any) -> None:
        self.X = in_memory(X)
        self._discrete: NDArray[np.bool_] | None = None
        if isinstance(X, CodedData):
            self.labels, self.n_features = Labels(X.labels, X.classes), X.n_features
            return
        table = read_columns(self.X)
        self.labels, self.n_features = read_labels(y, table.n_rows), len(table.columns)
        if "discrete_features" in selector.get_params(deep=False):
            self._discrete = discrete_mask(table, selector.discrete_features)
            self._missing = {
                j: column.missing
                for j, column in enumerate(table.columns)
                if column.missing is not None
            }

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.labels.codes)

    def classes_of(self, rows: Rows) -> NDArray[Any]:
        """Return the classes of some rows, as the caller names them."""
        return self.labels.classes[self.labels.codes[rows]]

    def fit(self, selector: Any, rows: Rows, **parameters: Any) -> Any:
        """Fit a clone of a selector, with other parameters where they are given, to some rows."""
        fitted = clone(selector).set_params(**parameters)
        if isinstance(self.X, CodedData):
            return fitted.fit(take_rows(self.X, rows))
        if self._discrete is not None:
            fitted.set_params(discrete_features=self.discrete(rows))
        return fitted.fit(take_rows(self.X, rows), self.classes_of(rows))

    def varying(self, selector: Any, rows: Rows, columns: Rows) -> Rows:
        """Return those columns that have two values or more in some rows, as the selector cuts."""
        if len(columns) == 0:
            return columns
        values = take_columns(take_rows(self.X, rows), columns)
        if isinstance(self.X, CodedData):
            return np.asarray(columns[(values != values[0]).any(axis=0)])
        coded = encode(
            values,
            self.classes_of(rows),
            discrete_features="auto" if self._discrete is None else self.discrete(rows)[columns],
            discretizer=getattr(selector, "discretizer", None),
        )
        return columns[coded.n_values > 1]

    def discrete(self, rows: Rows) -> NDArray[np.bool_]:
        """Return which columns are discrete."""
        if self._discrete is None:
            raise InputError("selector must have the parameter discrete_features, got one without")
        mask = self._discrete.copy()
        # A column of Python objects of which these rows have none has no kind left.
        mask[[j for j, missing in self._missing.items() if missing[rows].all()]] = True
        return mask


def take_rows(X: Any, rows: Rows) -> Any:
    """Return some rows of a table of any kind, or of coded data, as the same kind of table."""
    if isinstance(X, CodedData):
        blocks = tuple(
            CodeBlock(block.features, block.codes[:, rows], block.n_values, block.ignored)
            for block in X.blocks
        )
        weights = None if X.weights is None else X.weights[rows]
        return replace(X, blocks=blocks, labels=X.labels[rows], weights=weights, recoder=None)
    if is_frame(X):
        return nw.from_native(X, eager_only=True)[rows.tolist()].to_native()
    if sparse.issparse(X):
        return X.tocsr()[rows]
    return [X[row] for row in rows] if isinstance(X, list | tuple) else np.asanyarray(X)[rows]


def take_columns(X: Any, columns: Rows) -> Any:
    """Return some columns of a table in memory; of coded data, their codes."""
    if isinstance(X, CodedData):
        return np.column_stack([X.column(int(j)) for j in columns]).astype(np.int64)
    if is_frame(X):
        return nw.from_native(X, eager_only=True)[:, columns.tolist()].to_native()
    if sparse.issparse(X):
        return X.tocsc()[:, columns]
    if isinstance(X, list | tuple):
        return [[row[j] for j in columns] for row in X]
    return np.asanyarray(X)[:, columns]


def places_on_resamples(
    selector: Any,
    table: SomeRows,
    *,
    sampling: Sampling,
    n_resamples: int,
    random_state: Any,
    n_jobs: int | None,
    skip_constants: bool = False,
) -> NDArray[np.int32]:
    """Select on resamples; return each feature's place in the ranking, -1 where it was left out.

    Parameters
    ----------
    selector : a selector
        Cloned for every resample.
    table : SomeRows
        The table.
    sampling : {"pairs", "halves", "bootstrap"}
        Halves of the rows, two and two complementary; independent halves; or as many rows as
        there are, drawn with replacement. All keep the classes' shares.
    n_resamples, random_state, n_jobs
        How many, their seed, and on how many threads; the answer does not depend on threads.
    skip_constants : bool
        Whether a column counts as left out that has one value in the resample, unless it is in
        `include`. Ranking criteria select such columns too, the lower one first: always the same.

    Returns
    -------
    ndarray of shape (n_resamples, n_features)
        Nothing is selected on a resample that has one class only.
    """
    if sampling == "pairs" and n_resamples % 2:
        raise InputError(
            f"n_resamples must be even with sampling='pairs', got {n_resamples}; pairs have two"
        )
    # One seed for the rows and one for the selector, drawn before any thread runs.
    seeds = check_random_state(random_state).randint(2**31 - 1, size=(n_resamples, 2))
    places = np.full((n_resamples, table.n_features), -1, dtype=np.int32)
    draws = "random_state" in selector.get_params(deep=False) and selector.random_state is None

    def select(resample: int) -> None:
        rows = _drawn(table.labels.codes, sampling, resample, seeds[:, 0])
        if len(np.unique(table.labels.codes[rows])) < 2:
            return
        seed = {"random_state": int(seeds[resample, 1])} if draws else {}
        fitted = table.fit(selector, rows, **seed)
        ranking = fitted.ranking_
        places[resample, ranking] = np.arange(len(ranking))
        if skip_constants and getattr(selector, "groups", None) is None:
            free = ranking[len(included_features(selector.include, fitted._feature_names, None)) :]
            places[resample, np.setdiff1d(free, table.varying(selector, rows, free))] = -1

    each(select, n_resamples, n_jobs)
    return places


def each(work: Callable[[int], None], n_items: int, n_jobs: int | None) -> None:
    """Call `work` for every item, on threads that see the caller's settings of scikit-learn."""
    config = get_config()

    def share(part: slice) -> None:
        with config_context(**config):
            for item in range(part.start, part.stop):
                work(item)

    with warnings.catch_warnings():
        # Fewer rows make more columns look like identifiers; the fit to all rows has its say.
        warnings.simplefilter("ignore", IdentifierWarning)
        map_blocks(share, n_items, n_jobs, A_FIT)


def _drawn(labels: NDArray[np.int32], sampling: Sampling, k: int, seeds: NDArray[Any]) -> Rows:
    """Return the rows of resample k, ascending."""
    if sampling == "bootstrap":
        rng = np.random.default_rng(seeds[k])
        by_class = (np.flatnonzero(labels == label) for label in np.unique(labels))
        return np.sort(np.concatenate([rng.choice(rows, len(rows)) for rows in by_class]))
    half = k % 2 if sampling == "pairs" else 0
    rng = np.random.default_rng(seeds[k - half])
    # Dealt out class by class, so that halves differ by one row of a class at most.
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    return np.sort(order[half::2][: len(labels) // 2])
