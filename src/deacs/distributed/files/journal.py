"""What a run has done so far, so that a run that was killed goes on there.

All of it lies in the unfinished store: `work/` holds the batches of the first pass, the cut points
found and how many batches are coded. Another call for the same files and settings goes on; a call
for anything else begins anew.
"""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.distributed.disk.catalogue import Catalogue
from deacs.distributed.disk.layout import LABELS, code_type, codes_file, finish_store
from deacs.distributed.files.plan import Plan

__all__ = ["Journal"]

WORK = "work"


@dataclass
class Journal:
    """The unfinished store."""

    partial: Path
    types: dict[str, str] = field(default_factory=dict)
    """Columns of text files that are known to be text after a first look."""
    cuts: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    """The cut points found so far, by column."""
    n_coded: int = 0
    """How many batches are coded, from the first on."""

    @classmethod
    def open(cls, partial: Path, paths: Sequence[Path], settings: Sequence[Any]) -> Journal:
        """Go on with a run on the same files with the same settings, or begin one."""
        files = [(str(p.resolve()), p.stat().st_size, p.stat().st_mtime_ns) for p in paths]
        wanted = repr((files, list(settings)))
        work = partial / WORK
        if not (work / "run.txt").is_file() or (work / "run.txt").read_text() != wanted:
            shutil.rmtree(partial, ignore_errors=True)
            work.mkdir(parents=True)
            (work / "run.txt").write_text(wanted)
        journal = cls(partial)
        journal.types = dict(_lines(work / "types.jsonl"))
        journal.cuts = {j: np.array(cuts, np.float64) for j, cuts in _lines(work / "cuts.jsonl")}
        journal.n_coded = max(_lines(work / "coded.jsonl"), default=0)
        return journal

    @property
    def work(self) -> Path:
        """A folder that is removed at the end."""
        return self.partial / WORK

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

    def finish(self, place: Path, plan: Plan, target: str) -> None:
        """Make the store whole and move it to its place."""
        np.save(self.partial / LABELS, plan.labels())
        checks = np.empty(len(plan.features), dtype=np.uint32)
        for width in np.unique(plan.widths).tolist():
            with (self.partial / codes_file(width)).open("rb") as file:
                for feature in np.flatnonzero(plan.widths == width).tolist():
                    column = np.fromfile(file, code_type(width), plan.n_rows)
                    checks[feature] = zlib.crc32(column.data)
        catalogue = Catalogue(
            *(plan.classes, tuple(plan.features), tuple(plan.names), True),
            *(plan.widths, plan.ignored, checks),
        )
        finish_store(self.partial, place, plan.n_rows, catalogue, target)
        shutil.rmtree(place / WORK)


def _lines(path: Path) -> list[Any]:
    """Read a line for each thing done; what was cut off, and what follows, does not count."""
    found: list[Any] = []
    for line in path.read_bytes().splitlines() if path.is_file() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            break
    return found
