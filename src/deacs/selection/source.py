"""`Source`: the table of a fit, which its result keeps for what is computed later."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from deacs.coding import CodedTable, encode
from deacs.exceptions import InputError
from deacs.selection.groups import Grouping
from deacs.tables import Target

__all__ = ["Source"]


@dataclass(frozen=True, eq=False)
class Source:
    """The table of a fit: the names of its columns and outputs, and its rows.

    Attributes
    ----------
    names : tuple of str
        The columns.
    target : Target
        The outputs, without the sets of labels that occur, which are data.
    library : str or None
        The library of the frame that was fitted.
    grouping : Grouping or None
        The groups of columns that were selected as one.
    coded : CodedTable or None
        The columns, coded; None if they were not, or in a pickled result.
    units : CodedTable or None
        The table selected from, if it has a column for each group.
    X, y, sample_weight : objects
        What `fit` was given, unless that was coded or is elsewhere.
    coding : dict
        How to code it.
    """

    names: tuple[str, ...]
    target: Target
    library: str | None = None
    grouping: Grouping | None = None
    coded: CodedTable | None = None
    units: CodedTable | None = None
    X: Any = None
    y: Any = None
    sample_weight: Any = None
    coding: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def table(self) -> CodedTable:
        """The columns, coded now if the selector did without."""
        if self.coded is not None:
            return self.coded
        if self.X is None:
            raise InputError(
                "this needs the fitted rows in memory, which pickled selectors do not hold; ask "
                "before pickling, or fit again"
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the fit has warned
            return encode(self.X, self.y, sample_weight=self.sample_weight, **self.coding)

    @property
    def data(self) -> CodedTable:
        """The table selected from."""
        return self.table if self.units is None else self.units

    @property
    def has_rows(self) -> bool:
        """Whether the rows can be counted, now or after coding them."""
        return self.X is not None or (self.coded is not None and self.coded.is_open)

    @property
    def n_units(self) -> int:
        """The number of features or groups to select from."""
        return len(self.names) if self.grouping is None else len(self.grouping.members)

    @property
    def unit_names(self) -> tuple[str, ...]:
        """Their names."""
        return self.names if self.grouping is None else self.grouping.names

    def columns_of(self, unit: int) -> tuple[int, ...]:
        """Return the columns of a unit."""
        return (unit,) if self.grouping is None else self.grouping.members[unit]

    def units_of(self, columns: Sequence[int]) -> list[int]:
        """Return the units of some columns, each once."""
        return list(columns) if self.grouping is None else self.grouping.units_of(columns)

    def __getstate__(self) -> dict[str, Any]:
        kept = ("names", "target", "library", "grouping")
        rest: dict[str, Any] = {one.name: None for one in fields(self)} | {"coding": {}}
        return rest | {name: getattr(self, name) for name in kept}
