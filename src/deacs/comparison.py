r"""Compare selectors by how well classifiers predict with the features that they select.

In every fold of scikit-learn's stratified cross-validation, columns are coded, features selected
and classifiers trained on the training rows alone; tested rows are coded like them. Classifiers see
a column of 0 and 1 for each interval and category, so that any table will do.

A point of a curve is the score with the first m features, the mean over classifiers and folds: with
all of a selection that ended earlier, and without features where nothing was selected. The best
point is chosen on the rows on which it is measured: slightly optimistic, for all methods alike.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_selection import f_classif, f_regression
from sklearn.linear_model import Ridge
from sklearn.metrics import get_scorer
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC, LinearSVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import _safe_indexing, all_estimators
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from deacs import __version__
from deacs.coding import encode
from deacs.coding.kinds import discrete_mask
from deacs.coding.new_rows import code_new_rows, one_hot
from deacs.exceptions import InputError, Parameter
from deacs.selection.methods import make_selector
from deacs.selection.stability_selection import nogueira
from deacs.tables import TargetOption, read_columns, read_labels

__all__ = ["COMPARED", "METRICS", "Comparison", "Scored", "compare"]

Record = dict[str, Any]

COMPARED = ("deacs", "published", "cfs", "mrmr", "jmi", "f-test", "all", "chance")
"""The methods that are compared if none are named."""

SIZES = (1, 2, 3, 5, 10, 20, 30, 50)
"""The numbers of features that are scored, besides the most that are selected."""

CLASSIFIERS: dict[str, Any] = {
    "nb": MultinomialNB(),
    "svm": LinearSVC(dual=False),
    "5-nn": KNeighborsClassifier(5),
    "tree": DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2),
}
REGRESSORS: dict[str, Any] = {
    "ridge": Ridge(),
    "svr": TransformedTargetRegressor(LinearSVR(max_iter=10_000), transformer=StandardScaler()),
    "5-nn": KNeighborsRegressor(5),
    "regression-tree": DecisionTreeRegressor(min_samples_leaf=10),
}
"""What scores a selection if nothing is named, by the kind of target."""

METRICS = {
    "classes": ("accuracy", "balanced_accuracy", "f1_macro"),
    "numbers": ("r2",),
}
"""What can be measured for each kind of target, as scikit-learn names it; the first by default."""


class WholeTable(BaseEstimator):  # type: ignore[misc]
    """All columns, or none: what a selection is compared with."""

    def __init__(self, has_columns: bool = True) -> None:
        self.has_columns = has_columns

    def fit(self, X: Any, y: Any) -> Self:
        """Take every column, or none."""
        self.ranking_ = np.arange(X.shape[1] if self.has_columns else 0)
        return self


class FTest(BaseEstimator):  # type: ignore[misc]
    """Rank columns by scikit-learn's `f_classif`, or `f_regression` for a numeric target.

    Missing numbers are replaced by the column's mean; a category counts as its best indicator.
    """

    def __init__(
        self,
        n_features_to_select: int | None = None,
        discrete_features: Any = "auto",
        target: str = "classes",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.discrete_features = discrete_features
        self.target = target

    def fit(self, X: Any, y: Any) -> Self:
        """Rank the columns."""
        columns, test = read_columns(X), f_classif if self.target == "classes" else f_regression
        data = encode(X, y, target=self.target, discrete_features=self.discrete_features)  # type: ignore[arg-type]
        scores = np.zeros(len(columns.columns))
        for j, is_discrete in enumerate(discrete_mask(columns, self.discrete_features)):
            if is_discrete:
                values = one_hot(data.column(j)[:, np.newaxis].astype(np.int64), data.n_values[[j]])
            else:
                values = columns.columns[j].floats()[:, np.newaxis]
                values = np.where(np.isnan(values), np.nanmean(values), values)
            with np.errstate(all="ignore"):
                scores[j] = np.nan_to_num(test(values, y)[0], nan=0.0).max()
        self.ranking_ = np.argsort(-scores, kind="stable")[: self.n_features_to_select]
        return self


BASELINES: dict[str, Any] = {
    "f-test": FTest(),
    "all": WholeTable(),
    "chance": WholeTable(has_columns=False),
}
"""What selectors are compared with, besides one another."""


@dataclass(frozen=True)
class Scored:
    """How well classifiers predict with what a method selects.

    Attributes
    ----------
    method : str
        Its name.
    score : float
        The best mean score of a number of features.
    n_features : int
        The fewest features that reach it.
    stability : float
        How much the folds agree on as many features, by `nogueira`.
    seconds : float
        The mean time of a selection.
    curve : list of float
        The mean score for each of the numbers of features.
    """

    method: str
    score: float
    n_features: int
    stability: float
    seconds: float
    curve: list[float]


@dataclass(frozen=True)
class Comparison:
    """Every method, and the classifiers, metric and numbers of features by which it was scored."""

    methods: list[Scored]
    classifiers: list[str]
    metric: str
    sizes: list[int]


def compare(
    X: Any,
    y: Any,
    methods: Iterable[str] | Mapping[str, Any] = COMPARED,
    *,
    classifiers: Iterable[str] | Mapping[str, Any] | None = None,
    metric: str | None = None,
    max_features: int = 30,
    n_splits: int = 10,
    n_repeats: int = 1,
    seed: int = 0,
    target: TargetOption = "auto",
    discrete_features: Any = "auto",
    out: str | Path | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> Comparison:
    """Compare selectors on a table.

    Parameters
    ----------
    X, y : frame or array, and array-like of shape (n_rows,)
        The features, and classes or numbers.
    methods : names, or mapping of names to selectors
        Names as `deacs select --method` takes them, `published` (`DEACS.published`), `f-test`
        (`f_classif`, or `f_regression` for numbers), `all` (features) and `chance`.
    classifiers : names, or mapping of names to classifiers or regressors, optional
        `nb`, `svm`, `5-nn`, `tree`, or for numbers `ridge`, `svr`, `5-nn`, `regression-tree`, which
        are the default; or any others of scikit-learn by name.
    metric : str, optional
        One of `METRICS`.
    max_features : int, default=30
        The most features to select.
    n_splits, n_repeats, seed : int
        The number of folds, how often rows are dealt out, and the seed of that and of classifiers.
    target, discrete_features
        As in `encode`.
    out : path, optional
        A folder for what is finished; the same comparison, or one of other methods, continues it.
    n_jobs : int, optional
        Processes, one fold in each; -1: as many as cores. The result does not depend on it.
    progress : callable, optional
        Called as `progress(folds finished, folds to do, what)`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs.comparison import compare
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> mrmr, chance = compare(X, y, ["mrmr", "chance"], classifiers=["nb"], n_splits=3).methods
    >>> mrmr.score > chance.score
    True
    """
    table = read_columns(X)
    labels = read_labels(y, table.n_rows, target)
    kind = labels.target.kind
    if kind == "labels":
        words = " must hold classes or numbers, got several labels per row; compare one at a time"
        raise InputError(Parameter("y"), words)
    metrics = METRICS[kind]
    if metric not in (None, *metrics):
        words = f" must be one of {', '.join(metrics)} for a target of {kind}, got {metric!r}"
        raise InputError(Parameter("metric"), words, accepted=metrics)
    if not isinstance(methods, Mapping):
        methods = {name: make_selector(name, BASELINES) for name in methods}
    for name, selector in methods.items():
        needed = getattr(type(selector), "target", kind)  # of methods for one kind alone
        if needed != kind:
            words = f" must suit a target of {kind}, got {name!r}, which needs {needed}"
            raise InputError(Parameter("methods"), words)
    if n_splits > (most := int(np.bincount(labels.codes).max())):
        words = f" must not exceed the {most} rows of the largest class, got {n_splits}"
        raise InputError(Parameter("n_splits"), words)
    split = RepeatedStratifiedKFold(n_splits=n_splits, n_repeats=n_repeats, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a rare class is not in every fold
        folds = list(split.split(labels.codes, labels.codes))
    most = min(max_features, len(table.columns))
    plan = _Plan(
        X,
        labels.codes if labels.numbers is None else labels.numbers,
        {"target": kind, "discrete_features": discrete_mask(table, discrete_features)},
        dict(methods),
        _scorers(classifiers, kind, seed),
        metric or metrics[0],
        [*(m for m in SIZES if m < most), most],
        folds,
    )
    content: list[Any] = [__version__, plan.classifiers, plan.metric, plan.sizes, plan.y]
    for c in table.columns:
        values = c.values if c.missing is None else np.where(c.missing, 0, c.values)
        content += [c.name, c.categories, c.missing, values]
    content += [*plan.given.values(), *(rows for fold in plan.folds for rows in fold)]
    keys = {name: _digest([*content, each]) for name, each in plan.methods.items()}
    file = None if out is None else Path(out) / "comparison.jsonl"
    records = {} if file is None else _finished(file, keys)
    for record in _work(plan, records, n_jobs, progress):
        records[record["method"], record["fold"]] = record
        if file is not None:
            _append(file, {"key": keys[record["method"]], **record})
    scored = [
        _scored(name, [records[name, fold] for fold in range(len(plan.folds))], len(table.columns))
        for name in plan.methods
    ]
    return Comparison(scored, list(plan.classifiers), plan.metric, plan.sizes)


def _digest(parts: Iterable[Any]) -> str:
    """Return what tells these arrays and settings from others."""
    digest = sha256()
    for part in parts:
        if isinstance(part, np.ndarray) and part.dtype != object:
            digest.update(f"{part.dtype} {part.shape}".encode() + part.tobytes())
        else:
            digest.update(repr(part.tolist() if isinstance(part, np.ndarray) else part).encode())
    return digest.hexdigest()


@dataclass(frozen=True, eq=False)
class _Plan:
    """What every fold needs; `given` are arguments of `encode` and of selectors that take them."""

    X: Any
    y: NDArray[Any]
    given: dict[str, Any]
    methods: dict[str, Any]
    classifiers: dict[str, Any]
    metric: str
    sizes: list[int]
    folds: list[tuple[NDArray[Any], NDArray[Any]]]


def _scorers(given: Any, kind: str, seed: int) -> dict[str, Any]:
    """Return classifiers or regressors by name, with the seed."""
    known, suits = (CLASSIFIERS, is_classifier) if kind == "classes" else (REGRESSORS, is_regressor)
    given = known if given is None else given
    if not isinstance(given, Mapping):
        others = {} if set(given) <= set(known) else dict(all_estimators())
        given = {name: known.get(name) or others.get(name, str)() for name in given}
    scorers = {}
    for name, estimator in given.items():
        if isinstance(estimator, str) or not suits(estimator):
            any_other = f"any {suits.__name__[3:]} of scikit-learn by name"
            words = f" must be {', '.join(known)} or {any_other}, got {name!r}"
            raise InputError(Parameter("classifiers"), words, accepted=tuple(known))
        seeds = [key for key in estimator.get_params() if key.endswith("random_state")]
        scorers[name] = clone(estimator).set_params(**dict.fromkeys(seeds, seed))
    return scorers


def _work(
    plan: _Plan, done: Mapping[tuple[str, int], Record], n_jobs: int | None, progress: Any
) -> Iterator[Record]:
    """Yield what is left to do, as it is finished."""
    left = [
        (fold, names)
        for fold in range(len(plan.folds))
        if (names := [name for name in plan.methods if (name, fold) not in done])
    ]
    try:
        pool = Parallel(n_jobs, return_as="generator_unordered")
        folds = pool(delayed(_of_fold)(plan, fold, names) for fold, names in left)
        for n_finished, records in enumerate(folds, start=1):
            yield from records
            if progress is not None:
                progress(n_finished, len(left), f"fold {records[0]['fold'] + 1}")
    except BrokenProcessPool as error:
        words = "a process was killed, perhaps because memory ran out; try again with fewer"
        raise OSError(words) from error


def _of_fold(plan: _Plan, fold: int, names: list[str]) -> list[Record]:
    """Select by each method and score what it selected."""
    train = plan.folds[fold][0]
    X, y, records = _safe_indexing(plan.X, train), plan.y[train], []
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # said of the whole table, and not of each of its parts
        data = encode(X, y, **plan.given)
        for name in names:
            selector = clone(plan.methods[name])
            options = {**plan.given, "n_features_to_select": plan.sizes[-1]}
            accepted = selector.get_params(deep=False)
            selector.set_params(**{key: options[key] for key in options if key in accepted})
            begin = time.perf_counter()
            ranking = selector.fit(X, y).ranking_.tolist()
            seconds = time.perf_counter() - begin
            is_whole = isinstance(selector, WholeTable)
            used = [len(ranking) if is_whole else min(m, len(ranking)) for m in plan.sizes]
            scores = {m: _score(plan, data, ranking[:m], *plan.folds[fold]) for m in set(used)}
            what = {"ranking": ranking, "seconds": seconds, "used": used}
            records.append(
                {"method": name, "fold": fold, **what, "scores": [scores[m] for m in used]}
            )
    return records


def _score(
    plan: _Plan, data: Any, chosen: list[int], train: NDArray[Any], test: NDArray[Any]
) -> float:
    """Return the mean score of the classifiers on the tested rows, with the chosen columns."""
    if chosen:
        n_values = data.n_values[chosen]
        codes = np.column_stack([data.column(j) for j in chosen]).astype(np.int64)
        seen = one_hot(codes, n_values)
        new = one_hot(code_new_rows(data, _safe_indexing(plan.X, test), chosen), n_values)
        estimators = list(plan.classifiers.values())
    else:
        seen, new = np.zeros((len(train), 1)), np.zeros((len(test), 1))
        estimators = [DummyRegressor() if plan.metric == "r2" else DummyClassifier()]
    scorer, y = get_scorer(plan.metric), plan.y
    fitted = (clone(estimator).fit(seen, y[train]) for estimator in estimators)
    return float(np.mean([scorer(estimator, new, y[test]) for estimator in fitted]))


def _scored(name: str, folds: list[Record], n_columns: int) -> Scored:
    """Summarise what a method did in all folds."""
    curve = np.mean([fold["scores"] for fold in folds], axis=0).round(6).tolist()
    best = curve.index(max(curve))
    n_features = max(fold["used"][best] for fold in folds)
    stability = nogueira([fold["ranking"][:n_features] for fold in folds], n_columns)
    seconds = float(np.mean([fold["seconds"] for fold in folds]))
    return Scored(name, curve[best], n_features, stability, seconds, curve)


def _finished(file: Path, keys: Mapping[str, str]) -> dict[tuple[str, int], Record]:
    """Return what a folder holds of the same methods and settings, by their keys."""
    file.parent.mkdir(parents=True, exist_ok=True)
    done = {}
    for line in file.read_bytes().splitlines() if file.is_file() else []:
        try:
            record = json.loads(line)
            if keys.get(record["method"]) == record.pop("key"):
                done[record["method"], record["fold"]] = record
        except (ValueError, KeyError, TypeError):
            continue  # half a line of a run that was killed
    return done


def _append(file: Path, record: Record) -> None:
    """Write a line at once, after the half line that a killed run may have left."""
    with file.open("a+b", buffering=0) as stream:
        stream.seek(max(stream.seek(0, 2) - 1, 0))
        start = b"" if stream.read(1) in (b"", b"\n") else b"\n"
        line = start + json.dumps(record).encode() + b"\n"
        if stream.write(line) < len(line):
            raise OSError(f"{file} could not take a whole line; is the disk full?")
