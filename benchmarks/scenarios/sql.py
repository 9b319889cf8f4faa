"""Selecting in DuckDB beside selecting from a store, and a step beside one UNION ALL.

Sizes for a quick look: `SQL_SHARE=0.02 python -m benchmarks sql`.
"""

import os
import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import polars as pl

from benchmarks.scenarios.out_of_core import PAIRS, SELECT, _measure, _store
from deacs.distributed import CodedStore, SQLEngine

SHARE = float(os.environ.get("SQL_SHARE", "1"))
BY_NAME_ONLY = True
TITLE = "In a database: 20,000,000 x 60 codes in DuckDB and from a store; a step of 1,000,000 x 50"
NOTE = """
Every line but the last ones is a process of its own; *peak* is the most memory it held (VmHWM).
DuckDB has the codes as columns of a table in a file, two threads and `memory_limit = '2GB'`; its
time has the coding in it, the store was coded before. *a step*: scores of 49 candidates given one
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
    """Measure on a tall table, and one step."""
    return list(_lines())


def _lines() -> Iterator[dict[str, object]]:
    n_rows = int(20_000_000 * SHARE)
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        store = _store(here, n_rows, 60)
        base = _database(here / "t.db", CodedStore.open(store))
        name = f"{n_rows:,} x 60"
        yield _measure(f"{name}: DEA-CS, 5 features, store", SELECT, store, k=5)
        yield _measure(f"{name}: JMI, 5 features, store", PAIRS, store, k=5)
        for words, selector in (("DEA-CS", "DEACS.published(5)"), ("JMI", "JMI(5)")):
            work = CONNECT.format(selector=selector, spill=str(here / "spill"))
            yield _measure(f"{name}: {words}, 5 features, DuckDB", _escaped(work), base)
    yield from _step(int(1_000_000 * SHARE))


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


if __name__ == "__main__":
    for line in _lines():
        print(line, flush=True)
