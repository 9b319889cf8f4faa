r"""DEACSCV: choose the number of features by cross-validation.

In every fold, features :math:`F_1, F_2, \dots` are selected on the training rows, and for every m a
classifier trained on the first m of them predicts the held-out rows. With mean score
:math:`a_m` over the K folds and standard deviation :math:`s_m`, the one-standard-error rule
takes the smallest number whose score is within noise of the best,

.. math:: m^* = \min \{ m : a_m \ge a_b - s_b / \sqrt{K} \}, \quad b = \arg\max_m a_m .

L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, "Classification and regression trees" (1984),
section 3.4.3.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import HasMethods, Interval

from deacs.selection._cross_validated import (
    CrossValidated,
    Rule,
    Trial,
    choose,
    fewest,
    limit,
    results,
)
from deacs.selection._path_scores import ends
from deacs.selection._row_subsets import RowSubsets, weights_for
from deacs.selection.deacs import DEACS

__all__ = ["DEACSCV"]


class DEACSCV(CrossValidated):
    """Select features, with their number chosen by cross-validation.

    Parameters
    ----------
    selector : a selector of this library, default=None
        The selector, e.g. `JMI()`; None: `DEACS()`. Its parameters are set as `selector__judge` and
        so on; its `n_features_to_select` is an upper limit.
    estimator : classifier or regressor, default=None
        Scores each number of features. It gets the selected columns as they are in X, a frame if X
        is one, so text and missing values need a pipeline, e.g.
        `make_pipeline(OneHotCodes(), LogisticRegression())`. None works for any table:
        naive Bayes and a tree (ridge and a tree if the target is a number) get the values and
        intervals that the selector sees, and their scores are averaged.
    cv : int, splitter or iterable, default=5
        As in scikit-learn: a number of stratified folds (by intervals of a number) or a splitter.
    scoring : str, callable or None, default=None
        As in scikit-learn; None: the estimator's own score, accuracy or R2.
    rule : {"one-standard-error", "best"}, default="one-standard-error"
        Take the smallest number within one standard error of the best mean score, or the best.
    max_features : int or None, default=30
        The largest number to try; None: as many as the selector selects.
    n_jobs : int or None, default=None
        Threads over folds; None means 1, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    n_features_ : int
        The chosen number of columns, or of groups of columns if the selector has `groups`.
    cv_results_ : dict of ndarray
        `n_features`, `mean_test_score`, `std_test_score` and `split0_test_score`, ..., an entry for
        each number tried. A fold whose selection ends early counts with all that it selected.
    stop_reason_ : str
        "cross-validation", or why the selector stopped before.
    selector_ : a selector
        Fitted to all rows, with `n_features_` features.
    ranking_, scores_, label_scores_, residual_, ...
        Those of `selector_`.
    classes_, n_features_in_, feature_names_in_
        As in all scikit-learn estimators.

    Notes
    -----
    Cut points, selection and classifier use only the training rows of a fold; `CodedData` was cut
    on all rows, and the classifier gets its codes. The best mean score is optimistic, as it was
    chosen; for an honest estimate, cross-validate this estimator. Features in `include` are always
    kept.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import DEACSCV
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = DEACSCV().fit(X, y)
    >>> selector.n_features_, selector.selected_names_
    (4, ['flavanoids', 'color_intensity', 'proline', 'alcohol'])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CrossValidated._parameter_constraints,
        "selector": [HasMethods(["fit", "truncate", "get_params"]), None],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        selector: Any = None,
        *,
        estimator: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        rule: Rule = "one-standard-error",
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the number of features, and select that many on all rows.

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
        self._validate_params()
        self._require_target(X, y)
        selector = clone(DEACS() if self.selector is None else self.selector)
        weights = weights_for(selector, sample_weight)
        table = RowSubsets(X, y, selector, sample_weight)
        limited = clone(selector).set_params(**limit(selector, table.n_features, self.max_features))
        # All rows first, so that the selector reports what is wrong with the table.
        path = clone(limited).fit(X, y, **weights)
        n_most = len(ends(path))
        numbers = np.arange(1, n_most + 1)
        trial = Trial(limited, table, path, numbers.tolist())
        scores = self._scored([trial], self._splits(table), self.estimator)
        self.cv_results_ = results(scores, n_features=numbers)
        chosen = choose(scores, numbers, self.rule) + 1 if n_most else 0
        self.n_features_ = min(max(chosen, fewest(path)), n_most)
        self.stop_reason_ = self._reason(path, selector, n_most)
        if self.n_features_ < n_most:
            path = path.truncate(int(ends(path)[self.n_features_ - 1]))
        self._keep(path)
        return self

    def _reason(self, path: Any, selector: Any, n_most: int) -> str:
        if self.n_features_ < n_most:
            return "cross-validation"
        if path.stop_reason_ == "n_features_to_select" and self.max_features == n_most:
            asked = selector.n_features_to_select
            return "n_features_to_select" if asked == n_most else "max_features"
        return str(path.stop_reason_)
