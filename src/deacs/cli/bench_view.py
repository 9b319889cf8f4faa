"""What `deacs compare` and `deacs reproduce` show: cells being finished, and the table of bests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isnan
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from deacs.experiments import Comparison, Protocol, Results

__all__ = ["bench_progress", "show_comparison", "show_errors", "table_of"]

MAX_ERRORS = 10


@contextmanager
def bench_progress(quiet: bool) -> Iterator[Callable[[int, int, str], None]]:
    """Yield a function `(cells finished, cells in all, what)`; the bar leaves no trace."""
    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("cells,"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    ) as progress:
        task = progress.add_task("reading the tables", total=None)
        yield lambda done, total, what: progress.update(
            task, completed=done, total=total, description=what
        )


def show_comparison(comparison: Comparison, protocol: Protocol, console: Console) -> None:
    """Print the best accuracy of each method on each set, and whether methods differ."""
    from deacs.experiments.tables import verdict

    console.print()
    judges = ", ".join(comparison.classifiers)
    line = f"Best average accuracy (%) of {judges} @ number of features; protocol {protocol.label}"
    console.print(Text(line, style="bold"))
    console.print(_table(comparison))
    if protocol.selects_on_all_rows:
        note = "tested rows had a say in cut points and selection, so these accuracies are too good"
        console.print(Text.assemble(("Note: ", "yellow"), f"{note}; --protocol nested is honest."))
    if len(comparison.complete_sets) > 1 and len(comparison.methods) > 1:
        for sentence in verdict(comparison):
            console.print(sentence, markup=False)


def _table(comparison: Comparison) -> Table:
    from deacs.experiments.tables import cost_rows

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
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
        console.print(f"  {where}: {record['error']}", markup=False, highlight=False)
    if len(errors) > MAX_ERRORS:
        console.print(f"  and {len(errors) - MAX_ERRORS} more in the results file")


def table_of(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the table for programs: a dictionary for each set and method."""
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
        }
        for name in comparison.sets
        for method in comparison.methods
        if (best := comparison.best(name, method)) is not None
    ]
