"""`deacs check`: are new rows like those of the fit?"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer
from rich.console import Console
from rich.text import Text

from deacs.cli.options import DropUnlabelled, FileOptions, Json, TableFile, complete_column, verb
from deacs.cli.output import new_table, split_to_fit, terminal

if TYPE_CHECKING:
    from deacs.selection.rules import Check

__all__ = ["CheckOptions", "check"]

CHANGED = 1
"""The exit code if something has changed."""

LEGEND = "distance: the share of rows that would have to move; p: adjusted for all tests"

EXAMPLES = """
[bold]Examples[/bold]

  [cyan]deacs select patients.csv --target diagnosis -k 10 --save rules.json[/cyan]
  [cyan]deacs check rules.json june.csv[/cyan]
  does each selected column still look as it did? Exit code 0: it does; 1: something has changed

  [cyan]deacs check rules.json june.csv --target diagnosis[/cyan]
  and does it still say the same about each diagnosis?
"""


@dataclass(frozen=True, kw_only=True)
class CheckOptions(FileOptions):
    """Options of `deacs check`."""

    rules: Annotated[
        Path,
        typer.Argument(
            metavar="RULES", help="What deacs select --save or selector.save(path) wrote."
        ),
    ]
    file: TableFile
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="COLUMN",
            help="The class column of the new rows, or several label columns (A,B,C).",
            autocompletion=complete_column,
        ),
    ] = None
    alpha: Annotated[
        float, typer.Option(help="The probability of any false alarm, if nothing has changed.")
    ] = 0.05
    as_json: Json = False
    drop_unlabelled: DropUnlabelled = False
    targets_matching: ClassVar[None] = None
    exclude: ClassVar[None] = None


@verb(CheckOptions, EXAMPLES)
def check(options: CheckOptions) -> None:
    """Compare the rows of FILE with those of the fit that RULES are of."""
    from deacs.cli.output import document, print_json
    from deacs.cli.table import table_and_target
    from deacs.selection.rules import Rules
    from deacs.tables.files import read_table

    rules = Rules.load(options.rules)
    if options.target is None:
        X, y = read_table(options.file, **options.how_to_read), None
    else:
        X, y, _ = table_and_target(options)
    found = rules.check(X, y, alpha=options.alpha)
    if options.as_json:
        content = {"rules": str(options.rules), "file": str(options.file), **found.to_dict()}
        print_json(document("check", 1, content))
    else:
        _show(found, terminal())
    if found.has_changed:
        raise typer.Exit(CHANGED)


def _show(found: "Check", console: Console) -> None:
    """Print a row for each feature, and the verdict."""
    table = new_table()
    table.add_column("feature", style="bold", overflow="fold", max_width=40)
    table.add_column("distance", justify="right")
    if any(change.missing or change.missing_before for change in found.changes):
        table.add_column("missing", justify="right")
    table.add_column("p", justify="right")
    table.add_column("what has changed", overflow="fold")
    from deacs.selection.result import p_text

    for change in found.changes:
        cells = [change.name, f"{change.distance:.2f}", p_text(change.p_value)]
        if len(table.columns) > 4:
            cells.insert(2, f"{change.missing:.0%}")
        what = Text("; ".join(change.reasons) or "-", style="red" if change.reasons else "dim")
        table.add_row(*map(Text, cells), what)
    console.print()
    console.print(split_to_fit(table, console))
    console.print(Text(LEGEND, style="dim"))
    console.print()
    n = sum(bool(change.reasons) for change in found.changes)
    rows = f"{found.n_rows:,} rows"
    if n:
        console.print(
            Text.assemble(("Changed: ", "bold red"), f"{n} of {len(found.changes)}, {rows}")
        )
    else:
        console.print(Text.assemble(("As before: ", "bold"), f"{rows}, level {found.alpha:g}"))
