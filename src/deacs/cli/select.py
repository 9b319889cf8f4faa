"""`deacs select`: a file goes in, the selected features come out, with the reason for each."""

import csv
import io
import json
import shlex
import sys
import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from deacs.cli.goals import refuse_goal, replace
from deacs.cli.methods import Method
from deacs.cli.wording import in_options, listed, said_in_options
from deacs.exceptions import DiscriminationWarning, IdentifierWarning, InputError

if TYPE_CHECKING:
    import polars as pl

    from deacs import CodedData

__all__ = ["kinds_of", "select"]

EXAMPLES = """
[bold]Examples[/bold]

  [cyan]deacs select patients.csv --target diagnosis -k 10[/cyan]
  the ten features that tell most about the diagnoses

  [cyan]deacs select patients.arff --target diagnosis --exclude id,name --output small.csv[/cyan]
  until nothing is left to tell; the selected columns and the target go to small.csv

  [cyan]deacs select patients.parquet --target diagnosis --method mrmr -k 10[/cyan]
  by another method: cmi, jmi, disr, cmim, fcbf, cfs, relieff, ...

  [cyan]deacs select patients.csv --target diagnosis -k 10 --report patients.html[/cyan]
  a page with charts beside it: which class each feature serves, what is left to explain

  [cyan]deacs select patients.csv --target diagnosis --json > selection.json[/cyan]
  the same numbers for another program
"""


READER_OPTIONS = "Reading the file"
DEA_CS_OPTIONS = "DEA-CS alone"


DEFAULTS: dict[str, Any] = {
    "label_score": "one-vs-rest",
    "judge": "radial",
    "tie_break": "sum",
    "n_features_to_select": None,
    "include": [],
}
DEA_CS = Method("dea-cs")
DISTANCES = ("relief", "relieff", "multisurf")
"""Methods that rank once, without steps to report."""


class Format(StrEnum):
    """How a file is written."""

    csv = "csv"
    tsv = "tsv"
    parquet = "parquet"
    arff = "arff"
    libsvm = "libsvm"


class Judge(StrEnum):
    """What ranks candidates."""

    radial = "radial"
    sum = "sum"
    sbm = "sbm"
    ram = "ram"
    bam = "bam"


class LabelScore(StrEnum):
    """What a feature is worth to a label."""

    one_vs_rest = "one-vs-rest"
    divergence = "divergence"


class TieBreak(StrEnum):
    """What decides between equal candidates."""

    sum = "sum"
    slacks = "slacks"
    last = "last"


class Missing(StrEnum):
    """What a missing value is."""

    category = "category"
    ignore = "ignore"
    error = "error"


class Discretizer(StrEnum):
    """What cuts quantities into intervals."""

    mdlp = "mdlp"
    equal_width = "equal-width"
    equal_frequency = "equal-frequency"


def select(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="CSV, TSV, ARFF, libsvm (each also packed: .gz, .bz2, .xz) or Parquet.",
        ),
    ],
    target: Annotated[
        str, typer.Option("--target", "-t", help="The class column ('label' in libsvm files).")
    ],
    k: Annotated[
        int | None,
        typer.Option("-k", "--n-features", help="How many to select. Default: until exhausted."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the selected columns and the target here."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", "-r", metavar="HTML", help="Write a page with charts, for any browser."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead of the table.")
    ] = False,
    include: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Columns that come first, in this order."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Columns to leave out, e.g. identifiers. Repeatable."),
    ] = None,
    discrete: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Number columns that are categories, not quantities."),
    ] = None,
    method: Annotated[
        Method,
        typer.Option("--method", "-m", metavar="NAME", help=f"One of {', '.join(Method)}."),
    ] = DEA_CS,
    weights: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="How much each row counts.")
    ] = None,
    missing: Annotated[
        Missing, typer.Option(help="A missing value is a value of its own, ignored, or an error.")
    ] = Missing.category,
    discretizer: Annotated[
        Discretizer, typer.Option(help="What cuts quantities into intervals.")
    ] = Discretizer.mdlp,
    judge: Annotated[
        Judge | None,
        typer.Option(
            help="What ranks candidates: super-efficiency, the plain sum, or a model with slacks.",
            rich_help_panel=DEA_CS_OPTIONS,
        ),
    ] = None,
    label_score: Annotated[
        LabelScore | None,
        typer.Option(
            help="I(F; C_i | S) as in the paper, or Div(F; c_i | S).",
            rich_help_panel=DEA_CS_OPTIONS,
        ),
    ] = None,
    tie_break: Annotated[
        TieBreak | None,
        typer.Option(
            help="Between equal scores: the larger sum, the least slack, or the last column.",
            rich_help_panel=DEA_CS_OPTIONS,
        ),
    ] = None,
    weight_ratio: Annotated[
        float | None,
        typer.Option(
            help="How much the weights of two classes may differ; 1 is the plain sum.",
            rich_help_panel=DEA_CS_OPTIONS,
        ),
    ] = None,
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What columns cost: a table with the columns' names first, then one cost or more.",
            rich_help_panel=DEA_CS_OPTIONS,
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            help="End when the next feature would pass it.", rich_help_panel=DEA_CS_OPTIONS
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Threads; -1 is all cores. Same answer.")
    ] = -1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
    format: Annotated[
        Format | None,
        typer.Option(help="Default: as the suffix says.", rich_help_panel=READER_OPTIONS),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(
            help="One character, or 'tab'. Default: as the file shows.",
            rich_help_panel=READER_OPTIONS,
        ),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(help="E.g. cp1252. Default: UTF-8.", rich_help_panel=READER_OPTIONS),
    ] = None,
    missing_marker: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="What stands for a missing value. Default: ?, NA, NaN, null and the like.",
            rich_help_panel=READER_OPTIONS,
        ),
    ] = None,
) -> None:
    """Select the features of FILE that tell the classes of TARGET apart."""
    # Loaded here, so that --help and a mistyped option answer at once.
    from deacs import encode
    from deacs.cli.progress import progress_bar
    from deacs.cli.summary import summarize, summarize_ranking
    from deacs.cli.view import show
    from deacs.tables.files import read_table

    console = Console(highlight=False)
    if output is not None:
        refuse_goal(file, output, "--output")
    if report is not None:
        from deacs.report.html import check_packages

        refuse_goal(file, report, "--report")
        check_packages()
    with (
        progress_bar(k, quiet=quiet or as_json) as progress,
        warnings.catch_warnings(record=True) as caught,
        said_in_options(),
    ):
        warnings.simplefilter("always", IdentifierWarning)
        warnings.simplefilter("always", DiscriminationWarning)
        X, y = read_table(
            file,
            target=target,
            exclude=listed(exclude),
            format=None if format is None else format.value,
            delimiter=delimiter,
            encoding=encoding,
            missing_markers=None if missing_marker is None else listed(missing_marker),
        )
        X, sample_weight = _without(X, weights)
        if X.width == 0:
            raise InputError("no columns are left to select from; the target is not a feature")
        kinds = kinds_of(X, discrete)
        data = encode(
            X,
            y,
            discrete_features=kinds,
            discretizer=discretizer.value,
            missing=missing.value,
            sample_weight=sample_weight,
            n_jobs=jobs,
        )
        settings: dict[str, Any] = {
            "n_features_to_select": k,
            "label_score": None if label_score is None else label_score.value,
            "judge": None if judge is None else judge.value,
            "tie_break": None if tie_break is None else tie_break.value,
            "weight_ratio": weight_ratio,
            "costs": None if costs is None else _prices(costs),
            "budget": budget,
            "include": listed(include) or None,
        }
        if method is DEA_CS:
            from deacs.selection import dea_cs  # without scikit-learn

            settings = DEFAULTS | {name: v for name, v in settings.items() if v is not None}
            path = dea_cs(data, **settings, n_jobs=jobs, progress=progress)
            summary = summarize(path, data, {"method": "dea-cs", **settings})
            fitted: Any = path
            notes = path.notes
        else:
            from deacs.cli.methods import rank

            given = {**settings, "n_jobs": jobs}
            if method.value in DISTANCES:
                given["weights"] = weights
                given["missing"] = None if missing is Missing.category else missing.value
            else:
                given["progress"] = progress
            fitted = rank(method.value, data, (X, y), given)
            summary = summarize_ranking(fitted, data, {"method": method.value, **settings})
            notes = []
    notes = [*notes, *(str(warning.message) for warning in caught)]
    summary["notes"] = [in_options(note, _identifiers(data)) for note in notes]
    selected = [entry["feature"] for entry in summary["selected"]]
    if output is not None:
        replace(output, X.select(selected).with_columns(y).write_csv().encode())
    if report is not None:
        _write_report(fitted, data, settings, summary["notes"], report, title=file.name)
    if as_json:
        typer.echo(json.dumps(summary, indent=2, ensure_ascii=False))
    else:
        show(summary, console)
        if output is not None:
            console.print(f"Wrote {len(selected)} columns and {target} to {output}", markup=False)
        if report is not None:
            console.print(f"Wrote the report to {report}; open it in a browser", markup=False)


def _write_report(
    fitted: Any,
    data: "CodedData",
    settings: dict[str, Any],
    notes: list[str],
    report: Path,
    title: str,
) -> None:
    """Write the page of DEA-CS, or of another selector; the command line is how to repeat it."""
    from deacs.report import summarize, summarize_path, write_page
    from deacs.selection import Path as Selection

    how: dict[str, Any] = {"notes": notes, "snippet": shlex.join(["deacs", *sys.argv[1:]])}
    if isinstance(fitted, Selection):
        page = summarize_path(fitted, data, settings, **how)
    else:
        page = summarize(fitted, data, **how)
    write_page(page, report, title=title)


def _without(X: "pl.DataFrame", column: str | None) -> "tuple[pl.DataFrame, pl.Series | None]":
    """Take the column of weights out of the table."""
    if column is None:
        return X, None
    from deacs.coding import named_features

    named_features([column], X.columns, "--weights")
    return X.drop(column), X[column]


def _prices(file: Path) -> dict[str, Any]:
    """Read what columns cost."""
    from deacs.tables.files import read_table

    table = read_table(file)
    if table.width < 2:
        raise InputError(f"--costs {file} must have a column of names and one of costs or more")
    names, prices = table.to_series(0).cast(str).to_list(), table[:, 1:].rows()
    return dict(zip(names, prices, strict=True))


def kinds_of(X: "pl.DataFrame", discrete: list[str] | None) -> Any:
    """Without a word the rule decides; named columns are discrete besides what the rule says."""
    if not discrete:
        return "auto"
    from deacs.coding import named_features
    from deacs.coding.kinds import discrete_mask
    from deacs.tables import read_columns

    mask = discrete_mask(read_columns(X))
    mask[named_features(listed(discrete), X.columns, "--discrete")] = True
    return mask


def _identifiers(data: "CodedData") -> str:
    """The columns with as many values as rows, as the option wants them."""
    names = [
        name
        for name, feature in zip(data.feature_names, data.features, strict=True)
        if feature.kind == "discrete" and feature.n_values == data.n_rows
    ]
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names[:8])
    return shlex.quote(line.getvalue())


select.__doc__ = f"{select.__doc__}\n{EXAMPLES}"
