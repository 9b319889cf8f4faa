"""Merge columns of a coded table into units, wherever the columns are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from deacs.coding.blocks import narrowest
from deacs.coding.features import FeatureCoding

if TYPE_CHECKING:
    from deacs.coding.table import CodedTable

__all__ = ["Joint", "Merger", "Unit"]

Integers = NDArray[np.int64]


class Joint(NamedTuple):
    """The joint values of some columns."""

    values: Integers
    """The codes of the columns in each joint value that occurs, (n_values, n_columns), sorted by
    the first column, then the second, ..."""
    rows: Any
    """The joint value of each row, in a form that depends on the merger."""


class Unit(NamedTuple):
    """A column of the merged table."""

    name: str
    members: tuple[int, ...]
    """Its columns; a single one is kept as it is."""
    feature: FeatureCoding
    joint: Joint | None = None
    codes: Integers = np.zeros(0, dtype=np.int64)
    """The code of each joint value."""

    def column(self, rows: NDArray[Any]) -> NDArray[np.unsignedinteger[Any]]:
        """Return the code of each row, given its joint value, or its code in a single column."""
        if len(self.members) == 1:
            return rows
        codes: NDArray[np.unsignedinteger[Any]]
        codes = self.codes.astype(narrowest(self.feature.n_values))[rows]
        return codes


class Merger(Protocol):
    """Merges columns where they are stored."""

    def joint(self, members: Sequence[int], at_most: int) -> Joint | None:
        """Return the joint values of some columns; None if more than `at_most` occur."""

    def merged(self, units: Sequence[Unit]) -> CodedTable:
        """Return the table of these units; closing it leaves the original table open."""
