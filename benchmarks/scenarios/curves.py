"""How the cost grows with each dimension of the table, as a fitted exponent."""

import time
from collections.abc import Callable

import numpy as np

from benchmarks.tables import coded_table
from deacs import DISR, JMI, MRMR
from deacs.counts.counts import CountsHere

TITLE = "Cost curves: CPU milliseconds at sizes that double, and the exponent of the growth"
NOTE = """
One dimension doubles while the others stay at 20,000 rows, 200 columns, 4 classes, 4 values and 10
selected features. The exponent is the slope of log time over log size: 1 is linear, 0 does not
depend on it. *DEACS*: one pass over all candidates given two features. The filters: a fit from
`CodedData`, on which about 0.3 ms do not depend on the table.
"""
START = {"rows": 20_000, "columns": 200, "classes": 4, "values": 4, "selected": 10}
SIZES = {
    "rows": (10_000, 20_000, 40_000, 80_000),
    "columns": (100, 200, 400, 800),
    "classes": (2, 4, 8, 16),
    "values": (2, 4, 8, 16, 32, 64),
    "selected": (5, 10, 20, 40),
}
TURNS = 5


def run() -> list[dict[str, object]]:
    """Fit an exponent for each method and dimension."""
    rows = []
    for name, of in WORKS.items():
        for dimension, sizes in SIZES.items():
            if name == "DEACS" and dimension == "selected":
                continue  # see the scenario `step_cost`
            seconds = [_least(of(**{**START, dimension: size})) for size in sizes]
            rows.append(
                {
                    "method": name,
                    "dimension": dimension,
                    "sizes": ", ".join(map(str, sizes)),
                    "ms": ", ".join(f"{s * 1e3:.3g}" for s in seconds),
                    "exponent": f"{np.polyfit(np.log(sizes), np.log(seconds), 1)[0]:.2f}",
                }
            )
    return rows


def _least(work: Callable[[], object]) -> float:
    work()
    times = []
    for _ in range(TURNS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def _pass(rows, columns, classes, values, selected):
    data = coded_table(rows, columns, classes, (values, values))
    engine = CountsHere(data)
    for feature in (0, 1):
        engine.condition_on(feature)
    candidates = np.arange(2, columns)
    return lambda: engine.label_scores(candidates)


def _fit(selector):
    def work(rows, columns, classes, values, selected):
        data = coded_table(rows, columns, classes, (values, values))
        return lambda: selector(selected).fit(data)

    return work


WORKS = {"DEACS": _pass, "JMI": _fit(JMI), "DISR": _fit(DISR), "MRMR": _fit(MRMR)}
