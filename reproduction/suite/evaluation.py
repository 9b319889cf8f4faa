"""Five classifiers on the first columns of a ranking, prepared alike for every method.

Numbers are standardised, missing ones are the mean; a category is one 0/1 column for each value of
the training rows (one column if there are two values), a missing category is a value. All of this
is learned on the training rows of the fold.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from reproduction.suite.records import Records
from reproduction.suite.tables import folds, load_table

__all__ = [
    "CLASSIFIERS",
    "MEASURES",
    "SIZES",
    "Problem",
    "columns_key",
    "evaluate",
    "measures",
    "problem",
    "right",
    "sizes",
]

SIZES = (5, 10, 20, 30, 50)

CLASSIFIERS = {
    "naive Bayes": lambda: GaussianNB(var_smoothing=1e-3),
    "logistic regression": lambda: LogisticRegression(max_iter=200),
    "5-NN": lambda: KNeighborsClassifier(5),
    "tree": lambda: DecisionTreeClassifier(random_state=0),
    "extra trees": lambda: ExtraTreesClassifier(100, random_state=0),
}
MEASURES = ("accuracy", "balanced accuracy", "macro-F1", "worst-class recall")


@dataclass(frozen=True, eq=False)
class Problem:
    """One fold of a table: what a selector may see, and what only classifiers see.

    Attributes
    ----------
    X : polars.DataFrame
        Training rows, as they are.
    y : ndarray of int
        Their classes.
    matrix : ndarray of shape (n_rows, q)
        The training rows as numbers, for methods that know no categories.
    owner : ndarray of int of shape (q,)
        The feature of each column of `matrix`.
    k : int
        How long a ranking need be.
    seed : int
        For methods that draw.
    new, new_y : ndarray
        The test rows, prepared in the same way, and their classes.
    n_classes : int
        In all rows of the table.
    """

    X: pl.DataFrame
    y: np.ndarray
    matrix: np.ndarray
    owner: np.ndarray
    k: int
    seed: int
    new: np.ndarray
    new_y: np.ndarray
    n_classes: int


@lru_cache(maxsize=6)
def problem(table: str, fold: int) -> Problem:
    """Prepare one fold of a table."""
    X, classes = load_table(table)
    labels = np.unique(classes, return_inverse=True)[1]
    train, test = folds(table)[fold]
    blocks = [_prepared(column, train, test) for column in X]
    known = np.hstack([block[0] for block in blocks])
    new = np.hstack([block[1] for block in blocks])
    owner = np.repeat(np.arange(X.width), [block[0].shape[1] for block in blocks])
    return Problem(
        X[train], labels[train], np.asfortranarray(known), owner, min(max(SIZES), X.width),
        fold, np.asfortranarray(new), labels[test], int(labels.max()) + 1,
    )  # fmt: skip


def _prepared(column: pl.Series, train: np.ndarray, test: np.ndarray) -> list[np.ndarray]:
    """Return a column of the training and of the test rows as one numeric column or more."""
    if column.dtype == pl.String:
        values = column.fill_null("").to_numpy()
        levels = np.unique(values[train])
        levels = levels[1:] if len(levels) == 2 else levels
        return [(values[rows, None] == levels).astype(np.float64) for rows in (train, test)]
    values = column.cast(pl.Float64).fill_null(np.nan).to_numpy()
    present = values[train][np.isfinite(values[train])]
    mean, scale = (present.mean(), present.std()) if len(present) else (0.0, 1.0)
    values = (np.where(np.isfinite(values), values, mean) - mean) / (scale or 1.0)
    return [values[rows, None] for rows in (train, test)]


def sizes(n_features: int) -> list[int]:
    """Return 5, 10, 20, 30 and 50, and the number of features in place of what is beyond it."""
    return sorted({min(size, n_features) for size in SIZES})


def evaluate(
    table: str, fold: int, ranking: Sequence[int], records: Records | None = None
) -> dict[str, float]:
    """Return what classifiers do with the first columns of a ranking, means over sizes too.

    Parameters
    ----------
    table : str
        A name of `tables()`.
    fold : int
        Which of `folds(table)` the ranking was made on.
    ranking : sequence of int
        Columns, the best first; where it is shorter than a size it is taken whole.
    records : Records, optional
        What is known already, and where to keep what is new; by default the table's own.

    Returns
    -------
    dict
        The means of `accuracy`, `balanced accuracy`, `macro-F1`, `worst-class recall` over
        classifiers and sizes, and `accuracy at 5`, ...
    """
    records = Records(table) if records is None else records
    given = problem(table, fold)
    found = {
        size: [
            measures(np.array(one["right"]), np.array(one["called"]), _counts(given))
            for one in right(table, fold, ranking[:size], records).values()
        ]
        for size in sizes(given.X.width)
    }
    means = {size: np.mean(rows, axis=0) for size, rows in found.items()}
    overall = np.mean(list(means.values()), axis=0)
    return {
        **dict(zip(MEASURES, map(float, overall), strict=True)),
        **{f"accuracy at {size}": float(mean[0]) for size, mean in means.items()},
    }


def right(table: str, fold: int, columns: Sequence[int], records: Records) -> dict[str, Any]:
    """Return, for each classifier, how many rows of each class it got right and called so."""
    key = fold, columns_key(columns, load_table(table)[0].width)
    if key not in records.scores:
        records.add_scores(*key, _classified(problem(table, fold), list(columns)))
    return records.scores[key]


def columns_key(columns: Sequence[int], n_features: int) -> str:
    """Return how records spell a set of columns; their order does not matter to classifiers."""
    chosen = sorted({int(column) for column in columns})
    return "all" if len(chosen) == n_features else " ".join(map(str, chosen))


def _classified(given: Problem, columns: list[int]) -> dict[str, Any]:
    at = np.flatnonzero(np.isin(given.owner, columns))
    classifiers = CLASSIFIERS if len(at) else dict.fromkeys(CLASSIFIERS, DummyClassifier)
    known, new = (given.matrix[:, at], given.new[:, at]) if len(at) else (given.matrix, given.new)
    known, new = np.ascontiguousarray(known), np.ascontiguousarray(new)
    found = {}
    for name, make in classifiers.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            called = make().fit(known, given.y).predict(new)
        hit = called[called == given.new_y]
        found[name] = {
            "right": np.bincount(hit, minlength=given.n_classes).tolist(),
            "called": np.bincount(called, minlength=given.n_classes).tolist(),
        }
    return found


def _counts(given: Problem) -> np.ndarray:
    return np.bincount(given.new_y, minlength=given.n_classes)


def measures(n_right: np.ndarray, n_called: np.ndarray, n_rows: np.ndarray) -> tuple[float, ...]:
    """Return accuracy, balanced accuracy, macro-F1 and worst-class recall from counts by class."""
    there = n_rows > 0
    recall = n_right[there] / n_rows[there]
    f1 = 2 * n_right[there] / (n_called[there] + n_rows[there])
    return (
        float(n_right.sum() / n_rows.sum()),
        float(recall.mean()),
        float(f1.mean()),
        float(recall.min()),
    )
