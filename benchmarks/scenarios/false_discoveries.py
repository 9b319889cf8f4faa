"""How many features are false, and how many are found: tests that end a selection, and blankets."""

import os
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from deacs import CMI, DEACS, MarkovBlanket, Significant

TITLE = "False features: any at all, a share of them, blankets, Boruta"
RUNS = int(os.environ.get("DEACS_BENCH_RUNS", "200"))
BORUTA_RUNS = min(RUNS, 10)
FIRST = 5000
"""The first seed; those below were used while the methods were being made."""
NOTE = f"""
Each row is {RUNS} tables, seeds {FIRST} and up. *Noise*: 150 x 40, columns and classes that know
nothing of each other. *Mixed*: 400 x 60, two classes; ten columns show the class in 30 % of the
rows (the blanket), ten are copies of these that are right in 80 % of the rows, forty are noise; in
*continuous* tables normal noise of deviation 0.5 is added to all. *Any false*: the share of tables
from which a column of noise was selected. *False share*: the mean share of noise among the
selected. *V / (R + 1)*: the mean number of noise columns over the mean number selected plus one,
which `rate="fdr"` bounds. *Found*: the mean share of the ten. *Copies*: the mean number of copies
taken. Boruta (200 trees, depth 5) where it is installed, on the first {BORUTA_RUNS}
of the discrete mixed tables.
"""
MIXED = ("discrete", "continuous")


def run() -> list[dict[str, object]]:
    """Noise first, then what there is to find."""
    mixed_tables = [f"mixed, {kind}" for kind in MIXED]
    entries = [
        (table, name, selected, RUNS)
        for table in ("noise, 2 classes", "noise, 5 classes", *mixed_tables)
        for name, selected in _contestants(table).items()
    ]
    if find_spec("boruta"):
        entries.append((mixed_tables[0], "Boruta", _by_boruta, BORUTA_RUNS))
    rows = []
    for entry in entries:
        rows.append(_row(*entry))
        print("  " + ", ".join(str(value) for value in rows[-1].values()), flush=True)
    return rows


def noise(n_classes, seed):
    """Columns with two to four values, and classes that know nothing of them."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.integers(2, 5, 40), (150, 40))
    return X, rng.integers(0, n_classes, 150)


def mixed(kind, seed):
    """Ten columns that show the class, ten that show these, forty of noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 400)
    X = rng.integers(0, 2, (400, 60))
    X[:, :10] = np.where(rng.random((400, 10)) < 0.3, y[:, None], X[:, :10])
    X[:, 10:20] = np.where(rng.random((400, 10)) < 0.6, X[:, :10], X[:, 10:20])
    return (X if kind == "discrete" else X + rng.normal(scale=0.5, size=X.shape)), y


def _contestants(table: str) -> dict[str, Callable[..., list[int]]]:
    is_discrete = not table.endswith("continuous")

    def stopped(selector, rate, alpha):
        def select(X, y, seed):
            stop = Significant(alpha, random_state=seed, rate=rate)
            fitted = selector(stop=stop, discrete_features=is_discrete).fit(X, y)
            return fitted.ranking_.tolist()

        return select

    def blanket(X, y, seed):
        selector = MarkovBlanket(alpha=0.05, random_state=seed, discrete_features=is_discrete)
        return selector.fit(X, y).ranking_.tolist()

    return {
        'DEACS("auto"), 0.05': stopped(DEACS, "any", 0.05),
        "DEACS, fdr 0.1": stopped(DEACS, "fdr", 0.1),
        'CMI("auto"), 0.05': stopped(CMI, "any", 0.05),
        "CMI, fdr 0.1": stopped(CMI, "fdr", 0.1),
        "MarkovBlanket, 0.05": blanket,
    }


def _by_boruta(X, y, seed):
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(200, max_depth=5, random_state=seed)
    found = BorutaPy(forest, n_estimators=200, random_state=seed).fit(np.asarray(X, float), y)
    return np.flatnonzero(found.support_).tolist()


def _row(table: str, name: str, selected: Callable[..., list[int]], runs: int) -> dict[str, object]:
    counts = np.zeros((runs, 4))  # noise, true, copies, all
    start = time.process_time()
    for k, seed in enumerate(range(FIRST, FIRST + runs)):
        if table.startswith("noise"):
            X, y = noise(int(table.split()[1]), seed)
            n = len(selected(X, y, seed))
            counts[k] = n, 0, 0, n
        else:
            X, y = mixed(table.split()[1], seed)
            chosen = np.array(selected(X, y, seed), dtype=int)
            n_true, n_false = int((chosen < 10).sum()), int((chosen >= 20).sum())
            counts[k] = n_false, n_true, len(chosen) - n_true - n_false, len(chosen)
    seconds = (time.process_time() - start) / runs
    false, true, copies, all_ = counts.T
    return {
        "table": table,
        "selector": name,
        "any false": round(float((false > 0).mean()), 3),
        "false share": round(float((false / np.maximum(all_, 1)).mean()), 3),
        "V / (R + 1)": round(float(false.mean() / (all_.mean() + 1)), 3),
        "found": round(float(true.mean() / 10), 3),
        "copies": round(float(copies.mean()), 2),
        "tables": runs,
        "ms a table": round(1e3 * seconds),
    }
