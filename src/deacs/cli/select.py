"""`deacs select`: select features from a file, and show the reason for each."""

import shlex
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deacs.cli.choices import choice
from deacs.cli.coding import DiscretizerName, MissingValues, TargetKind
from deacs.cli.columns import with_leading_zeros
from deacs.cli.completion import complete_column, complete_columns
from deacs.cli.console import terminal
from deacs.cli.lists import listed
from deacs.cli.outputs import PAGES, SEPARATORS, check_outputs, check_suffix, written
from deacs.cli.reading import (
    QUOTED,
    Discrete,
    DropUnlabelled,
    Exclude,
    FileOptions,
    Json,
    Quiet,
    TableFileOrDatabase,
    Threads,
)
from deacs.cli.setting_options import SettingOptions, given_names
from deacs.cli.verbs import verb
from deacs.exceptions import InputError, Parameter

if TYPE_CHECKING:
    from deacs.cli.selectable import Selectable
    from deacs.report import Summary

__all__ = ["SelectOptions", "select"]

EXAMPLES = """
[bold]Examples[/bold]

  [cyan]deacs select patients.csv --target diagnosis -k 10[/cyan]
  ten features that are together informative about the diagnoses

  [cyan]deacs select patients.arff --target last --exclude id,name --output small.csv[/cyan]
  until none outscores chance; the selected columns and the target go to small.csv

  [cyan]deacs select patients.parquet --target diagnosis --method mrmr -k 10[/cyan]
  by another method: cmi, jmi, disr, cmim, fcbf, cfs, relieff, ...

  [cyan]deacs select patients.csv --target diagnosis -k 10 --report patients.html[/cyan]
  also a report with charts: what each feature adds about which class, and what is unexplained

  [cyan]deacs select patients.csv --target diagnosis -k auto[/cyan]
  as many features as are significant

  [cyan]deacs select songs.csv --targets-matching 'mood_*' -k 10[/cyan]
  multiple labels per row: each matching column of 0 and 1 is one (or --target sad,quiet)

  [cyan]deacs select patients.csv --target diagnosis -k 10 --published[/cyan]
  the method exactly as published

  [cyan]deacs select houses.csv --target price -k 10[/cyan]
  a number as target: which part of its range is each feature informative about?

  [cyan]deacs select duckdb:clinic.db --table patients --target diagnosis -k 10[/cyan]
  from a database that Ibis opens

  [cyan]deacs select s3://clinic/patients.parquet --target diagnosis -k 10[/cyan]
  from object storage, with the credentials of the environment

  [cyan]deacs select patients.csv --target diagnosis --json > selection.json[/cyan]
  the same numbers for another program
"""

DEACS = "deacs"


@dataclass(frozen=True, kw_only=True)
class SelectOptions(FileOptions, SettingOptions):
    """Options of `deacs select`."""

    file: TableFileOrDatabase
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            metavar="COLUMN",
            help="The class column ('label' in libsvm files), 'last', or its position, from 0; not "
            "needed for codes of deacs encode. Several (A,B,C): label columns of 0 and 1.",
            autocompletion=complete_column,
        ),
    ] = None
    target_kind: TargetKind = None
    targets_matching: Annotated[
        str | None,
        typer.Option(
            metavar="PATTERN",
            help="Instead of --target: all columns that match, such as 'tag_*', are labels.",
        ),
    ] = None
    table: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The table or view in a database."),
    ] = None
    n_features_to_select: Annotated[
        str | None,
        typer.Option(
            "-k",
            "--n-features",
            metavar="N",
            help="How many to select, a share such as 0.5, or 'auto': as many as are significant. "
            "Default: as many as the method chooses.",
        ),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "--out",
            "-o",
            metavar="FILE",
            help="Write the selected columns and the target: .csv, .tsv or .parquet.",
        ),
    ] = None
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", "-r", metavar="HTML", help="Write a report with charts, for any browser."
        ),
    ] = None
    groups_out: Annotated[
        Path | None,
        typer.Option(
            "--groups-out",
            metavar="FILE",
            help="Write redundancy groups, columns with the same information about the "
            "classes: .csv, .tsv or .parquet.",
        ),
    ] = None
    as_json: Json = False
    details: Annotated[
        bool, typer.Option("--details", help="Also show scores and bits for each class.")
    ] = False
    include: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help=f"Columns to select first, in this order; {QUOTED}.",
            autocompletion=complete_columns,
        ),
    ] = None
    exclude: Exclude = None
    discrete_features: Discrete = None
    method: Annotated[str, choice("method", "--method", "-m", help="The selector:")] = DEACS
    sample_weight: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="COLUMN",
            help="The column of row weights.",
            autocompletion=complete_column,
        ),
    ] = None
    missing: MissingValues = None
    discretizer: DiscretizerName = None
    alpha: Annotated[
        float | None, typer.Option(help="With -k auto: the level of the test. Default: 0.05.")
    ] = None
    rate: Annotated[
        str | None,
        choice(
            "rate",
            help="With -k auto: the error rate that --alpha bounds, of any false feature or the "
            "false discovery rate:",
        ),
    ] = None
    seed: Annotated[
        int | None, typer.Option(help="With -k auto: the seed of permutations. Default: 0.")
    ] = None
    n_jobs: Threads = -1
    quiet: Quiet = False
    memory: Annotated[
        str,
        typer.Option(metavar="SIZE", help="For databases: approximate memory limit."),
    ] = "2GB"
    drop_unlabelled: DropUnlabelled = False

    @property
    def wanted(self) -> Any:
        """Read -k: a whole number, a share, "auto", or None."""
        k = self.n_features_to_select
        if k is None or k == "auto":
            return k
        try:
            return float(k) if "." in k else int(k)
        except ValueError:
            raise InputError(
                f"-k must be a whole number, a share such as 0.5, or 'auto', got {k!r}"
            ) from None


@verb(SelectOptions, EXAMPLES)
def select(options: SelectOptions) -> None:
    """Select the features of FILE that are informative about TARGET."""
    _check(options)
    with ExitStack() as opened:
        _select(options, opened)


def _select(options: SelectOptions, opened: ExitStack) -> None:
    # Imported here, so that --help and errors in options appear at once.
    from deacs.cli.columns import warn_if_excluded
    from deacs.cli.notes import collected_notes, worded
    from deacs.cli.progress import step_progress
    from deacs.cli.selectable import coded
    from deacs.cli.selecting import selected
    from deacs.cli.table_checks import told_once
    from deacs.report.files import replace as replace_file

    n_steps = options.wanted if isinstance(options.wanted, int) else None
    with (
        step_progress(n_steps, quiet=options.quiet or options.as_json) as progress,
        collected_notes() as warned,
    ):
        source = coded(options, opened)
        targets = [column.name for column in source.target_columns] or [source.target]
        warn_if_excluded(options.exclude, targets)
        summary = selected(source, options, progress)
        if options.report is not None or summary.fitted is not None:
            _ = summary.held_out  # under the same progress bar
        _ = summary.substitutes
    names = list(summary.selected_names)
    # Problems with the table come first: they may explain the rest.
    notes = [*warned, *map(worded, summary.notes), *_ranks_all(summary, options)]
    if source.X is not None:
        notes = told_once(notes, source.X, options.how_to_read)
    once = tuple(dict.fromkeys(notes))  # a fit may both warn of something and note it
    command = ["deacs", *map(_shown, sys.argv[1:])]
    summary = replace(summary, notes=once, snippet=shlex.join(command))
    if options.output is not None and source.X is not None:
        table = source.X.select(names).with_columns(source.target_columns)
        labels = [y.name for y in source.target_columns] if options.drop_unlabelled else []
        table = with_leading_zeros(table, options.file, labels, **options.how_to_read)
        replace_file(options.output, written(table, options.output))
    if options.groups_out is not None:
        replace_file(options.groups_out, _groups(source, options))
    if options.report is not None:
        from deacs.report import write_page

        write_page(summary, options.report, title=_shown(str(options.file)).rpartition("/")[2])
    _answer(summary, source, options)


def _shown(argument: str) -> str:
    """Return an argument as it may be shown: an address without credentials."""
    from deacs.rows.addresses import is_database, shown_address

    return shown_address(argument) if is_database(argument) else argument


def _groups(source: "Selectable", options: SelectOptions) -> bytes:
    """Return all columns with their redundancy groups, as the content of a file."""
    import polars as pl

    from deacs.selection import column_groups

    found = column_groups(source.data, n_jobs=options.n_jobs)
    assert options.groups_out is not None
    return written(pl.DataFrame(found.columns()), options.groups_out)


def _answer(summary: "Summary", source: "Selectable", options: SelectOptions) -> None:
    """Print the summary and the files written."""
    if options.as_json:
        from deacs.cli.json_output import print_json
        from deacs.cli.select_json import select_document

        settings = {"method": options.method, **summary.settings}
        if source.coding is not None:
            coded = {name: source.coding[name] for name in ("discretizer", "missing")}
            settings |= {name: settings.get(name, used) for name, used in coded.items()}
        file, target = _shown(str(options.file)), source.target
        print_json(select_document(summary, file=file, target=target, settings=settings))
        return
    from deacs.cli.view import show

    console = terminal()
    show(summary, console, has_details=options.details)
    if options.output is not None:
        labels = source.target_columns
        target = source.target if len(labels) == 1 else f"{len(labels)} labels"
        columns = "column" if summary.n_selected == 1 else "columns"
        console.print(f"Wrote {summary.n_selected} {columns} and {target} to {options.output}")
    if options.groups_out is not None:
        console.print(f"Wrote the columns in groups to {options.groups_out}")
    if options.report is not None:
        console.print(f"Wrote the report to {options.report}; open it in a browser")


def _check(options: SelectOptions) -> None:
    """Raise an error for impossible requests, before any work."""
    is_auto = options.wanted == "auto"
    for name in ("alpha", "rate", "seed"):
        if getattr(options, name) is not None and not is_auto:
            raise InputError(Parameter(name), " is for -k auto; leave it out, or give -k auto")
    given = given_names(options)
    if options.method != DEACS and given:
        method = Parameter("method", options.method)
        raise InputError(Parameter(given[0]), " does not apply to ", method)
    excluded = set(listed(options.exclude))
    if both := [name for name in listed(options.include) if name in excluded]:
        raise InputError(f"--include and --exclude both name {both[0]!r}; leave it out of one")
    outputs = {
        "--output": options.output,
        "--report": options.report,
        "--groups-out": options.groups_out,
    }
    check_outputs(outputs, [options.file, options.costs])
    check_suffix("--output", options.output, SEPARATORS)
    check_suffix("--groups-out", options.groups_out, SEPARATORS)
    check_suffix("--report", options.report, PAGES)
    if options.report is not None:
        from deacs.report.html import check_packages

        check_packages()


def _ranks_all(summary: "Summary", options: SelectOptions) -> list[str]:
    """Return a note if a method other than DEACS has left out no feature."""
    if options.wanted is not None or summary.fitted is not None or not summary.is_all:
        return []
    return [
        f"{options.method} by itself leaves out none of these features; -k sets how many to keep"
    ]
