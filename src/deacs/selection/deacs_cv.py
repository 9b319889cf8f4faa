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

import warnings
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from inspect import Parameter as Argument
from inspect import signature
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from deacs.coding import CodedData, CodedTable, take_columns, take_rows
from deacs.exceptions import InputError, Note, Parameter
from deacs.selection._base import BaseSelector
from deacs.selection.deacs import DEACS
from deacs.selection.one_hot_codes import OneHotCodes
from deacs.selection.row_subsets import Rows, RowSubsets, each, weights_for
from deacs.selection.stopping import included_features, n_features_wanted
from deacs.tables import in_memory
from deacs.tables.targets import TargetKind

__all__ = [
    "DEACSCV",
    "CrossValidated",
    "Rule",
    "Split",
    "Trial",
    "choose",
    "ends",
    "fewest",
    "limit",
    "path_scores",
    "results",
]


Rule = Literal["one-standard-error", "best"]
Split = tuple[Rows, Rows]
Floats = NDArray[np.float64]

ROUNDING = 1e-12
"""Tolerance for means of the same scores summed in another order."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A selector and the numbers of features to try it with."""

    selector: Any
    """Unfitted; set to the largest number of features, if it takes a number."""
    table: RowSubsets
    path: Any
    """The selector fitted to all rows."""
    numbers: list[int]
    """Ascending; numbers of groups of columns if the selector has groups."""
    is_path: bool = True
    """Whether the first features of a fit are those of a fit with a smaller number. If not, it is
    fitted for every number, and all features that it selects count."""

    def scores(self, split: Split, estimator: Any, scoring: Any) -> list[float]:
        """Select on the training rows of a split; score every number on its test rows."""
        train, test = split
        weights = self.table.weights_of(train)
        how = {"estimator": estimator, "scoring": scoring}
        if self.is_path:
            found = self.table.fit(self.selector, train, weights)
            return path_scores(self.table, found, train, test, numbers=self.numbers, **how)
        scores = []
        for number in self.numbers:
            found = self.table.fit(self.selector, train, weights, n_features_to_select=number)
            all_of_it = [max(len(found.ranking_), 1)]
            scores += path_scores(self.table, found, train, test, numbers=all_of_it, **how)
        return scores


class CrossValidated(BaseSelector):
    """A selector chosen by cross-validation; subclasses define the candidates.

    They set `_path`, the chosen selector fitted to all rows, and `selector_`, the same in the form
    the caller gave it.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "rule": [StrOptions({"one-standard-error", "best"})],
        "n_jobs": [Integral, None],
    }

    cv: Any
    estimator: Any
    scoring: Any
    n_jobs: int | None

    def _require_target(self, X: Any, y: Any) -> None:
        if not isinstance(X, CodedTable):
            super()._require_target(in_memory(X), y)

    def _splits(self, table: RowSubsets) -> list[Split]:
        """Return the training rows and the test rows of every fold."""
        rows = np.arange(table.n_rows)
        is_number = isinstance(self.cv, Integral)
        y = table.strata(int(self.cv)) if is_number else table.classes_of(rows)
        X = rows if isinstance(table.X, CodedData) else table.X
        if is_number and self.cv > table.n_rows:
            raise InputError(
                Parameter("cv"),
                f" must be at most the number of rows, {table.n_rows}, got {self.cv}",
            )
        with warnings.catch_warnings():
            # If a class has fewer rows than there are folds, some folds are tested without it.
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            splits = list(check_cv(self.cv, y, classifier=True).split(X, y))
        for train, _ in splits if table.kind == "classes" else ():
            trained = np.unique(y[train])
            if len(trained) < 2:
                raise InputError(
                    Parameter("y"),
                    " must have two classes in the training rows of every fold, got only "
                    f"{trained.tolist()} in those of one; leave out rows of rare classes",
                )
        return [(rows[train], rows[test]) for train, test in splits]

    def _scored(self, trials: Sequence[Trial], splits: Sequence[Split], estimator: Any) -> Floats:
        """Return the scores of all candidates, trial by trial; one row per fold."""
        starts = np.cumsum([0, *(len(trial.numbers) for trial in trials)])
        spans = [slice(begin, end) for begin, end in pairwise(starts.tolist())]
        scores = np.empty((len(splits), starts[-1]))

        def score(item: int) -> None:
            fold, which = divmod(item, len(trials))
            if trials[which].numbers:
                scores[fold, spans[which]] = trials[which].scores(
                    splits[fold], estimator, self.scoring
                )

        each(score, len(splits) * len(trials), self.n_jobs)
        if np.isnan(scores).any():
            raise InputError(
                f"scoring must give a number in every fold, got NaN from {self.scoring!r}; check "
                "that every fold has rows of all classes"
            )
        return scores

    def _keep(self, path: Any, stop_reason: str, notes: Sequence[Note]) -> None:
        """Store the chosen selector and its result, with the reason and the notes of the choice."""
        self._path = self.selector_ = path
        self.result_ = replace(
            path.result_,
            method=type(self).__name__,
            parameters=self.get_params(deep=False),
            path=replace(path.result_.path, stop_reason=stop_reason, notes=list(notes)),
        )

    def __getattr__(self, name: str) -> Any:
        """Return fitted attributes of the chosen selector."""
        if name.endswith("_") and not name.startswith("_") and "_path" in vars(self):
            return getattr(self._path, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def truncate(self, n_features: int) -> Self:
        """Return the same fit with its first `n_features` features; nothing is recomputed.

        Parameters
        ----------
        n_features : int
            How many columns to keep, from 1 to the number selected.
        """
        check_is_fitted(self)
        shorter, path = copy(self), self._path.truncate(n_features)
        is_all = n_features == len(self.ranking_)
        reason = self.stop_reason_ if is_all else path.stop_reason_
        shorter._keep(path, reason, self.notes_)
        shorter.n_features_ = len(ends(path))
        return shorter

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = self._path._columns()
        return columns


def results(scores: Floats, **candidates: Any) -> dict[str, NDArray[Any]]:
    """Return the scores as scikit-learn's searches do, with an entry for each candidate."""
    return {
        **{name: np.asarray(values) for name, values in candidates.items()},
        "mean_test_score": scores.mean(axis=0),
        "std_test_score": scores.std(axis=0),
        **{f"split{fold}_test_score": split for fold, split in enumerate(scores)},
    }


def choose(scores: Floats, numbers: Sequence[int] | Rows, rule: Rule) -> int:
    """Return the candidate that the rule takes, from scores of shape (n_folds, n_candidates).

    It has the fewest features among candidates within one standard error of the best mean, or among
    those equal to it. Among equal numbers the best mean wins, then the first.
    """
    mean = scores.mean(axis=0)
    best = int(np.flatnonzero(mean >= mean.max() - ROUNDING)[0])
    slack = ROUNDING
    if rule == "one-standard-error" and len(scores) > 1:
        slack += scores[:, best].std(ddof=1) / np.sqrt(len(scores))
    good = np.flatnonzero(mean >= mean[best] - slack)
    of_fewest = good[np.asarray(numbers)[good] == np.min(np.asarray(numbers)[good])]
    return int(of_fewest[mean[of_fewest] >= mean[of_fewest].max() - ROUNDING][0])


def limit(selector: Any, n_features: int, n_most: int | None) -> dict[str, int]:
    """Return parameters that keep a selection of n columns from being longer than necessary.

    The limit is `n_most`, the largest number to try, or the selector's own number if it is smaller.
    """
    chooses = isinstance(selector, CrossValidated)
    if chooses or "n_features_to_select" not in selector.get_params(deep=False):
        return {}
    n_units = n_features - sum(len(group) - 1 for group in _groups(selector))
    wanted = selector.n_features_to_select
    if isinstance(wanted, str):  # the selector stops by itself
        return {}
    limits = [n_features_wanted(wanted, n_units), n_most]
    given = [one for one in limits if one is not None]
    return {"n_features_to_select": min([*given, n_units])} if given else {}


def fewest(path: Any) -> int:
    """Return the smallest number of features: those in `include` are always kept."""
    included = included_features(getattr(path, "include", None), path.result_.source.names, None)
    return int(np.searchsorted(ends(path), max(len(included), 1))) + 1


def _groups(selector: Any) -> list[Any]:
    """Return the groups of columns that a selector selects together."""
    groups = getattr(selector, "groups", None)
    if groups is None:
        return []
    return list(groups.values() if isinstance(groups, dict) else groups)


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
        reason = self._reason(path, selector, n_most)
        if self.n_features_ < n_most:
            path = path.truncate(int(ends(path)[self.n_features_ - 1]))
        self._keep(path, reason, path.notes_)
        return self

    def _reason(self, path: Any, selector: Any, n_most: int) -> str:
        if self.n_features_ < n_most:
            return "cross-validation"
        if path.stop_reason_ == "n_features_to_select" and self.max_features == n_most:
            asked = selector.n_features_to_select
            return "n_features_to_select" if asked == n_most else "max_features"
        return str(path.stop_reason_)


Weights = NDArray[Any] | None
Views = Iterator[tuple[Any, Any]]

SMALLEST_LEAF = 2
SMALLEST_LEAF_OF_NUMBERS = 10
"""The mean of two numbers is mostly noise."""
ROUNDING = 1e-9


def path_scores(
    table: RowSubsets,
    path: Any,
    train: Rows,
    test: Rows,
    *,
    numbers: Sequence[int] | Rows,
    estimator: Any = None,
    scoring: Any = None,
) -> list[float]:
    """Score the first m features of a path for several m; all of them if m exceeds its length.

    `path` is a selector fitted to the training rows; `numbers` are 1 or more, and count groups of
    columns if it has groups. `estimator` and `scoring` are those of `DEACSCV`.
    """
    y_train, y_test = table.classes_of(train), table.classes_of(test)
    weights, test_weights = table.weights_of(train), table.weights_of(test)
    if estimator is None:
        weights = table.counts_of(train)
        models, views = _default_models(table.kind, weights), _coded_views
    else:
        models, views = [estimator], _plain_views
    if len(path.ranking_) == 0:  # a constant column: only class frequencies matter
        views = _no_views
    n_columns = np.array([0, *ends(path)])
    reached, where = np.unique(np.minimum(numbers, len(n_columns) - 1), return_inverse=True)
    scores: list[float] = []
    for X_train, X_test in views(table, path, train, test, n_columns[reached]):
        fitted = [clone(one).fit(X_train, y_train, **_fit_weights(one, weights)) for one in models]
        scorer = check_scoring(fitted[0], scoring=scoring)
        counted = _score_weights(fitted[0], scoring, scorer, test_weights)
        scores.append(float(np.mean([scorer(one, X_test, y_test, **counted) for one in fitted])))
    return [scores[k] for k in where]


def ends(path: Any) -> Rows:
    """Return the number of columns in the first 1, 2, ... features; a group has several."""
    if getattr(path, "groups", None) is None:
        return np.arange(1, len(path.ranking_) + 1)
    return np.cumsum([len(group) for group in path.groups_], dtype=np.int64)


def _plain_views(table: RowSubsets, path: Any, train: Rows, test: Rows, n_columns: Rows) -> Views:
    """Yield the first columns as they are in X, in the order of X."""
    ranking = path.ranking_[: n_columns[-1]]
    ranked = take_columns(table.X, ranking)
    X_train, X_test = take_rows(ranked, train), take_rows(ranked, test)
    for n in n_columns:
        places = np.argsort(ranking[:n])
        yield take_columns(X_train, places), take_columns(X_test, places)


def _coded_views(table: RowSubsets, path: Any, train: Rows, test: Rows, n_columns: Rows) -> Views:
    """Yield the first columns one-hot encoded, coded once."""
    ranking = path.ranking_[: n_columns[-1]]
    coder = OneHotCodes(
        discrete_features=isinstance(table.X, CodedData) or table.discrete(train)[ranking],
        discretizer=getattr(path, "discretizer", "mdlp"),
        target=table.kind,
    )
    ranked = take_columns(table.X, ranking)
    coder.fit(
        take_rows(ranked, train), table.targets_of(train), sample_weight=table.weights_of(train)
    )
    X_train, X_test = (coder.transform(take_rows(ranked, rows)) for rows in (train, test))
    widths = np.cumsum(coder.data_.n_values)
    for n in n_columns:
        yield X_train[:, : widths[n - 1]], X_test[:, : widths[n - 1]]


def _no_views(table: RowSubsets, path: Any, train: Rows, test: Rows, n_columns: Rows) -> Views:
    yield np.zeros((len(train), 1)), np.zeros((len(test), 1))


def _default_models(kind: TargetKind, weights: Weights) -> list[Any]:
    """Return an additive model and a tree, which captures interactions."""
    smallest = SMALLEST_LEAF_OF_NUMBERS if kind == "numbers" else SMALLEST_LEAF
    leaf: dict[str, Any] = {"min_samples_leaf": smallest}
    if weights is not None:  # leaf sizes must count weight, not rows
        share = (smallest - ROUNDING) / weights.sum()
        leaf = {"min_weight_fraction_leaf": min(share, 0.5)}
    if kind == "numbers":
        return [Ridge(), DecisionTreeRegressor(random_state=0, **leaf)]
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0, **leaf)
    bayes = MultinomialNB()
    return [MultiOutputClassifier(bayes) if kind == "labels" else bayes, tree]


def _fit_weights(estimator: Any, weights: Weights) -> dict[str, Any]:
    """Return weights as keyword arguments for an estimator or the steps of a pipeline."""
    if weights is None:
        return {}
    if _is_routed(estimator):
        names = ["sample_weight"] if _asks_for_weights(estimator, "fit") else []
    elif isinstance(estimator, Pipeline):
        steps = ((name, step) for name, step in estimator.steps if hasattr(step, "fit"))
        takers = (name for name, step in steps if has_fit_parameter(step, "sample_weight"))
        names = [f"{name}__sample_weight" for name in takers]
    else:
        names = ["sample_weight"] if has_fit_parameter(estimator, "sample_weight") else []
    return dict.fromkeys(names, weights)


def _score_weights(estimator: Any, scoring: Any, scorer: Any, weights: Weights) -> dict[str, Any]:
    """Return the weights of the test rows for the scorer, if it takes weights."""
    if weights is None:
        return {}
    if scoring is None and _is_routed(estimator):
        takes = _asks_for_weights(estimator, "score")
    else:
        # A scorer takes weights if its metric does.
        score = estimator.score if scoring is None else getattr(scorer, "_score_func", scorer)
        parameters = signature(score).parameters
        takes = "sample_weight" in parameters or any(
            parameter.kind is Argument.VAR_KEYWORD for parameter in parameters.values()
        )
    return {"sample_weight": weights} if takes else {}


def _is_routed(estimator: Any) -> bool:
    """Whether scikit-learn's metadata routing passes weights to the steps of a pipeline."""
    return isinstance(estimator, Pipeline) and bool(get_config()["enable_metadata_routing"])


def _asks_for_weights(pipeline: Pipeline, method: str) -> bool:
    """Whether a step requests weights (`set_fit_request`, `set_score_request`)."""
    return bool(get_routing_for_object(pipeline).consumes(method, ["sample_weight"]))
