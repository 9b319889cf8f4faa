"""Columns of a table as the inputs and outputs of units, and what is wrong with them by name."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import polars as pl

from deacs.cli.wording import in_options, listed
from deacs.coding import named_features
from deacs.exceptions import InputError

__all__ = ["columns_of_numbers", "refuse_two_roles", "said_of_columns", "unit_names"]

Columns = Mapping[str, pl.DataFrame | None]
"""Inputs, outputs and undesirable outputs, by their names as parameters."""


def columns_of_numbers(
    table: pl.DataFrame, given: list[str] | None, option: str
) -> pl.DataFrame | None:
    """Return the columns that an option names; they must be numbers, all of them known."""
    if not given:
        return None
    wanted = listed(given)
    if not wanted:
        raise InputError(f"{option} must name at least one column, got {','.join(given)!r}")
    chosen = table.select([table.columns[c] for c in named_features(wanted, table.columns, option)])
    for column in chosen:
        if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
            example = next((value for value in column if value is not None), None)
            raise InputError(
                f"{option} names {column.name!r}, which is not a column of numbers: it holds "
                f"{str(example)!r}; name another, or write plain numbers"
            )
        if column.null_count():
            row = int(column.is_null().arg_max() or 0) + 1
            raise InputError(
                f"{option} {column.name!r} must not have missing values, got {column.null_count()} "
                f"(the first in data row {row}); fill them in or drop these rows"
            )
    return chosen


def refuse_two_roles(columns: Columns) -> None:
    """Refuse a column that is more than one thing: it would make every unit efficient."""
    roles: dict[str, str] = {}
    for role, part in columns.items():
        for name in () if part is None else part.columns:
            if name in roles:
                raise InputError(f"--{roles[name]} and --{role} both name {name!r}; leave one out")
            roles[name] = role


def unit_names(table: pl.DataFrame, column: str | None) -> list[Any] | None:
    """Return what the units are called."""
    if column is None:
        return None
    [position] = named_features([column], table.columns, "--names")
    return table[:, position].to_list()


@contextmanager
def said_of_columns(columns: Columns, units: list[Any] | None) -> Iterator[None]:
    """Say of columns and units by their names what the models say by their numbers."""
    try:
        yield
    except ValueError as error:
        text = in_options(str(error))
        part = columns.get(text.partition(" ")[0])
        if part is not None:
            names = part.columns
            text = re.sub(r", \w+ (\d+)$", lambda at: f" in {names[int(at[1])]!r}", f"--{text}")
        if units is not None:
            text = re.sub(r"\bfor unit (\d+)", lambda at: f"for {units[int(at[1])]!r}", text)
        raise InputError(text) from error
