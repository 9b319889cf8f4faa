"""What a selection is compared with: scikit-learn's F-test, all features, and chance."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import f_classif, f_regression

from deacs.coding import code_values
from deacs.coding.kinds import discrete_mask
from deacs.experiments.datasets import Dataset
from deacs.experiments.protocols import Protocol
from deacs.tables import Column, read_columns

__all__ = ["AllFeatures", "FTest", "chance_level"]


class AllFeatures(BaseEstimator):  # type: ignore[misc]
    """Take every column; only all of them together are scored."""

    is_whole = True

    def fit(self, X: Any, y: Any) -> Self:
        """Take every column."""
        self.ranking_, self.stop_reason_ = np.arange(X.shape[1]), "exhausted"
        return self


class FTest(BaseEstimator):  # type: ignore[misc]
    """Rank columns by scikit-learn's `f_classif`, or `f_regression` for a numeric target.

    Missing numbers are replaced by the column's mean; a category counts as its best indicator.
    """

    def __init__(
        self,
        n_features_to_select: int | None = None,
        *,
        discrete_features: Any = "auto",
        target: str = "classes",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.discrete_features = discrete_features
        self.target = target

    def fit(self, X: Any, y: Any) -> Self:
        """Rank the columns."""
        table = read_columns(X)
        discrete = discrete_mask(table, self.discrete_features)
        parts = [
            _indicators(X[:, [j]]) if is_discrete else _numbers(column)
            for j, (column, is_discrete) in enumerate(zip(table.columns, discrete, strict=True))
        ]
        test = f_classif if self.target == "classes" else f_regression
        with np.errstate(all="ignore"):
            found = np.nan_to_num(test(np.hstack(parts), y)[0], nan=0.0)
        starts = np.cumsum([0, *(part.shape[1] for part in parts[:-1])])
        scores = np.maximum.reduceat(found, starts)
        self.ranking_ = np.argsort(-scores, kind="stable")[: self.n_features_to_select]
        self.stop_reason_ = "n_features_to_select"
        return self


def _indicators(X: Any) -> Any:
    [(codes, feature)] = code_values(X)
    return (codes[:, np.newaxis] == np.arange(feature.n_values)).astype(np.float64)


def _numbers(column: Column) -> Any:
    values = column.floats()
    if column.missing is not None:
        known = values[~column.missing]
        values = np.where(column.missing, known.mean() if len(known) else 0.0, values)
    return values[:, np.newaxis]


def chance_level(dataset: Dataset, protocol: Protocol) -> float:
    """Return the accuracy, or R2, in percent without features: of the commonest class, or the mean.

    Both are learned on the training rows and scored on the test rows, as selections are.
    """
    from deacs.experiments.work import n_correct

    correct = n_rows = 0.0
    for split in protocol.splits(dataset.labels):
        known, asked = dataset.target[split.train], dataset.target[split.test]
        guess = known.mean() if dataset.numbers is not None else np.bincount(known).argmax()
        correct += n_correct(dataset, asked, np.full(len(asked), guess))
        n_rows += len(asked)
    return 100.0 * correct / n_rows
