"""DEA models with one to five inputs and outputs, against hot-started HiGHS models."""

import time
from collections.abc import Callable
from typing import Any

import highspy
import numpy as np

from deacs.dea import bam, bcc, ccr, directional_distance, ram, sbm, super_efficiency

TITLE = "DEA with several inputs: all units, against hot-started HiGHS models"
NOTE = """
The reference is the usual way done well: one HiGHS model in envelopment form with a column for each
unit, built once; from unit to unit the right-hand sides, the column of θ and the bound of a unit's
own column change, so the last basis is a good start. Where slacks are asked for (`ccr`, `bcc`), a
second model of the same kind maximises them. After ten units to warm up, it solves a sample, evenly
spread, and its time is scaled up to all units; building is not counted. Ours scores all units, with
peers and proofs, on one thread. Both take turns in one process, twice; the better of two counts.
Seconds are those of the processor. *uniform*: all numbers independent; *log-normal*: likewise;
*correlated*: outputs follow from inputs, with inefficiency on top, and many units are efficient.
*difference*: the largest relative difference of a score in the sample. The last rows have no
reference: the other models, at 2,000 units with three inputs and three outputs.
"""
SIZES = (2000, 8000)
SHAPES = ((2, 2), (3, 3), (5, 5), (1, 5), (5, 1))
KINDS = ("uniform", "log-normal", "correlated")
MODELS: dict[str, tuple[Callable[..., Any], dict[str, object]]] = {
    "ccr": (ccr, {}),
    "bcc": (bcc, {}),
    "super, crs": (super_efficiency, {}),
    "super, vrs": (super_efficiency, {"returns_to_scale": "vrs"}),
}
OTHERS = (ram, bam, sbm, directional_distance)
WARM_UP = 10
SAMPLE = 50


def run() -> list[dict[str, object]]:
    """Time all units of each kind of table under each model."""
    sizes = [(n, m, s) for n in SIZES for m, s in SHAPES]
    rows = [_row(name, kind, *size) for size in sizes for kind in KINDS for name in MODELS]
    return rows + [_alone(model, kind) for model in OTHERS for kind in KINDS]


def make_table(kind: str, n: int, m: int, s: int) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs and outputs of n units."""
    rng = np.random.default_rng(0)
    if kind == "uniform":
        return rng.uniform(0.1, 1.0, (n, m)), rng.uniform(0.1, 1.0, (n, s))
    x, y = rng.lognormal(sigma=0.5, size=(n, m)), rng.lognormal(sigma=0.5, size=(n, s))
    if kind == "correlated":
        size = np.prod(x, axis=1) ** (1 / m) * np.exp(-np.abs(rng.normal(0, 0.3, n)))
        y = y * (size / np.linalg.norm(y, axis=1))[:, None]
    return x, y


class HotStarted:
    """HiGHS models of the radial score and of its slacks, for one unit after another."""

    def __init__(self, x: np.ndarray, y: np.ndarray, *, variable: bool, itself: bool) -> None:
        self.x, self.y, self.itself = x / x.max(axis=0), y / y.max(axis=0), itself
        n, self.m = x.shape
        self.s, total = y.shape[1], [1.0] * variable
        self.units = np.hstack([self.x, self.y, np.ones((n, len(total)))])
        infinite, n_rows = highspy.kHighsInf, self.units.shape[1]
        lower = np.r_[np.full(self.m, -infinite), np.zeros(self.s), total]
        upper = np.r_[np.zeros(self.m), np.full(self.s, infinite), total]
        theta = np.r_[-self.x[0], np.zeros(n_rows - self.m)][None, :]
        self.radial = _model(lower, upper, theta, np.ones(1), self.units)
        signs = np.r_[np.ones(self.m), -np.ones(self.s)]
        slacks = np.hstack([np.diag(signs), np.zeros((self.m + self.s, len(total)))])
        goal = np.r_[np.zeros(self.m + self.s), total]
        self.slacks = _model(goal, goal, slacks, -np.ones(self.m + self.s), self.units)
        self.last = 0

    def score(self, p: int, *, slacks: bool) -> float:
        """Solve the programs of one unit."""
        radial, infinite = self.radial, highspy.kHighsInf
        if self.itself:
            radial.changeColBounds(self.last + 1, 0.0, infinite)
            radial.changeColBounds(p + 1, 0.0, 0.0)
            self.last = p
        rows = np.arange(self.m, self.m + self.s, dtype=np.int32)
        radial.changeRowsBounds(self.s, rows, self.y[p], np.full(self.s, infinite))
        for i in range(self.m):
            radial.changeCoeff(i, 0, -self.x[p, i])
        radial.run()
        if radial.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return np.inf
        theta = radial.getInfo().objective_function_value
        if slacks:
            goal = np.r_[theta * (1 + 1e-9) * self.x[p], self.y[p]]
            rows = np.arange(len(goal), dtype=np.int32)
            self.slacks.changeRowsBounds(len(goal), rows, goal, goal)
            self.slacks.run()
        return theta


def _model(
    lower: np.ndarray, upper: np.ndarray, own: np.ndarray, cost: np.ndarray, units: np.ndarray
) -> highspy.Highs:
    highs = highspy.Highs()
    highs.silent()
    highs.setOptionValue("presolve", "off")
    highs.setOptionValue("solver", "simplex")
    none = np.zeros(0, dtype=np.int32)
    highs.addRows(len(lower), lower, upper, 0, none, none, np.zeros(0))
    columns = np.vstack([own, units])
    kept = columns != 0
    starts = np.r_[0, kept.sum(axis=1).cumsum()[:-1]].astype(np.int32)
    index = np.nonzero(kept)[1].astype(np.int32)
    costs, n = np.r_[cost, np.zeros(len(units))], len(columns)
    above = np.full(n, highspy.kHighsInf)
    highs.addCols(n, costs, np.zeros(n), above, len(index), starts, index, columns[kept])
    return highs


def _row(name: str, kind: str, n: int, m: int, s: int) -> dict[str, object]:
    x, y = make_table(kind, n, m, s)
    model, options = MODELS[name]
    variable = name in ("bcc", "super, vrs")
    reference = HotStarted(x, y, variable=variable, itself=name.startswith("super"))
    sample = np.linspace(0, n - 1, WARM_UP + 2 * SAMPLE).astype(int)
    slacks = model in (ccr, bcc)
    for p in sample[:WARM_UP].tolist():
        reference.score(p, slacks=slacks)
    theirs, ours, expected = [], [], []
    for turn in range(2):
        some = sample[WARM_UP + turn :: 2].tolist()
        seconds, found = _timed(lambda some=some: [reference.score(p, slacks=slacks) for p in some])
        theirs.append(seconds * n / len(some))
        expected += list(zip(some, found, strict=True))
        seconds, result = _timed(lambda: model(x, y, **options))
        ours.append(seconds)
    pairs = [(result.scores[p], score) for p, score in expected if np.isfinite(score)]
    return {
        "units": n,
        "inputs": m,
        "outputs": s,
        "table": kind,
        "model": name,
        "efficient": int((result.scores >= 1 - 1e-9).sum()),
        "reference, s": min(theirs),
        "ours, s": min(ours),
        "times faster": min(theirs) / min(ours),
        "difference": max(abs(score / other - 1) for score, other in pairs),
    }


def _alone(model: Callable[..., Any], kind: str) -> dict[str, object]:
    x, y = make_table(kind, 2000, 3, 3)
    seconds, result = _timed(lambda: model(x, y))
    row = {"units": 2000, "inputs": 3, "outputs": 3, "table": kind, "model": model.__name__}
    none = dict.fromkeys(("reference, s", "times faster", "difference"), "")
    efficient = int((result.status == "efficient").sum())
    return {**row, "efficient": efficient, **none, "ours, s": seconds}


def _timed(work: Callable[[], object]) -> tuple[float, Any]:
    start = time.process_time()
    answer = work()
    return time.process_time() - start, answer
