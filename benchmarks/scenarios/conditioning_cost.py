"""What a step costs given blocks, single features, or all of S, and what each estimator adds."""

import time

import numpy as np

from benchmarks.tables import coded_table
from deacs.counts.counts import CountsHere
from deacs.selection.blocks import CONDITIONINGS, read_conditioning

TITLE = (
    "A step by conditioning and estimator (6,000 x 5,000 codes of 2 to 6 values, 2 and 10 classes)"
)
NOTE = """
Milliseconds for scoring all candidates and adding one, at every step of the same twelve features;
the best of three. *full pass*: the dearest step given all of S jointly before a tenth of the rows
has retired. *worst*: the dearest step of the run as a multiple of that. The aim is 1.5 at most for
blocks and cmim.
"""
N_STEPS, REPEATS = 12, 3
CONTESTANTS = [
    *((conditioning, "plug-in") for conditioning in CONDITIONINGS),
    *((c, e) for c in ("joint", "cmim", "blocks") for e in ("miller-madow", "excess")),
]
PAPER = ("joint", "plug-in")


def run() -> list[dict[str, object]]:
    """Let the conditionings take turns, step by step."""
    return [row for n_labels in (2, 10) for row in _rows(n_labels)]


def _rows(n_labels: int) -> list[dict[str, object]]:
    data = coded_table(6000, 5000, n_labels, (2, 6))
    ranking = np.arange(0, 50 * N_STEPS, 50)
    seconds = {name: np.full(N_STEPS, np.inf) for name in CONTESTANTS}
    n_left = np.zeros(N_STEPS)
    for _ in range(REPEATS):
        counts = {name: CountsHere(data, estimator=name[1]) for name in CONTESTANTS}
        criteria = {
            name: read_conditioning(name[0]).criterion(counts[name]) for name in CONTESTANTS
        }
        candidates = np.arange(data.n_features)
        for step, feature in enumerate(ranking):
            n_left[step] = counts[PAPER]._conditioning.n_left
            for name, criterion in criteria.items():
                start = time.perf_counter()
                criterion.scores(candidates)
                criterion.add(int(feature))
                criterion.residual()
                spent = time.perf_counter() - start
                seconds[name][step] = min(seconds[name][step], spent)
            candidates = candidates[candidates != feature]
    full = seconds[PAPER][n_left > 0.9 * data.n_rows].max()
    return [
        {
            "classes": n_labels,
            "conditioning": name[0],
            "estimator": name[1],
            "full pass, ms": float(full) * 1e3,
            "mean step, ms": float(seconds[name].mean()) * 1e3,
            "dearest step, ms": float(seconds[name].max()) * 1e3,
            "worst, of a full pass": float(seconds[name].max() / full),
        }
        for name in CONTESTANTS
    ]
