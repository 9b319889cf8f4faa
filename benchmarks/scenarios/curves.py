"""How the cost of one pass grows with each dimension of the table."""

import numpy as np

from benchmarks.tables import coded_table
from benchmarks.timing import side_by_side
from deacs.selection import LocalCounts

TITLE = "Cost curves: one pass over all candidates after two selected features, 1 thread"
NOTE = """
One dimension doubles while the others stay; *growth* is the time over the time of the row before,
2 where the cost is linear. Counting goes by 64 rows and by values, so a column with more values
costs more but not in proportion (above 16 values features are counted row by row); with more
classes there are more runs to count, also less than in proportion. Features selected: see the
scenario `step_cost`.
"""
START = {"rows": 20_000, "columns": 200, "classes": 4, "values": 4}


def run() -> list[dict[str, object]]:
    """Double each dimension three times."""
    rows = []
    for dimension in START:
        before = None
        for factor in (1, 2, 4, 8):
            shape = {**START, dimension: START[dimension] * factor}
            seconds = _pass(**shape)
            rows.append(
                {
                    "dimension": dimension,
                    "size": shape[dimension],
                    "ms": seconds * 1e3,
                    "ns a row and column": seconds / shape["rows"] / shape["columns"] * 1e9,
                    "growth": "" if before is None else f"{seconds / before:.2f}",
                }
            )
            before = seconds
    return rows


def _pass(rows, columns, classes, values):
    data = coded_table(rows, columns, classes, (values, values))
    engine = LocalCounts(data)
    for feature in (0, 1):
        engine.condition_on(feature)
    candidates = np.arange(2, columns)
    engine.label_scores(candidates)
    return side_by_side({"pass": lambda: engine.label_scores(candidates)}, repeats=5)["pass"]
