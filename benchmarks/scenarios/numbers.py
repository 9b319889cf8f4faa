"""Which selector serves regressors best, on tables with a number as target.

python -m benchmarks numbers
python -m benchmarks numbers --tables diabetes,Boston --methods DEACS,f_regression
"""

import argparse
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import polars as pl
from scipy.stats import rankdata, wilcoxon
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.feature_selection import f_regression, mutual_info_regression
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.svm import SVR

import deacs
from benchmarks.markdown import markdown
from benchmarks.number_tables import TABLES, load, missing_packages

TITLE = "Selectors on tables with a number as target: nested folds, four regressors"
NOTE = """
R2 of the test rows of 5 shuffled folds together, times 100; means over regressors (ridge, 5-NN, SVR
with a radial kernel, 50 extra trees) and over sizes (5, 10, 20 features, those below the number of
columns). Selection, standardisation and one-hot coding see the training rows only. At most 1,200
rows a table. Methods that know numbers only see one-hot columns; the score of a category is the
largest of theirs. Ranks by R2, 1 is best; p: Wilcoxon's signed-rank test of DEACS against the
method over tables. Seconds: CPU seconds of selecting, a fold.
"""
BY_NAME_ONLY = True
"""It takes a quarter of an hour: `python -m benchmarks` alone leaves it out."""

SIZES = (5, 10, 20)
REGRESSORS: dict[str, Callable[[], Any]] = {
    "ridge": lambda: RidgeCV(np.logspace(-2, 3, 6)),
    "5-NN": lambda: KNeighborsRegressor(5),
    "SVR": lambda: SVR(C=3.0),
    "extra trees": lambda: ExtraTreesRegressor(50, random_state=0),
}


class Fold:
    """The training rows that selectors see, and test rows prepared in the same way."""

    def __init__(self, X: pl.DataFrame, y: np.ndarray, train: np.ndarray, test: np.ndarray):
        blocks = [_prepared(column, train, test) for column in X]
        self.X, self.y, self.new_y = X[train], y[train], y[test]
        self.matrix = np.hstack([block[0] for block in blocks])
        self.new = np.hstack([block[1] for block in blocks])
        self.owner = np.repeat(np.arange(X.width), [block[0].shape[1] for block in blocks])
        self.k = min(max(SIZES), X.width)
        self._known: dict[tuple[int, ...], list[np.ndarray]] = {}

    def predictions(self, columns: Sequence[int]) -> list[np.ndarray]:
        """Return what each regressor says of the test rows, from some columns."""
        key = tuple(sorted(int(column) for column in columns))
        if key not in self._known:
            of = np.isin(self.owner, key)
            mean, scale = self.y.mean(), self.y.std()
            self._known[key] = [
                mean
                + scale
                * make().fit(self.matrix[:, of], (self.y - mean) / scale).predict(self.new[:, of])
                for make in REGRESSORS.values()
            ]
        return self._known[key]

    def by_score(self, scores: np.ndarray) -> np.ndarray:
        """Rank features by the best score of their columns."""
        of_features = np.full(self.X.width, -np.inf)
        np.maximum.at(of_features, self.owner, np.nan_to_num(scores, nan=-1.0))
        return np.argsort(-of_features, kind="stable")


def _prepared(column: pl.Series, train: np.ndarray, test: np.ndarray) -> list[np.ndarray]:
    if column.dtype == pl.String:
        values = column.to_numpy()
        levels = np.unique(values[train])
        levels = levels[1:] if len(levels) == 2 else levels
        return [(values[rows, None] == levels).astype(np.float64) for rows in (train, test)]
    values = column.cast(pl.Float64).to_numpy()
    mean, scale = values[train].mean(), values[train].std() or 1.0
    return [(values[rows, None] - mean) / scale for rows in (train, test)]


def mrmr_f(fold: Fold) -> list[int]:
    """Rank by F over the mean absolute correlation with what is selected (FCQ)."""
    relevance = np.nan_to_num(f_regression(fold.matrix, fold.y)[0], nan=0.0)
    with np.errstate(invalid="ignore"):
        related = np.abs(np.nan_to_num(np.corrcoef(fold.matrix.T), nan=0.0))
    left, chosen = list(range(len(relevance))), list[int]()
    while left and len({int(fold.owner[j]) for j in chosen}) < fold.k:
        redundancy = related[np.ix_(left, chosen)].mean(axis=1) if chosen else 1.0
        chosen.append(left.pop(int(np.argmax(relevance[left] / np.maximum(redundancy, 1e-3)))))
    return list(dict.fromkeys(int(fold.owner[j]) for j in chosen))


def fastcan(fold: Fold) -> list[int]:
    """Rank by fastcan's canonical correlations."""
    from fastcan import FastCan

    for n_columns in range(min(fold.k, fold.matrix.shape[1]), 0, -1):
        try:
            found = FastCan(n_columns, verbose=0).fit(fold.matrix, fold.y).indices_
        except RuntimeError:  # the columns that are left lie in the span of those selected
            continue
        return list(dict.fromkeys(int(fold.owner[j]) for j in found))
    return []


def _of(make: Callable[[int], Any]) -> Callable[[Fold], Sequence[int]]:
    return lambda fold: make(fold.k).fit(fold.X, fold.y).ranking_


METHODS: dict[str, Callable[[Fold], Sequence[int]]] = {
    "DEACS": _of(lambda k: deacs.DEACS(k, target="numbers")),
    "JMI": _of(lambda k: deacs.JMI(k, target="numbers")),
    "MRMR": _of(lambda k: deacs.MRMR(k, target="numbers")),
    "CMIM": _of(lambda k: deacs.CMIM(k, target="numbers")),
    "RReliefF, influence 1": _of(lambda k: deacs.RReliefF(k, n_neighbors=10, influence=1.0)),
    "RReliefF": _of(lambda k: deacs.RReliefF(k)),
    "f_regression": lambda fold: fold.by_score(f_regression(fold.matrix, fold.y)[0]),
    "mutual_info_regression": lambda fold: fold.by_score(
        mutual_info_regression(fold.matrix, fold.y, random_state=0)
    ),
    "mRMR-F": mrmr_f,
    "fastcan": fastcan,
    "forest importances": lambda fold: fold.by_score(
        RandomForestRegressor(100, random_state=0).fit(fold.matrix, fold.y).feature_importances_
    ),
    "chance": lambda fold: np.random.default_rng(len(fold.y)).permutation(fold.X.width),
}


def run(options: Sequence[str] = ()) -> list[dict[str, object]]:
    """Run the study; print R2 by table and by size; return the overview."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks numbers")
    parser.add_argument("--tables", help="these tables only: a;b;c")
    parser.add_argument("--methods", help="these methods only: a;b;c")
    chosen = parser.parse_args(options)
    missing = missing_packages()
    if missing:
        print(f"Not installed, so left out: {', '.join(missing)}")
    methods = dict(METHODS)
    if find_spec("fastcan") is None:
        print("fastcan is not installed, so left out")
        del methods["fastcan"]
    if chosen.methods:
        methods = {name: METHODS[name] for name in chosen.methods.split(";")}
    names = [name for name, (package, _) in TABLES.items() if package not in missing]
    names = chosen.tables.split(";") if chosen.tables else names
    return study(methods, names)


def study(
    methods: dict[str, Callable[[Fold], Sequence[int]]], names: Sequence[str]
) -> list[dict[str, object]]:
    """Run methods on tables; print R2 by table, by size and by regressor; return the overview."""
    r2: dict[tuple[str, str, int], np.ndarray] = {}
    seconds = dict.fromkeys(methods, 0.0)
    for table in names:
        X, y = load(table)
        folds = [Fold(X, y, *rows) for rows in KFold(5, shuffle=True, random_state=0).split(y)]
        truth = np.concatenate([fold.new_y for fold in folds])
        for method, rank in methods.items():
            rankings = []
            for fold in folds:
                begin = time.process_time()
                rankings.append(list(rank(fold)))
                seconds[method] += (time.process_time() - begin) / len(folds) / len(names)
            for size in (size for size in SIZES if size < X.width):
                said = [f.predictions(r[:size]) for f, r in zip(folds, rankings, strict=True)]
                errors = [truth - np.concatenate(one) for one in zip(*said, strict=True)]
                r2[table, method, size] = np.array(
                    [100 * (1 - (e**2).sum() / ((truth - truth.mean()) ** 2).sum()) for e in errors]
                )
    by_table = {
        table: {
            m: np.mean([v for (t, n, _), v in r2.items() if (t, n) == (table, m)]) for m in methods
        }
        for table in names
    }
    print(
        markdown(
            [{"table": t, **{m: f"{v:.1f}" for m, v in r.items()}} for t, r in by_table.items()]
        )
    )
    values = np.array([[by_table[t][m] for m in methods] for t in names])
    ranks = rankdata(-values, axis=1).mean(axis=0)
    rows: list[dict[str, object]] = []
    for place, method in enumerate(methods):
        of = {key: v for key, v in r2.items() if key[1] == method}
        differs = values[:, 0] - values[:, place]
        p = wilcoxon(differs).pvalue if place and len(names) > 4 and differs.any() else np.nan
        rows.append(
            {
                "method": method,
                "R2": f"{values[:, place].mean():.1f}",
                **{
                    f"at {s}": f"{np.mean([v for k, v in of.items() if k[2] == s]):.1f}"
                    for s in SIZES
                },
                **{
                    r: f"{np.mean([v[i] for v in of.values()]):.1f}"
                    for i, r in enumerate(REGRESSORS)
                },
                "mean rank": f"{ranks[place]:.1f}",
                "DEACS better, worse": f"{(differs > 0.05).sum()}, {(differs < -0.05).sum()}",
                "p": "" if np.isnan(p) else f"{p:.2g}",
                "seconds": f"{seconds[method]:.3f}",
            }
        )
    return sorted(rows, key=lambda row: float(str(row["mean rank"])))
