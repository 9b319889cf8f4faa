"""Other readings of the paper: who wins when a linear program has no solution."""

import numpy as np
import polars as pl
from sklearn.datasets import load_wine

from deacs import DEACS, encode
from deacs.experiments import dataset_from_table, make_protocol, make_selector, run
from deacs.experiments.readings import FiniteRadial

# Only the first column tells anything of b: of two rows the second has one of each value, as of
# all six rows it has three of each.
ROWS = np.array([[0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 1]])
CLASSES = np.array(list("aaccbb"))


def test_a_sole_informant_wins_by_infinity_and_loses_by_zero():
    data = encode(ROWS, CLASSES, discrete_features=True)
    ours = DEACS.published(2).fit(data)
    assert np.isinf(ours.scores_[0])
    assert ours.ranking_.tolist() == [0, 1]
    assert DEACS.published(2, judge=FiniteRadial()).fit(data).ranking_.tolist() == [1, 0]


def test_without_sole_informants_the_readings_agree():
    data = encode(*load_wine(return_X_y=True))
    ours = DEACS.published().fit(data)
    assert np.isfinite(ours.scores_[:-1]).all()  # at the last step one candidate is left
    other = DEACS.published(13, judge=FiniteRadial()).fit(data)
    assert other.ranking_.tolist() == ours.ranking_.tolist()
    assert other.stop_reason_ == ours.stop_reason_ == "exhausted"
    assert len(DEACS.published(2, judge=FiniteRadial()).fit(data).ranking_) == 2


def test_the_bench_lets_a_method_ignore_missing_values(tmp_path):
    """The first column is the class where it is there; its gaps are all in one class."""
    y = ["a", "b"] * 20
    gaps = [i % 2 == 0 and i > 7 for i in range(40)]
    known = pl.DataFrame({
        "gaps": [None if gap else "x" for gap in gaps],
        "other": [("u" if label == "a" else "v") if i > 11 else "u" for i, label in enumerate(y)],
    })  # fmt: skip
    table = dataset_from_table("gaps", known, y)
    results = run(
        table, tmp_path, methods=["dea-cs", "dea-cs-ignore"], classifiers="nb", max_features=1,
        protocol=make_protocol("paper", n_splits=2),
    )  # fmt: skip
    first = {r["method"]: r["features"][0] for r in results.selections}
    # A gap tells of a; where gaps are ignored, "x" in every row tells nothing.
    assert first == {"dea-cs": "gaps", "dea-cs-ignore": "other"}
    assert make_selector("dea-cs-ignore").missing == "ignore"
