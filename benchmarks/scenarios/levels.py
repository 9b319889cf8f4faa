"""How often noise passes for a feature where cells are rare, and how many weak effects are found.

The default stop (`DEACS()`) and the test (`"auto"`), which sees counts and ranks.
"""

import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm

from deacs import DEACS, Significant
from deacs.exceptions import IdentifierWarning

TITLE = "Levels: what is selected from noise where cells are rare, and from weak effects"
RUNS = int(os.environ.get("DEACS_BENCH_RUNS", "200"))
NOTE = f"""
*Noise*: tables that know nothing of their classes, {RUNS} of each kind (the test: 60 of each of its
five), and from how many of them anything was selected. An id is a column of words of which so many
are distinct, among eight of noise, and three classes. *Weak effects*: 30 tables of 300 rows and 16
normal columns, of which six have logistic effects of .7 to .9: how many of the 180 were found, and
how many others; "logit" is a logistic regression on all columns, Wald tests adjusted by Bonferroni.
*Carseats*: a table of 400 rows with six columns that matter, if Carseats.csv is in DEACS_DATA.
"""


def run() -> list[dict[str, object]]:
    """Noise first, then what there is to find."""
    rows = [_noise_row("DEACS()", kind, make, DEACS, RUNS) for kind, make in RARE.items()]
    n = max(RUNS * 3 // 10, 1)
    tests = [_noise_row('"auto"', kind, make, _tested, n) for kind, make in TESTED.items()]
    total = sum(int(row["selected"].split()[0]) for row in tests)
    every = f"{total} of {n * len(tests)}"
    tests.append(_shown(_row("noise", '"auto"', "these together", every, tests[0]["ms a table"])))
    return rows + tests + _weak_effects() + _carseats()


def rare_binary(rng):
    """Binary columns with 1 % ones, and a class of 2 %."""
    y = np.zeros(500, dtype=int)
    y[rng.permutation(500)[:10]] = 1
    return _words(rng.random((500, 50)) < 0.01), y


def many_categories(n_rare):
    """Return a maker of categories with 40 values, and a class of so many rows."""

    def make(rng):
        y = np.zeros(300, dtype=int)
        y[rng.permutation(300)[:n_rare]] = 1
        return _words(rng.integers(0, 40, (300, 30))), y

    return make


def mixed(rng):
    """Numbers, counts, and categories of which few have many rows; classes 90:7:3."""
    X = pd.DataFrame(rng.normal(size=(250, 10))).add_prefix("n")
    X = X.join(pd.DataFrame(rng.geometric(0.5, (250, 10))).add_prefix("g"))
    X = X.join(_words(np.minimum(rng.zipf(1.6, (250, 10)), 30)))
    return X, rng.permutation(np.repeat([0, 1, 2], [225, 17, 8]))


def identifiers(n_rows, share):
    """Return a maker of tables with an id of which so many values are distinct."""

    def make(rng):
        n_distinct = int(np.ceil(share * n_rows))
        ids = rng.permutation(np.r_[:n_distinct, rng.integers(0, n_distinct, n_rows - n_distinct)])
        X = pd.DataFrame(rng.normal(size=(n_rows, 4))).add_prefix("n")
        X = X.join(_words(rng.integers(0, 5, (n_rows, 4)))).assign(id=[f"i{i}" for i in ids])
        return X, rng.permutation(np.arange(n_rows) % 3)

    return make


def few_of_a_class(rng):
    """Numbers; 5 of 300 rows are in the rare class."""
    return rng.normal(size=(300, 20)), rng.permutation(np.repeat([0, 1], [295, 5]))


def ties(rng):
    """Counts, mostly zeros, and binary columns, mostly zeros; a class of 20 of 300 rows."""
    X = np.hstack([rng.poisson(0.2, (300, 10)), rng.random((300, 10)) < 0.03])
    return X.astype(float), rng.permutation(np.repeat([0, 1], [280, 20]))


def holes(rng):
    """Numbers, of which up to nine tenths are missing."""
    X = rng.normal(size=(200, 20))
    X[rng.random(X.shape) < rng.uniform(0, 0.9, 20)] = np.nan
    return X, rng.integers(0, 3, 200)


def wide(rng):
    """Few rows and many columns."""
    return rng.normal(size=(40, 1000)), rng.permutation(np.arange(40) % 2)


def number(rng):
    """Numbers and categories; a number with ties as target."""
    X = pd.DataFrame(rng.normal(size=(200, 12))).add_prefix("n")
    return X.join(_words(rng.integers(0, 6, (200, 8)))), rng.poisson(2, 200) * 0.5


RARE = {
    "500 x 50 binary, 1 % ones, a class of 2 %": rare_binary,
    "300 x 30, 40 categories, 5 rows in a class": many_categories(5),
    "300 x 30, 40 categories, balanced": many_categories(150),
    "250 x 30 mixed, classes 90:7:3": mixed,
} | {
    f"{n} rows, id with {share:.0%} distinct": identifiers(n, share)
    for n in (30, 63, 150)
    for share in (0.5, 0.75, 0.92, 1.0)
}

TESTED = {
    "300 x 20 numbers, 5 rows in a class": few_of_a_class,
    "300 x 20 counts and flags, mostly zero": ties,
    "200 x 20 with missing values": holes,
    "40 x 1000": wide,
    "200 x 20 mixed, a number as target": number,
}


def _words(codes):
    return pd.DataFrame(np.asarray(codes).astype(int)).add_prefix("c").map(lambda v: f"v{v}")


def _tested(seed=None):
    return DEACS("auto", stop=Significant(random_state=seed))


def _noise_row(name, kind, make, selector, n_runs):
    start, fooled = time.perf_counter(), 0
    for seed in range(n_runs):
        X, y = make(np.random.default_rng([seed, 7]))
        chosen = selector() if selector is DEACS else selector(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IdentifierWarning)
            fooled += len(chosen.fit(X, y).ranking_) > 0
    return _shown(_row("noise", name, kind, f"{fooled} of {n_runs}", _each(start, n_runs)))


def _weak_effects():
    n_runs, rows = 30, []
    for name, choose in (('"auto"', _by_test), ("DEACS()", _by_default), ("logit", _by_logit)):
        start, found, false = time.perf_counter(), 0, 0
        for seed in range(n_runs):
            rng = np.random.default_rng(seed)
            X, effects = rng.normal(size=(300, 16)), rng.uniform(0.7, 0.9, 6)
            odds = X[:, :6] @ (effects * rng.choice([-1, 1], 6))
            chosen = choose(X, (rng.random(300) < 1 / (1 + np.exp(-odds))).astype(int))
            found, false = found + len(chosen & set(range(6))), false + len(chosen - set(range(6)))
        what = f"{found} of {6 * n_runs}, {false} false"
        rows.append(_shown(_row("weak effects", name, "300 x 16", what, _each(start, n_runs))))
    return rows


def _by_test(X, y):
    return set(_tested(0).fit(X, y).ranking_.tolist())


def _by_default(X, y):
    return set(DEACS().fit(X, y).ranking_.tolist())


def _by_logit(X, y):
    A, b = np.column_stack((np.ones(len(X)), X)), np.zeros(X.shape[1] + 1)
    for _ in range(25):  # Newton's method
        p = 1 / (1 + np.exp(-A @ b))
        covariance = np.linalg.inv((A.T * (p * (1 - p))) @ A)
        b = b + covariance @ (A.T @ (y - p))
    p_values = 2 * norm.sf(np.abs(b) / np.sqrt(np.diag(covariance)))[1:]
    return set(np.flatnonzero(p_values * X.shape[1] <= 0.05).tolist())


def _carseats():
    path = Path(os.environ.get("DEACS_DATA", "")) / "Carseats.csv"
    if not path.exists():
        return []
    table = pd.read_csv(path)
    y, rows = table.pop("Sales"), []
    for name, selector in (('"auto"', _tested(0)), ("DEACS()", DEACS())):
        start = time.perf_counter()
        found = ", ".join(selector.fit(table, y).selected_names_)
        rows.append(_shown(_row("Carseats", name, "400 x 10", found, _each(start, 1))))
    return rows


def _row(what, selector, table, selected, ms):
    return {
        "what": what,
        "selector": selector,
        "table": table,
        "selected": selected,
        "ms a table": ms,
    }


def _each(start, runs):
    return round(1e3 * (time.perf_counter() - start) / runs, 1)


def _shown(row):
    print("  " + ", ".join(str(value) for value in row.values()), flush=True)
    return row
