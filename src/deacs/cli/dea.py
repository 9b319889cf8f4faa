"""`deacs dea`: rank the units of a file by DEA efficiency."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console, Group
from rich.text import Text

from deacs.cli.options import (
    FileOptions,
    Json,
    Quiet,
    TableFile,
    Threads,
    choice,
    column,
    columns,
    given_of,
    listed,
    output_option,
    verb,
)
from deacs.cli.output import (
    check_outputs,
    collected_notes,
    document,
    json_number,
    json_text,
    new_table,
    print_json,
    progress,
    show_notes,
    split_to_fit,
    terminal,
)
from deacs.exceptions import InputError, Parameter
from deacs.report.files import replace

if TYPE_CHECKING:
    import polars as pl

    from deacs.dea import DEAResult

__all__ = ["DeaOptions", "dea"]

EXAMPLES = """
[bold]Examples[/bold]

  [cyan]deacs dea banks.csv --inputs staff,branches --outputs loans,deposits --names bank[/cyan]
  super-efficiency of every bank under constant returns to scale, best first

  [cyan]deacs dea banks.csv --inputs staff --outputs loans --model bcc --orientation output[/cyan]
  how much more each bank could lend, compared with banks of its size

  [cyan]deacs dea banks.csv --inputs staff --outputs loans --model sbm --output scores.csv[/cyan]
  scores, peers, slacks and targets of all banks go to scores.csv (or .json)
"""

SCHEMA_VERSION = 1
"""Version of the JSON that `deacs dea --json` prints; it grows when a key changes meaning."""

GROUPS = {"input": "inputs", "output": "outputs", "undesirable output": "undesirable"}
"""The keys of columns in JSON."""

MAX_ROWS = 40
"""The most units shown in the table."""

MAX_NAMES = 30
"""The most efficient units labelled with their names in a plot."""

STYLES = {
    "efficient": "green",
    "weakly efficient": "yellow",
    "inefficient": "",
    "infeasible": "cyan",
    "unbounded": "magenta",
    "uncertain": "bold red",
}


@dataclass(frozen=True, kw_only=True)
class DeaOptions(FileOptions):
    """Options of `deacs dea`."""

    file: TableFile
    outputs: Annotated[list[str], columns(help="Columns of which more is better.")]
    inputs: Annotated[
        list[str] | None,
        columns(help="Columns of which less is better. Default: a constant input."),
    ] = None
    undesirable: Annotated[
        list[str] | None, columns(help="Undesirable outputs (directional-distance only).")
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
    names: Annotated[str | None, column(help="The column that names the units.")] = None
    output: Annotated[
        Path | None, output_option("Write all units with slacks and targets: .csv or .json.")
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
    from deacs.dea import MODELS
    from deacs.tables.files import read_table

    output, plot, model = options.output, options.plot, options.model
    check_outputs(
        {"--output": (output, (".csv", ".json")), "--plot": (plot, (".png", ".svg", ".pdf"))},
        [options.file],
    )
    chosen = _model_options(options)
    with collected_notes() as notes:
        table = read_table(options.file, **options.how_to_read)
    given = {role: _numbers(table, options, role) for role in ("inputs", "outputs", "undesirable")}
    _refuse_two_roles(given)
    names = None if options.names is None else _named(table, [options.names], "--names")
    units = None if names is None else names.to_series().to_list()
    if given["undesirable"] is None:
        del given["undesirable"]
    if plot is not None:
        _check_plot(given)
    # Without slacks, where they are optional, a dominated unit would seem efficient.
    more = {"slacks": True} if "slacks" in signature(MODELS[model]).parameters else {}
    what = f"scoring {table.height:,} units by {model}"
    is_quiet = options.quiet or options.as_json
    with progress(what, quiet=is_quiet):
        result = MODELS[model](**given, **chosen, **more, names=units, n_jobs=options.n_jobs)
    if output is not None:
        if output.suffix == ".json":
            content = json_text(_document(result, notes))
        else:
            frame = result.to_frame("polars", details=True)[result.ranking]
            content = frame.write_csv().encode()
        replace(output, content)
    if plot is not None:
        replace(plot, _plot(result, plot.suffix[1:]))
    if options.as_json:
        print_json(_document(result, notes))
        return
    console = terminal()
    console.print(_view(result, chosen, console))
    show_notes(notes, console)
    if output is not None:
        console.print(f"Wrote {result.n_units} units to {output}")
    if plot is not None:
        console.print(f"Drew the frontier in {plot}")


def _model_options(options: DeaOptions) -> dict[str, str]:
    """Return the given options; raise an error for those that the model does not have."""
    from deacs.dea import MODELS

    names = ("returns_to_scale", "orientation", "undesirable")
    chosen = given_of(options, **{name: name for name in names})
    for name in chosen:
        takers = [word for word, model in MODELS.items() if name in signature(model).parameters]
        if options.model not in takers:
            raise InputError(
                Parameter(name),
                " does not apply to ",
                Parameter("model", options.model),
                f"; models that take it: {', '.join(takers)}",
            )
    chosen.pop("undesirable", None)  # columns, not an option
    return chosen


def _named(table: "pl.DataFrame", wanted: list[str], option: str) -> "pl.DataFrame":
    from deacs.coding import named_features

    return table[:, named_features(wanted, table.columns, option)]


def _numbers(table: "pl.DataFrame", options: DeaOptions, role: str) -> "pl.DataFrame | None":
    """Return the columns of a role, which must hold numbers without missing values."""
    from deacs.cli.table import refuse_text

    given, option = getattr(options, role), f"--{role}"
    if not given:
        return None
    wanted = listed(given)
    if not wanted:
        raise InputError(f"{option} must name at least one column, got {','.join(given)!r}")
    chosen = _named(table, wanted, option)
    for series in chosen:
        refuse_text(series, option)
        if series.null_count():
            row = int(series.is_null().arg_max() or 0) + 1
            raise InputError(
                f"{option} {series.name!r} must not have missing values, got {series.null_count()} "
                f"(the first in data row {row}); fill them in or drop these rows"
            )
    return chosen


def _refuse_two_roles(given: "Mapping[str, pl.DataFrame | None]") -> None:
    """Raise an error for a column with two roles: it would make every unit efficient."""
    roles: dict[str, str] = {}
    for role, part in given.items():
        for name in () if part is None else part.columns:
            if name in roles:
                raise InputError(f"--{roles[name]} and --{role} both name {name!r}; leave one out")
            roles[name] = role


def _document(result: "DEAResult", notes: Sequence[str]) -> dict[str, Any]:
    """Return the results of each unit as plain numbers, best first."""
    units, parts = [], result.by_column()
    for rank, p in enumerate(result.ranking.tolist(), start=1):
        peers = zip(result.peers[p].tolist(), result.weights[p].tolist(), strict=True)
        unit: dict[str, Any] = {
            "rank": rank,
            "unit": result.names[p],
            "score": json_number(result.scores[p]),
            "status": str(result.status[p]),
            "peers": [
                {"unit": result.names[peer], "intensity": float(weight)} for peer, weight in peers
            ],
        }
        for kind, name, slacks, targets in parts:
            numbers = {"slack": json_number(slacks[p]), "target": json_number(targets[p])}
            unit.setdefault(GROUPS[kind], {})[name] = numbers
        units.append(unit)
    content = {"model": result.model, "best": result.best, "units": units, "notes": notes}
    return document("dea", SCHEMA_VERSION, content)


def _view(result: "DEAResult", options: dict[str, Any], console: Console) -> Group:
    """Lay out the ranked table for the terminal."""
    from deacs.dea import STATUSES

    tally = {name: int((result.status == name).sum()) for name in STYLES}
    found = [name for name in STYLES if tally[name]]
    said = ", ".join([result.model, *options.values()])
    headline = Text.assemble((f"{result.n_units} units", "bold"), f" by {said}: ")
    headline.append(", ".join(f"{tally[name]} {name}" for name in found))
    table = new_table()
    table.add_column("rank", justify="right", style="dim")
    table.add_column("unit", style="bold", overflow="fold", max_width=40)
    table.add_column("score", justify="right")
    table.add_column("status")
    table.add_column("peers (intensity)", overflow="fold")
    for rank, p in enumerate(result.ranking[:MAX_ROWS].tolist(), start=1):
        status, score = str(result.status[p]), result.scores[p]
        is_alone = result.peers[p].tolist() == [p]
        table.add_row(
            str(rank),
            Text(str(result.names[p])),
            "inf" if math.isinf(score) else f"{score:.4f}",
            Text(status, style=STYLES[status]),
            Text("itself" if is_alone else result.peers_text(p)),
        )
    parts: list[Any] = [Text(), headline, Text(), split_to_fit(table, console, n_keys=2)]
    if result.n_units > MAX_ROWS:
        left = result.n_units - MAX_ROWS
        parts.append(Text(f"... and {left} more; --output writes all of them", style="dim"))
    parts.append(Text())
    if result.best == "smallest":
        parts.append(
            Text.assemble(("Score: ", "bold"), "0 is efficient; the smallest is the best.")
        )
    parts += [
        Text.assemble((f"{name}: ", STYLES[name]), f"{STATUSES[name]}.")
        for name in found
        if name not in ("efficient", "inefficient")
    ]
    return Group(*parts)


def _check_plot(given: "Mapping[str, pl.DataFrame | None]") -> None:
    """Raise an error for a plot that cannot be drawn, before anything is computed."""
    n_inputs, n_outputs = (
        0 if part is None else part.width for part in (given["inputs"], given["outputs"])
    )
    if n_outputs != 2 or n_inputs > 1:
        raise InputError(
            f"--plot draws two outputs of one input (or a constant one), got {n_inputs} inputs and "
            f"{n_outputs} outputs; leave --plot out, or name two outputs"
        )
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise InputError("--plot needs matplotlib; pip install 'deacs[report]'") from error


def _plot(result: "DEAResult", kind: str) -> bytes:
    """Draw each unit's outputs per unit of input, and the frontier under constant returns.

    `kind` is "png", "svg" or "pdf".
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from deacs.report.races import corners, outline

    points = result.table.outputs / result.table.inputs
    figure = Figure(figsize=(7, 6), layout="constrained")
    FigureCanvasAgg(figure)
    axes: Any = figure.subplots()
    top = points.max(axis=0)
    line = outline(points)
    axes.plot(line[:, 0], line[:, 1], color="tab:green", linewidth=1.5, label="frontier")
    efficient = result.status == "efficient"
    for chosen, colour, label in (
        (~efficient, "0.6", "others"),
        (efficient, "tab:green", "efficient"),
    ):
        axes.scatter(points[chosen, 0], points[chosen, 1], s=22, color=colour, label=label)
    for p in corners(points)[:MAX_NAMES].tolist():
        # A backslash keeps matplotlib from reading names as formulas.
        name = str(result.names[p]).replace("$", r"\$")
        axes.annotate(name, points[p], xytext=(4, 4), textcoords="offset points", fontsize=8)
    axes.set_xlim(0, top[0] * 1.08 or 1.0)
    axes.set_ylim(0, top[1] * 1.08 or 1.0)
    per = "" if result.table.input_names == ("constant",) else f" / {result.table.input_names[0]}"
    axes.set_xlabel(result.table.output_names[0] + per)
    axes.set_ylabel(result.table.output_names[1] + per)
    axes.set_title(f"{result.n_units} units by {result.model}")
    axes.legend(frameon=False, fontsize=8)
    picture = BytesIO()
    figure.savefig(picture, format=kind, dpi=150)
    return picture.getvalue()
