"""What one batch of rows tells of every column, kept on disk until all batches are known.

A batch is a directory, renamed to its name when it is whole. Numbers are sorted runs: each value
with the label of its row, or where values repeat, each pair once with its count; that is all that
cut points, kinds and distinct values need. Text is its distinct values.

| file | what it holds |
|---|---|
| `values.bin`, `labels.bin`, `counts.bin` | the runs of all columns of numbers, end to end |
| `lengths.npy`, `n_counts.npy` | how many entries and counts each column has |
| `rows.npy` | the class of each row, by its place among the classes of the batch |
| `index.json` | rows, classes, and of each column its type, its missing values, its text |
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.coding.data import narrowest

__all__ = ["Entries", "SpilledBatch", "counted", "sorted_entries", "write_batch"]

NO_END = 1 << 62
WORTH_COUNTING = 2
"""Pairs are counted where there are at most half as many as rows."""


class Entries(NamedTuple):
    """Values in ascending order with labels, and counts (None: each once)."""

    values: NDArray[Any]
    labels: NDArray[Any]
    counts: NDArray[np.int64] | None

    @property
    def total(self) -> int:
        """The rows they stand for."""
        return len(self.values) if self.counts is None else int(self.counts.sum())


def sorted_entries(values: NDArray[Any], labels: NDArray[Any], n_labels: int) -> Entries:
    """Sort the values of a batch, and count them where they repeat."""
    order = np.argsort(values)
    return counted(Entries(values[order], labels[order], None), n_labels)


def counted(entries: Entries, n_labels: int) -> Entries:
    """Put equal pairs of value and label together, where that makes them fewer by half."""
    values, labels, counts = entries
    if len(values) == 0:
        return entries
    begins = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    if len(begins) * WORTH_COUNTING > len(values):
        return entries
    group = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(values)))
    cells = np.bincount(group * n_labels + labels, counts, len(begins) * n_labels)
    occurs = np.flatnonzero(cells)
    # Floats add whole numbers exactly below 2**53.
    return Entries(
        values[begins[occurs // n_labels]],
        (occurs % n_labels).astype(labels.dtype),
        cells[occurs].astype(np.int64),
    )


def write_batch(
    place: Path,
    rows: NDArray[np.int32],
    classes: NDArray[Any],
    runs: list[Entries | None],
    columns: list[dict[str, Any]],
) -> None:
    """Write what a batch tells; `runs` is None for columns of text."""
    made = place.with_name(f"{place.name}.making")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    given = [run for run in runs if run is not None]
    bits = [run.values.astype(_eight_bytes(run.values)).view(np.uint64) for run in given]
    n_counts = [0 if run is None or run.counts is None else len(run.counts) for run in runs]
    ends: dict[str, list[Any]] = {
        "values": bits,
        "labels": [run.labels.astype(narrowest(len(classes))) for run in given],
        "counts": [run.counts for run in given if run.counts is not None],
    }
    for name, arrays in ends.items():
        with (made / f"{name}.bin").open("wb") as file:
            file.writelines(array.data for array in arrays)
    np.save(made / "lengths.npy", [0 if run is None else len(run.values) for run in runs])
    np.save(made / "n_counts.npy", np.array(n_counts, dtype=np.int64))
    np.save(made / "rows.npy", rows)
    index = {
        "n_rows": len(rows),
        "classes": classes.tolist(),
        "class_type": classes.dtype.str,
        "columns": columns,
    }
    (made / "index.json").write_text(json.dumps(index))
    shutil.rmtree(place, ignore_errors=True)
    made.rename(place)


@dataclass(frozen=True)
class SpilledBatch:
    """A batch on disk."""

    place: Path

    @cached_property
    def index(self) -> dict[str, Any]:
        """Rows, classes and columns."""
        index: dict[str, Any] = json.loads((self.place / "index.json").read_bytes())
        return index

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.index["n_rows"])

    @property
    def classes(self) -> NDArray[Any]:
        """The classes that occur."""
        given, dtype = self.index["classes"], np.dtype(self.index["class_type"])
        classes = np.empty(len(given), dtype=dtype)
        classes[:] = given
        return classes

    @property
    def rows(self) -> NDArray[np.int32]:
        """The class of each row."""
        rows: NDArray[np.int32] = np.load(self.place / "rows.npy")
        return rows

    def n_entries(self, column: int) -> int:
        """How long the run of a column is."""
        return int(self._begins[column + 1] - self._begins[column])

    def entries(self, column: int, is_float: bool, begin: int = 0, end: int = NO_END) -> Entries:
        """Read the sorted run of a column of numbers, or a part of it."""
        first, n = int(self._begins[column]) + begin, min(end, self.n_entries(column)) - begin
        has_counts = self._first_counts[column + 1] > self._first_counts[column]
        noted = np.float64 if self.index["columns"][column]["kind"] == "float" else np.int64
        values = self._read("values", noted, first, n)
        labels = self._read("labels", narrowest(len(self.index["classes"])), first, n)
        counts = None
        if has_counts:
            counts = self._read("counts", np.int64, int(self._first_counts[column]) + begin, n)
        return Entries(values.astype(np.float64) if is_float else values, labels, counts)

    @cached_property
    def _begins(self) -> NDArray[np.int64]:
        return np.concatenate(([0], np.cumsum(np.load(self.place / "lengths.npy"))))

    @cached_property
    def _first_counts(self) -> NDArray[np.int64]:
        return np.concatenate(([0], np.cumsum(np.load(self.place / "n_counts.npy"))))

    def _read(self, name: str, dtype: Any, first: int, n: int) -> NDArray[Any]:
        offset = first * np.dtype(dtype).itemsize
        return np.fromfile(self.place / f"{name}.bin", dtype, n, offset=offset)


def _eight_bytes(values: NDArray[Any]) -> type:
    return np.float64 if values.dtype.kind == "f" else np.int64
