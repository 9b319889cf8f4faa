"""`deacs select`: select features from a file, and show the reason for each."""

import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deacs.cli.options import (
    Discrete,
    DiscretizerName,
    DropUnlabelled,
    Exclude,
    FileOptions,
    Json,
    MissingValues,
    Quiet,
    TableFileOrDatabase,
    TargetKind,
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
    PAGES,
    SEPARATORS,
    check_outputs,
    collected_notes,
    print_json,
    progress,
    terminal,
    worded,
    written,
)
from deacs.cli.select_input import DEACS, Input, make_selector, read_input, refuse
from deacs.exceptions import InputError, Parameter
from deacs.report.files import replace as replace_file

if TYPE_CHECKING:
    from deacs.selection import Result

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

PANEL = "DEACS only"


def _of_deacs(*flags: str, help: str, metavar: str | None = None) -> Any:
    return typer.Option(*flags, help=help, metavar=metavar, rich_help_panel=PANEL)


@dataclass(frozen=True, kw_only=True)
class DEACSOptions:
    """Options of DEACS."""

    published: Annotated[
        bool,
        _of_deacs(
            "--published",
            help="Select exactly as in the paper: plug-in counts, joint S, free weights.",
        ),
    ] = False
    judge: Annotated[str | None, choice("judge", help="Ranks candidates:", panel=PANEL)] = None
    conditioning: Annotated[
        str | None,
        choice("conditioning", help="How scores are conditioned on S:", panel=PANEL),
    ] = None
    min_group_size: Annotated[
        float | None,
        _of_deacs(
            metavar="ROWS", help="With blocks: the least number of rows per group, on average."
        ),
    ] = None
    label_score: Annotated[
        str | None,
        choice("label_score", help="How to score information about a class:", panel=PANEL),
    ] = None
    estimator: Annotated[
        str | None, choice("estimator", help="How counts estimate information:", panel=PANEL)
    ] = None
    tie_break: Annotated[
        str | None, choice("tie_break", help="How to break ties:", panel=PANEL)
    ] = None
    weight_ratio: Annotated[
        float | None,
        _of_deacs(help="The largest ratio of two class weights; 1 is the plain sum."),
    ] = None
    costs: Annotated[
        Path | None,
        _of_deacs(
            metavar="FILE",
            help="Costs of columns: a table of column names, then one or more costs each.",
        ),
    ] = None
    budget: Annotated[
        float | None,
        _of_deacs(help="Stop when the next feature would exceed it."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SelectOptions(FileOptions, DEACSOptions):
    """Options of `deacs select`."""

    file: TableFileOrDatabase
    target: Annotated[
        str | None,
        column(
            *("--target", "-t"),
            help="The class column ('label' in libsvm files), 'last', or its position, from 0; not "
            "needed for codes of deacs encode. Several (A,B,C): label columns of 0 and 1.",
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
        output_option("Write the selected columns and the target: .csv, .tsv or .parquet."),
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
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write what deacs check needs, as .json."),
    ] = None
    as_json: Json = False
    details: Annotated[
        bool, typer.Option("--details", help="Also show scores and bits for each class.")
    ] = False
    include: Annotated[
        list[str] | None,
        columns(
            help="Columns to select first, in this order; a name with a comma needs quotes: "
            """'"A,B"'."""
        ),
    ] = None
    exclude: Exclude = None
    discrete_features: Discrete = None
    method: Annotated[str, choice("method", "--method", "-m", help="The selector:")] = DEACS
    sample_weight: Annotated[
        str | None,
        column("--weights", help="The column of row weights."),
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
    from deacs.cli.table import told_once, warn_if_excluded, with_leading_zeros

    n_steps = options.wanted if isinstance(options.wanted, int) else None
    is_quiet = options.quiet or options.as_json
    bar = progress("reading and coding the table", quiet=is_quiet, total=n_steps)
    with bar as show_step, collected_notes() as warned:
        given = read_input(options, opened)
        warn_if_excluded(options.exclude, [y.name for y in given.target_columns] or [given.target])
        selector = make_selector(options, given)
        if hasattr(selector, "set_progress"):
            selector.set_progress(lambda step, name: show_step(f"{step}: {name} selected", step))
        weights = given_of(given, sample_weight="sample_weight")
        result = selector.fit(given.table, given.y, **weights).result_
        if options.method != DEACS and not hasattr(selector, "selector_"):
            result = selector.result_ = replace(result, score_name=options.method)
        # Under the same progress bar.
        _ = result.held_out, result.substitutes
    # Problems with the table come first: they may explain the rest.
    notes: list[str] = [*warned, *map(worded, result.notes)]
    if options.wanted is None and result.is_all and not result.has_label_scores:
        all_of = f"{options.method} by itself leaves out none of these features"
        notes.append(f"{all_of}; -k sets how many to keep")
    if not given.is_coded:
        notes = told_once(notes, given.table, options.how_to_read)
    notes = list(dict.fromkeys(notes))  # a fit may both warn of something and note it
    if options.output is not None:
        table = given.table.select(result.selected_names).with_columns(given.target_columns)
        labels = [y.name for y in given.target_columns] if options.drop_unlabelled else []
        table = with_leading_zeros(table, options.file, labels, **options.how_to_read)
        replace_file(options.output, written(table, options.output))
    if options.groups_out is not None:
        replace_file(options.groups_out, _groups(result, options))
    if options.save is not None:
        selector.save(options.save)
    if options.report is not None:
        from deacs.report import write_html

        command = shlex.join(["deacs", *map(_shown, sys.argv[1:])])
        title = _shown(options.file).rpartition("/")[2]
        write_html(selector, options.report, title=title, notes=notes, code=command)
    _answer(selector, notes, given, options)


def _shown(argument: str) -> str:
    """Return an argument as it may be shown: an address without credentials."""
    from deacs.rows.addresses import is_database, shown_address

    return shown_address(argument) if is_database(argument) else argument


def _groups(result: "Result", options: SelectOptions) -> bytes:
    """Return all columns with their redundancy groups, as the content of a file."""
    import polars as pl

    from deacs.selection import column_groups

    found = column_groups(result.data.rows_here, n_jobs=options.n_jobs)
    assert options.groups_out is not None
    return written(pl.DataFrame(found.columns()), options.groups_out)


def _answer(selector: Any, notes: Sequence[str], given: Input, options: SelectOptions) -> None:
    """Print the result and the files written."""
    result = selector.result_
    if options.as_json:
        from deacs.cli.select_json import select_document

        print_json(
            select_document(
                result,
                notes,
                file=_shown(options.file),
                target=given.target,
                settings=_settings(selector, given, options),
            )
        )
        return
    from deacs.cli.view import show

    console = terminal()
    show(result, console, notes, has_details=options.details)
    if options.output is not None:
        labels = given.target_columns
        target = given.target if len(labels) == 1 else f"{len(labels)} labels"
        columns = "column" if result.n_selected == 1 else "columns"
        console.print(f"Wrote {result.n_selected} {columns} and {target} to {options.output}")
    if options.groups_out is not None:
        console.print(f"Wrote the columns in groups to {options.groups_out}")
    if options.save is not None:
        following = shlex.join(["deacs", "check", str(options.save), "NEW.csv"])
        # Unbroken, so that the command can be copied.
        console.print(f"Wrote the rules to {options.save}\nNext: {following}", soft_wrap=True)
    if options.report is not None:
        console.print(f"Wrote the report to {options.report}; open it in a browser")


def _settings(selector: Any, given: Input, options: SelectOptions) -> dict[str, Any]:
    """Return the parameters on which the selection depends, and how its columns were coded."""
    parameters = {**selector.get_params(deep=False)}
    chosen = getattr(selector, "selector_", selector)  # cross-validation chose one
    parameters |= {
        name: getattr(chosen, name) for name in ("discretizer", "missing") if hasattr(chosen, name)
    }
    kept = {name: value for name, value in parameters.items() if name not in given.unused}
    return {"method": options.method, **kept}


def _check(options: SelectOptions) -> None:
    """Raise an error for impossible requests, before any work."""
    if options.wanted != "auto":
        words = " is for -k auto; leave it out, or give -k auto"
        refuse(options, ("alpha", "rate", "seed"), words)
    if options.method != DEACS:
        method = Parameter("method", options.method)
        refuse(
            options, [field.name for field in fields(DEACSOptions)], " does not apply to ", method
        )
    excluded = set(listed(options.exclude))
    if both := [name for name in listed(options.include) if name in excluded]:
        raise InputError(f"--include and --exclude both name {both[0]!r}; leave it out of one")
    outputs = {
        "--output": (options.output, SEPARATORS),
        "--report": (options.report, PAGES),
        "--groups-out": (options.groups_out, SEPARATORS),
        "--save": (options.save, (".json",)),
    }
    check_outputs(outputs, [options.file, options.costs])
    if options.report is not None:
        from deacs.report.html import check_packages

        check_packages()
