"""Base class of discretisers: validation, transform and feature names."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from deacs._all_or_nothing import AllOrNothing
from deacs._versioned import Versioned
from deacs.discretize.cuts import CutPoints
from deacs.discretize.intervals import bins, interval_labels
from deacs.exceptions import InputError
from deacs.kernels.threads import map_blocks
from deacs.tables import Table, read_columns, read_labels
from deacs.tables.frames import in_memory
from deacs.tables.weights import read_weights

__all__ = ["BaseDiscretizer", "EqualBins", "Output"]

Output = Literal["codes", "labels"]

NS_BIN = 4.0


class BaseDiscretizer(
    OneToOneFeatureMixin, TransformerMixin, AllOrNothing, Versioned, BaseEstimator
):
    """A transformer by cut points. Subclasses define `_cut_points`."""

    _cut_points: ClassVar[Callable[..., CutPoints]]
    """Takes typed columns, labels and weights, and the parameters besides `output`."""

    output: Output
    n_jobs: int | None

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "output": [StrOptions({"codes", "labels"})],
        "n_jobs": [Integral, None],
    }
    _needs_labels = False

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the cut points of every column.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Numeric columns; NaN is missing.
        y : array-like of shape (n_samples,)
            The classes; ignored by unsupervised methods.
        sample_weight : array-like of shape (n_samples,), optional
            Row weights; whole numbers are equivalent to repeating the rows. See
            `deacs.tables.read_weights` for fractions.
        """
        self._validate_params()
        X = in_memory(X)
        table = _numeric(read_columns(X))
        validate_data(self, X, y if self._needs_labels else None, skip_check_array=True)
        labels = read_labels(y, table.n_rows) if self._needs_labels else None
        weights = read_weights(sample_weight, table.n_rows)
        how = {name: value for name, value in self.get_params().items() if name != "output"}
        self.cut_points_ = self._cut_points(table.columns, labels, weights=weights, **how)
        self.n_bins_ = np.array([len(cuts) + 1 for cuts in self.cut_points_])
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Replace each value by its interval; missing values stay NaN.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Floats, 0 for the lowest interval, 1 for the next, ...; with `output="labels"` text
            such as `(2.5, 7.1]`. Values not seen in `fit`, also infinities, lie in one of the
            intervals: the outer ones have no end.
        """
        check_is_fitted(self)
        X = in_memory(X)
        table = _numeric(read_columns(X))
        validate_data(self, X, reset=False, skip_check_array=True)
        codes = self._codes(table)
        return codes if self.output == "codes" else self._labelled(codes)

    def _codes(self, table: Table) -> NDArray[np.float64]:
        out = np.empty((len(table.columns), table.n_rows))

        def work(part: slice) -> None:
            for j in range(part.start, part.stop):
                out[j] = bins(table.columns[j].values, self.cut_points_[j])
                if (missing := table.columns[j].missing) is not None:
                    out[j, missing] = np.nan

        map_blocks(work, len(out), self.n_jobs, NS_BIN * table.n_rows)
        return out.T


    def _labelled(self, codes: NDArray[np.float64]) -> NDArray[Any]:
        out = np.empty(codes.shape, dtype=object)
        for j, cuts in enumerate(self.cut_points_):
            names = np.array([*interval_labels(cuts), np.nan], dtype=object)
            # NaN becomes the last one.
            out[:, j] = names[np.nan_to_num(codes[:, j], nan=len(cuts) + 1).astype(np.intp)]
        return out

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_labels
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


MOST_BINS = 1 << 16
"""More intervals would be the distinct values of most columns, and take more memory than these."""


class EqualBins(BaseDiscretizer):
    """A discretiser into `n_bins` intervals that are equal in some sense."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseDiscretizer._parameter_constraints,
        "n_bins": [Interval(Integral, 1, MOST_BINS, closed="both")],
    }

    def __init__(
        self, n_bins: int = 10, *, output: Output = "codes", n_jobs: int | None = None
    ) -> None:
        self.n_bins = n_bins
        self.output = output
        self.n_jobs = n_jobs


def _numeric(table: Table) -> Table:
    for column in table.columns:
        if column.kind == "nominal":
            example = f" such as {column.categories[0]!r}" if len(column.categories) else ""  # type: ignore[arg-type,index]
            raise InputError(
                f"X must be numeric to be cut, but column {column.name!r} holds text{example}; "
                "leave nominal columns out"
            )
    return table
