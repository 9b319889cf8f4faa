"""Blocks of columns whose codes have been appended to the unfinished store."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from deacs.distributed.disk.catalogue import Catalogue
from deacs.distributed.disk.layout import LABELS
from deacs.distributed.disk.unfinished import UnfinishedStore
from deacs.distributed.files.coding import CodedColumn
from deacs.tables import Labels

__all__ = ["FinishedBlocks"]


class FinishedBlocks:
    """The columns of an unfinished store that have been coded."""

    def __init__(self, unfinished: UnfinishedStore, labels: Labels) -> None:
        self._unfinished, self._labels = unfinished, labels
        self._blocks: list[Catalogue] = []

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
