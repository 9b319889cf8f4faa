"""From sorted runs on disk to the cut points of one column, exactly.

Where a column's runs fit in memory they are put together there. Where they do not, they are merged
on disk, a stretch of values at a time: of the next piece of every run, take what is not above the
least last value. MDLP then reads the merged column where it lies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.discretize.cuts import DISCRETIZERS, mdlp_rule
from deacs.discretize.intervals import midpoints
from deacs.distributed.disk.memory import size_in_words
from deacs.distributed.files.spill import Entries, SpilledBatch, counted
from deacs.exceptions import InputError
from deacs.kernels.cuts import MdlpRule, mdlp_cuts
from deacs.tables import Column, Labels, Weights

__all__ = ["Cutter", "Runs", "distinct_values"]

Floats = NDArray[np.float64]

BYTES_AN_ENTRY = 80
"""What an entry takes while a column is sorted and cut in memory."""


class Runs:
    """The sorted runs of one column of numbers, with the labels of the whole table.

    Parameters
    ----------
    batches : sequence of SpilledBatch
        Where the runs are.
    column : int
        Which column.
    is_float : bool
        Whether its values are floats, or integers that are to be read as such.
    labels : sequence of ndarray
        For each batch, the final label of each of its classes.
    n_labels : int
        The number of labels.
    """

    def __init__(
        self,
        batches: Sequence[SpilledBatch],
        column: int,
        is_float: bool,
        labels: Sequence[NDArray[np.int32]],
        n_labels: int,
    ) -> None:
        self.batches, self.column, self.is_float = batches, column, is_float
        self.labels, self.n_labels = labels, n_labels
        self.lengths = [batch.n_entries(column) for batch in batches]

    def read(self, run: int, begin: int = 0, end: int = 1 << 62) -> Entries:
        """Return a part of one run."""
        found = self.batches[run].entries(self.column, self.is_float, begin, end)
        return found._replace(labels=self.labels[run][found.labels])

    def together(self) -> Entries:
        """Return all runs as one, in memory."""
        return _joined([self.read(k) for k in range(len(self.lengths))], self.n_labels)

    def stretches(self, at_once: int) -> Iterator[Entries]:
        """Yield all entries in ascending order, reading about `at_once` at a time.

        No value lies in two stretches.
        """
        piece = max(at_once // max(len(self.lengths), 1), 1)
        behind = [0] * len(self.lengths)
        pieces: list[Entries] = [self.read(k, 0, piece) for k in range(len(behind))]
        while any(len(found.values) for found in pieces):
            more = [
                b + len(p.values) < n for b, p, n in zip(behind, pieces, self.lengths, strict=True)
            ]
            open_ = [p.values[-1] for p, m in zip(pieces, more, strict=True) if m]
            taken = []
            for k, found in enumerate(pieces):
                # Below the bound every run is known; at it, one of them may go on.
                n = int(np.searchsorted(found.values, min(open_))) if open_ else len(found.values)
                taken.append(Entries(*(None if a is None else a[:n] for a in found)))  # type: ignore[arg-type]
                behind[k] += n
            if any(len(part.values) for part in taken):
                yield _joined(taken, self.n_labels)
            elif open_:  # a value longer than a piece
                piece *= 2
            pieces = [self.read(k, b, b + piece) for k, b in enumerate(behind)]


def distinct_values(runs: Runs, at_once: int) -> NDArray[Any]:
    """Return the distinct values of a column, ascending."""
    found = [np.unique(stretch.values) for stretch in runs.stretches(at_once)]
    return (
        np.concatenate(found) if found else np.empty(0, np.float64 if runs.is_float else np.int64)
    )


class Cutter:
    """Finds the cut points that `deacs.encode` finds, a column at a time.

    Parameters
    ----------
    discretizer : {"mdlp", "equal-width", "equal-frequency"}
        Which cut points.
    classes : ndarray
        The classes.
    n_rows : int
        The rows of the whole table.
    memory : int
        The bytes that a column may take; a larger one is merged on disk.
    scratch : Path
        A folder for that.
    """

    def __init__(
        self, discretizer: str, classes: NDArray[Any], n_rows: int, memory: int, scratch: Path
    ) -> None:
        self._discretizer, self._classes, self._n_rows = discretizer, classes, n_rows
        self._memory, self._scratch = memory, scratch

    @cached_property
    def _rule(self) -> MdlpRule:
        """Fayyad and Irani's rule, with a table of logarithms if there is room for one."""
        rows = Labels(np.broadcast_to(np.int32(0), self._n_rows), self._classes)
        if self._has_table:
            return mdlp_rule(rows, None, None, 1, 1)
        return mdlp_rule(rows, Weights(np.array([self._n_rows]), 1.0), None, 1, 0)

    @property
    def _has_table(self) -> bool:
        return 8 * self._n_rows <= self._memory

    def cut_points(self, runs: Runs, n_missing: int) -> Floats:
        """Return the cut points of one column."""
        n_bytes = sum(runs.lengths) * BYTES_AN_ENTRY
        if n_bytes <= self._memory:
            entries = runs.together()
            if self._discretizer == "mdlp":
                return self._mdlp(entries)
            return self._by_name(entries, n_missing)
        if self._discretizer != "mdlp":
            raise InputError(
                f"memory must be at least {size_in_words(4 * n_bytes)} for discretizer="
                f"{self._discretizer!r}, which sorts a column at once; 'mdlp' does with less"
            )
        return self._on_disk(runs)

    def _mdlp(self, entries: Entries) -> Floats:
        values, labels, counts = entries
        if counts is None and not self._has_table:
            counts = np.ones(len(values), dtype=np.int64)
        n, n_labels = len(values), len(self._classes)
        values = values.astype(np.float64, copy=False)
        total, left = np.empty(n_labels, dtype=np.int64), np.empty(n_labels, dtype=np.int64)
        pending, cuts = np.empty((n + 1, 4), dtype=np.int64), np.empty(n, dtype=np.int64)
        bits = np.empty(0 if counts is None else n)
        n_cuts = mdlp_cuts(values, labels, counts, self._rule, total, left, bits, pending, cuts)
        at = np.sort(cuts[:n_cuts])
        return midpoints(values[at], values[at + 1])

    def _by_name(self, entries: Entries, n_missing: int) -> Floats:
        """Ask the discretiser, which counts rows in which the value is missing, too."""
        values, codes, counts = entries
        n_more = n_missing if counts is None else int(n_missing > 0)
        missing = np.arange(len(values) + n_more) >= len(values)
        column = Column("", "float", np.append(values, np.zeros(n_more)), missing)
        labels = Labels(np.append(codes, np.zeros(n_more, np.int32)), self._classes)
        weights = None
        if counts is not None:
            weights = Weights(np.append(counts, np.full(n_more, n_missing)), 1.0)
        found: Floats = DISCRETIZERS[self._discretizer]([column], labels, weights=weights)[0]
        return found

    def _on_disk(self, runs: Runs) -> Floats:
        """Merge into files, and let MDLP read them where they are."""
        label = np.uint8 if len(self._classes) <= 256 else np.int32
        types = {"values": np.float64, "labels": label, "counts": np.int64}
        with TemporaryDirectory(dir=self._scratch) as folder, ExitStack() as stack:
            paths = {name: Path(folder) / name for name in types}
            files = {name: stack.enter_context(paths[name].open("wb")) for name in types}
            n, has_counts = 0, False
            for values, labels, counts in runs.stretches(self._memory // BYTES_AN_ENTRY):
                n, has_counts = n + len(values), has_counts or counts is not None
                files["values"].write(values.astype(np.float64).data)
                files["labels"].write(labels.astype(label).data)
                each = np.ones(len(values), dtype=np.int64) if counts is None else counts
                files["counts"].write(each.data)
            for file in files.values():
                file.flush()
            mapped = (np.asarray(np.memmap(paths[k], types[k], "r+", shape=n)) for k in types)
            merged = Entries(*mapped)
            return self._mdlp(merged if has_counts else merged._replace(counts=None))


def _joined(parts: Sequence[Entries], n_labels: int) -> Entries:
    values = np.concatenate([part.values for part in parts])
    labels = np.concatenate([part.labels for part in parts])
    counts = None
    if any(part.counts is not None for part in parts):
        counts = np.concatenate(
            [np.ones(len(p.values), np.int64) if p.counts is None else p.counts for p in parts]
        )
    order = np.argsort(values, kind="stable")
    return counted(
        Entries(values[order], labels[order], None if counts is None else counts[order]), n_labels
    )
