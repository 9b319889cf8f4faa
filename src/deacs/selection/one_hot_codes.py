"""One-hot encoding of any table, with one column for each value or interval, for any classifier.

Continuous columns are cut using the classes, text and missing values are values like any other, and
a value not seen in `fit` is 0 in all columns of its feature.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from deacs._all_or_nothing import AllOrNothing
from deacs._versioned import Versioned
from deacs.coding import encode
from deacs.coding.new_rows import code_new_rows, one_hot
from deacs.tables import TARGETS, TargetOption, in_memory, read_columns

__all__ = ["OneHotCodes"]


class OneHotCodes(TransformerMixin, AllOrNothing, Versioned, BaseEstimator):
    """One-hot encode a table as the selectors see it, with a column for each value or interval.

    Parameters
    ----------
    discrete_features : "auto", bool, mask, names or indices, default="auto"
        Which columns are discrete; see `deacs.encode`.
    discretizer : {"mdlp", "equal-width", "equal-frequency"}, transformer or None, default="mdlp"
        Discretizes the other columns; None keeps every distinct value.
    target : {"auto", "classes", "labels", "numbers"}, default="auto"
        The kind of target; see `deacs.encode`.

    Attributes
    ----------
    data_ : CodedData
        The fitted rows, coded.
    n_features_in_, feature_names_in_
        As in all scikit-learn estimators.

    Examples
    --------
    >>> import polars as pl
    >>> from deacs import OneHotCodes
    >>> X = pl.DataFrame({"colour": ["red", "blue", None, "red"]})
    >>> coder = OneHotCodes().fit(X, [0, 1, 1, 0])
    >>> coder.get_feature_names_out().tolist()
    ['colour=blue', 'colour=red', 'colour=missing']
    >>> coder.transform(pl.DataFrame({"colour": ["red", "green"]})).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "discrete_features": ["array-like", str, "boolean"],
        "discretizer": [str, HasMethods(["fit"]), None],
        "target": [StrOptions(set(TARGETS))],
    }

    def __init__(
        self,
        discrete_features: Any = "auto",
        discretizer: Any = "mdlp",
        target: TargetOption = "auto",
    ) -> None:
        self.discrete_features = discrete_features
        self.discretizer = discretizer
        self.target = target

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn values and cut points.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            Numbers, strings, categories, booleans; missing values allowed.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), or list of sets
            The classes, labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of rows for placing cut points; a row of weight 0 is ignored (see
            `deacs.encode`).
        """
        self._validate_params()
        X = in_memory(X)
        if y is None:  # raises scikit-learn's own message
            validate_data(self, X, y, skip_check_array=True)
        self.data_ = encode(
            X,
            y,
            discrete_features=self.discrete_features,
            discretizer=self.discretizer,
            target=self.target,
            sample_weight=sample_weight,
        )
        validate_data(self, X, y, skip_check_array=True)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return columns of 0 and 1.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features_in_)
            The columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, sum of the numbers of values)
            1 where a row has the value.
        """
        check_is_fitted(self)
        X = in_memory(X)
        read_columns(X)  # rejects anything but a table, in scikit-learn's words
        validate_data(self, X, reset=False, skip_check_array=True)
        codes = code_new_rows(self.data_, X, range(self.data_.n_features))
        return one_hot(codes, self.data_.n_values)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return names such as `colour=red` and `weight=(2.5, 7.1]`; a second one has `(2)` added.

        Parameters
        ----------
        input_features : ignored
            The names are those seen in `fit`.
        """
        check_is_fitted(self)
        names = [
            f"{name}={coding.describe(code)}"
            for name, coding in zip(self.data_.feature_names, self.data_.features, strict=True)
            for code in range(coding.n_values)
        ]
        unique: dict[str, None] = {}
        for name in names:
            new, number = name, 1
            while new in unique:
                number += 1
                new = f"{name} ({number})"
            unique[new] = None
        return np.array(list(unique), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        return tags
