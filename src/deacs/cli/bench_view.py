"""The table of best accuracies that `deacs compare` and `deacs reproduce` show."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from deacs.cli.json_output import json_number
from deacs.cli.layout import new_table, split_to_fit

if TYPE_CHECKING:
    from deacs.experiments import Comparison, Protocol, Results

__all__ = ["show_comparison", "show_errors", "table_of"]

MAX_ERRORS = 10


def show_comparison(
    comparison: Comparison, protocol: Protocol, console: Console, measure: str = "accuracy (%)"
) -> None:
    """Print the best accuracy of each method on each data set, and whether methods differ."""
    from deacs.experiments.tables import verdict

    console.print()
    judges = ", ".join(comparison.classifiers)
    line = f"Best average {measure} of {judges} @ number of features; protocol {protocol.label}"
    console.print(Text(line, style="bold"))
    console.print(split_to_fit(_table(comparison), console))
    if protocol.selects_on_all_rows:
        note = "tested rows had a say in cut points and selection, so these accuracies are too good"
        console.print(Text.assemble(("Note: ", "yellow"), f"{note}; --protocol nested is honest."))
    if len(comparison.complete_sets) > 1 and len(comparison.methods) > 1:
        for sentence in verdict(comparison):
            console.print(sentence)


def _table(comparison: Comparison) -> Table:
    from deacs.experiments.tables import cost_rows

    table = new_table()
    table.add_column("set", style="bold", overflow="fold")
    for method in comparison.methods:
        table.add_column(Text(method), justify="right", no_wrap=True)
    for name in comparison.sets:
        winners = comparison.winners(name)
        cells = []
        for method in comparison.methods:
            best = comparison.best(name, method)
            text = "-" if best is None else f"{best.accuracy:.2f} @{best.n_features}"
            cells.append(Text(text, style="green" if method in winners else ""))
        table.add_row(Text(name), *cells)
    if len(comparison.complete_sets) > 1:
        averages = [comparison.average(method) for method in comparison.methods]
        table.add_section()
        table.add_row("average", *(f"{accuracy:.2f} @{m:.1f}" for accuracy, m in averages))
        table.add_row("wins", *(str(comparison.wins(method)) for method in comparison.methods))
    if comparison.complete_sets:
        for what, numbers in cost_rows(comparison):
            table.add_row(what, *numbers, style="dim")
    return table


def show_errors(results: Results, console: Console) -> None:
    """Print what failed, and where."""
    errors = results.errors
    if not errors:
        return
    console.print(Text(f"{len(errors)} pieces of work failed:", style="bold red"))
    for record in errors[:MAX_ERRORS]:
        m = f", m = {record['m']}, {record['classifier']}" if "m" in record else ""
        where = f"{record['set']}, {record['method']}, split {record['split']}{m}"
        console.print(f"  {where}: {record['error']}")
    if len(errors) > MAX_ERRORS:
        console.print(f"  and {len(errors) - MAX_ERRORS} more in the results file")


def table_of(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the table as data: a dictionary for each data set and method."""
    return [
        {
            "set": name,
            "method": method,
            "n_features": best.n_features,
            "accuracy": best.accuracy,
            "curve": [
                None if isnan(a) else round(a, 4) for a in comparison.curves[name, method].tolist()
            ],
            "seconds": comparison.seconds[name, method],
            "stability": json_number(comparison.stability[name, method]),
        }
        for name in comparison.sets
        for method in comparison.methods
        if (best := comparison.best(name, method)) is not None
    ]
