"""`deacs select`: a file goes in, the selected features come out, with the reason for each."""

from pathlib import Path
from typing import Annotated, Any

import typer

from deacs.cli.choices import (
    Conditioning,
    Discretizer,
    Estimator,
    Judge,
    LabelScore,
    Missing,
    TieBreak,
)
from deacs.cli.columns import read_prices
from deacs.cli.completion import complete_column, complete_columns
from deacs.cli.console import terminal
from deacs.cli.methods import Method
from deacs.cli.notes import collected_notes
from deacs.cli.outputs import check_outputs, check_suffix
from deacs.cli.reading import (
    Delimiter,
    DropUnlabelled,
    Encoding,
    FileFormat,
    Json,
    MissingMarker,
    NoHeader,
    TableFile,
    how_to_read,
)
from deacs.cli.wording import in_options, listed, said_in_options
from deacs.cli.writing import SEPARATORS, write_report, written
from deacs.exceptions import InputError
from deacs.report.files import replace

__all__ = ["select"]

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

  [cyan]deacs select patients.csv --target diagnosis -k auto[/cyan]
  as many as are significant

  [cyan]deacs select patients.csv --target diagnosis -k 10 --recommended[/cyan]
  the setting to take where accuracy is what counts

  [cyan]deacs select patients.csv --target diagnosis --json > selection.json[/cyan]
  the same numbers for another program
"""


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

TESTED = ("dea-cs", "cmi")
"""Methods that condition on what is selected, as the test of -k auto does."""


def select(
    file: TableFile,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="COLUMN",
            help="The class column ('label' in libsvm files); a coded store knows its own.",
            autocompletion=complete_column,
        ),
    ] = None,
    k: Annotated[
        str | None,
        typer.Option(
            "-k",
            "--n-features",
            metavar="N",
            help="How many to select, a share such as 0.5, or 'auto': as many as are significant. "
            "Default: until exhausted.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "--out",
            "-o",
            metavar="FILE",
            help="Write the selected columns and the target: .csv, .tsv or .parquet.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", "-r", metavar="HTML", help="Write a page with charts, for any browser."
        ),
    ] = None,
    as_json: Json = False,
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Columns that come first, in this order.",
            autocompletion=complete_columns,
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Columns to leave out, e.g. identifiers. Repeatable.",
            autocompletion=complete_columns,
        ),
    ] = None,
    discrete: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Number columns that are categories, not quantities.",
            autocompletion=complete_columns,
        ),
    ] = None,
    method: Annotated[
        Method,
        typer.Option("--method", "-m", metavar="NAME", help=f"One of {', '.join(Method)}."),
    ] = DEA_CS,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="How much each row counts.", autocompletion=complete_column
        ),
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
    conditioning: Annotated[
        Conditioning | None,
        typer.Option(
            help="Candidates are scored given the joint value of all selected features, as in the "
            "paper, given each by itself (mean or least), or given blocks of them.",
            rich_help_panel=DEA_CS_OPTIONS,
        ),
    ] = None,
    min_group_size: Annotated[
        float | None,
        typer.Option(
            metavar="ROWS",
            help="With blocks: how many rows a group holds on average, at least. Default: 5.",
            rich_help_panel=DEA_CS_OPTIONS,
        ),
    ] = None,
    estimator: Annotated[
        Estimator | None,
        typer.Option(
            help="From frequencies, as in the paper, or less what chance explains.",
            rich_help_panel=DEA_CS_OPTIONS,
        ),
    ] = None,
    recommended: Annotated[
        bool,
        typer.Option(
            "--recommended",
            help="Blocks of 10 rows, excess, sum: what docs/conditioning.md recommends.",
            rich_help_panel=DEA_CS_OPTIONS,
        ),
    ] = False,
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
    alpha: Annotated[
        float | None,
        typer.Option(help="With -k auto: the level of the test. Default: 0.05."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="With -k auto: the seed of its shuffles. Default: 0.")
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Threads; -1 is all cores. Same answer.")
    ] = -1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
    memory: Annotated[
        str,
        typer.Option(metavar="SIZE", help="For coded stores: about how much memory it may take."),
    ] = "2GB",
    format: FileFormat = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    missing_marker: MissingMarker = None,
    no_header: NoHeader = False,
    drop_unlabelled: DropUnlabelled = False,
) -> None:
    """Select the features of FILE that tell the classes of TARGET apart."""
    # Loaded here, so that --help and a mistyped option answer at once.
    from deacs.cli.doubts import doubts
    from deacs.cli.json_output import document, print_json
    from deacs.cli.methods import rank
    from deacs.cli.progress import step_progress
    from deacs.cli.selectable import coded_file, coded_store
    from deacs.cli.summary import SCHEMA_VERSION, summarize, summarize_ranking
    from deacs.cli.view import show
    from deacs.distributed.disk.layout import is_store

    wanted = _number(k)
    is_auto = wanted == "auto"
    if not is_auto:
        for option, value in (("--alpha", alpha), ("--seed", seed)):
            if value is not None:
                raise InputError(f"{option} is for -k auto; leave it out, or give -k auto")
    elif method.value not in TESTED:
        raise InputError(f"-k auto is for --method {' and '.join(TESTED)}, got {method.value}")
    if recommended and method is not DEA_CS:
        raise InputError(f"--recommended does not apply to --method {method.value}")
    check_suffix("--output", output, SEPARATORS)
    check_outputs({"--output": output, "--report": report}, [file, costs])
    if report is not None:
        from deacs.report.html import check_packages

        check_packages()
    with (
        step_progress(
            wanted if isinstance(wanted, int) else None, quiet=quiet or as_json
        ) as progress,
        collected_notes() as warned,
        said_in_options(),
    ):
        of_table: dict[str, Any] = {"exclude": exclude, "discrete": discrete, "weights": weights}
        coding = {"discretizer": discretizer.value, "missing": missing.value}
        if is_store(file):
            not_for_stores = {
                **of_table,
                "output": output,
                "format": format,
                "delimiter": delimiter,
                "encoding": encoding,
                "missing_marker": missing_marker,
                "no_header": no_header,
                "drop_unlabelled": drop_unlabelled,
                f"method {method.value}": method.value in DISTANCES,
            }
            source, coding = coded_store(file, target, memory, not_for_stores), {}
        else:
            reading = how_to_read(format, delimiter, encoding, missing_marker, no_header)
            source = coded_file(
                file,
                target,
                **of_table,
                reading={**reading, "drop_unlabelled": drop_unlabelled},
                coding={**coding, "recodable": is_auto, "n_jobs": jobs},
            )
        data, engine = source.data, source.engine
        given: dict[str, Any] = {
            "n_features_to_select": wanted,
            "alpha": alpha,
            "random_state": (seed or 0) if is_auto else None,
            "conditioning": None if conditioning is None else conditioning.value,
            "min_group_size": min_group_size,
            "estimator": None if estimator is None else estimator.value,
            "label_score": None if label_score is None else label_score.value,
            "judge": None if judge is None else judge.value,
            "tie_break": None if tie_break is None else tie_break.value,
            "weight_ratio": weight_ratio,
            "costs": None if costs is None else read_prices(costs),
            "budget": budget,
            "include": listed(include) or None,
        }
        if method is DEA_CS:
            from deacs.selection import RECOMMENDED, dea_cs  # without scikit-learn

            setting = DEFAULTS | (RECOMMENDED if recommended else {})
            given = setting | {name: value for name, value in given.items() if value is not None}
            fitted = dea_cs(source.table, **given, engine=engine, n_jobs=jobs, progress=progress)
            summary = summarize(fitted, data, given)
        else:
            if method.value in DISTANCES:
                given["weights"] = weights
                given["missing"] = None if missing is Missing.category else missing.value
            else:
                given["progress"] = progress
            settings = {**given, "engine": engine, "n_jobs": jobs}
            fitted = rank(method.value, source.table, (source.X, source.y), settings)
            summary = summarize_ranking(fitted, data, method.value, given)
    selected = [entry["feature"] for entry in summary["selected"]]
    summary = {"file": str(file), "target": source.target, **summary}
    summary["settings"] |= coding
    if source.X is not None:
        warned = doubts(source.X, data, source.target, selected, listed(discrete), warned)
    # What is wrong with the table comes first: it may explain the rest.
    summary["notes"] = [*warned, *map(in_options, summary["notes"])]
    if output is not None and source.X is not None:
        replace(output, written(source.X.select(selected).with_columns(source.y), output))
    if report is not None:
        write_report(fitted, data, given, summary["notes"], report, title=file.name)
    if as_json:
        print_json(document("select", SCHEMA_VERSION, summary))
        return
    console = terminal()
    show(summary, console)
    if output is not None:
        words = f"Wrote {len(selected)} columns and {source.target} to {output}"
        console.print(words)
    if report is not None:
        console.print(f"Wrote the report to {report}; open it in a browser")


def _number(k: str | None) -> Any:
    """Read -k: a whole number, a share, or "auto"."""
    if k is None or k == "auto":
        return k
    try:
        return float(k) if "." in k else int(k)
    except ValueError:
        raise InputError(
            f"-k must be a whole number, a share such as 0.5, or 'auto', got {k!r}"
        ) from None


select.__doc__ = f"{select.__doc__}\n{EXAMPLES}"
