"""Results in one file, a line for each finished cell, so a run can be interrupted at any time.

Every line is a JSON object. `"kind": "selection"` holds the ranking of a method on a split (split
-1: on all rows), `"score"` the numbers of tested and correct rows of one classifier with the first
m features, `"error"` what went wrong in either. A line is written by one system call; an incomplete
line of a killed run is cut off when the file is opened again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from deacs.exceptions import InputError

__all__ = ["FILE", "Key", "Results", "append_results", "read_results"]

FILE = "results.jsonl"
BINARY = getattr(os, "O_BINARY", 0)

Key = tuple[Any, ...]
"""(set, method, split) of a selection, (set, method, split, m, classifier) of a score."""


class Results:
    """Finished work by key; a later line with the same key replaces an earlier one."""

    def __init__(self) -> None:
        self._records: dict[Key, dict[str, Any]] = {}

    def add(self, record: dict[str, Any]) -> None:
        """Add a record."""
        self._records[key_of(record)] = record

    def get(self, key: Key) -> dict[str, Any] | None:
        """Return the record of a key, if there is one."""
        return self._records.get(key)

    def __contains__(self, key: Key) -> bool:
        return key in self._records

    def __len__(self) -> int:
        return len(self._records)

    def in_order(self, kind: str) -> list[dict[str, Any]]:
        """Return the records of a kind, in the order in which they were finished."""
        return [record for record in self._records.values() if record["kind"] == kind]

    @property
    def selections(self) -> list[dict[str, Any]]:
        """Rankings, sorted by set, method and split."""
        return sorted(self.in_order("selection"), key=key_of)

    @property
    def scores(self) -> list[dict[str, Any]]:
        """Numbers of tested and correct rows, sorted by set, method, split, m and classifier."""
        return sorted(self.in_order("score"), key=key_of)

    @property
    def errors(self) -> list[dict[str, Any]]:
        """Errors, sorted by where they occurred."""
        return sorted(self.in_order("error"), key=lambda record: str(key_of(record)))

    def to_frame(self) -> pl.DataFrame:
        """Return a frame: set, method, split, m, classifier, rows, correct, seconds."""
        columns = ["set", "method", "split", "m", "classifier", "rows", "correct", "seconds"]
        return pl.DataFrame({name: [r[name] for r in self.scores] for name in columns})


def key_of(record: dict[str, Any]) -> Key:
    """Return the key of a record."""
    key = (record["set"], record["method"], record["split"])
    return (*key, record["m"], record["classifier"]) if "classifier" in record else key


def read_results(folder: str | Path, *, with_errors: bool = True) -> Results:
    """Read the results in a folder; an incomplete last line is left out.

    Parameters
    ----------
    folder : path
        The folder of a run.
    with_errors : bool, default=True
        Whether to include errors, so that failed cells count as finished.
    """
    results, file = Results(), Path(folder) / FILE
    if not file.is_file():
        return results
    for number, line in enumerate(file.read_bytes().splitlines(keepends=True), start=1):
        if not line.endswith(b"\n"):
            break
        try:
            record = json.loads(line)
            is_wanted = with_errors or record["kind"] != "error"
            if is_wanted:
                results.add(record)
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{file} line {number} is not a record of this program ({error}); remove the "
                "line, and run again to compute what it held"
            ) from error
    return results


@contextmanager
def append_results(folder: str | Path) -> Iterator[Any]:
    """Yield a function that appends a record; only one process at a time may do so."""
    file = Path(folder) / FILE
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | BINARY, 0o644)
    try:
        _lock(handle, file)
        whole = file.read_bytes()
        os.ftruncate(handle, whole.rfind(b"\n") + 1)

        def append(record: dict[str, Any]) -> None:
            line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
            if os.write(handle, line) < len(line):
                raise OSError(f"{file} could not take a whole line; is the disk full?")

        yield append
    finally:
        os.close(handle)


def _lock(handle: int, file: Path) -> None:
    """Refuse a second writer if the system has locks; the lock ends with the process."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError(
            f"{file} is being written by another run; wait for it, or choose another folder"
        ) from error
