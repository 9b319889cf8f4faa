r"""Discretisers as scikit-learn transformers, which cut columns of numbers into intervals.

MDLP cuts a segment of :math:`n` sorted values with :math:`k` classes where the class entropy left,
:math:`(n_1 H_1 + n_2 H_2) / n`, is least, if

.. math:: n \cdot gain > \log_2(n - 1) + \log_2(3^k - 2) - (k H - k_1 H_1 - k_2 H_2),

and then cuts both parts. U. M. Fayyad, K. B. Irani, "Multi-interval discretization of
continuous-valued attributes for classification learning", IJCAI 1993, 1022-1027.

J. Dougherty, R. Kohavi, M. Sahami, "Supervised and unsupervised discretization of continuous
features", ICML 1995, 194-202, compare it with two that ignore the classes. Equal width: with the
least and greatest finite values :math:`a` and :math:`b`, the cuts are
:math:`a + (b - a) k / n_{bins}`. Equal frequency: with :math:`W(v)` the weight of the rows up to
the value :math:`v`, and :math:`W` that of all, the :math:`k`-th cut lies behind the value, other
than the greatest, that minimises :math:`| W(v) - W k / n_{bins} |`, half-way to the next value.
"""

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
from deacs._kernels.threads import map_blocks
from deacs._versioned import Versioned
from deacs.coding.cuts import (
    CutPoints,
    bins,
    equal_frequency_cut_points,
    equal_width_cut_points,
    interval_labels,
    mdlp_cut_points,
)
from deacs.coding.discretizers import Discretizer
from deacs.exceptions import InputError
from deacs.tables import Table, read_columns, read_labels
from deacs.tables.gate import in_memory
from deacs.tables.weights import read_weights

__all__ = ["MDLP", "EqualFrequency", "EqualWidth"]

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
        self.cut_points_ = self.as_discretizer()(table.columns, labels, self.n_jobs, weights)
        self.n_bins_ = np.array([len(cuts) + 1 for cuts in self.cut_points_])
        return self

    def as_discretizer(self) -> Discretizer:
        """Return the function that finds cut points, with these parameters."""
        self._validate_params()
        own = self.get_params()
        options = {name: own[name] for name in own if name not in ("output", "n_jobs")}
        is_mdlp = self._needs_labels  # the only one
        return Discretizer(type(self).__name__, "", self._cut_points, is_mdlp, options, is_mdlp)

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


class MDLP(BaseDiscretizer):
    """Cut numeric columns where the class entropy falls by more than the cut costs.

    Parameters
    ----------
    max_cuts : int or None, default=None
        The most cuts in a column; None: no limit. Segments are cut in the order of their gain, the
        reduction of n H, largest first.
    min_samples : int, default=1
        The least number of rows (or weight) on each side of a cut; 1 is the published rule.
    output : {"codes", "labels"}, default="codes"
        Whether `transform` returns the number of the interval or its name, such as `(2.5, 7.1]`.
    n_jobs : int or None, default=None
        Number of threads; None is 1, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    cut_points_ : list of ndarray of float
        The cut points of each column, ascending; empty if no cut passes the rule.
    n_bins_ : ndarray of int of shape (n_features_in_,)
        The number of intervals of each column.
    n_features_in_, feature_names_in_
        As in all scikit-learn estimators.

    Notes
    -----
    The result equals that of Weka's supervised `Discretize` with default options. Class entropies
    are compared in fixed point, so equal counts tie exactly, and the lowest of equal cuts wins.
    Missing values are ignored in the search and stay NaN. Intervals are closed above: with cuts 1
    and 2, the value 1 is in interval 0. Values outside the range of `fit` fall in the outer
    intervals. Sorting takes O(n log n), and each level of cuts one pass, O(n).

    Integer weights are equivalent to repeating the rows. With other weights, n in the rule is the
    sum of the weights, so multiplying all of them changes which cuts pass.

    Examples
    --------
    >>> from deacs import MDLP
    >>> X = [[0.1], [0.2], [0.3], [0.4], [5.1], [5.2], [5.3], [5.4]]
    >>> y = ["low"] * 4 + ["high"] * 4
    >>> MDLP().fit(X, y).cut_points_
    [array([2.75])]
    >>> MDLP(output="labels").fit(X, y).transform([[3.0]]).tolist()
    [['(2.75, inf)']]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseDiscretizer._parameter_constraints,
        "max_cuts": [Interval(Integral, 0, None, closed="left"), None],
        "min_samples": [Interval(Integral, 1, None, closed="left")],
    }
    _needs_labels = True
    _cut_points = staticmethod(mdlp_cut_points)

    def __init__(
        self,
        max_cuts: int | None = None,
        min_samples: int = 1,
        *,
        output: Output = "codes",
        n_jobs: int | None = None,
    ) -> None:
        self.max_cuts = max_cuts
        self.min_samples = min_samples
        self.output = output
        self.n_jobs = n_jobs


class EqualWidth(EqualBins):
    """Cut the range of each column into equal parts; classes are ignored.

    Parameters
    ----------
    n_bins : int, default=10
        The number of intervals (at most 65,536).
    output : {"codes", "labels"}, default="codes"
        Whether `transform` returns the number of the interval or its name, such as `(2.5, 7.1]`.
    n_jobs : int or None, default=None
        Number of threads; None is 1, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    cut_points_ : list of ndarray of float
        The cut points of each column, ascending; empty for a constant column.
    n_bins_ : ndarray of int of shape (n_features_in_,)
        The number of intervals of each column.
    n_features_in_, feature_names_in_
        As in all scikit-learn estimators.

    Notes
    -----
    The range is that of the finite values; infinities fall in the outer intervals, missing values
    stay NaN. Rows of weight zero are ignored; other weights have no effect. Equal cut points, in
    a range with fewer floats than intervals, are merged.

    Examples
    --------
    >>> from deacs import EqualWidth
    >>> EqualWidth(n_bins=4).fit([[0.0], [1.0], [8.0]]).cut_points_
    [array([2., 4., 6.])]
    """

    _cut_points = staticmethod(equal_width_cut_points)


class EqualFrequency(EqualBins):
    """Cut each column into intervals with about equally many rows; classes are ignored.

    Parameters
    ----------
    n_bins : int, default=10
        The largest number of intervals (at most 65,536).
    output : {"codes", "labels"}, default="codes"
        Whether `transform` returns the number of the interval or its name, such as `(2.5, 7.1]`.
    n_jobs : int or None, default=None
        Number of threads; None is 1, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    cut_points_ : list of ndarray of float
        The cut points of each column, ascending; empty for a constant column.
    n_bins_ : ndarray of int of shape (n_features_in_,)
        The number of intervals of each column.
    n_features_in_, feature_names_in_
        As in all scikit-learn estimators.

    Notes
    -----
    Equal values stay in one interval, so a frequent value may fill several, and there are then
    fewer intervals; of two equally good cuts the lower one is taken. Missing values and rows of
    weight zero are ignored. All comparisons are between integers, so integer weights are exactly
    equivalent to repeating the rows.

    Examples
    --------
    >>> from deacs import EqualFrequency
    >>> EqualFrequency(n_bins=3).fit([[1.0], [2.0], [3.0], [10.0], [20.0], [30.0]]).cut_points_
    [array([ 2.5, 15. ])]
    """

    _cut_points = staticmethod(equal_frequency_cut_points)
