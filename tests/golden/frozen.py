"""Frozen truth: rankings and the raw bits of scores of every selector, on tables of every kind.

`python -m tests.golden.frozen` measures them again and writes `frozen.json`. Unlike other expected
numbers these are copied from our own output: they say that nothing has changed, not that it is
right. A commit that changes one says why.
"""

import hashlib
import json
import platform
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.random import RandomState  # its streams never change
from scipy import sparse
from sklearn import datasets

import deacs
from deacs import DEACS, Blocks, Costs, Radial, Significant, SlackBased

FROZEN = Path(__file__).with_name("frozen.json")

Table = tuple[Any, Any, Any]
"""X, y and weights."""


def _wine() -> Table:
    return *datasets.load_wine(return_X_y=True), None


def _whole_weights() -> Table:
    X, y, _ = _wine()
    return X, y, RandomState(1).randint(0, 4, len(y))


def _fractional_weights() -> Table:
    X, y, _ = _wine()
    return X, y, RandomState(2).randint(1, 64, len(y)) / 16


def _text_classes() -> Table:
    iris = datasets.load_iris()
    return iris.data, iris.target_names[iris.target], None


def _mixed_with_missing() -> Table:
    rng = RandomState(3)
    y = rng.randint(0, 3, 240)
    columns: dict[str, list[Any]] = {
        "colour": np.where(rng.rand(240) < 0.7, np.array(["red", "green", "blue"])[y], "red"),
        "flag": np.where(rng.rand(240) < 0.8, y == 1, rng.rand(240) < 0.5),
        "count": np.where(rng.rand(240) < 0.5, y, rng.randint(0, 40, 240)),
        "weight": y + rng.normal(size=240),
        "grams": np.round(rng.normal(size=240), 1),
        "noise": rng.normal(size=240),
    }
    columns = {name: list(values) for name, values in columns.items()}
    for k, values in enumerate(columns.values()):
        values[k::11] = [None] * len(values[k::11])
    frame = pl.DataFrame({name: pl.Series(name, v, strict=False) for name, v in columns.items()})
    return frame, np.array(["a", "b", "c"])[y], None


def _ties_and_copies() -> Table:
    rng = RandomState(4)
    y = rng.randint(0, 4, 300)
    X = rng.randint(0, 3, (300, 12))
    X[:, 3] = y // 2
    X[:, 4] = X[:, 5] = y % 2 * (rng.rand(300) < 0.8)
    X[:, 6] = 1
    X[:, 7] = X[:, 4] ^ (rng.rand(300) < 0.1)
    return X, y, None


def _many_values_rare_class() -> Table:
    rng = RandomState(5)
    y = (np.arange(300) < 15).astype(int)
    X = rng.randint(0, 40, (300, 10))
    X[:15, 2] = rng.randint(0, 6, 15)
    X[:15, 7] = rng.randint(0, 12, 15)
    return X, y, None


def _sparse_counts() -> Table:
    rng = RandomState(6)
    y = rng.randint(0, 3, 200)
    X = rng.poisson(0.3, (200, 40))
    for i in range(3):
        X[:, 5 * i] += rng.poisson(1.5, 200) * (y == i)
    return sparse.csr_matrix(X), y, None


def _wide() -> Table:
    rng = RandomState(7)
    y = rng.randint(0, 2, 60)
    X = rng.normal(size=(60, 600))
    X[:, :8] += 0.8 * y[:, np.newaxis]
    return X, y, None


def _exclusive_or() -> Table:
    rng = RandomState(8)
    X = rng.randint(0, 2, (400, 10))
    return X, X[:, 2] ^ X[:, 6], None


def _labels() -> Table:
    rng = RandomState(9)
    X = rng.normal(size=(250, 14))
    Y = (X[:, :4] + 0.7 * rng.normal(size=(250, 4)) > [0.0, 0.5, 1.0, -0.3]).astype(int)
    return X, Y, None


def _sets_of_labels() -> Table:
    rng = RandomState(10)
    X = rng.randint(0, 5, (180, 9))
    noisy = X[:, :3] + rng.randint(0, 3, (180, 3))
    names = np.array(["calm", "happy", "sad"])
    return X, [set(names[row]) for row in noisy > 3], None


def _numbers_with_ties() -> Table:
    rng = RandomState(11)
    X = rng.normal(size=(220, 10))
    return X, np.round(3 * X[:, 1] - 2 * X[:, 4] + rng.normal(size=220)) / 2, None


TABLES: dict[str, Callable[[], Table]] = {
    "wine": _wine,
    "breast cancer": lambda: (*datasets.load_breast_cancer(return_X_y=True), None),
    "digits": lambda: (*datasets.load_digits(return_X_y=True), None),
    "iris, classes as text": _text_classes,
    "whole weights": _whole_weights,
    "fractional weights": _fractional_weights,
    "mixed columns, missing values": _mixed_with_missing,
    "ties and copies": _ties_and_copies,
    "many values, rare class": _many_values_rare_class,
    "sparse counts": _sparse_counts,
    "60 x 600": _wide,
    "exclusive or": _exclusive_or,
    "four labels a row": _labels,
    "sets of labels": _sets_of_labels,
    "diabetes, a number": lambda: (*datasets.load_diabetes(return_X_y=True), None),
    "a number with ties": _numbers_with_ties,
}

SELECTIONS: dict[str, Callable[[int, int], Any]] = {
    "DEACS": lambda k, _: DEACS(k),
    "DEACS to its own end": lambda k, _: DEACS(),
    "DEACS, auto": lambda k, _: DEACS("auto", stop=Significant(random_state=0)),
    "DEACS, missing ignored": lambda k, _: DEACS(k, missing="ignore"),
    "DEACS, free weights": lambda k, _: DEACS(k, judge="radial"),
    "DEACS, four times": lambda k, _: DEACS(k, judge=Radial(weight_ratio=4)),
    "DEACS, sum": lambda k, _: DEACS(k, judge="sum"),
    "DEACS, sbm": lambda k, _: DEACS(k, judge=SlackBased("sbm")),
    "DEACS, ram": lambda k, _: DEACS(k, judge=SlackBased("ram")),
    "DEACS, bam": lambda k, _: DEACS(k, judge=SlackBased("bam")),
    "DEACS, divergence": lambda k, _: DEACS(k, label_score="divergence"),
    "DEACS, blocks of 25": lambda k, _: DEACS(k, conditioning=Blocks(min_group_size=25)),
    "DEACS, joint": lambda k, _: DEACS(k, conditioning="joint"),
    "DEACS, cmim": lambda k, _: DEACS(k, conditioning="cmim"),
    "DEACS, jmi": lambda k, _: DEACS(k, conditioning="jmi"),
    "DEACS, included": lambda k, _: DEACS(k, include=[1, 0]),
    "DEACS, budget": lambda _, m: DEACS(costs=Costs(np.arange(m) % 4, budget=5)),
    "DEACS, groups of columns": lambda k, _: DEACS(2, groups=[[0, 2], [1, 3]]),
    "published": lambda k, _: DEACS.published(k),
    "published to its own end": lambda k, _: DEACS.published(),
    "published, auto": lambda k, _: DEACS.published("auto", stop=Significant(random_state=0)),
    "published, missing ignored": lambda k, _: DEACS.published(k, missing="ignore"),
    "published, last tie": lambda k, _: DEACS.published(k, judge=Radial(tie_break="last")),
    "CFS": lambda k, _: deacs.CFS(),
    "FCBF": lambda k, _: deacs.FCBF(),
    "ReliefF": lambda k, _: deacs.ReliefF(k),
    "RReliefF": lambda k, _: deacs.RReliefF(k),
    "MultiSURF": lambda k, _: deacs.MultiSURF(k),
    "SymmetricalUncertainty": lambda k, _: deacs.SymmetricalUncertainty(k),
    "BetaGamma": lambda k, _: deacs.BetaGamma(k, beta=0.5, gamma=0.25),
} | {
    name: lambda k, _, name=name: getattr(deacs, name)(k)
    for name in (
        "CIFE", "CMI", "CMIM", "DEAFS", "DISR", "ICAP", "JMI", "JMIM", "MIFS", "MIFSU", "MIM",
        "MRMR", "NJMIM",
    )
}  # fmt: skip

MOST = 8

table_of = cache(lambda name: TABLES[name]())


def machine() -> str:
    """Name what logarithms may depend on in their last bit: the processor's widest vectors."""
    from numpy._core._multiarray_umath import __cpu_features__

    wide = [name for name in ("AVX512F", "AVX2", "ASIMD") if __cpu_features__.get(name)]
    return f"{platform.machine()} {wide[0] if wide else ''}".strip()


def measure(table: str, selection: str) -> dict[str, Any] | None:
    """Fit; None if the selector refuses the table."""
    X, y, weights = table_of(table)
    k = min(MOST, X.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            given = {} if weights is None else {"sample_weight": weights}
            fitted = SELECTIONS[selection](k, X.shape[1]).fit(X, y, **given)
        except (ValueError, TypeError):
            return None
    scores = np.asarray(fitted.scores_, dtype=float)[: 2 * MOST]
    found = {
        "ranking": fitted.ranking_[: 2 * MOST].tolist(),
        "n_selected": len(fitted.ranking_),
        "scores": [float(score).hex() for score in scores],
    }
    if hasattr(fitted, "label_scores_"):
        bits = np.ascontiguousarray(fitted.label_scores_, dtype="<f8")
        found["label_scores"] = hashlib.sha256(bits.tobytes()).hexdigest()[:16]
    return found


def main() -> None:
    """Measure everything and write the file."""
    frozen = {
        table: {
            selection: found
            for selection in SELECTIONS
            if (found := measure(table, selection)) is not None
        }
        for table in TABLES
    }
    tables = [
        f"{json.dumps(table)}: {{\n"
        + ",\n".join(f"  {json.dumps(name)}: {json.dumps(found[name])}" for name in found)
        + "\n }"
        for table, found in frozen.items()
    ]
    head = f'{{"machine": {json.dumps(machine())}, "tables": {{\n '
    FROZEN.write_text(head + ",\n ".join(tables) + "\n}}\n")


if __name__ == "__main__":
    main()
