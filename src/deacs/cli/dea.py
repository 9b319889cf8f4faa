"""`deacs dea`: rank the units of a file by DEA efficiency."""

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deacs.cli.choices import choice
from deacs.cli.completion import complete_column, complete_columns
from deacs.cli.console import terminal
from deacs.cli.json_output import json_text, print_json
from deacs.cli.outputs import check_outputs, check_suffix
from deacs.cli.reading import (
    FileOptions,
    Json,
    Quiet,
    TableFile,
    Threads,
)
from deacs.cli.verbs import verb
from deacs.exceptions import InputError, Parameter
from deacs.report.files import replace

if TYPE_CHECKING:
    from deacs.dea import DEAResult

__all__ = ["dea"]

EXAMPLES = """
[bold]Examples[/bold]

  [cyan]deacs dea banks.csv --inputs staff,branches --outputs loans,deposits --names bank[/cyan]
  super-efficiency of every bank under constant returns to scale, best first

  [cyan]deacs dea banks.csv --inputs staff --outputs loans --model bcc --orientation output[/cyan]
  how much more each bank could lend, compared with banks of its size

  [cyan]deacs dea banks.csv --inputs staff --outputs loans --model sbm --output scores.csv[/cyan]
  scores, peers, slacks and targets of all banks go to scores.csv (or .json)
"""


@dataclass(frozen=True, kw_only=True)
class DeaOptions(FileOptions):
    """Options of `deacs dea`."""

    file: TableFile
    outputs: Annotated[
        list[str],
        typer.Option(
            metavar="A,B", help="Columns of which more is better.", autocompletion=complete_columns
        ),
    ]
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Columns of which less is better. Default: a constant input.",
            autocompletion=complete_columns,
        ),
    ] = None
    undesirable: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Undesirable outputs (directional-distance only).",
            autocompletion=complete_columns,
        ),
    ] = None
    model: Annotated[str, choice("model", help="The DEA model:")] = "super-efficiency"
    returns_to_scale: Annotated[
        str | None,
        choice(
            "returns_to_scale",
            help="Returns to scale, constant, variable, non-increasing or non-decreasing:",
        ),
    ] = None
    orientation: Annotated[
        str | None, choice("orientation", help="Fewer inputs, more outputs, or both:")
    ] = None
    names: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that names the units.",
            autocompletion=complete_column,
        ),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "--out",
            "-o",
            metavar="FILE",
            help="Write all units with slacks and targets: .csv or .json.",
        ),
    ] = None
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw two outputs and their frontier: .png, .svg or .pdf."
        ),
    ] = None
    as_json: Json = False
    n_jobs: Threads = -1
    quiet: Quiet = False


@verb(DeaOptions, EXAMPLES)
def dea(options: DeaOptions) -> None:
    """Score the units of FILE by data envelopment analysis, and rank them."""
    # Imported here, so that --help and errors in options appear at once.
    from deacs.cli.dea_columns import read_units
    from deacs.cli.dea_view import summarize, view
    from deacs.cli.frontier_plot import check_plot, plot_frontier
    from deacs.cli.notes import collected_notes, show_notes
    from deacs.cli.progress import waiting
    from deacs.dea import MODELS
    from deacs.tables.files import read_table

    output, plot, model = options.output, options.plot, options.model
    check_suffix("--output", output, (".csv", ".json"))
    check_suffix("--plot", plot, (".png", ".svg", ".pdf"))
    check_outputs({"--output": output, "--plot": plot}, [options.file])
    chosen = _model_options(options)
    with collected_notes() as notes:
        table = read_table(options.file, **options.how_to_read)
    units = read_units(
        table,
        {
            "inputs": options.inputs,
            "outputs": options.outputs,
            "undesirable": options.undesirable,
        },
        options.names,
    )
    if plot is not None:
        check_plot(units.width("inputs"), units.width("outputs"))
    what = f"scoring {table.height:,} units by {model}"
    with waiting(what, quiet=options.quiet or options.as_json):
        result = MODELS[model](
            **units.columns,
            **chosen,
            **_second_phase(model),
            names=units.names,
            n_jobs=options.n_jobs,
        )
    if output is not None:
        replace(output, _written(result, output.suffix, notes))
    if plot is not None:
        replace(plot, plot_frontier(result, plot.suffix[1:]))
    if options.as_json:
        print_json(summarize(result, notes))
        return
    console = terminal()
    console.print(view(result, chosen, console))
    show_notes(notes, console)
    if output is not None:
        console.print(f"Wrote {result.n_units} units to {output}")
    if plot is not None:
        console.print(f"Drew the frontier in {plot}")


def _model_options(options: DeaOptions) -> dict[str, str]:
    """Return the given options; raise an error for those that the model does not have."""
    from deacs.dea import MODELS

    chosen = {}
    for name in ("returns_to_scale", "orientation", "undesirable"):
        given = getattr(options, name)
        if given is None:
            continue
        takers = [word for word, model in MODELS.items() if name in signature(model).parameters]
        if options.model not in takers:
            raise InputError(
                Parameter(name),
                " does not apply to ",
                Parameter("model", options.model),
                f"; models that take it: {', '.join(takers)}",
            )
        chosen[name] = given
    chosen.pop("undesirable", None)  # columns, not an option: `read_units` reads them
    return chosen


def _second_phase(model: str) -> dict[str, bool]:
    """Ask for the slacks where they are optional: without them a dominated unit seems efficient."""
    from deacs.dea import MODELS

    return {"slacks": True} if "slacks" in signature(MODELS[model]).parameters else {}


def _written(result: "DEAResult", suffix: str, notes: Sequence[str]) -> bytes:
    """Return all units as bytes in the format of the suffix."""
    if suffix == ".json":
        from deacs.cli.dea_view import summarize

        return json_text(summarize(result, notes))
    table: str = result.to_frame("polars", details=True)[result.ranking].write_csv()
    return table.encode()
