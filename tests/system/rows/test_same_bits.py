"""Wherever the rows are, and wherever they are counted: the bits of memory."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from deacs import CMIM, DEACS, JMI, encode
from deacs.coding import encode as encode_in_memory
from tests.system.rows.postgres_server import server

N = 300
RNG = np.random.default_rng(0)
CLASS = RNG.integers(0, 3, N)
NOISY = CLASS + RNG.integers(0, 3, N)
FEATURES = pl.DataFrame(
    {
        "ties": CLASS + RNG.normal(size=N).round(1),
        "value": CLASS + RNG.normal(size=N),
        "few": RNG.integers(0, 5, N),
        "text": [
            None if k % 11 == 0 else ["it's", "x", "ä", "Z"][n % 4] for k, n in enumerate(NOISY)
        ],
        "flag": RNG.random(N) < 0.3 + 0.2 * CLASS,
        "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 90, N), unit="D"),
        "large": (1 << 60) + RNG.integers(0, 50, N) + CLASS * 10,
    }
).with_columns(
    pl.when(pl.col("few") == 2).then(None).otherwise(pl.col("few")).alias("holes"),
    pl.when(pl.col("ties") > 2.5).then(None).otherwise(pl.col("ties")).alias("ties"),
)
TARGETS = pl.DataFrame(
    {
        "class": np.array(["u", "v", "w'"])[CLASS],
        "number": CLASS + RNG.normal(size=N).round(2),
        "first": (CLASS == 1).astype(int),
        "second": (RNG.random(N) < 0.3).astype(int),
        "count": RNG.integers(0, 4, N),
        "share": RNG.random(N) + 0.1,
    }
)
PROBLEMS = {
    "classes": ("class", None, {}),
    "numbers": ("number", None, {}),
    "labels": (["first", "second"], None, {}),
    "missing ignored": ("class", None, {"missing": "ignore"}),
    "weights": ("class", "count", {}),
    "weights with fractions": ("class", "share", {}),
}
SELECTORS = (DEACS(5), DEACS.published(4), JMI(4), CMIM(4))
OF_ROWS = SELECTORS[0]
"""Its estimator counts rows, not weights."""


def _duckdb(frame):
    import duckdb

    table = frame.to_arrow()
    return duckdb.connect().from_arrow(table)


def _ibis_duckdb(frame):
    ibis = pytest.importorskip("ibis")
    return ibis.duckdb.connect().create_table("visits", frame.to_arrow())


def _ibis_postgres(frame):
    return server().connect().create_table("visits", frame.to_arrow(), overwrite=True)


def _dask(frame):
    dataframe = pytest.importorskip("dask.dataframe")
    return dataframe.from_pandas(frame.to_pandas(use_pyarrow_extension_array=True), npartitions=2)


def _spark(frame):
    sql = pytest.importorskip("pyspark.sql", reason="make test-spark installs it")
    builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    return session.createDataFrame(frame.to_arrow())


MAKERS = {
    "polars": lambda frame: frame.lazy(),
    "two frames": lambda frame: [frame[:100].lazy(), frame[100:].lazy()],
    "two libraries": lambda frame: [frame[:100].lazy(), _duckdb(frame[100:])],
    "DuckDB": _duckdb,
    "Ibis on DuckDB": _ibis_duckdb,
    "Ibis on PostgreSQL": _ibis_postgres,
    "Dask": _dask,
    "Spark": _spark,
}
SLOW = {"Dask", "Spark"}
CASES = [
    (maker, problem)
    for maker in MAKERS
    for problem in PROBLEMS
    if maker not in SLOW or problem in ("classes", "weights")
]


def _problem(name):
    target, weight, how = PROBLEMS[name]
    targets = [target] if isinstance(target, str) else target
    frame = FEATURES.with_columns(TARGETS.select([*targets, *([weight] if weight else [])]))
    y = TARGETS[target] if isinstance(target, str) else TARGETS.select(target)
    how = {"order": True, "discretizer": "auto", **how}
    weights = None if weight is None else TARGETS[weight]
    return frame, target, weight, how, encode_in_memory(FEATURES, y, sample_weight=weights, **how)


def _answers(data, selectors=SELECTORS):
    found = {}
    for selector in selectors:
        fitted = selector.fit(data)
        found[repr(selector)] = fitted.ranking_.tolist(), fitted.scores_.tolist()
        for name in ("label_scores_", "residual_"):
            if hasattr(fitted, name):
                found[f"{name} {selector!r}"] = getattr(fitted, name).tolist()
    return found


@pytest.mark.parametrize(("maker", "problem"), CASES)
@pytest.mark.filterwarnings("ignore")  # of Dask and Spark
def test_same_bits(maker, problem):
    frame, target, weight, how, here = _problem(problem)
    there = MAKERS[maker](frame)
    brought = encode(there, target, sample_weight=weight, **how)
    assert _answers(brought) == _answers(here)
    stays = encode(there, target, sample_weight=weight, stay=True, **how)
    selectors = [s for s in SELECTORS if s is not OF_ROWS or problem != "weights with fractions"]
    if maker in SLOW:
        selectors = selectors[:2]
    assert _answers(stays, selectors) == _answers(here, selectors)
    stays.close()


@pytest.mark.parametrize("problem", PROBLEMS)
def test_codes_on_disk_have_the_same_bits(problem, tmp_path):
    frame, target, weight, how, here = _problem(problem)
    parts = [frame[:100].lazy(), frame[100:].lazy()]
    out = tmp_path / "codes"
    encode(parts, target, sample_weight=weight, out=out, memory=60_000, **how)
    assert _answers(str(out)) == _answers(here)


def test_codes_that_were_brought_have_the_held_out_shares_of_those_made_in_memory(tmp_path):
    frame, target, _, how, here = _problem("classes")
    expected = DEACS(3).fit(here).held_out_
    out = tmp_path / "codes"
    encode(frame.lazy(), target, out=out, **how)
    for brought in (encode(frame.lazy(), target, **how), str(out)):
        found = DEACS(3).fit(brought).held_out_
        assert found.left.tolist() == expected.left.tolist()
        assert found.gain.tolist() == expected.gain.tolist()
    stays = encode(frame.lazy(), target, stay=True, **how)
    with pytest.raises(AttributeError, match="bring the codes of rows that stay elsewhere"):
        _ = DEACS(3).fit(stays).held_out_
    stays.close()


def test_a_lazy_frame_goes_into_fit_as_it_is():
    frame, target, _, _, here = _problem("classes")
    fitted = DEACS(5).fit(frame.lazy(), target)
    assert fitted.scores_.tolist() == DEACS(5).fit(here).scores_.tolist()
    assert fitted.feature_names_in_.tolist() == FEATURES.columns
    several = DEACS(5).fit([frame[:70].lazy(), frame[70:].lazy()], target)
    assert several.scores_.tolist() == fitted.scores_.tolist()
