"""Finished blocks of columns, kept in the unfinished store so that an interrupted run can resume.

Codes are appended to the files of the store. A block is finished once its part of the catalogue
exists, which is written last; codes without one are cut off.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from deacs.distributed.disk.catalogue import Catalogue
from deacs.distributed.disk.layout import CODES, LABELS
from deacs.distributed.disk.unfinished import UnfinishedStore, to_disk
from deacs.distributed.files.coding import CodedColumn
from deacs.storage import Place, Remote
from deacs.tables import Labels

__all__ = ["FinishedBlocks", "resume_or_begin", "stamp_of"]


def stamp_of(place: Place) -> tuple[str, str]:
    """Return the path of a file, and a stamp that changes with its content."""
    if isinstance(place, Remote):
        return str(place), place.stamp()
    # A missing file raises an error when it is read.
    found = place.stat() if place.exists() else None
    return str(place.resolve()), "" if found is None else f"{found.st_size} {found.st_mtime_ns}"


def resume_or_begin(
    unfinished: UnfinishedStore, stamps: Sequence[Any], settings: Sequence[Any]
) -> None:
    """Resume a run on the same files with the same settings; else start over."""
    wanted = repr((list(stamps), list(settings)))
    run = unfinished.work / "run.txt"
    if not (unfinished.store.is_dir() and run.is_file() and run.read_text("utf-8") == wanted):
        unfinished.begin()
        run.write_text(wanted, "utf-8")


class FinishedBlocks:
    """The columns of an unfinished store that have been coded."""

    def __init__(self, unfinished: UnfinishedStore, labels: Labels) -> None:
        self._unfinished, self._labels = unfinished, labels
        self._blocks: list[Catalogue] = []
        for place in sorted(unfinished.work.glob("block-*.npz")):
            begin, end = map(int, place.stem.split("-")[1:])
            found = Catalogue.load(place.read_bytes(), end - begin, len(labels.classes))
            self._blocks.append(found)
        widths = np.concatenate([np.empty(0, np.uint8), *(b.widths for b in self._blocks)])
        for width, name in CODES.items():
            path = unfinished.store / name
            if path.exists():
                os.truncate(path, int((widths == width).sum()) * width * len(labels.codes))

    @property
    def n_features(self) -> int:
        """The number of columns coded so far."""
        return sum(len(block.features) for block in self._blocks)

    def add(self, names: Sequence[str], columns: Sequence[CodedColumn]) -> None:
        """Append the codes of the next columns."""
        widths, checks = self._unfinished.append(column.codes for column in columns)
        block = Catalogue(
            classes=self._labels.classes,
            features=tuple(column.feature for column in columns),
            feature_names=tuple(names),
            is_named=True,
            widths=widths,
            ignored=np.array([column.ignored for column in columns], dtype=np.int64),
            checks=checks,
        )
        begin, end = self.n_features, self.n_features + len(columns)
        made = self._unfinished.work / "making.npz"
        made.unlink(missing_ok=True)
        block.save(made)
        to_disk(made)
        made.rename(self._unfinished.work / f"block-{begin:09}-{end:09}.npz")
        self._blocks.append(block)

    def finish(self, target: str) -> None:
        """Complete the store and move it to its place."""
        np.save(self._unfinished.store / LABELS, self._labels.codes)
        first = self._blocks[0]
        catalogue = Catalogue(
            classes=first.classes,
            about=self._labels.target,
            features=tuple(feature for block in self._blocks for feature in block.features),
            feature_names=tuple(name for block in self._blocks for name in block.feature_names),
            is_named=True,
            widths=np.concatenate([block.widths for block in self._blocks]),
            ignored=np.concatenate([block.ignored for block in self._blocks]),
            checks=np.concatenate([block.checks for block in self._blocks]),
        )
        self._unfinished.finish(len(self._labels.codes), catalogue, target)
