"""Read inputs and outputs of units from table columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from deacs.cli.columns import refuse_text
from deacs.cli.lists import listed
from deacs.coding import named_features
from deacs.exceptions import InputError

__all__ = ["DeaTable", "read_units"]


@dataclass(frozen=True)
class DeaTable:
    """Arguments of a model: inputs, outputs and, if any, undesirable outputs; the units' names."""

    columns: Mapping[str, pl.DataFrame | None]
    names: list[Any] | None

    def width(self, role: str) -> int:
        """Return the number of columns of a role."""
        part = self.columns.get(role)
        return 0 if part is None else part.width


def read_units(
    table: pl.DataFrame, given: Mapping[str, list[str] | None], names: str | None
) -> DeaTable:
    """Return the columns of each role, `given` by lists of names, and those of the units."""
    columns = {role: _numbers(table, wanted, f"--{role}") for role, wanted in given.items()}
    _refuse_two_roles(columns)
    if columns["undesirable"] is None:
        del columns["undesirable"]
    return DeaTable(columns, _unit_names(table, names))


def _numbers(table: pl.DataFrame, given: list[str] | None, option: str) -> pl.DataFrame | None:
    """Return the columns that an option names, which must hold numbers without missing values."""
    if not given:
        return None
    wanted = listed(given)
    if not wanted:
        raise InputError(f"{option} must name at least one column, got {','.join(given)!r}")
    chosen = table.select([table.columns[c] for c in named_features(wanted, table.columns, option)])
    for column in chosen:
        refuse_text(column, option)
        if column.null_count():
            row = int(column.is_null().arg_max() or 0) + 1
            raise InputError(
                f"{option} {column.name!r} must not have missing values, got {column.null_count()} "
                f"(the first in data row {row}); fill them in or drop these rows"
            )
    return chosen


def _refuse_two_roles(columns: Mapping[str, pl.DataFrame | None]) -> None:
    """Raise an error for a column with two roles: it would make every unit efficient."""
    roles: dict[str, str] = {}
    for role, part in columns.items():
        for name in () if part is None else part.columns:
            if name in roles:
                raise InputError(f"--{roles[name]} and --{role} both name {name!r}; leave one out")
            roles[name] = role


def _unit_names(table: pl.DataFrame, column: str | None) -> list[Any] | None:
    if column is None:
        return None
    [position] = named_features([column], table.columns, "--names")
    return table[:, position].to_list()
