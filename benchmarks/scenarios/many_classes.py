"""Many classes: how counting and judging share the time."""

import time

import numpy as np
from sklearn.datasets import load_digits

from benchmarks.tables import coded_table
from deacs import encode
from deacs.counts.counts import CountsHere
from deacs.selection.judges import JUDGES

TITLE = "Many classes: counting beside DEA, 1 thread, until exhausted"
NOTE = """
Seconds spent on the label scores, on splitting the groups, and on DEA (the winner by super-
efficiency) over all steps, of the processor; best of three runs.
"""


def run() -> list[dict[str, object]]:
    """Time the parts of every step."""
    tables = {
        "1,559 x 617, 26 classes, 4 values (made)": coded_table(1559, 617, 26, (4, 4)),
        "1,559 x 617, 26 classes, 2 to 9 values (made)": coded_table(1559, 617, 26, (2, 9)),
        **{
            f"3,000 x 300, {classes} classes, 4 values (made)": coded_table(
                3000, 300, classes, (4, 4)
            )
            for classes in (8, 16, 32, 64, 100)
        },
        "digits of scikit-learn, 10 classes": encode(*load_digits(return_X_y=True)),
    }
    return [
        {"table": name, **min((_parts(data) for _ in range(3)), key=_total)}
        for name, data in tables.items()
    ]


def _total(parts):
    return parts["counting, s"] + parts["DEA, s"]


def _parts(data):
    engine, judge = CountsHere(data), JUDGES["radial"]()
    candidates = np.arange(data.n_features)
    counting = splitting = judging = 0.0
    steps = 0
    while True:
        start = time.process_time()
        scores = engine.label_scores(candidates)
        units = np.flatnonzero(scores.any(axis=1))
        counted = time.process_time()
        counting += counted - start
        if len(units) == 0:
            break
        row = int(units[judge.best(scores[units], None)[0]])
        judged = time.process_time()
        judging += judged - counted
        engine.condition_on(int(candidates[row]))
        splitting += time.process_time() - judged
        candidates = np.delete(candidates, row)
        steps += 1
    return {
        "steps": steps,
        "counting, s": counting,
        "splitting, s": splitting,
        "DEA, s": judging,
        "DEA / counting": judging / counting,
    }
