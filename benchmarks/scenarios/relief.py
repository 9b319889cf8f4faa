"""The Relief family on floats, against what PyPI and Weka offer."""

from importlib.util import find_spec

import numpy as np

from benchmarks.timing import side_by_side
from deacs.selection.relief import MultiSURF, ReliefF

TITLE = "ReliefF (k = 10) and MultiSURF on floats, two classes, 1 thread"
NOTE = """
Peers run where they are installed (`pip install fast-select skrebate python-weka-wrapper3`; Weka
needs Java), else the row says so. fast-select computes in float32, the others in float64. skrebate
keeps an n x n matrix and Weka takes minutes at 5,000 rows, so both are measured on 1,000 rows,
once. Times are of `fit`, from a NumPy array; Weka's from instances in its memory. *difference*: the
largest difference of a weight from ours. *mixed*: every other column has three values and is
discrete; *missing*: and a twentieth of the values are missing.
"""
LARGE, SMALL, HUGE = (5000, 500), (1000, 100), (20_000, 500)


def run() -> list[dict[str, object]]:
    """Time ours beside each peer on the same table."""
    rows = []
    for method, ours, shape, peers in (
        ("ReliefF", ReliefF, LARGE, ("fast_select",)),
        ("ReliefF", ReliefF, SMALL, ("fast_select", "skrebate", "weka")),
        ("MultiSURF", MultiSURF, (3000, 300), ("fast_select",)),
        ("MultiSURF", MultiSURF, SMALL, ("fast_select", "skrebate")),
    ):
        X, y = make_table(*shape)
        ours().fit(X[:64], y[:64])  # compile
        rows += _against(method, ours, X, y, peers)
    return rows + _alone()


def make_table(n_rows: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Noise, and in every fiftieth feature the class shifts the values."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_rows)
    X = rng.random((n_rows, n_features))
    X[:, ::50] += 0.3 * y[:, None]
    return X, y


def _against(method, ours, X, y, peers):
    contestants, results, missing = {"ours": lambda: ours().fit(X, y).weights_}, {}, []
    for peer in peers:
        if find_spec(peer):
            contestants[peer] = PEERS[peer](method, X, y)
        else:
            missing.append(peer)

    def kept(name, work):
        def keep():
            results[name] = work()

        return keep

    repeats = 1 if {"skrebate", "weka"} & set(contestants) else 3
    times = side_by_side({name: kept(name, work) for name, work in contestants.items()}, repeats)
    table = f"{method}, {len(X):,} x {X.shape[1]}"
    rows = [
        _row(
            table,
            name,
            seconds,
            f"{seconds / times['ours']:.1f}",
            f"{np.abs(results[name] - results['ours']).max():.1e}",
        )
        for name, seconds in times.items()
    ]
    return rows + [_row(table, name, "", "not installed", "") for name in missing]


def _alone():
    """Measure what no peer takes: mixed and incomplete tables, and very many rows."""
    X, y = make_table(*LARGE)
    mixed = X.copy()
    mixed[:, 1::2] = np.floor(3 * mixed[:, 1::2])
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.05, np.nan, mixed)
    discrete = np.arange(1, X.shape[1], 2)
    huge, classes = make_table(*HUGE)
    times = side_by_side(
        {
            "ReliefF, 5,000 x 500, 2 threads": lambda: ReliefF(n_jobs=2).fit(X, y),
            "ReliefF, 5,000 x 500, mixed": lambda: ReliefF(discrete_features=discrete).fit(
                mixed, y
            ),
            "ReliefF, 5,000 x 500, mixed, missing": lambda: ReliefF(discrete_features=discrete).fit(
                holes, y
            ),
            "ReliefF, 20,000 x 500": lambda: ReliefF().fit(huge, classes),
        },
        repeats=1,
    )
    return [_row(table, "ours", seconds, "", "") for table, seconds in times.items()]


def _row(table, who, seconds, ratio, difference):
    return {
        "table": table,
        "who": who,
        "seconds": seconds,
        "times ours": ratio,
        "difference": difference,
    }


def _fast_select(method, X, y):
    import fast_select

    options = {"n_neighbors": 10} if method == "ReliefF" else {}
    peer = getattr(fast_select, method)(backend="cpu", n_jobs=1, **options)
    peer.fit(X[:64], y[:64])  # compile
    return lambda: peer.fit(X, y).feature_importances_


def _skrebate(method, X, y):
    import skrebate

    options = {"n_neighbors": 10} if method == "ReliefF" else {}
    peer = getattr(skrebate, method)(categorical_features=[], n_jobs=1, **options)
    return lambda: peer.fit(X.copy(), y).feature_importances_


def _weka(method, X, y):
    import weka.core.jvm as jvm
    from weka.attribute_selection import ASEvaluation
    from weka.core.dataset import create_instances_from_matrices
    from weka.filters import Filter

    if not jvm.started:
        jvm.start(packages=False, logging_level=40)
    data = create_instances_from_matrices(X, y.astype(float), name="table")
    nominal = Filter("weka.filters.unsupervised.attribute.NumericToNominal", options=["-R", "last"])
    nominal.inputformat(data)
    data = nominal.filter(data)
    data.class_is_last()

    def evaluate():
        options = ["-M", "-1", "-K", "10"]
        peer = ASEvaluation("weka.attributeSelection.ReliefFAttributeEval", options=options)
        peer.build_evaluator(data)
        return np.array([peer.jobject.evaluateAttribute(j) for j in range(X.shape[1])])

    return evaluate


PEERS = {"fast_select": _fast_select, "skrebate": _skrebate, "weka": _weka}
