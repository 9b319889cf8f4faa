"""What a run has done so far, so that a run that was killed goes on there.

All of it lies in the unfinished store: `work/` holds the batches of the first pass, the cut points
found and how many batches are coded. Another call for the same files and settings goes on; a call
for anything else begins anew.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.distributed.disk.catalogue import Catalogue
from deacs.distributed.disk.layout import CODES, LABELS, code_type
from deacs.distributed.disk.unfinished import UnfinishedStore
from deacs.distributed.files.plan import Plan

__all__ = ["Journal"]


@dataclass
class Journal:
    """The unfinished store."""

    unfinished: UnfinishedStore
    types: dict[str, str] = field(default_factory=dict)
    """Columns of text files that are known to be text after a first look."""
    cuts: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    """The cut points found so far, by column."""
    n_coded: int = 0
    """How many batches are coded, from the first on."""

    @classmethod
    def open(
        cls, unfinished: UnfinishedStore, paths: Sequence[Path], settings: Sequence[Any]
    ) -> Journal:
        """Go on with a run on the same files with the same settings, or begin one."""
        files = [(str(p.resolve()), p.stat().st_size, p.stat().st_mtime_ns) for p in paths]
        wanted = repr((files, list(settings)))
        work = unfinished.work
        run = work / "run.txt"
        if not (unfinished.store.is_dir() and run.is_file() and run.read_text() == wanted):
            unfinished.begin()
            run.write_text(wanted)
        journal = cls(unfinished)
        journal.types = dict(_lines(work / "types.jsonl"))
        journal.cuts = {j: np.array(cuts, np.float64) for j, cuts in _lines(work / "cuts.jsonl")}
        journal.n_coded = max(_lines(work / "coded.jsonl"), default=0)
        return journal

    @property
    def work(self) -> Path:
        """A folder that is removed at the end."""
        return self.unfinished.work

    def batch(self, number: int) -> Path:
        """Return where a batch of the first pass is, or will be."""
        return self.work / f"batch-{number:06}"

    def note_types(self, types: dict[str, str]) -> None:
        """Remember what the first pass took for something else."""
        self.types |= types
        for item in types.items():
            self._append("types", item)

    def note_cuts(self, column: int, cuts: NDArray[np.float64]) -> None:
        """Remember the cut points of a column."""
        self.cuts[column] = cuts
        self._append("cuts", (column, cuts.tolist()))

    def note_coded(self, n_batches: int) -> None:
        """Remember that the codes of so many batches are on the disk."""
        self.n_coded = n_batches
        self._append("coded", n_batches)

    def _append(self, name: str, item: Any) -> None:
        with (self.work / f"{name}.jsonl").open("a") as file:
            file.write(json.dumps(item) + "\n")

    @property
    def store(self) -> Path:
        """The folder of the files that will be the store."""
        return self.unfinished.store

    def finish(self, plan: Plan, target: str) -> None:
        """Make the store whole and move it to its place."""
        np.save(self.store / LABELS, plan.labels())
        checks = np.empty(len(plan.features), dtype=np.uint32)
        for width in np.unique(plan.widths).tolist():
            with (self.store / CODES[width]).open("rb") as file:
                for feature in np.flatnonzero(plan.widths == width).tolist():
                    column = np.fromfile(file, code_type(width), plan.n_rows)
                    checks[feature] = zlib.crc32(column.data)
        catalogue = Catalogue(
            classes=plan.classes,
            features=tuple(plan.features),
            feature_names=tuple(plan.names),
            is_named=True,
            widths=plan.widths,
            ignored=plan.ignored,
            checks=checks,
        )
        self.unfinished.finish(plan.n_rows, catalogue, target)


def _lines(path: Path) -> list[Any]:
    """Read a line for each thing done; what was cut off, and what follows, does not count."""
    found: list[Any] = []
    for line in path.read_bytes().splitlines() if path.is_file() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            break
    return found
