"""Tables fit every terminal: what has no room beside the names follows below them."""

import io

import pytest
from rich.console import Console
from typer.testing import CliRunner

from deacs.cli.app import app
from deacs.cli.output import new_table, split_to_fit

WORDS = {"left": ["100", "200"], "middle": ["300", "400"], "right": ["500", "600"]}


def printed(width, n_keys=1):
    table = new_table()
    table.add_column("name", overflow="fold")
    for header in WORDS:
        table.add_column(header, justify="right")
    for i, name in enumerate(("one", "two")):
        table.add_row(name, *(cells[i] for cells in WORDS.values()), end_section=i == 0)
    console = Console(file=io.StringIO(), width=width)
    console.print(split_to_fit(table, console, n_keys))
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize(("width", "n_parts"), [(80, 1), (28, 1), (27, 2), (15, 3)])
def test_columns_without_room_follow_below_with_the_names_again(width, n_parts):
    lines = printed(width)
    assert max(map(len, lines)) <= width
    assert sum("name" in line for line in lines) == n_parts
    assert sum(line == "" for line in lines) == n_parts - 1
    assert {"300", "600"} <= set(" ".join(lines).split())


def test_several_columns_can_be_names():
    headers = [line.split() for line in printed(20, n_keys=2) if "name" in line]
    assert headers == [["name", "left", "middle"], ["name", "left", "right"]]


@pytest.mark.parametrize("width", [40, 60])
def test_every_word_of_a_selection_is_shown_in_a_narrow_terminal(patients, width):
    arguments = ["select", str(patients), "-t", "y", "--exclude", "id", "--details"]
    shown = CliRunner().invoke(app, arguments, env={"COLUMNS": str(width)}).stdout
    assert max(map(len, shown.splitlines())) <= width
    assert "…" not in shown
    assert {"feature", "adds", "class", "uncertainty", "bits", "rows"} <= set(shown.split())
