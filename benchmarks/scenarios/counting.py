"""Both ways to count, step by step, and the one that the cost model takes."""

from functools import partial
from unittest.mock import patch

import numpy as np

from benchmarks.tables import coded_table
from benchmarks.timing import side_by_side
from deacs.greedy.engine import LocalCounts
from deacs.greedy.setting import PUBLISHED, Setting, dea_cs
from deacs.information import conditioning, plan

TITLE = "Ways to count: in place or gathered, and which one is taken"
NOTE = """
Microseconds for each feature and step. The cost model (`information/plan.py`) takes the way it
believes cheaper; *loss* is what a wrong belief costs.
"""
SHAPES = {
    "6,000 rows, 2 classes": (6000, 500, 2, (2, 6)),
    "6,000 rows, 10 classes": (6000, 500, 10, (2, 6)),
    "200,000 rows, 5 classes": (200_000, 50, 5, (4, 4)),
}


def run() -> list[dict[str, object]]:
    """Force each way in turn."""
    rows = []
    for name, shape in SHAPES.items():
        data = coded_table(*shape)
        engine, candidates = LocalCounts(data), np.arange(data.n_features)
        for step, feature in enumerate(dea_cs(data, Setting(**PUBLISHED)).ranking):
            n_runs = len(engine._conditioning._groups.run_labels)
            if n_runs > 1000:
                break
            times = side_by_side(
                {
                    "in place": partial(_forced, engine, candidates, True),
                    "gathered": partial(_forced, engine, candidates, False),
                }
            )
            taken = plan.counts_in_place(
                data.n_rows, engine._conditioning.n_left, n_runs, float(data.n_values.mean())
            )
            chosen = times["in place" if taken else "gathered"]
            rows.append(
                {
                    "table": name,
                    "|S|": step,
                    "runs": n_runs,
                    "in place, us": times["in place"] / len(candidates) * 1e6,
                    "gathered, us": times["gathered"] / len(candidates) * 1e6,
                    "taken": "in place" if taken else "gathered",
                    "loss": chosen / min(times.values()) - 1,
                }
            )
            engine.condition_on(int(feature))
    return rows


def _forced(engine, candidates, in_place):
    with patch.object(conditioning, "counts_in_place", lambda *_: in_place):
        engine.label_scores(candidates)
