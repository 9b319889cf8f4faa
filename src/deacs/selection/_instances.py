"""Base class of the Relief family: rows as points, and ranking by weight.

Numbers are scaled to [0, 1] by their range, nominal values become codes, missing values NaN.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from deacs.coding import CodedData, CodedTable
from deacs.coding.kinds import discrete_mask
from deacs.exceptions import InputError, Parameter
from deacs.greedy.options import is_number, is_whole
from deacs.greedy.stopping import included_features, n_features_wanted
from deacs.kernels.relief import NO_CODE, ROWS, STEPS, Points, Sketch
from deacs.selection._base import BaseSelector
from deacs.tables import (
    Column,
    Labels,
    Target,
    TargetOption,
    in_memory,
    read_columns,
    read_labels,
)
from deacs.tables.numbers import above_least

__all__ = ["InstanceSelector", "Instances", "SampledOptions", "SampledSelector"]

ROWS_AT_ONCE = 64
NUMBERS_AT_ONCE = 1 << 16
TIED = 1e-12
"""Weights this close are equal; the lower column comes first."""


@dataclass(frozen=True)
class Instances:
    """The columns of a table as coordinates."""

    columns: NDArray[np.float64]
    """Numbers scaled to [0, 1] or codes, (n_features, n_rows); NaN is missing."""
    n_values: NDArray[np.int64]
    """The number of values of nominal features; -1 for numeric ones."""
    labels: NDArray[np.int32]
    """The class of each row."""
    n_classes: int
    target: NDArray[np.float64] | None = None
    """A numeric target, scaled to [0, 1]; all rows are then of one class."""

    @property
    def numeric(self) -> NDArray[np.bool_]:
        """Which features are numeric."""
        return self.n_values < 0

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The same numbers row by row, shape (n_rows, n_features)."""
        rows = np.empty(self.columns.shape[::-1])
        for begin in range(0, len(rows), ROWS_AT_ONCE):
            rows[begin : begin + ROWS_AT_ONCE] = self.columns[:, begin : begin + ROWS_AT_ONCE].T
        return rows

    @property
    def unknown(self) -> NDArray[np.float64]:
        """The difference of a missing nominal value from any; -1 for numeric features."""
        # Two values drawn uniformly are equal with probability 1 / n_values. A column without any
        # values counts as having one.
        return np.where(self.numeric, -1.0, 1.0 - 1.0 / np.maximum(self.n_values, 1))

    def points(self, ramps: NDArray[np.float64] | None = None) -> Points:
        """Return the rows as points; `ramps` are the differences that count as 1."""
        plain = bool(self.numeric.all() and ramps is None and not np.isnan(self.columns).any())
        if ramps is None:
            ramps = np.full(len(self.columns), np.inf)
        return Points(self.values, self.unknown, ramps, plain)

    def sketch(self) -> Sketch:
        """Return the rows as bytes, for lower bounds on their distances.

        A missing number is put in the middle of the range: max(x, 1 - x) = |x - 1/2| + 1/2, and
        the slack adds the second 1/2. A missing code differs from every code by 1, and the slack
        subtracts 1 - unknown. The distance of two missing values is understated.
        """
        n_features, n_rows = self.columns.shape
        numeric, nominal = np.flatnonzero(self.numeric), np.flatnonzero(~self.numeric)
        n_steps, n_codes = -(-len(numeric) // 8), -(-len(nominal) // 8)
        n_padded = -(-n_rows // ROWS) * ROWS
        words = np.zeros((n_steps + n_codes, n_padded, 8), dtype=np.uint8)
        slack = np.zeros(n_padded, dtype=np.int64)
        at_once = max(1, NUMBERS_AT_ONCE // n_features)
        for part in (slice(k, min(k + at_once, n_rows)) for k in range(0, n_rows, at_once)):
            exact = STEPS * self.values[part, numeric]
            is_missing = np.isnan(exact)
            exact[is_missing] = STEPS / 2
            rounded = np.rint(exact)
            lost = np.abs(exact - rounded).sum(axis=1) - STEPS / 2 * is_missing.sum(axis=1)
            _put(rounded, words[:n_steps, part])
            code = self.values[part, nominal]
            is_missing = np.isnan(code)
            _put(np.where(is_missing, NO_CODE, code % NO_CODE), words[n_steps:, part])
            lost += STEPS * (is_missing @ (1.0 - self.unknown[nominal]))
            slack[part] = np.ceil(lost)
        return Sketch(words.view(np.uint64)[..., 0], n_steps, slack)


def _put(numbers: NDArray[np.float64], words: NDArray[np.uint8]) -> None:
    """Write numbers, a row for each row of the table, as words of eight bytes."""
    padded = np.zeros((len(numbers), 8 * len(words)), dtype=np.uint8)
    padded[:, : numbers.shape[1]] = numbers
    words[:] = padded.reshape(len(numbers), -1, 8).swapaxes(0, 1)


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

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Weigh and rank the features.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features), or CodedData
            Numbers, strings, categories, booleans; missing values allowed.
        y : array-like of shape (n_samples,)
            The classes; None if X is CodedData, which holds them.
        """
        self._rank(self._weigh(self._read_instances(X, y)))
        return self

    @abstractmethod
    def _weigh(self, instances: Instances) -> NDArray[np.float64]:
        """Return a weight for each feature."""

    def _read_instances(self, X: Any, y: Any) -> Instances:
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
            coded = [_from_codes(X, j) for j in range(X.n_features)]
            labels, names = Labels(X.labels, X.classes), list(X.feature_names)
        else:
            X = in_memory(X)
            self._require_target(X, y)
            table = read_columns(X)
            names = table.names
            labels = read_labels(y, table.n_rows, self.target)
            target = labels.numbers
            discrete = discrete_mask(table, self.discrete_features)
            coded = [
                _by_value(column) if is_discrete else _as_numbers(column)
                for column, is_discrete in zip(table.columns, discrete, strict=True)
            ]
            validate_data(self, X, y, skip_check_array=True)
        # Distances need the number itself, so there are no thresholds to name.
        about = labels.target if target is None else Target("numbers", np.empty(0))
        self._remember(X, names, about)
        columns = np.array([column for column, _ in coded])
        n_values = np.array([n for _, n in coded], dtype=np.int64)
        columns[n_values < 0] = _scaled(columns[n_values < 0])
        scaled = None if target is None else _scaled(above_least(target)[np.newaxis])[0]
        codes = labels.codes if target is None else np.zeros_like(labels.codes)
        return Instances(columns, n_values, codes, int(codes.max()) + 1, scaled)

    def _rank(self, weights: NDArray[np.float64]) -> None:
        """End `fit`: rank the features by weight."""
        n_wanted = n_features_wanted(self.n_features_to_select, len(weights))
        order = np.argsort(-weights, kind="stable")
        fresh = np.diff(weights[order], prepend=np.inf) < -TIED
        ranking = order[np.lexsort((order, np.cumsum(fresh)))]
        included = included_features(self.include, self._feature_names, n_wanted)
        ranking = np.array([*included, *ranking[~np.isin(ranking, included)]], dtype=np.int64)
        self.weights_ = weights
        self.ranking_ = ranking[:n_wanted]
        self.scores_ = weights[self.ranking_]
        self.stop_reason_ = "exhausted" if n_wanted is None else "n_features_to_select"


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


def _from_codes(data: CodedData, j: int) -> tuple[NDArray[np.float64], int]:
    coding = data.features[j]
    codes = data.column(j).astype(np.float64)
    n_known = coding.n_values - coding.has_missing
    if coding.has_missing:
        codes[codes == n_known] = np.nan
    return codes, n_known


def _by_value(column: Column) -> tuple[NDArray[np.float64], int]:
    values, missing = column.values, column.missing
    known = np.ones(len(values), dtype=bool) if missing is None else ~missing
    codes = np.full(len(values), np.nan)
    distinct, codes[known] = np.unique(values[known], return_inverse=True)
    return codes, len(distinct)


def _as_numbers(column: Column) -> tuple[NDArray[np.float64], int]:
    values = column.floats()
    if column.missing is not None:
        values = np.where(column.missing, np.nan, values)
    if np.isinf(values).any():
        raise InputError(
            f"X must be finite where it is continuous, got an infinite value in column "
            f"{column.name!r}; differences are shares of a column's range: mark such values as "
            "missing, or clip them"
        )
    return values, -1


def _scaled(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale each column to [0, 1]; a constant is 0."""
    with np.errstate(over="ignore"):
        ranges = np.fmax.reduce(columns, axis=1) - np.fmin.reduce(columns, axis=1)
    if np.isinf(ranges).any():  # the range itself may overflow
        return _scaled(columns / 4.0)
    low = np.fmin.reduce(columns, axis=1, keepdims=True)
    return (columns - low) / np.where(ranges > 0, ranges, 1.0)[:, None]
