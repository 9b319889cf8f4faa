"""Scores of classifiers or regressors on the first m selected features, on held-out rows.

Selection and models use only the training rows of a fold, scores its test rows: a_km of fold k for
every number m of features, from a single selection.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from inspect import Parameter, signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics import check_scoring
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from deacs.coding import CodedData, take_columns, take_rows
from deacs.selection._row_subsets import Rows, RowSubsets
from deacs.selection.one_hot_codes import OneHotCodes
from deacs.tables.targets import TargetKind

__all__ = ["ends", "path_scores"]

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
            parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values()
        )
    return {"sample_weight": weights} if takes else {}


def _is_routed(estimator: Any) -> bool:
    """Whether scikit-learn's metadata routing passes weights to the steps of a pipeline."""
    return isinstance(estimator, Pipeline) and bool(get_config()["enable_metadata_routing"])


def _asks_for_weights(pipeline: Pipeline, method: str) -> bool:
    """Whether a step requests weights (`set_fit_request`, `set_score_request`)."""
    return bool(get_routing_for_object(pipeline).consumes(method, ["sample_weight"]))
