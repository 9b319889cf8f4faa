r"""MDLP: supervised discretisation by recursive entropy cuts (Fayyad & Irani, 1993).

A segment of :math:`n` sorted values with :math:`k` classes is cut where the class entropy left,
:math:`(n_1 H_1 + n_2 H_2) / n`, is least, if

.. math:: n \cdot gain > \log_2(n - 1) + \log_2(3^k - 2) - (k H - k_1 H_1 - k_2 H_2),

and both parts are cut again. U. M. Fayyad, K. B. Irani, "Multi-interval discretization of
continuous-valued attributes for classification learning", IJCAI 1993, 1022-1027.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from deacs.discretize.cuts import bins, mdlp_cut_points
from deacs.exceptions import InputError
from deacs.tables import Table, read_columns, read_labels

__all__ = ["MDLP"]


class MDLP(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Cut numeric columns where the class entropy falls by more than the cut costs.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Threads over columns; None is 1, -1 all cores. The answer does not depend on it.

    Attributes
    ----------
    cut_points_ : list of ndarray of float
        For each column its cut points, ascending; empty where no cut pays.
    n_bins_ : ndarray of int of shape (n_features_in_,)
        The number of intervals of each column.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Equals Weka's supervised `Discretize` with default options. The class entropies are compared
    in fixed point, so equal counts tie exactly and the lowest of equal cuts wins. Missing values
    take no part in the search and stay NaN. An interval is closed above: with cuts 1 and 2 the
    value 1 is in interval 0. Values outside of what was seen fall in the outer intervals. One
    pass over a segment finds its best cut: O(n log n) to sort, O(n) for each level of cuts.

    Examples
    --------
    >>> from deacs import MDLP
    >>> X = [[0.1], [0.2], [0.3], [0.4], [5.1], [5.2], [5.3], [5.4]]
    >>> y = ["low"] * 4 + ["high"] * 4
    >>> MDLP().fit(X, y).cut_points_
    [array([2.75])]
    """

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the cut points of every column.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            Numeric columns; NaN is missing.
        y : array-like of shape (n_samples,)
            The classes.
        """
        table = _numeric(read_columns(X))
        validate_data(self, X, y, skip_check_array=True)
        labels = read_labels(y, table.n_rows)
        self.cut_points_ = mdlp_cut_points(table.columns, labels, n_jobs=self.n_jobs)
        self.n_bins_ = np.array([len(cuts) + 1 for cuts in self.cut_points_])
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Replace each value by the number of its interval; missing values stay NaN.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features)
            The columns that `fit` saw.

        Returns
        -------
        ndarray of float of shape (n_samples, n_features)
            0 for the lowest interval, 1 for the next, ...
        """
        check_is_fitted(self)
        table = _numeric(read_columns(X))
        validate_data(self, X, reset=False, skip_check_array=True)
        out = np.empty((table.n_rows, len(table.columns)))
        for j, (column, cuts) in enumerate(zip(table.columns, self.cut_points_, strict=True)):
            out[:, j] = bins(column.values, cuts)
            if column.missing is not None:
                out[column.missing, j] = np.nan
        return out

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        return tags


def _numeric(table: Table) -> Table:
    for column in table.columns:
        if column.kind == "nominal":
            raise InputError(
                f"X must be numeric to be cut, but column {column.name!r} holds text such as "
                f"{column.categories[0]!r}; leave nominal columns out"  # type: ignore[index]
            )
    return table
