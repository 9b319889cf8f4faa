"""DEA models with several inputs, against one hot-started HiGHS model over all units."""

import time

import highspy
import numpy as np

from deacs.dea import bcc, ram, sbm, super_efficiency

TITLE = "DEA with several inputs: all units, against a hot-started HiGHS model"
NOTE = """
The reference is one HiGHS model of the radial super-efficiency in envelopment form with a column
for each unit, built once; from unit to unit the right-hand sides, the column of θ and the bound of
the unit's own column change. It solves a hundred units, evenly spread, and its time is scaled up to
all of them. *independent*: inputs and outputs have nothing to do with each other, and few units are
efficient. *production*: outputs follow from inputs, with inefficiency on top, and many are. Ours
scores all units on one thread with peers and a check against the dual. Seconds are those of the
processor. *difference*: the largest relative difference of a score in the sample. `bcc` includes
its second phase.
"""
SIZES = ((1000, 2, 2), (1000, 3, 5), (5000, 2, 2), (5000, 3, 3), (5000, 3, 5), (5000, 5, 10))
KINDS = ("independent", "production")
SAMPLE = 100


def run() -> list[dict[str, object]]:
    """Time all units of each kind of table."""
    super_efficiency(*make_table("independent", 50, 2, 2))  # compile
    return [_row(kind, *size) for size in SIZES for kind in KINDS]


def make_table(kind: str, n: int, m: int, s: int) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs and outputs of n units."""
    rng = np.random.default_rng(0)
    x, y = rng.lognormal(sigma=0.5, size=(n, m)), rng.lognormal(sigma=0.5, size=(n, s))
    if kind == "production":
        size = np.prod(x, axis=1) ** (1 / m) * np.exp(-np.abs(rng.normal(0, 0.3, n)))
        y = y * (size / np.linalg.norm(y, axis=1))[:, None]
    return x, y


def hot_started_highs(
    x: np.ndarray, y: np.ndarray, sample: np.ndarray, *, variable: bool
) -> np.ndarray:
    """Return the super-efficiencies of the sample by one model over all units."""
    n, m = x.shape
    s = y.shape[1]
    x, y = x / x.max(axis=0), y / y.max(axis=0)
    highs = highspy.Highs()
    highs.silent()
    highs.setOptionValue("presolve", "off")
    highs.setOptionValue("solver", "simplex")
    none, infinite = np.zeros(0, dtype=np.int32), highspy.kHighsInf
    total = [1.0] if variable else []
    lower = np.r_[np.full(m, -infinite), np.zeros(s), total]
    upper = np.r_[np.zeros(m), np.full(s, infinite), total]
    highs.addRows(len(lower), lower, upper, 0, none, none, np.zeros(0))
    units = np.hstack([x, y, np.ones((n, len(total)))])
    columns = np.vstack([np.r_[-x[0], np.zeros(s + len(total))], units])
    kept = columns != 0
    starts = np.r_[0, kept.sum(axis=1).cumsum()[:-1]].astype(np.int32)
    index = np.nonzero(kept)[1].astype(np.int32)
    cost, above = np.r_[1.0, np.zeros(n)], np.full(n + 1, infinite)
    highs.addCols(n + 1, cost, np.zeros(n + 1), above, len(index), starts, index, columns[kept])
    rows, no_bound = np.arange(m, m + s, dtype=np.int32), np.full(s, infinite)
    scores = np.empty(len(sample))
    last = int(sample[0])
    for k, p in enumerate(sample.tolist()):
        highs.changeColBounds(last + 1, 0.0, infinite)
        highs.changeColBounds(p + 1, 0.0, 0.0)
        highs.changeRowsBounds(s, rows, y[p], no_bound)
        for i in range(m):
            highs.changeCoeff(i, 0, -x[p, i])
        highs.run()
        solved = highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        scores[k] = highs.getInfo().objective_function_value if solved else np.inf
        last = p
    return scores


def _row(kind: str, n: int, m: int, s: int) -> dict[str, object]:
    x, y = make_table(kind, n, m, s)
    sample = np.arange(0, n, n // SAMPLE)
    row: dict[str, object] = {"n": n, "inputs": m, "outputs": s, "table": kind}
    for scale in ("crs", "vrs"):
        reference, expected = _timed(
            lambda scale=scale: hot_started_highs(x, y, sample, variable=scale == "vrs")
        )
        ours, result = _timed(lambda scale=scale: super_efficiency(x, y, returns_to_scale=scale))
        if scale == "crs":
            row["efficient"] = int((result.scores >= 1 - 1e-9).sum())
        finite = np.isfinite(expected)
        row[f"reference {scale}, s"] = reference * n / len(sample)
        row[f"ours {scale}, s"] = ours
        row[f"times faster, {scale}"] = reference * n / len(sample) / ours
        row[f"difference, {scale}"] = float(
            np.abs(result.scores[sample][finite] / expected[finite] - 1).max()
        )
    for name, model in (("bcc", bcc), ("sbm", sbm), ("ram", ram)):
        row[f"{name}, s"], _ = _timed(lambda model=model: model(x, y))
    return row


def _timed(work: object) -> tuple[float, np.ndarray]:
    start = time.process_time()
    answer = work()
    return time.process_time() - start, answer
