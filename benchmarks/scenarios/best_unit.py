"""The winner of each step of a fit, on real tables of label scores."""

import os
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from benchmarks.scenarios.super_efficiency import hot_started_highs
from deacs import encode
from deacs.counts.counts import CountsHere
from deacs.dea import best_unit
from deacs.tables.files import read_table

TITLE = "Who wins each step: bounds and early ends, against the scores of all candidates"
NOTE = """
Tables of label scores as DEA-CS meets them, all steps until no candidate tells anything. Sets of
the paper need DEACS_DATA to name their folder; digits comes with scikit-learn. *reference*: one
hot-started HiGHS model a step that scores every candidate, then the largest score. *ours*:
`best_unit`, validation included, the best of three runs over all steps. *programs*: linear programs
that ours began. *counting*: what the label scores themselves take, on one thread; DEA should not be
the larger part of a fit. *difference*: the largest relative difference of a winner's score.
"""
SETS = ("isolet5", "arrhythmia", "mfeat-zernike")


def run() -> list[dict[str, object]]:
    """Time all steps of each data set."""
    folder = os.environ.get("DEACS_DATA")
    tables = {"digits": load_digits(return_X_y=True)}
    for name in SETS if folder else ():
        frame = read_table(Path(folder) / f"{name}.csv.gz")
        tables[name] = frame.drop("class"), frame["class"]
    return [_row(name, *table) for name, table in tables.items()]


def _row(name: str, X: object, y: object) -> dict[str, object]:
    data = encode(X, y)
    _steps(CountsHere(data))  # compile
    steps, counting = _steps(CountsHere(data))
    ours, reference, difference, n_programs = np.inf, 0.0, 0.0, 0
    for _ in range(3):
        start = time.perf_counter()
        winners = [best_unit(R) for R in steps]
        ours = min(ours, time.perf_counter() - start)
    for R, winner in zip(steps, winners, strict=True):
        start = time.perf_counter()
        best = hot_started_highs(R, np.arange(len(R))).max()
        reference += time.perf_counter() - start
        n_programs += winner.n_solved
        if winner.score != best:  # infinities
            difference = max(difference, abs(winner.score - best) / best)
    return {
        "set": name,
        "candidates": len(steps[0]),
        "labels": steps[0].shape[1],
        "steps": len(steps),
        "reference, s": reference,
        "ours, s": ours,
        "times faster": reference / ours,
        "programs": n_programs,
        "counting, s": counting,
        "difference": difference,
    }


def _steps(engine: CountsHere) -> tuple[list[np.ndarray], float]:
    """Run the greedy loop; return the competing rows of each step, and the time of the counting."""
    candidates, steps, counting = np.arange(engine.n_features), [], 0.0
    while True:
        start = time.perf_counter()
        R = engine.label_scores(candidates)
        counting += time.perf_counter() - start
        competing = np.flatnonzero(R.any(axis=1))
        if len(competing) == 0:
            return steps, counting
        steps.append(R[competing])
        row = competing[best_unit(steps[-1]).unit]
        start = time.perf_counter()
        engine.condition_on(int(candidates[row]))
        counting += time.perf_counter() - start
        candidates = np.delete(candidates, row)
