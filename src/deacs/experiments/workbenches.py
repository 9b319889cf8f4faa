"""Workbenches: the classifiers or regressors that score a selection, on coded features.

The default is the paper's four classifiers in scikit-learn's terms: naive Bayes on counts, a linear
support vector machine, the nearest row by the number of features that differ, a tree by entropy.
docs/experiments.md explains how each differs from Weka's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.coding.one_hot import one_hot
from deacs.exceptions import InputError, Parameter
from deacs.experiments.weka import WEKA_CLASSES, WekaClassifier

__all__ = [
    "QUARTET",
    "REGRESSORS",
    "WORKBENCHES",
    "Classifier",
    "CountingBayes",
    "NearestRows",
    "known_classifiers",
]

Codes = NDArray[np.int64]

QUARTET: tuple[str, ...] = ("nb", "svm", "1-nn", "tree")
"""The default classifiers."""

REGRESSORS: tuple[str, ...] = ("ridge", "svr", "5-nn", "regression-tree")
"""The default regressors for numeric targets, all on one-hot columns."""

WORKBENCHES: dict[str, tuple[str, ...]] = {"sklearn": QUARTET, "weka": tuple(WEKA_CLASSES)}
"""The four classifiers of each workbench."""


class CountingBayes:
    """Naive Bayes on one-hot columns: p(value | class) from counts, with one added to each.

    The same probabilities as scikit-learn's CategoricalNB on codes, many times faster on small
    tables. An unknown value, 0 in all columns, is ignored, as in Weka's NaiveBayes.

    Parameters
    ----------
    n_values : ndarray of int, optional
        The number of columns of each feature; a `Classifier` sets it before `fit`.
    """

    def __init__(self, n_values: NDArray[np.int64] | None = None) -> None:
        self.n_values = n_values

    def fit(self, columns: NDArray[Any], labels: NDArray[np.int32]) -> CountingBayes:
        """Count the values in each class."""
        self.classes_ = np.unique(labels)
        members = (labels[:, None] == self.classes_).astype(np.float64)
        in_class = members.sum(axis=0)
        smoothed = columns.T @ members + 1.0
        sizes = np.asarray(self.n_values)
        totals = in_class + np.repeat(sizes, sizes)[:, None]
        self._values = np.log(smoothed) - np.log(totals)
        self._priors = np.log(in_class / len(labels))
        return self

    def predict(self, columns: NDArray[Any]) -> NDArray[np.int32]:
        """Return the most probable class of each row."""
        scores = columns @ self._values + self._priors
        chosen: NDArray[np.int32] = self.classes_[scores.argmax(axis=1)]
        return chosen


class NearestRows:
    """Vote of the nearest rows: all those that differ in the fewest features.

    Among classes with equal votes the first wins. As in Weka's IBk with k = 1, every row that is as
    near as the nearest votes, so that the order of rows does not matter.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[0, 0], [0, 1], [1, 1]])
    >>> NearestRows().fit(rows, np.array([0, 1, 1])).predict(np.array([[0, 0], [1, 1]]))
    array([0, 1])
    """

    rows_at_once = 512

    def fit(self, codes: Codes, labels: NDArray[np.int32]) -> NearestRows:
        """Store the rows."""
        self._columns = np.ascontiguousarray(codes.T)
        self.classes_ = np.unique(labels)
        self._votes = (labels[:, None] == self.classes_).astype(np.float32)
        return self

    def predict(self, codes: Codes) -> NDArray[np.int32]:
        """Return the class of each row."""
        parts = [
            self._predicted(codes[begin : begin + self.rows_at_once])
            for begin in range(0, len(codes), self.rows_at_once)
        ]
        return np.concatenate(parts)

    def _predicted(self, codes: Codes) -> NDArray[np.int32]:
        differing = np.zeros((len(codes), self._columns.shape[1]), dtype=np.uint16)
        for column, new in zip(self._columns, codes.T, strict=True):
            differing += new[:, None] != column
        nearest = differing == differing.min(axis=1, keepdims=True)
        # Integers below 2**24 are exact in float32.
        votes = nearest.astype(np.float32) @ self._votes
        chosen: NDArray[np.int32] = self.classes_[votes.argmax(axis=1)]
        return chosen


@dataclass(frozen=True)
class Classifier:
    """A classifier and the form in which it takes codes.

    Attributes
    ----------
    name : str
        Its name in results.
    estimator : object with `fit` and `predict`
        It is cloned for every fit.
    form : {"codes", "counts", "one-hot"}
        "codes" as they are; "one-hot": a column of 0 and 1 for each value, all 0 if a value is
        unknown; "counts": the same, for an estimator with an attribute `n_values`.
    """

    name: str
    estimator: Any
    form: Literal["codes", "counts", "one-hot"] = "one-hot"

    @property
    def description(self) -> str:
        """The estimator, without addresses of objects, and its form, for the provenance."""
        text = " ".join(repr(self.estimator).split())
        made = type(self.estimator).__name__ if " at 0x" in text else text
        return f"{made} on {self.form}"

    @property
    def predicts(self) -> Literal["classes", "numbers"] | None:
        """What it predicts, if the estimator tells."""
        from sklearn.base import BaseEstimator, is_classifier, is_regressor

        if not isinstance(self.estimator, BaseEstimator):
            return "classes" if isinstance(self.estimator, CountingBayes | NearestRows) else None
        if is_classifier(self.estimator):
            return "classes"
        return "numbers" if is_regressor(self.estimator) else None

    def predict(
        self, train: Codes, labels: NDArray[np.int32], test: Codes, n_values: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """Train on some rows and predict others; code `n_values` stands for an unknown value."""
        from sklearn.base import clone

        estimator = clone(self.estimator, safe=False)
        seen: tuple[NDArray[Any], NDArray[Any]] = train, test
        if self.form != "codes":
            seen = one_hot(train, n_values), one_hot(test, n_values)
        if self.form == "counts":
            estimator.n_values = n_values
        predicted: NDArray[np.int32] = estimator.fit(seen[0], labels).predict(seen[1])
        return predicted


def known_classifiers(
    classifiers: str | Iterable[str] | Mapping[str, Any], seed: int = 0
) -> dict[str, Classifier | WekaClassifier]:
    """Return classifiers by name.

    Parameters
    ----------
    classifiers : names, or mapping of names to classifiers
        Names in `WORKBENCHES` or `REGRESSORS`, or of any classifier or regressor of scikit-learn
        (`"RandomForestClassifier"`, with its defaults); or your own classifiers, which get one-hot
        columns unless they are a `Classifier`.
    seed : int, default=0
        The `random_state` of those that have one.
    """
    if isinstance(classifiers, Mapping):
        return {
            name: given if hasattr(given, "description") else Classifier(name, given)
            for name, given in classifiers.items()
        }
    names = [classifiers] if isinstance(classifiers, str) else list(classifiers)
    if not names:
        raise InputError(Parameter("classifiers"), " must name one classifier or more, got none")
    return {name: _by_name(name, seed) for name in names}


def _by_name(name: str, seed: int) -> Classifier | WekaClassifier:
    if name in WEKA_CLASSES:
        return WekaClassifier(name, WEKA_CLASSES[name])
    from sklearn.svm import LinearSVC
    from sklearn.tree import DecisionTreeClassifier

    if name == "nb":
        return Classifier(name, CountingBayes(), "counts")
    if name == "svm":
        return Classifier(name, LinearSVC(dual=False))
    if name == "1-nn":
        return Classifier(name, NearestRows(), "codes")
    if name == "tree":
        tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=seed)
        return Classifier(name, tree)
    if name in REGRESSORS:
        return Classifier(name, _regressor(name, seed))
    from sklearn.utils import all_estimators

    found = dict(all_estimators(type_filter=["classifier", "regressor"]))
    if name not in found:
        raise InputError(
            Parameter("classifiers"),
            f" must be among {', '.join([*QUARTET, *WEKA_CLASSES, *REGRESSORS])} or name a "
            "classifier or regressor of scikit-learn such as 'RandomForestClassifier', got "
            f"{name!r}",
        )
    try:
        estimator = found[name]()
    except TypeError as error:
        raise InputError(
            f"classifiers: {name} needs parameters ({error}); pass {{{name!r}: {name}(...)}}"
        ) from error
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=seed)
    return Classifier(name, estimator)


def _regressor(name: str, seed: int) -> Any:
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.linear_model import Ridge
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVR
    from sklearn.tree import DecisionTreeRegressor

    if name == "ridge":
        return Ridge()
    if name == "svr":
        scaled = LinearSVR(random_state=seed, max_iter=10_000)
        return TransformedTargetRegressor(scaled, transformer=StandardScaler())
    if name == "5-nn":
        return KNeighborsRegressor(5)
    return DecisionTreeRegressor(min_samples_leaf=10, random_state=seed)
