r"""DEACSCV: how many features, by cross-validation inside.

In every fold the training rows select one path :math:`F_1, F_2, \dots`, and a classifier that is
trained on them with the first m features predicts the rows left out, for every m. With mean score
:math:`a_m` over the K folds and :math:`s_m` their standard deviation, the one-standard-error rule
takes the smallest number that cannot be told from the best,

.. math:: m^* = \min \{ m : a_m \ge a_b - s_b / \sqrt{K} \}, \quad b = \arg\max_m a_m .

L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, "Classification and regression trees" (1984),
section 3.4.3.
"""

from __future__ import annotations

import warnings
from copy import copy
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context, clone
from sklearn.model_selection import check_cv
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from deacs.coding import CodedData
from deacs.exceptions import InputError
from deacs.selection._base import BaseSelector
from deacs.selection._path_scores import ends, path_scores
from deacs.selection._resampling import each
from deacs.selection._some_rows import Rows, SomeRows, weights_for
from deacs.selection._stopping import included_features, n_features_wanted
from deacs.selection.deacs import DEACS

__all__ = ["DEACSCV"]

ROUNDING = 1e-12
"""Means of the same scores in another order are equal."""


class DEACSCV(BaseSelector):
    """Select features, as many as cross-validation asks for.

    Parameters
    ----------
    selector : a selector of this library, default=None
        What selects; None: `DEACS()`. Any other, e.g. `JMI()`, will do. Its parameters are reached
        as `selector__judge` and so on; its `n_features_to_select` is an upper limit.
    estimator : classifier, default=None
        What the number is for. It gets the selected columns as they are in X, a frame if X is one,
        so text and missing values call for a pipeline, e.g.
        `make_pipeline(OneHotCodes(), LogisticRegression())`. None: any table will do;
        naive Bayes and a tree get the values and intervals that the selector sees, and the mean of
        their scores counts.
    cv : int, splitter or iterable, default=5
        As in scikit-learn: how many stratified folds, or which.
    scoring : str, callable or None, default=None
        What is maximised, as in scikit-learn; None: the classifier's own score, its accuracy.
    rule : {"one-standard-error", "best"}, default="one-standard-error"
        The smallest number within one standard error of the best mean score; or the best itself.
    max_features : int or None, default=30
        How many are tried at most; None: as many as the selector selects.
    n_jobs : int or None, default=None
        Threads over folds; None is 1, -1 all cores. The answer does not depend on it.

    Attributes
    ----------
    n_features_ : int
        The number that was chosen; columns, or groups of columns where the selector has `groups`.
    cv_results_ : dict of ndarray
        `n_features`, `mean_test_score`, `std_test_score` and `split0_test_score`, ..., an entry for
        each number that was tried. A fold whose path ends early counts with all of its path.
    stop_reason_ : str
        "cross-validation", or why the selector ended before.
    selector_ : a selector
        Fitted to all rows, with `n_features_` features.
    ranking_, scores_, label_scores_, residual_, ...
        Those of `selector_`.
    classes_, n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Cut points, selection and classifier see the training rows of a fold alone; `CodedData` was cut
    on all rows, and the classifier gets its codes. The best mean score is too good an estimate of
    what the selection will do, as it was chosen; cross-validate this estimator for that. Features
    in `include` are never given up.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import DEACSCV
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = DEACSCV().fit(X, y)
    >>> selector.n_features_, selector.selected_names_
    (3, ['flavanoids', 'proline', 'color_intensity'])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "selector": [HasMethods(["fit", "truncate", "get_params"]), None],
        "estimator": [HasMethods(["fit", "predict"]), None],
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "rule": [StrOptions({"one-standard-error", "best"})],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        selector: Any = None,
        *,
        estimator: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        rule: Literal["one-standard-error", "best"] = "one-standard-error",
        max_features: int | None = 30,
        n_jobs: int | None = None,
    ) -> None:
        self.selector = selector
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.max_features = max_features
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the number of features, and select so many on all rows.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features), or CodedData
            As the selector takes it.
        y : array-like of shape (n_samples,)
            The classes; None if X is CodedData, which holds them.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts: for the selector, in the scores, and for the classifier if
            its `fit` takes weights (in a pipeline, for the steps that do).
        """
        selector = clone(DEACS() if self.selector is None else self.selector)
        weights = weights_for(selector, sample_weight)
        table = SomeRows(X, y, selector, sample_weight)
        limit = self._limit(selector, table.n_features)
        # First of all on all rows: here the selector says what is wrong with the table.
        path = clone(selector).set_params(**limit).fit(X, y, **weights)
        n_most = len(ends(path))
        splits = self._splits(table)
        scores = np.empty((len(splits), n_most))

        def score(fold: int) -> None:
            train, test = splits[fold]
            found = table.fit(selector, train, table.weights_of(train), **limit)
            scores[fold] = path_scores(
                *(table, found, train, test),
                n_most=n_most,
                estimator=self.estimator,
                scoring=self.scoring,
            )

        if n_most:
            each(score, len(splits), self.n_jobs)
        self.cv_results_ = {
            "n_features": np.arange(1, n_most + 1),
            "mean_test_score": scores.mean(axis=0),
            "std_test_score": scores.std(axis=0),
            **{f"split{fold}_test_score": curve for fold, curve in enumerate(scores)},
        }
        self._feature_names, self._frame_library = path._feature_names, path._frame_library
        self.n_features_ = self._chosen(scores, path) if n_most else 0
        self.stop_reason_ = self._reason(path, selector, n_most)
        self.selector_ = path
        if self.n_features_ < n_most:
            self.selector_ = path.truncate(int(ends(path)[self.n_features_ - 1]))
        return self

    def _splits(self, table: SomeRows) -> list[tuple[Rows, Rows]]:
        """Return the training rows and the test rows of every fold."""
        rows = np.arange(table.n_rows)
        y = table.classes_of(rows)
        X = rows if isinstance(table.X, CodedData) else table.X
        with warnings.catch_warnings():
            # Where a class has fewer rows than there are folds, some folds test without it.
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            splits = list(check_cv(self.cv, y, classifier=True).split(X, y))
        return [(rows[train], rows[test]) for train, test in splits]

    def _limit(self, selector: Any, n_features: int) -> dict[str, int]:
        """Return the selector's parameters with which paths are not longer than need be."""
        n_units = n_features - sum(len(group) - 1 for group in _groups(selector))
        wanted = selector.n_features_to_select
        if isinstance(wanted, str):  # the selector knows when to end
            return {}
        limits = [n_features_wanted(wanted, n_units), self.max_features]
        given = [limit for limit in limits if limit is not None]
        return {"n_features_to_select": min([*given, n_units])} if given else {}

    def _chosen(self, scores: NDArray[np.float64], path: Any) -> int:
        """Return how many features the rule takes."""
        mean = scores.mean(axis=0)
        if np.isnan(mean).any():
            raise InputError(
                f"scoring must give a number in every fold, got NaN from {self.scoring!r}; has "
                "every fold all classes?"
            )
        best = int(mean.argmax())
        slack = ROUNDING
        if self.rule == "one-standard-error" and len(scores) > 1:
            slack += scores[:, best].std(ddof=1) / np.sqrt(len(scores))
        n_included = len(included_features(path.include, path._feature_names, None))
        fewest = int(np.searchsorted(ends(path), max(n_included, 1)))
        good = np.flatnonzero(mean >= mean[best] - slack)
        return max(int(good[0]), fewest) + 1

    def _reason(self, path: Any, selector: Any, n_most: int) -> str:
        if self.n_features_ < n_most:
            return "cross-validation"
        if path.stop_reason_ == "n_features_to_select" and self.max_features == n_most:
            asked = selector.n_features_to_select
            return "n_features_to_select" if asked == n_most else "max_features"
        return str(path.stop_reason_)

    def __getattr__(self, name: str) -> Any:
        """Tell what the selector found, under its own names."""
        if name.endswith("_") and not name.startswith("_") and "selector_" in vars(self):
            return getattr(self.selector_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def truncate(self, n_features: int) -> Self:
        """Return the same fit with its first `n_features` features; nothing is recomputed.

        Parameters
        ----------
        n_features : int
            How many columns to keep, from 1 to the number selected.
        """
        check_is_fitted(self)
        shorter = copy(self)
        shorter.selector_ = self.selector_.truncate(n_features)
        shorter.n_features_ = len(ends(shorter.selector_))
        if n_features < len(self.ranking_):
            shorter.stop_reason_ = "n_features_to_select"
        return shorter

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = self.selector_._columns()
        return columns


def _groups(selector: Any) -> list[Any]:
    """Return the groups of columns that a selector takes as one."""
    groups = getattr(selector, "groups", None)
    if groups is None:
        return []
    return list(groups.values() if isinstance(groups, dict) else groups)
