"""Tables that are elsewhere: processor time and memory of each way to select from them."""

import argparse
import json
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from deacs import DEACS, encode

TITLE = "Where the rows are: memory, codes on disk, rows that stay, files of any size"
NOTE = """
Integers of 4 values, 60 columns, 5 classes, 5 features by DEACS.published, each case in a process
of its own. *coding* and *fit*: processor seconds of all threads. *peak*: the largest resident set,
which counts pages of mapped files that the system may drop; *own*: the largest anonymous part of
it, which it may not. The last case codes numbers with fractions from CSV. `--rows 5e6` and
`--csv-rows 3e6` take other sizes; `--folder` keeps the tables.
"""
BY_NAME_ONLY = True
N_FEATURES = 60
AT_ONCE = 1_000_000


def run(words: list[str] | None = None) -> list[dict[str, object]]:
    """Measure all cases, or the named ones."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks elsewhere")
    asked.add_argument("--rows", type=float, default=20e6)
    asked.add_argument("--csv-rows", type=float, default=9e6)
    asked.add_argument("--folder", type=Path)
    asked.add_argument("--only", nargs="*", choices=CASES, default=[*CASES])
    given = asked.parse_args(words or [])
    with TemporaryDirectory() as made:
        folder = given.folder or Path(made)
        folder.mkdir(exist_ok=True)
        _write(folder / "table.parquet", int(given.rows))
        if "CSV to disk" in given.only:
            _write_csv(folder / "table.csv", int(given.csv_rows))
        return [_apart(case, folder) for case in given.only]


def _write(path: Path, n_rows: int) -> None:
    """Write the table that all cases but the last read, a million rows at a time."""
    if path.exists():
        return
    rng, parts = np.random.default_rng(0), []
    for k, begin in enumerate(range(0, n_rows, AT_ONCE)):
        n = min(AT_ONCE, n_rows - begin)
        y = rng.integers(0, 5, n, dtype=np.uint8)
        columns = {}
        for j in range(N_FEATURES):
            noise = rng.integers(0, 4, n, dtype=np.uint8)
            columns[f"x{j}"] = np.where(rng.random(n) < j / 200, (y + j) % 4, noise)
        parts.append(path.with_name(f"part-{k:03}.parquet"))
        pl.DataFrame(columns | {"y": y}).write_parquet(parts[-1])
    pl.scan_parquet(parts, glob=False).sink_parquet(path)
    for part in parts:
        part.unlink()


def _write_csv(path: Path, n_rows: int) -> None:
    if path.exists():
        return
    rng = np.random.default_rng(1)
    with path.open("wb") as file:
        for begin in range(0, n_rows, AT_ONCE):
            n = min(AT_ONCE, n_rows - begin)
            y = rng.integers(0, 5, n)
            columns = {f"x{j}": y * (j / 100) + rng.normal(size=n) for j in range(N_FEATURES)}
            frame = pl.DataFrame(columns | {"y": y})
            frame.write_csv(file, include_header=begin == 0, float_precision=6)


def _memory(folder: Path) -> Any:
    data = _from_disk(folder)
    blocks = tuple(replace(block, codes=block.codes.copy()) for block in data.blocks)
    return replace(data, blocks=blocks, labels=data.labels.copy(), order=None)


def _from_disk(folder: Path) -> Any:
    from deacs.coding.on_disk import open_codes

    if not (folder / "codes").exists():
        encode(pl.scan_parquet(folder / "table.parquet"), "y", out=folder / "codes")
    return open_codes(folder / "codes")


def _brought(folder: Path) -> Any:
    with TemporaryDirectory(dir=folder) as made:
        return encode(pl.scan_parquet(folder / "table.parquet"), "y", out=Path(made) / "codes")


def _polars(folder: Path) -> Any:
    return encode(pl.scan_parquet(folder / "table.parquet"), "y", stay=True)


def _duckdb(folder: Path) -> Any:
    import duckdb

    return encode(duckdb.read_parquet(f"{folder / 'table.parquet'}"), "y", stay=True)


def _csv(folder: Path) -> Any:
    with TemporaryDirectory(dir=folder) as made:
        return encode(folder / "table.csv", "y", out=Path(made) / "codes")


CASES: dict[str, Callable[[Path], Any]] = {
    "codes on disk": _from_disk,
    "memory": _memory,
    "polars to disk": _brought,
    "polars, stays": _polars,
    "DuckDB, stays": _duckdb,
    "CSV to disk": _csv,
}


def _apart(case: str, folder: Path) -> dict[str, object]:
    """Measure a case in a process of its own."""
    if case in ("codes on disk", "memory"):
        _from_disk(folder)
    words = [sys.executable, "-m", "benchmarks.scenarios.elsewhere", case, str(folder)]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True)
    row: dict[str, object] = json.loads(done.stdout)
    print(row, flush=True)
    return row


def _measured(case: str, folder: Path) -> dict[str, object]:
    own, is_done = [0], threading.Event()

    def watch() -> None:
        while not is_done.wait(0.2):
            said = Path("/proc/self/smaps_rollup").read_text()
            [line] = [line for line in said.splitlines() if line.startswith("Anonymous:")]
            own[0] = max(own[0], int(line.split()[1]))

    watcher = threading.Thread(target=watch)
    watcher.start()
    begin = time.process_time()
    data = CASES[case](folder)
    coded = time.process_time()
    found = DEACS.published(5).fit(data)
    end = time.process_time()
    is_done.set()
    watcher.join()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "case": case,
        "rows": data.n_rows,
        "coding, CPU s": coded - begin,
        "fit, CPU s": end - coded,
        "peak, MB": peak / 1e3,
        "own, MB": own[0] / 1e3,
        "ranking": " ".join(map(str, found.ranking_)),
    }


if __name__ == "__main__":
    print(json.dumps(_measured(sys.argv[1], Path(sys.argv[2]))))
