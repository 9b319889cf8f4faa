"""Tables for the terminal: one that is wider than the terminal is shown in parts."""

from rich import box
from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

__all__ = ["fits", "new_table", "split_to_fit"]

MAX_WIDTH = 1000
"""The width at which tables are measured: none of theirs is wider."""

NARROW = 16
"""The width of columns whose cells may break, where there is no room for more."""


def new_table(*columns: Column) -> Table:
    """Return a table without rows, in the style of all commands."""
    return Table(
        *columns, box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0)
    )


def fits(table: Table, console: Console) -> bool:
    """Whether a table is shown without line breaks in its cells, except in very long names."""
    unbounded = console.options.update(width=MAX_WIDTH)
    return Measurement.get(console, unbounded, table).maximum <= console.width


def split_to_fit(table: Table, console: Console, n_keys: int = 1) -> Group:
    """Return the table, or several that fit the terminal and begin with its first `n_keys` columns.

    Only the cells of columns with `overflow="fold"` may break.
    """
    for column in table.columns:
        column.no_wrap = column.overflow != "fold"
    keys = table.columns[:n_keys]
    parts: list[list[Column]] = [[]]
    for column in table.columns[n_keys:]:
        narrow = _part(table, [*keys, *parts[-1], column], most=NARROW)
        if parts[-1] and not fits(narrow, console):
            parts.append([])
        parts[-1].append(column)
    tables = (_part(table, [*keys, *part]) for part in parts)
    spaced = [piece for part in tables for piece in (Text(), part)]
    return Group(*spaced[1:])


def _part(table: Table, columns: list[Column], most: int | None = None) -> Table:
    """Return some columns of a table; those that may break at most this wide, if given."""
    part = new_table(*(column.copy() for column in columns))
    for column in part.columns:
        if most is not None and not column.no_wrap:
            column.max_width = most
    for row, *cells in zip(table.rows, *(column.cells for column in columns), strict=True):
        part.add_row(*cells, style=row.style, end_section=row.end_section)
    return part
