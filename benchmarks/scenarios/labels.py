"""Which selector serves classifiers best where rows have several labels, on five real tables.

python -m benchmarks labels                   run what is missing, then show
python -m benchmarks labels --show            show what is there
python -m benchmarks labels --tables flags,emotions
"""

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, hamming_loss
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from deacs import CIFE, CMIM, DEACS, JMI, MIM, MRMR

TITLE = "Several labels a row: nested folds, four classifiers, 5 to 30 features"
NOTE = """
Five tables (flags, emotions, yeast, birds, genbase); 5 folds; selection and scaling see training
rows only. Classifiers: binary relevance and a classifier chain of logistic regressions, 5-NN, and
20 extra trees, each on the first 5, 10, 20 and 30 features (all where a table has fewer). Measures
are of the test rows of all folds together, in percent; `rank`: mean rank by macro-F1 over tables,
classifiers and sizes, 1 is best; `seconds`: CPU seconds of selecting in one fold. A label that no
training row has, or every one, is predicted as it was seen. `worst`: the least F1 of any label. To
stay within 20 CPU minutes, chains are of logistic regressions only, and 700 rows of
yeast are drawn. fastcan is not installed here.
"""
BY_NAME_ONLY = True
"""It takes minutes: `python -m benchmarks` alone leaves it out."""

TABLES = ("flags", "emotions", "yeast", "birds", "genbase")
SIZES = (5, 10, 20, 30)
N_FOLDS = 5
MOST_ROWS = 700
RECORDS = Path(__file__).parents[1] / "results" / "labels" / "records.json"

Floats = NDArray[np.float64]
Labels = NDArray[np.bool_]


@cache
def load(name: str) -> tuple[pl.DataFrame, Labels]:
    """Read a table of the folder that DEACS_DATA names; categories as text."""
    folder = Path(os.environ["DEACS_DATA"]) / "multilabel"
    schema = json.loads((folder / "schema.json").read_text())[name]
    table = pl.read_csv(folder / f"{name}.csv.gz", infer_schema_length=None)
    table = table.sample(min(MOST_ROWS, table.height), seed=0)
    X = table.drop(schema["labels"]).with_columns(pl.col(schema["nominal"]).cast(pl.String))
    return X, table.select(schema["labels"]).to_numpy().astype(bool)


def blocks(X: pl.DataFrame) -> list[Floats]:
    """Return every column as classifiers take it: a number, or indicators of its categories."""
    return [
        column.to_dummies().to_numpy().astype(np.float64)
        if column.dtype == pl.String
        else column.to_numpy().astype(np.float64)[:, np.newaxis]
        for column in X
    ]


def by_f(X: pl.DataFrame, Y: Labels) -> NDArray[np.int64]:
    """Rank by the sum over labels of f_classif; of a category, its best indicator."""
    parts = blocks(X)
    starts = np.cumsum([0, *(part.shape[1] for part in parts[:-1])])
    matrix, scores = np.hstack(parts), np.zeros(len(parts))
    with np.errstate(all="ignore"):
        for i in range(Y.shape[1]):
            statistics = np.nan_to_num(f_classif(matrix, Y[:, i])[0])
            scores += np.maximum.reduceat(statistics, starts)
    return np.argsort(-scores, kind="stable")


def by_forest(X: pl.DataFrame, Y: Labels) -> NDArray[np.int64]:
    """Rank by the importance in 100 extra trees of all labels."""
    parts = blocks(X)
    forest = ExtraTreesClassifier(100, random_state=0).fit(np.hstack(parts), Y)
    owner = np.repeat(np.arange(len(parts)), [part.shape[1] for part in parts])
    importance = np.bincount(owner, forest.feature_importances_)
    return np.argsort(-importance, kind="stable")


def by_chance(X: pl.DataFrame, Y: Labels) -> NDArray[np.int64]:
    """Rank at random."""
    return np.random.default_rng(len(Y)).permutation(X.width)


def by(selector: Callable[[int], Any]) -> Callable[[pl.DataFrame, Labels], NDArray[np.int64]]:
    """Rank by a selector of this library."""
    return lambda X, Y: selector(min(SIZES[-1], X.width)).fit(X, Y).ranking_


METHODS: dict[str, Callable[[pl.DataFrame, Labels], NDArray[np.int64]]] = {
    "DEACS": by(DEACS),
    "DEACS.published": by(DEACS.published),
    "CIFE, summed": by(lambda k: CIFE(k, sum_labels=True)),
    "MIM, summed": by(lambda k: MIM(k, sum_labels=True)),
    "MRMR, summed": by(lambda k: MRMR(k, sum_labels=True)),
    "JMI, summed": by(lambda k: JMI(k, sum_labels=True)),
    "CMIM, summed": by(lambda k: CMIM(k, sum_labels=True)),
    "JMI of sets": by(JMI),
    "f_classif, summed": by_f,
    "extra trees": by_forest,
    "chance": by_chance,
}

MODELS: dict[str, Callable[[], Any]] = {
    "logistic": lambda: MultiOutputClassifier(LogisticRegression(solver="liblinear")),
    "chain": lambda: ClassifierChain(LogisticRegression(solver="liblinear")),
    "5-NN": lambda: KNeighborsClassifier(5),
    "extra trees": lambda: ExtraTreesClassifier(20, random_state=0),
}


def predictions(name: str, rankings: list[list[int]], size: int, model: str) -> Labels:
    """Return the predicted labels of all rows, each by the model of the fold it was left out of."""
    X, Y = load(name)
    parts, fold = blocks(X), folds(len(Y))
    found = np.zeros_like(Y)
    for k, ranking in enumerate(rankings):
        train, test = fold != k, fold == k
        chosen = np.hstack([parts[j] for j in ranking[:size]]) if ranking else np.zeros((len(Y), 1))
        spread = chosen[train].std(axis=0)
        chosen = (chosen - chosen[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        varies = Y[train].any(axis=0) & ~Y[train].all(axis=0)
        found[test] = Y[train].all(axis=0)
        fitted = MODELS[model]().fit(chosen[train], Y[train][:, varies].astype(int))
        found[np.ix_(test, varies)] = np.asarray(fitted.predict(chosen[test])) > 0.5
    return found


def folds(n_rows: int) -> NDArray[np.int64]:
    """Return the fold of each row."""
    return np.random.default_rng(0).permutation(n_rows) % N_FOLDS


def measures(Y: Labels, found: Labels) -> dict[str, float]:
    """Return the measures of predicted labels."""
    each = f1_score(Y, found, average=None, zero_division=0)
    return {
        "hamming": float(hamming_loss(Y, found)),
        "micro": float(f1_score(Y, found, average="micro", zero_division=0)),
        "macro": float(each.mean()),
        "worst": float(each.min()),
    }


def rank(name: str, method: str) -> tuple[list[list[int]], float]:
    """Return the ranking of each fold, and the CPU seconds of one."""
    X, Y = load(name)
    fold, rankings = folds(len(Y)), []
    start = time.process_time()
    for k in range(N_FOLDS):
        train = fold != k
        # A selector refuses labels that nobody has, and leaves out those that all have.
        varies = Y[train].any(axis=0) & ~Y[train].all(axis=0)
        ranking = METHODS[method](X.filter(train), Y[train][:, varies])
        rankings.append([int(j) for j in ranking[: SIZES[-1]]])
    return rankings, (time.process_time() - start) / N_FOLDS


def run(options: Sequence[str] = ()) -> list[dict[str, object]]:
    """Run what is missing, and return the overview."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks labels")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--tables", default=",".join(TABLES))
    chosen = parser.parse_args(options)
    records = json.loads(RECORDS.read_text()) if RECORDS.exists() else {}
    names = chosen.tables.split(",")
    if not chosen.show:
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            for name in names:
                _run_table(name, records)
    return overview(records, names)


def _run_table(name: str, records: dict[str, Any]) -> None:
    Y = load(name)[1]
    for method in METHODS:
        if f"{name}/{method}" in records:
            continue
        rankings, seconds = rank(name, method)
        sizes = sorted({min(size, load(name)[0].width) for size in SIZES})
        scores = {
            f"{model}/{size}": measures(Y, predictions(name, rankings, size, model))
            for model in MODELS
            for size in sizes
        }
        records[f"{name}/{method}"] = {"seconds": seconds, "scores": scores}
        RECORDS.parent.mkdir(parents=True, exist_ok=True)
        RECORDS.write_text(json.dumps(records))
        mean = np.mean([score["macro"] for score in scores.values()])
        print(f"{name}, {method}: macro-F1 {mean:.3f}, {seconds:.2f} s a fold", flush=True)


def overview(records: dict[str, Any], names: Sequence[str]) -> list[dict[str, object]]:
    """Return one row for each method, the best mean rank by macro-F1 first."""
    methods = [m for m in METHODS if all(f"{name}/{m}" in records for name in names)]
    ranks: dict[str, list[float]] = {method: [] for method in methods}
    for name in names:
        for setting in records[f"{name}/{methods[0]}"]["scores"]:
            scores = [records[f"{name}/{m}"]["scores"][setting]["macro"] for m in methods]
            places = rankdata([-round(score, 12) for score in scores])
            for method, place in zip(methods, places.tolist(), strict=True):
                ranks[method].append(place)

    def mean(method: str, measure: str, table: str | None = None) -> float:
        tables = names if table is None else [table]
        per_table = [
            np.mean([s[measure] for s in records[f"{t}/{method}"]["scores"].values()])
            for t in tables
        ]
        return float(np.mean(per_table))

    return [
        {
            "method": method,
            "rank": round(float(np.mean(ranks[method])), 2),
            "macro-F1": f"{100 * mean(method, 'macro'):.1f}",
            "micro-F1": f"{100 * mean(method, 'micro'):.1f}",
            "worst": f"{100 * mean(method, 'worst'):.1f}",
            "Hamming loss": f"{100 * mean(method, 'hamming'):.1f}",
            **{name: f"{100 * mean(method, 'macro', name):.1f}" for name in names},
            "seconds": f"{np.mean([records[f'{n}/{method}']['seconds'] for n in names]):.2f}",
        }
        for method in sorted(methods, key=lambda m: float(np.mean(ranks[m])))
    ]
