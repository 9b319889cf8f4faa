"""Which selector serves classifiers best, on rows that neither it nor the cuts have seen."""

import os
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import rankdata
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import deacs
from deacs import encode
from deacs.selection._coded import CodedSelector

TITLE = "Accuracy by selector: 5-fold cross-validation, selection inside the training folds"
NOTE = """
Mean accuracy (%) over sets, folds and four classifiers (Gaussian naive Bayes, logistic regression,
5 nearest neighbours, decision tree) on the first 5, 12 and 30 features of each selector, fewer
where it ends early; the average rank at 12 features (1 is best); seconds for all selections. Sets:
those of scikit-learn, and the paper's where DEACS_DATA names their folder.
"""

METHODS = {
    "DEACS": {},
    "CMI": {},
    "MIM": {},
    "MRMR": {},
    "JMI": {},
    "JMIM": {},
    "DISR": {},
    "CMIM": {},
    "ICAP": {},
    "CIFE": {},
    "FCBF": {},
    "CFS": {},
    "ReliefF": {"n_neighbors": 10, "random_state": 0},
    "MultiSURF": {},
    "DEAFS": {},
}
SLOW = {"MultiSURF": 3_000, "DEAFS": 100_000}
"""Methods that are left out on sets with more rows than this."""
SIZES = (5, 12, 30)
PAPER = [
    "flags",
    "kr-vs-kp",
    "mfeat-zernike",
    "synthetic-control",
    "splice",
    "dna",
    "musk2",
    "arrhythmia",
    "isolet5",
]


def run() -> list[dict[str, object]]:
    """Select, classify, average."""
    accuracy: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    seconds: dict[str, float] = defaultdict(float)
    sets = list(_sets())
    for name, X, y in sets:
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        for method in METHODS:
            found = np.full((5, len(SIZES)), np.nan)
            if len(y) <= SLOW.get(method, len(y)):
                for k, (train, test) in enumerate(folds.split(np.zeros(len(y)), y)):
                    order, spent = _select(method, X[train], y[train])
                    seconds[method] += spent
                    found[k] = [_accuracy(X, y, train, test, order[:m]) for m in SIZES]
            accuracy[method][name] = (100 * found.mean(axis=0)).tolist()
        print("  " + name, flush=True)
    at_12 = np.array([[accuracy[m][name][1] for name, _, _ in sets] for m in METHODS])
    ranks = np.apply_along_axis(lambda c: rankdata(-c, nan_policy="omit"), 0, at_12)
    return [
        {
            "selector": method,
            **{
                f"at {m}, %": float(np.nanmean([accuracy[method][s][i] for s, _, _ in sets]))
                for i, m in enumerate(SIZES)
            },
            "rank at 12": float(np.nanmean(ranks[j])),
            "sets": int(np.isfinite(at_12[j]).sum()),
            "selecting, s": seconds[method],
        }
        for j, method in enumerate(METHODS)
    ]


def _sets():
    for load in (load_wine, load_breast_cancer, load_digits):
        X, y = load(return_X_y=True, as_frame=True)
        yield load.__name__.removeprefix("load_"), pl.from_pandas(X), y.to_numpy().astype(str)
    folder = os.environ.get("DEACS_DATA")
    for name in PAPER if folder else []:
        table = deacs.read_table(Path(folder) / f"{name}.csv.gz")
        y = table["class"].cast(str).to_numpy()
        labels, counts = np.unique(y, return_counts=True)
        # Five folds need five rows of a class.
        kept = np.isin(y, labels[counts >= 5])
        yield name, table.drop("class", "name", strict=False).filter(kept), y[kept]


def _select(method, X, y):
    selector_class = getattr(deacs, method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        coded = issubclass(selector_class, CodedSelector)
        data = (encode(X, y),) if coded else (X, y)
        n = None if method in ("DEACS", "CMI", "FCBF", "CFS") else min(max(SIZES), X.shape[1])
        start = time.perf_counter()
        fitted = selector_class(n_features_to_select=n, **METHODS[method]).fit(*data)
    return fitted.selected_names_, time.perf_counter() - start


def _accuracy(X, y, train, test, names):
    if not names:
        return float(np.mean(y[test] == np.unique(y[train])[0]))
    frame = X[names].to_pandas()
    numeric = make_column_selector(dtype_include="number")
    nominal = make_column_selector(dtype_exclude="number")
    prepared = make_column_transformer(
        (make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler()), numeric),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), nominal),
    )
    known = prepared.fit_transform(frame.iloc[train])
    new = prepared.transform(frame.iloc[test])
    classifiers = (
        GaussianNB(var_smoothing=1e-3),
        LogisticRegression(max_iter=300),
        KNeighborsClassifier(),
        DecisionTreeClassifier(random_state=0),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(np.mean([c.fit(known, y[train]).score(new, y[test]) for c in classifiers]))
