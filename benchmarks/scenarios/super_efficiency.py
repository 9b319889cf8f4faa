"""Super-efficiency of every unit, against one hot-started HiGHS model."""

import time

import highspy
import numpy as np

from benchmarks.timing import side_by_side
from deacs.dea import super_efficiency

TITLE = "Super-efficiency of all units under a constant input, against a hot-started HiGHS model"
NOTE = """
The reference is the usual way done well: one HiGHS model in envelopment form with a column for each
unit, built once; from unit to unit only the right-hand sides and the bound of the unit's own column
change, so the last basis is a good start. It solves a sample of the units in order (every unit at
n = 1000, every tenth at n = 5000), once, and its time is scaled up to all of them, with the 0.03 s
that building the model takes. Ours scores all units, with peers and two certified bounds on every
score, on one thread and on two, the best of three turns. *times faster*: on one thread.
*difference*: the largest relative difference of a score in the sample. *labels* is shaped like
label scores of features: many small numbers, few large, some zeros. The last rows have no
reference: n = 100,000.
"""
SIZES = ((1000, 10), (1000, 26), (5000, 10), (5000, 26))
ALONE = ((100_000, 5), (100_000, 2))
KINDS = ("uniform", "log-normal", "correlated", "labels")


def run() -> list[dict[str, object]]:
    """Time all units of each kind of table."""
    return [_row(kind, n, s) for n, s in SIZES + ALONE for kind in KINDS]


def make_table(kind: str, n: int, s: int) -> np.ndarray:
    """Return outputs of n units."""
    rng = np.random.default_rng(0)
    if kind == "uniform":
        return rng.random((n, s))
    if kind == "log-normal":
        return rng.lognormal(size=(n, s))
    if kind == "correlated":  # most units are dominated
        return rng.lognormal(sigma=0.5, size=(n, 1)) * rng.uniform(0.5, 1.0, (n, s))
    scores = rng.gamma(0.3, size=(n, s)) * rng.gamma(0.5, size=(n, 1))
    return scores * (rng.random((n, s)) > 0.1)


def hot_started_highs(y: np.ndarray, sample: np.ndarray) -> np.ndarray:
    """Return the scores of the sample by one model over all units."""
    n, s = y.shape
    y = y / np.maximum(y.max(axis=0), np.finfo(float).tiny)
    highs = highspy.Highs()
    highs.silent()
    highs.setOptionValue("presolve", "off")
    highs.setOptionValue("solver", "simplex")
    highs.setOptionValue("small_matrix_value", 1e-12)
    none, infinite = np.zeros(0, dtype=np.int32), highspy.kHighsInf
    highs.addRows(s, np.zeros(s), np.full(s, infinite), 0, none, none, np.zeros(0))
    kept = y > 0
    starts = np.r_[0, kept.sum(axis=1).cumsum()[:-1]].astype(np.int32)
    index = np.nonzero(kept)[1].astype(np.int32)
    no_bound = np.full(n, infinite)
    highs.addCols(n, np.ones(n), np.zeros(n), no_bound, len(index), starts, index, y[kept])
    rows, above = np.arange(s, dtype=np.int32), np.full(s, infinite)
    scores = np.empty(len(sample))
    last = int(sample[0])
    for k, p in enumerate(sample.tolist()):
        size = y[p].sum()  # tolerances are absolute: without it small units are solved badly
        highs.changeColBounds(last, 0.0, infinite)
        highs.changeColBounds(p, 0.0, 0.0)
        highs.changeRowsBounds(s, rows, y[p] / size, above)
        highs.run()
        solved = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        scores[k] = highs.getInfo().objective_function_value * size if solved else np.inf
        last = p
    return scores


def _row(kind: str, n: int, s: int) -> dict[str, object]:
    y = make_table(kind, n, s)
    times = side_by_side(
        {
            "one": lambda: super_efficiency(None, y),
            "two": lambda: super_efficiency(None, y, n_jobs=2),
        }
    )
    result = super_efficiency(None, y)
    row: dict[str, object] = {
        "n": n,
        "outputs": s,
        "table": kind,
        "efficient": int((result.scores >= 1 - 1e-9).sum()),
        "reference, s": "",
        "ours, s": times["one"],
        "ours on 2 threads, s": times["two"],
        "times faster": "",
        "difference": "",
    }
    if (n, s) in SIZES:
        sample = np.arange(0, n, 1 if n <= 1000 else 10)
        start = time.perf_counter()
        expected = hot_started_highs(y, sample)
        reference = (time.perf_counter() - start) * n / len(sample)
        row["reference, s"] = reference
        row["times faster"] = reference / times["one"]
        row["difference"] = _difference(result.scores[sample], expected)
    return row


def _difference(scores: np.ndarray, expected: np.ndarray) -> float:
    same = scores == expected  # infinities, zeros
    return float(np.max(np.abs(scores - expected)[~same] / expected[~same], initial=0.0))
