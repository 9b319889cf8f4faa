"""Selecting in databases beside selecting from a store and in memory; a step and one UNION ALL.

Every line is printed when it is measured. Sizes for a quick look: `SQL_SHARE=0.02 python -m
benchmarks sql`; `SQL_SHARE=tall=0.1,databases=1` for those. `SQL_PARTS=DuckDB,PostgreSQL,step`
leaves the tall table and Spark out.
"""

import os
import resource
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import duckdb
import numpy as np
import polars as pl

from benchmarks.scenarios.out_of_core import PAIRS, SELECT, _measure, _store
from deacs import DEACS, JMI
from deacs.distributed import CodedStore, SQLEngine

SIZES = {"tall": 20_000_000, "databases": 300_000, "step": 1_000_000}
"""The rows of each part."""
BY_NAME_ONLY = True
PARTS = os.environ.get("SQL_PARTS", "tall,DuckDB,PostgreSQL,Spark,step").split(",")
TITLE = "In a database: 20,000,000 x 60 codes in DuckDB and from a store; 300,000 x 50 in three"
NOTE = """
Every line but the last ones is a process of its own; *peak* is the most memory it held (VmHWM).
DuckDB has the codes as columns of a table in a file, two threads and `memory_limit = '2GB'`; its
time has the coding in it, the store was coded before. 300,000 x 50: five features by the default
(`DEACS(5)`) and as published, coding included; CPU is that of this process and of the server
(PostgreSQL's backend, without parallel workers; Spark's Java machine, in local mode on two
threads, after one small selection that warms it). *a step*: scores of 49 candidates given one
feature, beside the same counts as one `UNION ALL` of `GROUP BY`s, both on the coded table.
"""

CONNECT = """
import duckdb
from deacs import DEACS, JMI
from deacs.distributed import SQLEngine
connection = duckdb.connect(str(place), read_only=True)
connection.execute("SET enable_progress_bar = false")  # it would go to the output
connection.execute("SET threads = 2; SET memory_limit = '2GB'; SET temp_directory = {spill!r}")
def work():
    engine = SQLEngine(connection)
    with engine.encode("t", "y") as table:
        n = len({selector}.fit(table).ranking_)
        return table.n_rows * table.n_features * n
"""


def run() -> list[dict[str, object]]:
    """Measure on a tall table, in every database, and one step."""
    lines = []
    for line in _lines():
        print(line, flush=True)
        lines.append(line)
    return lines


def _lines() -> Iterator[dict[str, object]]:
    if "tall" in PARTS:
        yield from _tall(_rows("tall"))
    if CONNECTIONS.keys() & set(PARTS):
        yield from _databases(_rows("databases"))
    if "step" in PARTS:
        yield from _step(_rows("step"))


def _rows(part: str) -> int:
    """Return the rows of a part: its size times its share, or times that of all."""
    words = os.environ.get("SQL_SHARE", "1").split(",")
    shares = dict(word.split("=") for word in words if "=" in word)
    everywhere = next((word for word in words if "=" not in word), "1")
    return int(SIZES[part] * float(shares.get(part, everywhere)))


def _tall(n_rows: int) -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        store = _store(here, n_rows, 60)
        base = _database(here / "t.db", CodedStore.open(store))
        name = f"{n_rows:,} x 60"
        yield _measure(f"{name}: DEA-CS, 5 features, store", SELECT, store, k=5)
        yield _measure(f"{name}: JMI, 5 features, store", PAIRS, store, k=5)
        for words, selector in (
            ("DEA-CS", "DEACS.published(5)"),
            ("JMI", "JMI(5)"),
            ("the default", "DEACS(5)"),
        ):
            work = CONNECT.format(selector=selector, spill=str(here / "spill"))
            yield _measure(f"{name}: {words}, 5 features, DuckDB", _escaped(work), base)


def _databases(n_rows: int) -> Iterator[dict[str, object]]:
    """Select by the default and as published, in memory and in every database that is here."""
    with tempfile.TemporaryDirectory() as folder:
        data = CodedStore.open(_store(Path(folder), n_rows, 50)).to_memory()
        columns = {f"x{j}": data.column(j).astype(np.int16) for j in range(50)}
        frame = pl.DataFrame({**columns, "y": data.labels})
        place = Path(folder) / "t.parquet"
        frame.write_parquet(place)
        for words, make in (("DEACS(5)", DEACS), ("DEACS.published(5)", DEACS.published)):
            make(5).fit(frame.drop("y"), frame["y"])  # compiles
            used, _ = _used(lambda: make(5).fit(frame.drop("y"), frame["y"]), [])  # noqa: B023
            yield {"what": f"{n_rows:,} x 50: {words}, in memory", **used}
        for name, connect in CONNECTIONS.items():
            if name not in PARTS:
                continue
            connection, pids, close = connect(place)
            try:
                JMI(1, engine=SQLEngine(connection)).fit("few", "y")
                for words, make in (("DEACS(5)", DEACS), ("DEACS.published(5)", DEACS.published)):
                    selector = make(5, engine=SQLEngine(connection))
                    used, _ = _used(lambda: selector.fit("t", "y"), pids)  # noqa: B023
                    yield {"what": f"{n_rows:,} x 50: {words}, {name}", **used}
            finally:
                close()


def _used(work: Callable[[], object], pids: list[int]) -> tuple[dict[str, float], object]:
    """Return the time by the clock and the CPU seconds of this process and of others."""
    begin, before = perf_counter(), _cpu() + sum(map(_cpu_of, pids))
    found = work()
    cpu = _cpu() + sum(map(_cpu_of, pids)) - before
    return {"seconds": perf_counter() - begin, "CPU, s": cpu}, found


def _cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _duckdb(place: Path) -> tuple[Any, list[int], Callable[[], object]]:
    connection = duckdb.connect(config={"threads": 2})
    connection.execute(f"CREATE TABLE t AS FROM '{place}'; CREATE TABLE few AS FROM t LIMIT 1000")
    return connection, [], connection.close


def _postgresql(place: Path) -> tuple[Any, list[int], Callable[[], object]]:
    from tests.system.distributed.postgres_server import server

    connection = server().connect(autocommit=True)
    connection.execute("SET max_parallel_workers_per_gather = 0; SET work_mem = '256MB'")
    frame = pl.read_parquet(place)
    columns = ", ".join(f"{name} smallint" for name in frame.columns)
    connection.execute(f"CREATE TABLE t ({columns})")
    with connection.cursor() as cursor, cursor.copy("COPY t FROM STDIN (FORMAT CSV)") as copy:
        for part in frame.iter_slices(50_000):
            copy.write(part.write_csv(include_header=False))
    connection.execute("CREATE TABLE few AS SELECT * FROM t LIMIT 1000")
    connection.execute("ANALYZE")
    return connection, [connection.info.backend_pid], connection.close


def _spark(place: Path) -> tuple[Any, list[int], Callable[[], object]]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False)
    builder = builder.config("spark.driver.memory", "4g")
    session = builder.config("spark.sql.shuffle.partitions", 2).getOrCreate()
    table = session.read.parquet(str(place))
    table.createOrReplaceTempView("t")
    table.limit(1000).createOrReplaceTempView("few")
    pid = int(session._jvm.java.lang.ProcessHandle.current().pid())
    return session, [pid], session.stop


CONNECTIONS = {"DuckDB": _duckdb, "PostgreSQL": _postgresql}
if find_spec("pyspark") is not None:
    CONNECTIONS["Spark"] = _spark


def _escaped(work: str) -> str:
    """Leave braces to nobody: `_measure` formats what has some."""
    return work.replace("{", "{{").replace("}", "}}") if "{" in work else work


def _database(path: Path, store: CodedStore) -> Path:
    """Put the codes into a table of DuckDB, a million rows at a time."""
    data = store.to_memory()
    with duckdb.connect(str(path)) as connection:
        for begin in range(0, data.n_rows, 1_000_000):
            rows = slice(begin, begin + 1_000_000)
            columns = {f"x{j}": data.column(j)[rows] for j in range(data.n_features)}
            part = pl.DataFrame({**columns, "y": data.labels[rows]})
            begun = "INSERT INTO t FROM part" if begin else "CREATE TABLE t AS FROM part"
            assert len(part)
            connection.execute(begun)
    return path


def _step(n_rows: int) -> Iterator[dict[str, object]]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, n_rows)
    columns = {f"x{j}": rng.integers(0, 4, n_rows, dtype=np.uint8) for j in range(50)}
    frame = pl.DataFrame({**columns, "y": y})
    connection = duckdb.connect(config={"threads": 2})
    connection.execute("CREATE TABLE t AS FROM frame")
    assert len(frame) == n_rows
    engine = SQLEngine(connection)
    with engine.encode("t", "y") as table:
        codes, found = table.relation, {}
        plain = " UNION ALL ".join(
            f'SELECT {j}, f0, y, f{j}, count(*) FROM "{codes}" GROUP BY f0, y, f{j}'
            for j in range(1, 50)
        )
        for _ in range(5):
            counts = engine.open(table)
            counts.condition_on(0)
            for what, work in (
                ("a step", lambda: counts.label_scores(np.arange(1, 50))),  # noqa: B023
                ("one UNION ALL", lambda: connection.execute(plain).fetchall()),
            ):
                before = _cpu()
                work()
                found[what] = min(found.get(what, np.inf), _cpu() - before)
    for what, cpu in found.items():
        yield {"what": f"{n_rows:,} x 50: {what}", "CPU, s": cpu}
    yield {"what": "a step / one UNION ALL", "CPU, s": found["a step"] / found["one UNION ALL"]}


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
