"""`deacs encode`: turn files of any size into codes on disk."""

import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from deacs.cli.options import (
    ClassColumn,
    DiscretizerName,
    Exclude,
    MissingValues,
    OneColumnTargetKind,
    Quiet,
    TextOptions,
    Threads,
    columns,
    given_of,
    listed,
    verb,
)
from deacs.cli.output import collected_notes, progress, show_notes, terminal

__all__ = ["encode"]

EXAMPLES = """
[bold]Examples[/bold]

  [cyan]deacs encode visits-*.csv --target outcome --out visits.codes --memory 4GB[/cyan]
  [cyan]deacs select visits.codes -k 20[/cyan]
  code many files once, then select from them with little memory
"""


@dataclass(frozen=True, kw_only=True)
class EncodeOptions(TextOptions):
    """Options of `deacs encode`."""

    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="CSV, TSV or Parquet files with the same columns, or their addresses.",
        ),
    ]
    target: ClassColumn
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "--output",
            "-o",
            metavar="DIR",
            help="The folder to be made for the codes.",
        ),
    ]
    memory: Annotated[str, typer.Option(metavar="SIZE", help="Approximate memory limit.")] = "2GB"
    exclude: Exclude = None
    nominal: Annotated[
        list[str] | None,
        columns("--discrete", help="Number columns that are categories; they are read as text."),
    ] = None
    target_kind: OneColumnTargetKind = None
    missing: MissingValues = None
    discretizer: DiscretizerName = None
    n_jobs: Threads = -1
    quiet: Quiet = False


@verb(EncodeOptions, EXAMPLES)
def encode(options: EncodeOptions) -> None:
    """Code FILES into a folder that `deacs select` reads with little memory."""
    from deacs.cli.table import warn_if_excluded
    from deacs.coding.on_disk import target_of
    from deacs.rows.bringing import size_in_words
    from deacs.rows.encode import encode as encode_table

    bar = progress("looking at the files", quiet=options.quiet, total=1.0)
    with collected_notes() as notes, bar as show_share:
        data = encode_table(
            [str(file) for file in options.files],
            options.target,
            out=options.out,
            memory=options.memory,
            exclude=listed(options.exclude),
            nominal=listed(options.nominal),
            n_jobs=options.n_jobs,
            progress=show_share,
            **options.how_to_read,
            **given_of(options, missing="missing", discretizer="discretizer", target="target_kind"),
        )
        warn_if_excluded(options.exclude, [target_of(options.out)])
    console = terminal()
    outputs = f"{data.n_outputs:,} {data.about.nouns}"
    shape = f"{data.n_rows:,} rows, {data.n_features:,} features, {outputs}"
    size = sum(path.stat().st_size for path in options.out.iterdir())
    left = size_in_words(shutil.disk_usage(options.out).free)
    console.print(
        f"Wrote {options.out}: {shape}, {size_in_words(size)} ({left} left on the disk)",
        soft_wrap=True,
    )
    show_notes(notes, console)
    few = ["-k", "10"] if data.n_features > 10 else []
    following = shlex.join(["deacs", "select", str(options.out), *few])
    console.print(f"Next: {following}", soft_wrap=True)
