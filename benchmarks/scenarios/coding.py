"""From a table to codes: bytes, and floats through MDLP."""

from importlib.util import find_spec

import numpy as np

from benchmarks.timing import side_by_side
from deacs import MDLP, CodedData, encode

TITLE = "Coding: 6,000 x 5,000 bytes, and 5,000 x 500 floats through MDLP (1 thread)"
NOTE = """
Peers run where they are installed (`pip install '.[bench]'`; Weka needs Java): FImdlp's `fit`, and
Weka's supervised Discretize on instances already in its memory. Ours is `fit` and `transform` of a
NumPy array.
"""


def run() -> list[dict[str, object]]:
    """Code bytes and floats."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 6, (6000, 5000), dtype=np.uint8)
    labels = rng.integers(0, 2, 6000)
    encode(codes[:64], labels[:64])
    times = side_by_side(
        {
            "encode, bytes": lambda: encode(codes, labels),
            "CodedData.from_codes, bytes": lambda: CodedData.from_codes(codes, labels),
        }
    )
    y = rng.integers(0, 5, 5000)
    X = rng.random((5000, 500)) + 0.3 * y[:, None] * (np.arange(500) % 3 == 0)
    MDLP().fit(X[:64], y[:64])
    times |= side_by_side({"MDLP, floats": lambda: MDLP().fit(X, y).transform(X), **_peers(X, y)})
    ours = times["MDLP, floats"]
    return [
        {
            "what": what,
            "seconds": seconds,
            "times our MDLP": f"{seconds / ours:.1f}" if "bytes" not in what else "",
        }
        for what, seconds in times.items()
    ]


def _peers(X, y):
    peers = {}
    if find_spec("fimdlp"):
        from fimdlp.mdlp import FImdlp

        peers["FImdlp, floats"] = lambda: FImdlp(n_jobs=1).fit(X, y)
    if find_spec("weka"):
        peers["Weka, floats"] = _weka(X, y)
    return peers


def _weka(X, y):
    import weka.core.jvm as jvm
    from weka.core.dataset import create_instances_from_matrices
    from weka.filters import Filter

    if not jvm.started:
        jvm.start(packages=False, logging_level=40)
    data = create_instances_from_matrices(X, y.astype(float), name="table")
    nominal = Filter("weka.filters.unsupervised.attribute.NumericToNominal", options=["-R", "last"])
    nominal.inputformat(data)
    data = nominal.filter(data)
    data.class_is_last()

    def discretize():
        cuts = Filter("weka.filters.supervised.attribute.Discretize")
        cuts.inputformat(data)
        cuts.filter(data)

    return discretize
