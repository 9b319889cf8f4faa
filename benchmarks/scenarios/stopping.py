"""How many features? What `n_features_to_select="auto"` selects from noise, and what it finds."""

import os
import time
from pathlib import Path

import numpy as np

import deacs
from deacs import DEACS, CodedData, Significant
from deacs.coding import encode
from deacs.significance import Significance, conditional_test

TITLE = 'Stopping: DEACS(n_features_to_select="auto"), alpha = 0.05'
RUNS = int(os.environ.get("DEACS_BENCH_RUNS", "200"))
FIRST = 1000
"""The first seed; those below were used while the method was being made."""
NOTE = f"""
Each row is {RUNS} tables, seeds {FIRST} and up (informative: a quarter of that). *Noise*: the share
of tables from which anything was selected, which alpha bounds. *Cuts taken as given*: such noise,
its MDLP codes tested as if the classes had not helped to make them. *Informative*: the classes are
the values of r fair bits, each shown by a column in 80 % of the rows (continuous: plus normal noise
of deviation 0.3), among 20 columns of noise; the share of the r columns that was found, and from
how many tables any other was selected. *Power*: one of 50 columns shows one of two classes in 8 %
of 2000 rows, more than by chance; how often it passes by the G-test with Bonferroni's correction,
as used there, and by shuffles. *Set*: the paper's, where DEACS_DATA names their folder: the share
of features that is selected, of those without a test.
"""

NOISE = [
    ("discrete", 200, 50, 2, False),
    ("continuous", 200, 50, 2, False),
    ("mixed", 200, 50, 2, False),
    ("discrete", 200, 50, 5, False),
    ("continuous", 200, 50, 5, False),
    ("discrete", 200, 50, 10, False),
    ("continuous", 200, 50, 10, False),
    ("mixed", 200, 50, 3, True),
    ("continuous", 200, 50, 3, True),
    ("discrete", 100, 2000, 2, False),
    ("continuous", 100, 2000, 2, False),
    ("discrete", 5000, 10, 2, False),
    ("continuous", 5000, 10, 2, False),
]


def run() -> list[dict[str, object]]:
    """Noise first, then what there is to find."""
    rows = [_noise_row(*wanted) for wanted in NOISE]
    rows.append(_taken_as_given())
    for kind in ("discrete", "continuous"):
        rows += [_informative_row(kind, n, r) for r in (2, 4) for n in (50, 100, 200, 500, 1000)]
    rows += [_power_row(correlated) for correlated in (False, True)]
    folder = os.environ.get("DEACS_DATA")
    return rows + (_sets(Path(folder)) if folder else [])


def noise(kind, n_rows, n_columns, n_classes, unbalanced, seed):
    """Columns and classes that know nothing of each other; a mask of the discrete columns."""
    rng = np.random.default_rng(seed)
    shares = np.full(n_classes, 1 / n_classes)
    if unbalanced:
        shares = np.r_[0.9, np.full(n_classes - 1, 0.1 / (n_classes - 1))]
    y = rng.choice(n_classes, n_rows, p=shares)
    X = rng.normal(size=(n_rows, n_columns))
    every = {"discrete": 1, "mixed": 2, "continuous": n_columns + 1}[kind]
    discrete = np.arange(1, n_columns + 1) % every == 0
    codes = rng.integers(0, rng.integers(2, 7, n_columns), (n_rows, n_columns))
    X[:, discrete] = codes[:, discrete]
    return X, y, discrete


def informative(kind, n_rows, r, seed):
    """The r bits of the class, each in a column that is right in 80 % of the rows; 20 of noise."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (n_rows, r))
    shown = np.where(rng.random(bits.shape) < 0.8, bits, 1 - bits)
    X = np.hstack([shown, rng.integers(0, 2, (n_rows, 20))]).astype(float)
    if kind == "continuous":
        X += rng.normal(scale=0.3, size=X.shape)
    return X, bits @ (1 << np.arange(r))


def _row(what, table, found, note, seconds):
    return {"what": what, "table": table, "%": 100 * found, "": note, "ms a table": 1e3 * seconds}


def _noise_row(kind, n_rows, n_columns, n_classes, unbalanced):
    start, fooled = time.perf_counter(), 0
    for seed in range(FIRST, FIRST + RUNS):
        X, y, discrete = noise(kind, n_rows, n_columns, n_classes, unbalanced, seed)
        selector = DEACS.published(
            "auto", discrete_features=discrete, stop=Significant(random_state=seed)
        )
        fooled += len(selector.fit(X, y).ranking_) > 0
    table = f"{n_rows} x {n_columns} {kind}, {n_classes} classes{' 90:10' if unbalanced else ''}"
    return _shown(_row("noise", table, fooled / RUNS, f"{fooled} of {RUNS}", _each(start, RUNS)))


def _taken_as_given():
    start, fooled, n_columns = time.perf_counter(), 0, 500
    for seed in range(FIRST, FIRST + RUNS):
        X, y, _ = noise("continuous", 200, n_columns, 2, False, seed)
        data = encode(X, y)
        codes = np.column_stack([data.column(j) for j in range(n_columns)]).astype(int)
        taken = DEACS.published("auto", stop=Significant(random_state=seed)).fit(
            CodedData.from_codes(codes, y)
        )
        fooled += len(taken.ranking_) > 0
    table = f"200 x {n_columns} continuous, 2 classes"
    note = f"{fooled} of {RUNS}"
    return _shown(_row("cuts taken as given", table, fooled / RUNS, note, _each(start, RUNS)))


def _informative_row(kind, n_rows, r):
    start, found, false, runs = time.perf_counter(), 0, 0, max(RUNS // 4, 1)
    for seed in range(FIRST, FIRST + runs):
        X, y = informative(kind, n_rows, r, seed)
        selector = DEACS.published(
            "auto", discrete_features=kind == "discrete", stop=Significant(random_state=seed)
        )
        chosen = set(selector.fit(X, y).ranking_.tolist())
        found += len(chosen & set(range(r))) / r
        false += bool(chosen - set(range(r)))
    table = f"{n_rows} rows, r = {r}, {kind}"
    note = f"{false} of {runs} with a false one"
    return _shown(_row("informative", table, found / runs, note, _each(start, runs)))


def _power_row(correlated):
    start, runs, passed = time.perf_counter(), RUNS, {"G-test": 0, "shuffles": 0}
    for seed in range(FIRST, FIRST + runs):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 2000)
        codes = rng.integers(0, 2, (2000, 50))
        if correlated:  # the noise is one column, each copy of it wrong in a tenth of the rows
            codes[:, 1:] = codes[:, 1:2] ^ (rng.random((2000, 49)) < 0.1)
        codes[:, 0] = np.where(rng.random(2000) < 0.08, y, codes[:, 0])
        data = CodedData.from_codes(codes, y)
        for name, large in (("G-test", 100.0), ("shuffles", np.inf)):
            conditional_test.LARGE = large
            test = Significance(data, random_state=seed).given([[]], np.arange(50))
            passed[name] += test.measured(0).value <= 0.05
    conditional_test.LARGE = 100.0
    table = f"50 {'correlated' if correlated else 'independent'} columns, 2000 rows"
    note = f"{passed['G-test']} by G-test, {passed['shuffles']} by shuffles, of {runs}"
    return _shown(_row("power", table, passed["G-test"] / runs, note, _each(start, runs)))


def _sets(folder):
    rows = []
    for name in ("flags", "kr-vs-kp", "mfeat-zernike", "synthetic-control", "splice", "dna"):
        table = deacs.read_table(folder / f"{name}.csv.gz")
        y, X = table["class"].cast(str).to_numpy(), table.drop("class", "name", strict=False)
        n_all = len(DEACS.published().fit(X, y).ranking_)
        start = time.perf_counter()
        n = len(DEACS.published("auto", stop=Significant(random_state=0)).fit(X, y).ranking_)
        note = f"{n} features, {n_all} without a test"
        rows.append(_shown(_row("set", name, n / n_all, note, _each(start, 1))))
    return rows


def _each(start, runs):
    return (time.perf_counter() - start) / runs


def _shown(row):
    print("  " + ", ".join(str(value) for value in row.values()), flush=True)
    return row
