"""What was slow, one row a spot, beside the time that it once took."""

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.datasets import load_digits

from benchmarks.scenarios.relief import make_table
from benchmarks.tables import coded_table
from deacs import CodedData, encode
from deacs.dea import super_efficiency
from deacs.dea.assurance import assured_best
from deacs.selection import CFS, CMIM, DEACS, FCBF, JMI, JMIM, MRMR, ReliefF, StabilitySelection

TITLE = "Slow spots: CPU seconds on one thread, beside what they took"
NOTE = """
CPU seconds, the best of a few fits after a first one, which may compile. *before* is what was noted
when these spots were listed, on tables made alike, not on the same ones. `slow_spots --word` takes
the spots that have the word in their names.
"""
Spot = tuple[str, float, Callable[[], Callable[[], object]], int]


def run(options: Sequence[str] = ()) -> list[dict[str, object]]:
    """Time each spot."""
    words = [option.removeprefix("--") for option in options]
    rows: list[dict[str, object]] = []
    for name, before, make, repeats in SPOTS:
        if words and not any(word in name for word in words):
            continue
        work, best = make(), float("inf")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(1 + repeats):  # the first may compile
                start = time.process_time()
                work()
                best = min(best, time.process_time() - start)
        rows.append({"spot": name, "before": before, "now": best, "times": before / best})
        print(rows[-1], flush=True)
    return rows


def _tall() -> Callable[[], object]:
    data = coded_table(1_000_000, 100, 5, (2, 6))
    return lambda: DEACS(30).fit(data)


def _weighted(selector: type) -> Callable[[], Callable[[], object]]:
    def make() -> Callable[[], object]:
        data = coded_table(6_000, 5_000, 2, (2, 6))
        weights = np.random.default_rng(1).integers(1, 4, data.n_rows)
        weighted = replace(data, weights=weights.astype(np.int64))
        return lambda: selector(30).fit(weighted)

    return make


def _categories() -> Callable[[], object]:
    import pandas as pd

    rng = np.random.default_rng(0)
    values = np.array(list("abcdef"))
    columns = {f"c{j}": pd.Categorical(values[rng.integers(0, 6, 6_000)]) for j in range(5_000)}
    frame, y = pd.DataFrame(columns), rng.integers(0, 2, 6_000)
    return lambda: encode(frame, y)


def _sparse(n_columns: int) -> tuple[scipy.sparse.csc_matrix, np.ndarray]:
    rng, n_rows, n_stored = np.random.default_rng(0), 20_000, 100
    rows = np.concatenate(
        [np.sort(rng.choice(n_rows, n_stored, replace=False)) for _ in range(n_columns)]
    )
    starts = n_stored * np.arange(n_columns + 1)
    values = rng.integers(1, 5, len(rows))
    table = scipy.sparse.csc_matrix((values, rows, starts), shape=(n_rows, n_columns))
    return table, rng.integers(0, 2, n_rows)


def _sparse_coding() -> Callable[[], object]:
    X, y = _sparse(50_000)
    return lambda: encode(X, y)


def _sparse_selection() -> Callable[[], object]:
    X, y = _sparse(50_000)
    data = encode(X, y)
    return lambda: JMI(10).fit(data)


def _digits(selector: Callable[[], Any]) -> Callable[[], Callable[[], object]]:
    def make() -> Callable[[], object]:
        X, y = load_digits(return_X_y=True)
        return lambda: selector().fit(X, y)

    return make


def _correlated(selector: type) -> Callable[[], Callable[[], object]]:
    """Columns that have the class in three of ten rows: all stay, so that all pairs count."""

    def make() -> Callable[[], object]:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 1_000)
        codes = rng.integers(0, 3, (1_000, 5_000)).astype(np.uint8)
        codes = np.where(rng.random(codes.shape) < 0.3, y[:, np.newaxis], codes).astype(np.uint8)
        data = CodedData.from_codes(codes, y)
        return lambda: selector().fit(data)

    return make


def _relieff() -> Callable[[], object]:
    X, y = make_table(50_000, 50)
    return lambda: ReliefF().fit(X, y)


def _dea_at_every_step() -> Callable[[], object]:
    X, y = load_digits(return_X_y=True)
    fitted = DEACS(10, store_candidates=True).fit(X, y)
    tables = [step.label_scores for step in fitted.candidates_]
    return lambda: [assured_best(table, 1.2) for table in tables]


def _circle() -> Callable[[], object]:
    angles = np.linspace(0.01, np.pi / 2 - 0.01, 10_000)
    outputs = np.column_stack([np.cos(angles), np.sin(angles)])
    outputs = outputs[np.random.default_rng(0).permutation(len(outputs))]
    return lambda: super_efficiency(None, outputs)


SPOTS: list[Spot] = [
    ("default, 1,000,000 x 100, 5 classes, 30 features", 15.0, _tall, 1),
    ("weighted rows, MRMR, 6,000 x 5,000", 0.15, _weighted(MRMR), 3),
    ("weighted rows, CMIM, 6,000 x 5,000", 0.15, _weighted(CMIM), 3),
    ("weighted rows, JMIM, 6,000 x 5,000", 0.15, _weighted(JMIM), 3),
    ("weighted rows, JMI, 6,000 x 5,000", 1.04, _weighted(JMI), 3),
    ("pandas, 5,000 columns of categories, coded", 3.9, _categories, 2),
    ("sparse, 20,000 x 50,000 at 0.5 %, coded", 8.0, _sparse_coding, 1),
    ("sparse, 20,000 x 50,000 at 0.5 %, JMI from codes", 8.0, _sparse_selection, 1),
    ('DEACS("auto") on digits', 4.1, _digits(lambda: DEACS("auto")), 1),
    (
        "StabilitySelection on digits",
        6.0,
        _digits(lambda: StabilitySelection(DEACS(10), random_state=0)),
        1,
    ),
    ("FCBF, 5,000 correlated columns", 4.4, _correlated(FCBF), 1),
    ("CFS, 5,000 correlated columns", 8.5, _correlated(CFS), 1),
    ("ReliefF, 50,000 x 50", 19.0, _relieff, 1),
    ("DEA at every step of digits, 10 steps", 0.06, _dea_at_every_step, 5),
    ("DEA, 10,000 units on a circle", 1.4, _circle, 3),
]
