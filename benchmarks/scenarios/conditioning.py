"""Which conditioning, judge and estimator of DEA-CS serve classifiers best, beside other filters.

On the sets of the paper in both protocols, and on sets that played no part in the choice. Results
are kept in `benchmarks/results/conditioning/` as they come; a killed run goes on from there.
"""

import csv
import os
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import rankdata, wilcoxon
from sklearn.datasets import make_classification

from deacs import CMIM, DEACS, JMI, MRMR, ReliefF
from deacs.experiments import compare_results, dataset_from_table, friedman, make_protocol
from deacs.experiments import run as run_experiment

TITLE = "Accuracy by conditioning, judge and estimator"
NOTE = """
Mean accuracy (%) over sets and four classifiers with 5 features, with 12, and at the best of 3, 5,
8, 12, 16, 20, 25 and 30 (of 5, 12, 20 and 30 on large sets); average ranks (1 is best) and p-values
of Wilcoxon's signed-rank test of the recommended setting against each method, over sets, not
corrected. *nested*: 5 folds, cut points and selection inside the training folds. *paper*: selected
on all rows, 10 folds. *confirmation*: nested, on sets that the choice has not seen. Methods are
named conditioning-judge-estimator: `dea` is the radial judge, `w4` the same with weight_ratio=4,
`ex` the excess, no ending the plug-in estimate; blocks10 has min_group_size=10. `joint-dea` is the
paper's method. The tables by set are written to `docs/conditioning/`.
"""

OUT = Path(__file__).parents[1] / "results" / "conditioning"
TABLES = Path(__file__).parents[2] / "docs" / "conditioning"

RECOMMENDED = "blocks10-sum-ex"
RIVALS = {
    "mrmr": MRMR(),
    "jmi": JMI(),
    "cmim": CMIM(),
    "relieff": ReliefF(n_neighbors=10, random_state=0),
}
VARIANTS = (
    "joint-dea", "joint-sum", "jmi-sum",
    "cmim-dea", "cmim-w4", "cmim-sum", "cmim-sum-ex",
    "blocks-dea", "blocks-w4", "blocks-sum", "blocks-sum-ex",
    "blocks10-w4-ex", "blocks10-sum-ex",
)  # fmt: skip
JUDGES = {"dea": {}, "w4": {"weight_ratio": 4}, "sum": {"judge": "sum"}}
ESTIMATORS = {"": "plug-in", "ex": "excess"}

SIZES, FEWER = (3, 5, 8, 12, 16, 20, 25, 30), (5, 12, 20, 30)
SMALL_SETS = ("flags", "synthetic-control", "arrhythmia", "mfeat-zernike")
LARGE_SETS = ("dna", "splice", "kr-vs-kp", "isolet5", "musk2")
STAND_INS = ("gisette-standin-basehock", "gisette-standin-mnist4v9")
POINTS = ("at 5", "at 12", "best")


def run() -> list[dict[str, object]]:
    """Run what is not there yet; write the tables by set; return the means."""
    everyone = {**RIVALS, **{name: variant(name) for name in VARIANTS}}
    few = {name: everyone[name] for name in (*RIVALS, "joint-dea", "blocks-sum", RECOMMENDED)}
    nested = make_protocol("nested", n_splits=5)
    ours = {**dict.fromkeys(SMALL_SETS, SIZES), **dict.fromkeys(LARGE_SETS, FEWER)}
    ours = ours if os.environ.get("DEACS_DATA") else {}
    parts = (
        ("nested", nested, ours, everyone),
        ("paper", make_protocol("paper"), ours, few),
        ("confirmation", nested, new_sets(), few),
    )
    return [row for part in parts if part[2] for row in study(*part)]


def variant(name: str) -> DEACS:
    """Return the selector that a name such as `blocks10-w4-ex` means."""
    given, judge, *rest = name.split("-")
    conditioning = given.rstrip("0123456789")
    return DEACS(
        conditioning=conditioning,
        min_group_size=int(given.removeprefix(conditioning) or 5),
        estimator=ESTIMATORS["".join(rest)],
        **JUDGES[judge],
    )


def study(part, protocol, sets, methods) -> list[dict[str, object]]:
    """Compare methods on sets; return a row for each method."""
    table = np.array([_points(part, protocol, one, sizes, methods) for one, sizes in sets.items()])
    _write(part, [getattr(one, "name", one) for one in sets], list(methods), table)
    ours = list(methods).index(RECOMMENDED)
    ranks = rankdata(-table.round(2), axis=1).mean(axis=0)
    chance = friedman(table[:, :, 1].round(2)).p_f, friedman(table[:, :, 2].round(2)).p_f
    print(f"{part}: Friedman p = {chance[0]:.3g} at 12, {chance[1]:.3g} at best", flush=True)
    return [
        {
            "protocol": part,
            "method": f"**{name}**" if j == ours else name,
            **{f"{point}, %": float(table[:, j, k].mean()) for k, point in enumerate(POINTS)},
            "rank at 12": float(ranks[j, 1]),
            "rank at best": float(ranks[j, 2]),
            "p at 12": _p(table[:, ours, 1] - table[:, j, 1]),
            "p at best": _p(table[:, ours, 2] - table[:, j, 2]),
        }
        for j, name in enumerate(methods)
    ]


def _points(part, protocol, one, sizes, methods) -> list[list[float]]:
    """Accuracy of every method at 5, at 12, at its best."""
    results = run_experiment(one, OUT / part, methods=methods, protocol=protocol, sizes=sizes)
    name = getattr(one, "name", one)
    curves = compare_results(results, [name], list(methods), sizes=sizes).curves
    print(f"  {part}, {name}", flush=True)
    return [
        [_at(curves[name, m], 5), _at(curves[name, m], 12), float(np.nanmax(curves[name, m]))]
        for m in methods
    ]


def _at(curve, size: int) -> float:
    """The point at a size, or the last before it where a method ended."""
    measured = curve[:size][~np.isnan(curve[:size])]
    return float(measured[-1])


def _p(differences) -> float:
    differences = differences.round(2)
    return float(wilcoxon(differences, zero_method="zsplit").pvalue) if differences.any() else 1.0


def _write(part, sets, methods, table) -> None:
    TABLES.mkdir(exist_ok=True)
    with (TABLES / f"{part}.csv").open("w", newline="") as file:
        write = csv.writer(file, lineterminator="\n").writerow
        write(["set", "method", *POINTS])
        for i, name in enumerate(sets):
            for j, method in enumerate(methods):
                write([name, method, *(f"{value:.2f}" for value in table[i, j])])


def new_sets():
    """Sets that played no part in the choice: scikit-learn's, generated ones, stand-ins."""
    sets = ["iris", "wine", "breast-cancer", "digits"]
    for seed, (n_rows, n_classes, n_informative) in enumerate(
        ((400, 3, 6), (800, 5, 10), (1200, 8, 12), (600, 4, 20))
    ):
        X, y = make_classification(
            n_rows, 40, n_informative=n_informative, n_redundant=10, n_classes=n_classes,
            class_sep=1.5, flip_y=0.05, random_state=seed,
        )  # fmt: skip
        sets.append(_dataset(f"clusters-{n_classes}", X, y))
    rng = np.random.default_rng(0)
    sets.append(_dataset("waveform", *_waveform(rng, 1000)))
    sets.append(_dataset("led", *_led(rng, 1000)))
    from_folder = STAND_INS if os.environ.get("DEACS_DATA") else ()
    return {**dict.fromkeys(sets, SIZES), **dict.fromkeys(from_folder, FEWER)}


def _waveform(rng, n_rows):
    """Three mixtures of two of three waves, and 19 columns of noise (Breiman et al. 1984)."""
    at = np.arange(1, 22)
    waves = np.array([np.maximum(6 - abs(at - centre), 0) for centre in (11, 7, 15)])
    y, u = rng.integers(0, 3, n_rows), rng.random((n_rows, 1))
    X = u * waves[y] + (1 - u) * waves[(y + 1) % 3] + rng.normal(size=(n_rows, 21))
    return np.hstack([X, rng.normal(size=(n_rows, 19))]), y


def _led(rng, n_rows):
    """Seven segments of a digit, a tenth of them wrong, and 17 of noise (Breiman et al. 1984)."""
    segments = np.array(
        [list(map(int, f"{bits:07b}")) for bits in (119, 18, 93, 91, 58, 107, 111, 82, 127, 123)]
    )
    y = rng.integers(0, 10, n_rows)
    X = np.hstack([segments[y] ^ (rng.random((n_rows, 7)) < 0.1), rng.integers(0, 2, (n_rows, 17))])
    return X[:, rng.permutation(24)], y


def _dataset(name, X, y):
    return dataset_from_table(name, pl.DataFrame(X, schema=[f"x{j}" for j in range(X.shape[1])]), y)
