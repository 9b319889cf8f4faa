"""The tables of the study and their folds.

Thirty-two tables of the folder `suite` beside the paper's sets (DEACS_DATA names the folder), the
paper's nine sets, and three that ship with scikit-learn.
"""

import json
import os
import warnings
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from reproduction.datasets import REGISTRY, load_dataset

__all__ = ["MAX_TRAINING_ROWS", "Facts", "facts", "folds", "load_table", "tables"]

MAX_TRAINING_ROWS = 1_500
"""Training rows beyond this are left out, drawn within classes."""

MANY_ROWS = 1_900
"""Tables with this many rows or more have 3 folds, the others 5."""

FEWEST_OF_A_CLASS = 3
"""Rows of classes with fewer rows are left out."""

OTHERS = {
    "flags": ("ordinary", "paper"),
    "kr-vs-kp": ("ordinary", "paper"),
    "mfeat-zernike": ("manyclass", "paper"),
    "synthetic-control": ("ordinary", "paper"),
    "splice": ("ordinary", "paper"),
    "musk2": ("imbalanced", "paper"),
    "dna": ("ordinary", "paper"),
    "arrhythmia": ("imbalanced", "paper"),
    "isolet5": ("manyclass", "paper"),
    "wine": ("ordinary", "scikit-learn"),
    "breast-cancer": ("ordinary", "scikit-learn"),
    "digits": ("manyclass", "scikit-learn"),
}
"""Group and source of the tables that are not of the suite."""


@dataclass(frozen=True)
class Facts:
    """What is known of a table before it is read.

    Attributes
    ----------
    name : str
        What records call it.
    group : {"highdim", "manyclass", "ordinary", "imbalanced"}
        More columns than rows, or nearly; ten classes or more; a rare class; none of these.
    source : {"suite", "paper", "scikit-learn"}
        Where it is from.
    cells : int
        Rows times columns: small tables are run first.
    """

    name: str
    group: str
    source: str
    cells: int


@cache
def facts() -> dict[str, Facts]:
    """Return what is known of every table that is there, small tables first."""
    found = [
        Facts(name, entry["group"], "suite", entry["n"] * entry["p"])
        for name, entry in _suite().items()
    ]
    for name, (group, source) in OTHERS.items():
        if source == "scikit-learn" or os.environ.get("DEACS_DATA"):
            info = REGISTRY[name]
            found.append(Facts(name, group, source, info.n_rows * info.n_features))
    return {one.name: one for one in sorted(found, key=lambda one: one.cells)}


def tables(source: str | None = None) -> list[str]:
    """Return the names of the tables, small ones first; `source` is "suite", "paper", ..."""
    return [name for name, one in facts().items() if source in (None, one.source)]


@lru_cache(maxsize=3)
def load_table(name: str) -> tuple[pl.DataFrame, np.ndarray]:
    """Return the features and the classes of a table; categories are columns of text."""
    if name in _suite():
        frame = pl.read_parquet(_folder() / f"{name}.parquet")
        nominal = _suite()[name]["nominal"]
        X, y = frame.drop("class"), frame["class"].cast(pl.String).to_numpy()
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = load_dataset(name)
        X, y = table.X, table.classes[table.labels].astype(str)
        nominal = [
            column for column, is_one in zip(X.columns, table.discrete, strict=True) if is_one
        ]
    classes, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, classes[counts >= FEWEST_OF_A_CLASS])
    return X.with_columns(pl.col(nominal).cast(pl.String)).filter(kept), y[kept]


@lru_cache(maxsize=64)
def folds(name: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return training and test rows of every fold."""
    _, y = load_table(name)
    splitter = StratifiedKFold(3 if len(y) >= MANY_ROWS else 5, shuffle=True, random_state=0)
    with warnings.catch_warnings():  # of classes with fewer rows than folds
        warnings.simplefilter("ignore")
        pairs = list(splitter.split(np.zeros(len(y)), y))
    return [(_some(train, y[train]), test) for train, test in pairs]


def _some(rows: np.ndarray, y: np.ndarray) -> np.ndarray:
    if len(rows) <= MAX_TRAINING_ROWS:
        return rows
    draw = StratifiedShuffleSplit(1, train_size=MAX_TRAINING_ROWS, random_state=0)
    [(kept, _)] = draw.split(np.zeros(len(y)), y)
    return rows[np.sort(kept)]


def _folder() -> Path:
    return Path(os.environ["DEACS_DATA"]) / "suite"


@cache
def _suite() -> dict[str, dict]:
    if not os.environ.get("DEACS_DATA"):
        return {}
    return json.loads((_folder() / "suite.json").read_text())
