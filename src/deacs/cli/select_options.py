"""Options of `deacs select`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from deacs.cli.choices import choice
from deacs.cli.coding import DiscretizerName, MissingValues, TargetKind
from deacs.cli.completion import complete_column, complete_columns
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
from deacs.exceptions import InputError

__all__ = ["DEACS", "EXAMPLES", "DEACSOptions", "SelectOptions"]

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

PANEL = "DEACS only"


@dataclass(frozen=True, kw_only=True)
class DEACSOptions:
    """Options of DEACS."""

    published: Annotated[
        bool,
        typer.Option(
            "--published",
            help="Select exactly as in the paper: plug-in counts, joint S, free weights.",
            rich_help_panel=PANEL,
        ),
    ] = False
    judge: Annotated[str | None, choice("judge", help="Ranks candidates:", panel=PANEL)] = None
    conditioning: Annotated[
        str | None,
        choice("conditioning", help="How scores are conditioned on S:", panel=PANEL),
    ] = None
    min_group_size: Annotated[
        float | None,
        typer.Option(
            metavar="ROWS",
            help="With blocks: the least number of rows per group, on average.",
            rich_help_panel=PANEL,
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
        typer.Option(
            help="The largest ratio of two class weights; 1 is the plain sum.",
            rich_help_panel=PANEL,
        ),
    ] = None
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Costs of columns: a table of column names, then one or more costs each.",
            rich_help_panel=PANEL,
        ),
    ] = None
    budget: Annotated[
        float | None,
        typer.Option(help="Stop when the next feature would exceed it.", rich_help_panel=PANEL),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SelectOptions(FileOptions, DEACSOptions):
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
