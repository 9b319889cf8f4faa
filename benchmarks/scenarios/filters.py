"""The information filters: 30 features on four tables, beside what PyPI offers."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec

import numpy as np

import deacs
from benchmarks.tables import coded_table
from benchmarks.timing import side_by_side
from deacs import CodedData

TITLE = "Information filters: 30 features from CodedData, 1 thread"
NOTE = """
*deacs*: seconds for the whole table; the row "coding" is `CodedData.from_codes` of a matrix of
bytes, apart. The others stand beside it as multiples of our time in the same run, taking turns, on
a share of the work that keeps the run bounded, scaled up to all columns and 30 features:

- *NumPy*: `bincount` over joint codes and logarithms, as one writes it first (in this file); one
  pass for I(F; C) and one for a selected feature, on 40 columns (4 of the tall table).
- *scikit-feature* (skfeature-chappers): one and four features on 10 columns and at most 2,000 rows;
  linear in rows and columns.
- *scikit-learn*: `mutual_info_classif(discrete_features=True)` on 40 columns (4 of the tall table).
- *fast-select*: its mRMR, on one thread; it fills the matrix of all pairs, so 200 columns (16 of
  the tall table) are scaled by the square of the columns, whatever the number of features.
- *mrmr-selection*: one and four features on 40 columns (4 of the tall table). It is mRMR of
  F-statistics and correlations, another criterion.

Peers run where they are installed. *Listed*: seconds on one thread that praznik 13 (ICAP: FEAST
2.0) took elsewhere, on another machine of this kind: not measured here, and its ratio to our time
is no more than a hint. A dash: the program does not have the method, or nothing is listed.
"""
N_FEATURES = 30
METHODS = ("MIM", "MRMR", "JMI", "DISR", "CMIM", "JMIM", "ICAP", "CIFE")
SHAPES = {
    "6,000 x 5,000, 2 to 6 values, 2 classes": (6000, 5000, 2, (2, 6)),
    "1,000,000 x 100, 4 values, 5 classes": (1_000_000, 100, 5, (4, 4)),
    "100 x 20,000, 2 to 6 values, 2 classes": (100, 20_000, 2, (2, 6)),
    "1,559 x 617, 4 values, 26 classes": (1559, 617, 26, (4, 4)),
}
LISTED = {
    6000: {
        **{"MIM": 0.08, "MRMR": 1.7, "JMI": 2.8, "DISR": 2.8},
        **{"CMIM": 0.10, "JMIM": 3.1, "ICAP": 9.2},
    },
    1_000_000: {"MRMR": 4.8, "JMI": 8.1, "CMIM": 2.2},
    100: {"MRMR": 0.19, "JMI": 0.43},
    1559: {"JMI": 0.30},
}
Runs = dict[str, Callable[[], object]]


def run() -> list[dict[str, object]]:
    """All methods on all tables."""
    return [row for name, shape in SHAPES.items() for row in _race(name, coded_table(*shape))]


def _race(name: str, data: CodedData) -> list[dict[str, object]]:
    ours: Runs = {method: partial(_fit, method, data) for method in METHODS}
    ours["coding"] = partial(CodedData.from_codes, _matrix(data, data.n_features), data.labels)
    peers = {
        who: runs(data) if find_spec(module) else {} for who, (module, runs, _) in PEERS.items()
    }
    runs = ours | {f"{who} {what}": work for who in peers for what, work in peers[who].items()}
    for work in runs.values():
        work()  # compile, and fill caches
    times = side_by_side(runs, repeats=5)
    return [_row(name, data, method, times, peers) for method in ("coding", *METHODS)]


def _row(name, data, method, times, peers):
    row = {"table": name, "method": method, "deacs, s": times[method]}
    for who, (_, _, scaled) in PEERS.items():
        found = {what: times[f"{who} {what}"] for what in peers[who]}
        seconds = scaled(data, method, found) if found else None
        ratio = "-" if seconds is None else seconds / times[method]
        row[f"{who}, times"] = ratio if found else "not installed"
    listed = LISTED[data.n_rows].get(method)
    row["listed, s"] = "-" if listed is None else listed
    row["listed, times"] = "-" if listed is None else listed / times[method]
    return row


def _fit(method: str, data: CodedData) -> object:
    return getattr(deacs, method)(N_FEATURES).fit(data)


def _matrix(data: CodedData, n_columns: int, dtype: type = np.uint8) -> np.ndarray:
    """The first columns as others want them: a row after a row."""
    return np.column_stack([data.column(j) for j in range(n_columns)]).astype(dtype)


def _n_columns(data: CodedData, usual: int = 40, tall: int = 4) -> int:
    return usual if data.n_rows < 100_000 else tall


def _all_steps(data: CodedData, n_columns: int, one: float, four: float) -> float:
    """Seconds for 30 features of all columns, from those for one and for four of a few."""
    n, k = data.n_features, n_columns
    pair = max(four - one, 0.0) / (3 * k - 6)  # k - 1, k - 2 and k - 3 candidates
    return one * n / k + pair * sum(n - step for step in range(1, N_FEATURES))


def _numpy_runs(data: CodedData) -> Runs:
    columns = [data.column(j).astype(np.int64) for j in range(_n_columns(data))]
    y, s = data.labels.astype(np.int64), data.column(data.n_features - 1).astype(np.int64)
    return {
        "relevance": lambda: [_joint_entropies(x, y) for x in columns],
        "redundancy": lambda: [_joint_entropies(x, s) for x in columns],
        "triples": lambda: [_joint_entropies(x, s, y) for x in columns],
    }


def _joint_entropies(*variables):
    """H of all variables, and of all but the last: what a pair or a triple needs."""
    cell = np.zeros(len(variables[0]), dtype=np.int64)
    entropies = []
    for variable in variables:
        cell = cell * (int(variable.max()) + 1) + variable
        p = np.bincount(cell) / len(cell)
        entropies.append(-(p * np.log2(np.where(p > 0, p, 1))).sum())
    return entropies[-2:]


def _numpy_scaled(data, method, times):
    step = {"MIM": 0.0, "MRMR": times["redundancy"]}.get(method, times["triples"])
    if method == "coding":
        return None
    seconds = times["relevance"] + (N_FEATURES - 1) * step
    return seconds * data.n_features / _n_columns(data)


def _skfeature_runs(data: CodedData) -> Runs:
    X, y = _matrix(data, 10, np.int64)[:2000], data.labels[:2000]
    runs: Runs = {}
    for method in set(METHODS) - {"JMIM"}:
        module = import_module(f"skfeature.function.information_theoretical_based.{method}")
        select = getattr(module, method.lower())
        for n in (1, 4):
            # Its MIM computes penalties and does not use them: what it does is what it costs.
            runs[f"{method} {n}"] = partial(select, X, y, mode="index", n_selected_features=n)
    return runs


def _skfeature_scaled(data, method, times):
    if f"{method} 1" not in times:
        return None
    seconds = _all_steps(data, 10, times[f"{method} 1"], times[f"{method} 4"])
    return seconds * data.n_rows / min(data.n_rows, 2000)


def _sklearn_runs(data: CodedData) -> Runs:
    from sklearn.feature_selection import mutual_info_classif

    X = _matrix(data, _n_columns(data), np.int64)
    return {"MIM": lambda: mutual_info_classif(X, data.labels, discrete_features=True)}


def _sklearn_scaled(data, method, times):
    return times["MIM"] * data.n_features / _n_columns(data) if method == "MIM" else None


def _fast_select_runs(data: CodedData) -> Runs:
    import numba  # fast-select's threads are numba's
    from fast_select import mRMR

    X = _matrix(data, _n_columns(data, usual=200, tall=16), np.int64)

    def work():
        n_threads = numba.get_num_threads()
        numba.set_num_threads(1)
        try:
            mRMR(2, backend="cpu").fit(X, data.labels)
        finally:
            numba.set_num_threads(n_threads)

    return {"MRMR": work}


def _fast_select_scaled(data, method, times):
    share = _n_columns(data, usual=200, tall=16) / data.n_features
    return times["MRMR"] / share**2 if method == "MRMR" else None


def _mrmr_runs(data: CodedData) -> Runs:
    import pandas as pd
    from mrmr import mrmr_classif

    X = pd.DataFrame(_matrix(data, _n_columns(data), np.float64))
    X.columns = [f"x{j}" for j in X.columns]
    y = pd.Series(data.labels)
    return {
        f"MRMR {n}": partial(mrmr_classif, X, y, K=n, n_jobs=1, show_progress=False) for n in (1, 4)
    }


def _mrmr_scaled(data, method, times):
    if method != "MRMR":
        return None
    return _all_steps(data, _n_columns(data), times["MRMR 1"], times["MRMR 4"])


PEERS = {
    "NumPy": ("numpy", _numpy_runs, _numpy_scaled),
    "scikit-feature": ("skfeature", _skfeature_runs, _skfeature_scaled),
    "scikit-learn": ("sklearn", _sklearn_runs, _sklearn_scaled),
    "fast-select": ("fast_select", _fast_select_runs, _fast_select_scaled),
    "mrmr-selection": ("mrmr", _mrmr_runs, _mrmr_scaled),
}
"""The module of each, what is timed, and how that becomes seconds for all of the work."""
