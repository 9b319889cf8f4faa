"""What one step costs as the selected set grows."""

from functools import partial

import numpy as np

from benchmarks.timing import side_by_side
from deacs import CodedData
from deacs.counts.counts import CountsHere

TITLE = "One step, as the selected set grows (100,000 x 30 codes of 2 values, 2 classes)"
NOTE = """
Labels are noise, so that no row retires and the work of a step should be the same whatever the
size of S. *score*: label scores of all candidates. *split*: adding the newest feature to S, one
pass over the rows that are left. *regroup*: what S costs when it is grouped anew from all its
columns (NumPy's unique over rows), which grows with |S|.
"""
N_ROWS, N_FEATURES, N_STEPS = 100_000, 30, 12


def run() -> list[dict[str, object]]:
    """Time twelve steps."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (N_ROWS, N_FEATURES), dtype=np.uint8)
    data = CodedData.from_codes(codes, rng.integers(0, 2, N_ROWS))
    candidates = np.arange(N_STEPS, N_FEATURES)
    _engine(data, 1).label_scores(candidates)  # compile
    rows = []
    for size in range(N_STEPS):
        engine = _engine(data, size)
        times = side_by_side(
            {
                "score": lambda engine=engine: engine.label_scores(candidates),
                "split": partial(_split, data, size),
                "before": partial(_engine, data, size),
                "regroup": partial(_regroup, codes, size + 1),
            }
        )
        rows.append(
            {
                "|S|": size,
                "rows left": engine._conditioning.n_left,
                "score, ms": times["score"] * 1e3,
                "score, ns a row and candidate": times["score"] / (N_ROWS * len(candidates)) * 1e9,
                "split, ms": max(times["split"] - times["before"], 0.0) * 1e3,
                "regroup, ms": times["regroup"] * 1e3,
            }
        )
    return rows


def _engine(data: CodedData, size: int) -> CountsHere:
    engine = CountsHere(data)
    for feature in range(size):
        engine.condition_on(feature)
    return engine


def _split(data: CodedData, size: int) -> None:
    _engine(data, size + 1)


def _regroup(codes: np.ndarray, size: int) -> None:
    np.unique(codes[:, :size], axis=0, return_inverse=True)
