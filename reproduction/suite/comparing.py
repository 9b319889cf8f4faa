"""From records to numbers: measures of every method on every table, pooled over folds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deacs.selection.stability_selection import nogueira
from reproduction.suite.evaluation import CLASSIFIERS, SIZES, columns_key, measures, sizes
from reproduction.suite.methods import Method
from reproduction.suite.records import Records
from reproduction.suite.tables import folds, load_table

__all__ = ["Outcome", "collect"]


@dataclass(frozen=True)
class Outcome:
    """What a method did on a table.

    Attributes
    ----------
    values : ndarray of shape (n_sizes, n_classifiers, 4)
        Accuracy, balanced accuracy, macro-F1 and worst-class recall, of the test rows of all folds
        together; NaN at sizes that the table has not.
    stability : float
        Nogueira's measure of the selections of the folds, the mean over sizes below the number of
        columns; NaN if there is none.
    seconds : float
        CPU seconds of selecting, the mean over folds.
    length : float
        The mean length of the rankings.
    """

    values: np.ndarray
    stability: float
    seconds: float
    length: float

    @property
    def means(self) -> np.ndarray:
        """The four measures, means over sizes and classifiers."""
        return np.nanmean(self.values, axis=(0, 1))


def collect(
    methods: Mapping[str, Method], names: Sequence[str]
) -> tuple[dict[tuple[str, str], Outcome], list[tuple[str, str, str]]]:
    """Return the outcome of (table, method) where it is complete, and what was not run and why."""
    found, not_run = {}, []
    for table in names:
        records = Records(table)
        if not records.rankings:
            continue
        for name, method in methods.items():
            keys = [(name, method.version, fold) for fold in range(len(folds(table)))]
            lines = [records.rankings[key] for key in keys if key in records.rankings]
            reasons = [line["skipped"] for line in lines if "skipped" in line]
            if reasons:
                not_run.append((table, name, reasons[0]))
            elif len(lines) == len(keys):
                outcome = _outcome(table, lines, records)
                if outcome is not None:
                    found[table, name] = outcome
    return found, not_run


def _outcome(table: str, lines: list[dict], records: Records) -> Outcome | None:
    X, y = load_table(table)
    labels = np.unique(y, return_inverse=True)[1]
    n_rows = np.bincount(np.concatenate([labels[test] for _, test in folds(table)]))
    values = np.full((len(SIZES), len(CLASSIFIERS), 4), np.nan)
    for i, size in enumerate(sizes(X.width)):
        keys = [
            (fold, columns_key(line["ranking"][:size], X.width)) for fold, line in enumerate(lines)
        ]
        if any(key not in records.scores for key in keys):
            return None
        for j, classifier in enumerate(CLASSIFIERS):
            of_folds = [records.scores[key][classifier] for key in keys]
            n_right = np.sum([one["right"] for one in of_folds], axis=0)
            n_called = np.sum([one["called"] for one in of_folds], axis=0)
            values[i, j] = measures(n_right, n_called, n_rows)
    return Outcome(
        values,
        _stability([line["ranking"] for line in lines], X.width),
        float(np.mean([line["seconds"] for line in lines])),
        float(np.mean([len(line["ranking"]) for line in lines])),
    )


def _stability(rankings: list[list[int]], n_features: int) -> float:
    found = [
        nogueira([ranking[:size] for ranking in rankings], n_features)
        for size in sizes(n_features)
        if size < n_features
    ]
    found = [value for value in found if np.isfinite(value)]
    return float(np.mean(found)) if found else float("nan")
