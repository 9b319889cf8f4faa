"""Speed over commits: every task in units of a yardstick that took turns with it.

python -m benchmarks history                              this tree; fails if a task got slower
python -m benchmarks history --commits HEAD~20 HEAD~10    others, each from its own files
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tarfile
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

TITLE = "Speed over commits: CPU time of each task, in units of a yardstick in NumPy"
NOTE = """
Best of 7, one thread, taking turns with the yardstick, so that machines and load cancel out.
"""
BY_NAME_ONLY = True

ROOT = Path(__file__).parents[2]
FILE = ROOT / "benchmarks/history.csv"
FIELDS = ("commit", "date", "task", "yardsticks")
SLOWER, WINDOW = 1.3, 5


def run(options: list[str] = []) -> list[dict[str, object]]:  # noqa: B006 - never changed
    """Time commits, keep what they took, and refuse a commit that made a task slower."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks history")
    parser.add_argument(
        "--commits", nargs="+", default=[], help="what git knows; default: this one"
    )
    asked = parser.parse_args(options).commits
    for commit in asked or ["HEAD"]:
        _keep(_git("rev-parse", "--short=9", commit), _timed(commit if asked else None))
    rows = _kept()
    slower = slower_tasks(rows)
    for task, ratio in slower.items():
        print(f"SLOWER: {task} takes {ratio:.2f} times what it took over {WINDOW} commits before")
    if slower and not asked:
        sys.exit(1)
    return _by_commit(rows)


def slower_tasks(rows: list[dict[str, str]]) -> dict[str, float]:
    """Return tasks of the newest commit that are slower than the median of those before."""
    found = {}
    for task in dict.fromkeys(row["task"] for row in rows):
        *before, newest = [float(row["yardsticks"]) for row in rows if row["task"] == task]
        if before and newest > SLOWER * median(before[-WINDOW:]):
            found[task] = newest / median(before[-WINDOW:])
    return found


def _timed(commit: str | None) -> dict[str, dict[str, float]]:
    """Run the tasks on the files of a commit, or on those that are here."""
    if commit is None:
        return _run_tasks(ROOT / "src")
    with TemporaryDirectory() as folder:
        packed = subprocess.run(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE)
        with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
            archive.extractall(Path(folder, "tree"), filter="data")
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation"]
        target = ["--no-deps", "--target", f"{folder}/built", f"{folder}/tree"]
        subprocess.run([*install, *target], check=True)
        return _run_tasks(Path(folder, "built"))


def _run_tasks(package: Path) -> dict[str, dict[str, float]]:
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks/speed_tasks.py")],
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(package)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    timed: dict[str, dict[str, float]] = json.loads(done.stdout)
    return timed


def _keep(commit: str, timed: dict[str, dict[str, float]]) -> None:
    """Put a commit's rows into the file, in the order of commits; old ones of it are replaced."""
    date = _git("log", "-1", "--format=%cI", commit)
    rows = [row for row in _kept() if row["commit"] != commit]
    for task, seconds in timed.items():
        ratio = seconds["task"] / seconds["yardstick"]
        values = (commit, date, task, f"{ratio:.3f}")
        rows.append(dict(zip(FIELDS, values, strict=True)))
    rows.sort(key=lambda row: row["date"])
    FILE.parent.mkdir(exist_ok=True)
    with FILE.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _kept() -> list[dict[str, str]]:
    if not FILE.exists():
        return []
    with FILE.open() as file:
        return list(csv.DictReader(file))


def _by_commit(rows: list[dict[str, str]]) -> list[dict[str, object]]:
    """Return one row for each commit, the newest first."""
    tasks = dict.fromkeys(row["task"] for row in rows)
    table: dict[str, dict[str, object]] = {}
    for row in reversed(rows):
        when = {"commit": row["commit"], "date": row["date"][:10]}
        line = table.setdefault(row["commit"], {**when, **dict.fromkeys(tasks, "")})
        line[row["task"]] = row["yardsticks"]
    return list(table.values())


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()
