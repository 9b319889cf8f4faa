"""`deacs select`: a file goes in, the selected features come out, with the reason for each."""

import json
import os
import tempfile
import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from deacs.exceptions import IdentifierWarning, InputError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["select"]

EXAMPLES = """
[bold]Examples[/bold]

  [cyan]deacs select patients.csv --target diagnosis -k 10[/cyan]
  the ten features that tell most about the diagnoses

  [cyan]deacs select patients.csv --target diagnosis --exclude id,name --output small.csv[/cyan]
  until nothing is left to tell; the selected columns and the target go to small.csv

  [cyan]deacs select patients.csv --target diagnosis --json > selection.json[/cyan]
  the same numbers for another program
"""


class Judge(StrEnum):
    """What ranks candidates."""

    radial = "radial"
    sum = "sum"


class LabelScore(StrEnum):
    """What a feature is worth to a label."""

    one_vs_rest = "one-vs-rest"
    divergence = "divergence"


class TieBreak(StrEnum):
    """What decides between equal candidates."""

    sum = "sum"
    last = "last"


def select(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A CSV file with a header line (.csv, .csv.gz).")
    ],
    target: Annotated[str, typer.Option("--target", "-t", help="The class column.")],
    k: Annotated[
        int | None,
        typer.Option("-k", "--n-features", help="How many to select. Default: until exhausted."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the selected columns and the target here."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead of the table.")
    ] = False,
    include: Annotated[
        str | None, typer.Option(metavar="A,B", help="Columns that come first, in this order.")
    ] = None,
    exclude: Annotated[
        str | None, typer.Option(metavar="A,B", help="Columns to leave out, e.g. identifiers.")
    ] = None,
    discrete: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Number columns that are categories, not quantities."),
    ] = None,
    judge: Annotated[
        Judge, typer.Option(help="Rank by DEA super-efficiency, or by the plain sum of scores.")
    ] = Judge.radial,
    label_score: Annotated[
        LabelScore, typer.Option(help="I(F; C_i | S) as in the paper, or Div(F; c_i | S).")
    ] = LabelScore.one_vs_rest,
    tie_break: Annotated[
        TieBreak, typer.Option(help="Between equal scores: the larger sum, or the last column.")
    ] = TieBreak.sum,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Threads; -1 is all cores. Same answer.")
    ] = -1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Select the features of FILE that tell the classes of TARGET apart."""
    # Loaded here, so that --help and a mistyped option answer at once.
    from deacs import encode
    from deacs.cli.progress import progress_bar
    from deacs.cli.summary import summarize
    from deacs.cli.view import show
    from deacs.selection import dea_cs
    from deacs.tables.files import read_csv

    console = Console(highlight=False)
    _refuse_overwriting(file, output)
    with progress_bar(k, quiet=quiet or as_json) as progress:
        table = read_csv(file)
        X, y = _split(table, target, _listed(exclude))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", IdentifierWarning)
            data = encode(X, y, discrete_features=_kinds(X, discrete), n_jobs=jobs)
        settings: dict[str, Any] = {
            "n_features_to_select": k,
            "label_score": label_score.value,
            "judge": judge.value,
            "tie_break": tie_break.value,
            "include": _listed(include),
        }
        path = dea_cs(data, **settings, n_jobs=jobs, progress=progress)
    summary = summarize(path, data, settings)
    summary["notes"] = [
        _advice(note) for note in (*path.notes, *(str(warning.message) for warning in caught))
    ]
    selected = [entry["feature"] for entry in summary["selected"]]
    if output is not None:
        _write(table, [*selected, target], output)
    if as_json:
        typer.echo(json.dumps(summary, indent=2, ensure_ascii=False))
    else:
        show(summary, console)
        if output is not None:
            console.print(f"Wrote {len(selected)} columns and {target} to {output}", markup=False)


def _listed(names: str | None) -> list[str]:
    return [name.strip() for name in names.split(",") if name.strip()] if names else []


def _split(table: "pl.DataFrame", target: str, exclude: list[str]) -> tuple[Any, Any]:
    from deacs.coding import named_features

    named_features([target], table.columns, "--target")
    named_features(exclude, table.columns, "--exclude")
    y = table[target]
    if y.null_count() > 0:
        first = int(y.is_null().arg_max() or 0)
        raise InputError(
            f"--target {target!r} must not have missing values, got {y.null_count()} (the first "
            f"in data row {first + 1}); drop these rows or name their class"
        )
    X = table.drop([target, *(name for name in exclude if name != target)])
    if X.width == 0:
        raise InputError("no columns are left to select from; the target is not a feature")
    return X, y


def _kinds(X: "pl.DataFrame", discrete: str | None) -> Any:
    """Without a word the rule decides; named columns are discrete besides what the rule says."""
    if discrete is None:
        return "auto"
    from deacs.coding import named_features
    from deacs.coding.kinds import discrete_mask
    from deacs.tables import read_columns

    mask = discrete_mask(read_columns(X))
    mask[named_features(_listed(discrete), X.columns, "--discrete")] = True
    return mask


def _advice(note: str) -> str:
    """Say in options what the library says in parameters."""
    note = note.replace("judge='sum'", "--judge sum")
    return note.replace("drop it before selecting", "leave it out with --exclude")


def _refuse_overwriting(file: Path, output: Path | None) -> None:
    if output is None:
        return
    if output.resolve() == file.resolve():
        raise InputError(f"--output must not be the input file {file}")
    if not output.parent.is_dir():
        raise InputError(f"--output: the folder {output.parent} does not exist")


def _write(table: "pl.DataFrame", columns: list[str], output: Path) -> None:
    """Write beside the goal, then rename: nothing half-written is left behind."""
    handle, name = tempfile.mkstemp(dir=output.parent, prefix=output.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            table.select(columns).write_csv(file)
        os.replace(name, output)
    except BaseException:
        os.unlink(name)
        raise


select.__doc__ = f"{select.__doc__}\n{EXAMPLES}"
