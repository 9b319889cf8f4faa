"""How many features are false, and how many are found: tests that end a selection, and blankets.

python -m benchmarks false_discoveries
python -m benchmarks false_discoveries --seconds 300   # goes on where it was, for so much CPU time
python -m benchmarks false_discoveries --again         # forgets what was there

Every table that a selector has seen is a line of `results/false_discoveries.jsonl`, so that a run
may be ended at any time.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from deacs import CMI, DEACS, MarkovBlanket, Significant

TITLE = "False features: any at all, a share of them, blankets, Boruta"
RUNS, BORUTA_RUNS = 200, 20
FIRST = 5000
"""The first seed; those below were used while the methods were being made."""
NOTE = f"""
Tables have seeds {FIRST} and up. *Noise*: 150 x 40, columns and classes that know nothing of each
other. *Mixed*: 400 x 60, two classes; ten columns show the class in 30 % of the rows (the blanket),
ten are copies of these that are right in 80 % of the rows, forty are noise; in *continuous* tables
normal noise of deviation 0.5 is added to all. *Any false*: the share of tables from which a column
of noise was selected. *False share*: the mean share of noise among the selected. *V / (R + 1)*: the
mean number of noise columns over the mean number selected plus one, which `rate="fdr"` bounds.
*Found*: the mean number found of the ten. *Copies*: the mean number of copies taken. Boruta (100
trees of depth 5) where it is installed, on the first {BORUTA_RUNS} tables.
"""
TABLES = ("noise, 2 classes", "noise, 5 classes", "mixed, discrete", "mixed, continuous")
RECORDS = Path(__file__).parents[1] / "results" / "false_discoveries.jsonl"
Select = Callable[..., Sequence[int]]


def run(options: Sequence[str] = ()) -> list[dict[str, object]]:
    """Go on with what is left to do, and show what there is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks false_discoveries")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--again", action="store_true")
    asked = parser.parse_args(list(options))
    if asked.again:
        RECORDS.unlink(missing_ok=True)
    done = {(record["table"], record["selector"], record["seed"]) for record in _records()}
    start = time.process_time()
    with RECORDS.open("a") as file:
        for table, name, seed, select in _work():
            if (table, name, seed) in done:
                continue
            if time.process_time() - start > asked.seconds:
                break
            record = {"table": table, "selector": name, "seed": seed}
            print(json.dumps(record | _counts(table, seed, select)), file=file, flush=True)
    return _rows()


def _work() -> Iterator[tuple[str, str, int, Select]]:
    """All selectors on the first table of each kind, then on the next; Boruta last."""
    for seed in range(FIRST, FIRST + RUNS):
        for table in TABLES:
            for name, select in _contestants(table).items():
                yield table, name, seed, select
    for seed in range(FIRST, FIRST + BORUTA_RUNS if find_spec("boruta") else FIRST):
        for table in (TABLES[0], *TABLES[2:]):
            yield table, "Boruta", seed, _by_boruta


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


def _contestants(table: str) -> dict[str, Select]:
    is_discrete = not table.endswith("continuous")

    def stopped(selector, rate, alpha):
        def select(X, y, seed):
            stop = Significant(alpha, random_state=seed, rate=rate)
            return selector(stop=stop, discrete_features=is_discrete).fit(X, y).ranking_

        return select

    def blanket(X, y, seed):
        selector = MarkovBlanket(alpha=0.05, random_state=seed, discrete_features=is_discrete)
        return selector.fit(X, y).ranking_

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

    forest = RandomForestClassifier(max_depth=5, random_state=seed)
    found = BorutaPy(forest, n_estimators=100, random_state=seed).fit(np.asarray(X, float), y)
    return np.flatnonzero(found.support_)


def _counts(table: str, seed: int, select: Select) -> dict[str, float]:
    kind, detail = table.split(", ")
    X, y = noise(int(detail[0]), seed) if kind == "noise" else mixed(detail, seed)
    n_true, n_related = (0, 0) if kind == "noise" else (10, 20)
    start = time.process_time()
    chosen = np.asarray(select(X, y, seed), dtype=int)
    return {
        "seconds": time.process_time() - start,
        "true": int((chosen < n_true).sum()),
        "false": int((chosen >= n_related).sum()),
        "all": len(chosen),
    }


def _records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in RECORDS.open()] if RECORDS.exists() else []


def _rows() -> list[dict[str, object]]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for record in _records():
        found.setdefault((record["table"], record["selector"]), []).append(record)
    rows = []
    for (table, name), records in sorted(found.items(), key=lambda item: TABLES.index(item[0][0])):
        true, false, all_, seconds = (
            np.array([record[key] for record in records])
            for key in ("true", "false", "all", "seconds")
        )
        rows.append(
            {
                "table": table,
                "selector": name,
                "tables": len(records),
                "any false": round(float((false > 0).mean()), 3),
                "false share": round(float((false / np.maximum(all_, 1)).mean()), 3),
                "V / (R + 1)": round(float(false.mean() / (all_.mean() + 1)), 3),
                "found": round(float(true.mean()), 2),
                "copies": round(float((all_ - true - false).mean()), 2),
                "ms a table": round(1e3 * float(np.median(seconds))),
            }
        )
    return rows
