"""MDLP side by side with the programs that people use for it today."""

import os
from importlib.util import find_spec

import numpy as np

from benchmarks.timing import side_by_side
from deacs import MDLP

LARGE = os.environ.get("DEACS_BENCH_LARGE") == "1"
TITLE = "MDLP: floats of 5 classes, fit and transform (1 thread)"
NOTE = """
Peers run where they are installed (`pip install '.[bench]'`; Weka needs Java; Orange): Weka's
supervised Discretize on instances already in its memory, FImdlp's `fit`, Orange's `EntropyMDL` on a
table already made. A third of the columns tells the classes apart. `DEACS_BENCH_LARGE=1` adds
1,000,000 x 100 (ten minutes, 15 GB; Weka with less memory does not finish), once each, against Weka
alone.
"""
SIZES = [(5_000, 500, 3), (100_000, 20, 3)]
FIMDLP_ROWS = 5_000
"""Its time grows faster than the rows; beyond, it would be most of the benchmark."""


def run() -> list[dict[str, object]]:
    """Cut tables of several sizes."""
    sizes = [*SIZES, (1_000_000, 100, 1)] if LARGE else SIZES
    return [
        row for n_rows, n_columns, repeats in sizes for row in _race(n_rows, n_columns, repeats)
    ]


def _race(n_rows: int, n_columns: int, repeats: int) -> list[dict[str, object]]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, n_rows)
    X = rng.random((n_rows, n_columns))
    X[:, ::3] += 0.3 * y[:, None]
    MDLP().fit(X[:64], y[:64]).transform(X[:64])
    times = side_by_side(
        {"deacs": lambda: MDLP().fit(X, y).transform(X), **_peers(X, y, only_weka=repeats == 1)},
        repeats,
    )
    return [
        {
            "table": f"{n_rows:,} x {n_columns}",
            "what": what,
            "seconds": seconds,
            "times ours": f"{seconds / times['deacs']:.1f}",
        }
        for what, seconds in times.items()
    ]


def _peers(X, y, only_weka):
    peers = {}
    if find_spec("weka"):
        peers["Weka"] = _weka(X, y)
    if find_spec("fimdlp") and len(y) <= FIMDLP_ROWS:
        from fimdlp.mdlp import FImdlp

        peers["FImdlp"] = lambda: FImdlp(n_jobs=1).fit(X, y)
    if find_spec("Orange") and not only_weka:
        peers["Orange"] = _orange(X, y)
    return peers


def _weka(X, y):
    import jpype
    import weka.core.jvm as jvm
    from weka.core.dataset import Attribute, Instances
    from weka.filters import Filter

    if not jvm.started:
        jvm.start(packages=False, logging_level=40, max_heap_size="13g" if LARGE else "4g")
    attributes = [Attribute.create_numeric(f"x{j}") for j in range(X.shape[1])]
    attributes.append(Attribute.create_nominal("class", [str(c) for c in range(5)]))
    data = Instances.create_instances("table", attributes, len(y))
    make = jpype.JClass("weka.core.DenseInstance")
    for begin in range(0, len(y), 10_000):
        rows = slice(begin, begin + 10_000)
        block = jpype.JArray.of(np.column_stack([X[rows], y[rows]]))
        for row in block:
            data.jobject.add(make(1.0, row))
    data.class_is_last()

    def discretize():
        cuts = Filter("weka.filters.supervised.attribute.Discretize")
        cuts.inputformat(data)
        cuts.filter(data)

    return discretize


def _orange(X, y):
    from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table
    from Orange.preprocess import Discretize
    from Orange.preprocess.discretize import EntropyMDL

    names = [ContinuousVariable(f"x{j}") for j in range(X.shape[1])]
    classes = DiscreteVariable("class", values=[str(c) for c in range(5)])
    table = Table.from_numpy(Domain(names, classes), X, y)
    return lambda: Discretize(method=EntropyMDL())(table)
