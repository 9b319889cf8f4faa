"""The methods of the study: each makes a ranking of columns from the training rows of a fold.

Filters of this library see the table as it is. Methods that know numbers only see the matrix that
classifiers see: a category is several 0/1 columns, and its score is the largest of theirs (forests
and L1: their sum, for they share weight), its place the best of theirs. A ranking may be shorter
than asked for: subsets (CFS, FCBF, Boruta, L1) end by themselves.
"""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.feature_selection import f_classif, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import deacs
from reproduction.suite.evaluation import Problem

__all__ = ["METHODS", "Method", "of_selector"]


@dataclass(frozen=True)
class Method:
    """A method of the study.

    Attributes
    ----------
    rank : callable
        From a `Problem` to columns, the best first.
    version : str
        Part of the key of its records: give another one when the method changes.
    turn : int
        Methods with a low one are run first, on all tables.
    max_columns : int
        It is not run on tables with more.
    """

    rank: Callable[[Problem], Iterable[int]]
    version: str = "1"
    turn: int = 1
    max_columns: int = 1_000_000


def of_selector(make: Callable[[int], Any], version: str = "1", turn: int = 1) -> Method:
    """Return the method that fits a selector of this library, made from the number of features."""

    def rank(given: Problem) -> Iterable[int]:
        return make(given.k).fit(given.X, given.y).ranking_

    return Method(rank, version, turn)


def by_score(given: Problem, scores: np.ndarray, share: bool = False) -> np.ndarray:
    """Rank features by the scores of their columns; those that score nothing are left out."""
    of_features = np.zeros(given.X.width)
    scores = np.nan_to_num(scores, nan=0.0, posinf=np.finfo(float).max)
    (np.add if share else np.maximum).at(of_features, given.owner, scores)
    order = np.argsort(-of_features, kind="stable")
    return order[of_features[order] > 0][: given.k]


def by_place(given: Problem, columns: Iterable[int]) -> list[int]:
    """Rank features by the first of their columns."""
    return list(dict.fromkeys(int(given.owner[column]) for column in columns))[: given.k]


def chance(given: Problem) -> np.ndarray:
    """Rank at random."""
    return np.random.default_rng(given.seed).permutation(given.X.width)[: given.k]


def anova(given: Problem) -> np.ndarray:
    """Rank by F of scikit-learn's f_classif."""
    return by_score(given, f_classif(given.matrix, given.y)[0])


def nearest_neighbour_information(given: Problem) -> np.ndarray:
    """Rank by scikit-learn's mutual_info_classif, 0/1 columns as discrete ones."""
    several = np.bincount(given.owner)[given.owner] > 1
    two_values = (given.matrix == given.matrix.astype(bool)).all(axis=0)
    discrete = several | two_values
    return by_score(
        given,
        mutual_info_classif(given.matrix, given.y, discrete_features=discrete, random_state=0),
    )


def fast_canonical_correlation(given: Problem) -> list[int]:
    """Rank by fastcan: forward selection by canonical correlation with the classes' indicators."""
    from fastcan import FastCan

    indicators = (given.y[:, None] == np.unique(given.y)).astype(float)
    wanted = min(given.k * given.matrix.shape[1] // given.X.width + 1, given.matrix.shape[1])
    for n in range(wanted, 0, -1):  # it refuses more than are linearly independent
        try:
            found = FastCan(n, verbose=0).fit(given.matrix, indicators).indices_
        except RuntimeError:
            continue
        return by_place(given, found)
    return []


def forest(kind: type) -> Callable[[Problem], np.ndarray]:
    """Rank by the mean decrease of impurity in 200 trees."""

    def rank(given: Problem) -> np.ndarray:
        trees = kind(200, random_state=0).fit(given.matrix, given.y)
        return by_score(given, trees.feature_importances_, share=True)

    return rank


def lasso(given: Problem) -> np.ndarray:
    """Rank by coefficients of L1 logistic regression, each class against the rest, C = 1."""
    weights = np.zeros(given.matrix.shape[1])
    classes = np.unique(given.y)
    for label in classes[1:] if len(classes) == 2 else classes:
        model = LogisticRegression(C=1.0, l1_ratio=1.0, solver="liblinear", random_state=0)
        weights += np.abs(model.fit(given.matrix, given.y == label).coef_[0])
    return by_score(given, weights, share=True)


def svm_elimination(given: Problem) -> list[int]:
    """Drop the tenth with the smallest squared weights in a linear SVM, again and again."""
    left, gone = np.arange(given.matrix.shape[1]), []
    while len(left) > 1:
        model = LinearSVC(dual="auto", max_iter=300, tol=1e-3, random_state=0)
        weights = (model.fit(given.matrix[:, left], given.y).coef_ ** 2).sum(axis=0)
        order = np.argsort(weights, kind="stable")
        n_dropped = max(1, len(left) // 10)
        gone.extend(left[order[:n_dropped]])
        left = left[np.sort(order[n_dropped:])]
    return by_place(given, [*left, *reversed(gone)])


def mrmr_package(given: Problem) -> list[int]:
    """Rank by the package mrmr-selection: F over mean correlation."""
    import pandas as pd
    from mrmr import mrmr_classif

    frame = pd.DataFrame(given.matrix)
    wanted = min(given.k * given.matrix.shape[1] // given.X.width + 1, given.matrix.shape[1])
    columns = mrmr_classif(frame, pd.Series(given.y), wanted, n_jobs=1, show_progress=False)
    return by_place(given, columns)


def boruta(given: Problem) -> list[int]:
    """Take what Boruta confirms or leaves open, in the order of the median importance."""
    from boruta import BorutaPy

    trees = RandomForestClassifier(max_depth=5, class_weight="balanced", random_state=0)
    found = BorutaPy(trees, n_estimators="auto", random_state=0).fit(given.matrix, given.y)
    kept = np.flatnonzero(found.support_ | found.support_weak_)
    importance = np.nan_to_num(np.nanmedian(found.importance_history_, axis=0))
    return by_place(given, kept[np.argsort(-importance[kept], kind="stable")])


METHODS: dict[str, Method] = {
    "deacs": of_selector(deacs.DEACS, version="two views 1"),
    "dea-cs": of_selector(deacs.DEACS.published),
    "CFS": of_selector(lambda k: deacs.CFS()),
    "FCBF": of_selector(lambda k: deacs.FCBF()),
    "MRMR": of_selector(deacs.MRMR),
    "CMIM": of_selector(deacs.CMIM),
    "JMI": of_selector(deacs.JMI),
    "ReliefF": of_selector(lambda k: deacs.ReliefF(k, n_neighbors=10, random_state=0), turn=2),
    "f_classif": Method(anova),
    "mutual_info_classif": Method(nearest_neighbour_information, turn=3),
    "fastcan": Method(fast_canonical_correlation),
    "extra trees": Method(forest(ExtraTreesClassifier)),
    "random forest": Method(forest(RandomForestClassifier), turn=2),
    "L1 logistic": Method(lasso, turn=2),
    "SVM-RFE": Method(svm_elimination, turn=3, max_columns=5_000),
    "mrmr-selection": Method(mrmr_package, turn=4, max_columns=5_000),
    "Boruta": Method(boruta, turn=5, max_columns=5_000),
    "chance": Method(chance),
}
"""The methods of the study by name; add a candidate here, or pass a dict of the same shape."""

warnings.filterwarnings("ignore", module="mrmr")
