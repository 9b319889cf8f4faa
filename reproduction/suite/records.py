"""What has been computed, in lines of JSON that are only ever appended.

Two files for each table: `name.rankings.jsonl` holds the ranking that a method made on the training
rows of a fold and the CPU seconds it took (or why there is none), `name.scores.jsonl` what the
classifiers did with a set of columns in a fold. A killed run leaves at most half a line, which is
not read. Later lines win.
"""

import json
import os
from pathlib import Path
from typing import Any

__all__ = ["Records", "folder"]


def folder() -> Path:
    """Return where records are kept: DEACS_SUITE_RECORDS, else `benchmarks/results/suite`."""
    chosen = os.environ.get("DEACS_SUITE_RECORDS")
    return Path(chosen) if chosen else Path(__file__).parents[1] / "results" / "suite"


class Records:
    """The records of one table.

    Attributes
    ----------
    rankings : dict of (method, version, fold) to dict
        `ranking` and `seconds`, or `skipped`: why there is none.
    scores : dict of (fold, columns) to dict
        For each classifier, how many rows of each class it got right and how many it called so.
    """

    def __init__(self, table: str) -> None:
        self._home = folder()
        self._table = table
        self.rankings = {
            (line["method"], line["version"], line["fold"]): line for line in self._read("rankings")
        }
        self.scores = {
            (line["fold"], line["columns"]): line["right"] for line in self._read("scores")
        }

    def add_ranking(self, method: str, version: str, fold: int, **what: Any) -> None:
        """Keep the ranking of a method, or why it has none."""
        line = {"method": method, "version": version, "fold": fold, **what}
        self.rankings[method, version, fold] = line
        self._append("rankings", line)

    def add_scores(self, fold: int, columns: str, right: dict[str, Any]) -> None:
        """Keep what classifiers did with columns."""
        self.scores[fold, columns] = right
        self._append("scores", {"fold": fold, "columns": columns, "right": right})

    def _path(self, kind: str) -> Path:
        return self._home / f"{self._table}.{kind}.jsonl"

    def _read(self, kind: str) -> list[dict[str, Any]]:
        path = self._path(kind)
        lines = path.read_text().splitlines() if path.exists() else []
        return [found for line in lines if (found := _parsed(line)) is not None]

    def _append(self, kind: str, line: dict[str, Any]) -> None:
        self._home.mkdir(parents=True, exist_ok=True)
        # A new line first: the last one may be half. One write to a file opened for appending: runs
        # beside each other do not mix their lines.
        text = f"\n{json.dumps(line, separators=(',', ':'))}\n"
        handle = os.open(self._path(kind), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(handle, text.encode())
        finally:
            os.close(handle)


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        return None
