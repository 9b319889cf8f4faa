"""`deacs encode`: files of any size go in, a coded store comes out."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deacs.cli.choices import Discretizer, Missing
from deacs.cli.console import terminal
from deacs.cli.notes import collected_notes, show_notes
from deacs.cli.progress import share_progress
from deacs.cli.reading import Delimiter, Encoding, MissingMarker, NoHeader
from deacs.cli.wording import listed, said_in_options
from deacs.exceptions import InputError

if TYPE_CHECKING:
    from deacs.distributed import CodedStore

__all__ = ["encode", "open_store"]

EXAMPLES = """
[bold]Examples[/bold]

  [cyan]deacs encode visits-*.csv --target outcome --out visits.store --memory 4GB[/cyan]
  [cyan]deacs select visits.store -k 20[/cyan]
  code many files once, then select from them with little memory

A run that was interrupted goes on when the same command is given again.
"""


def encode(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="CSV, TSV or Parquet with the same columns."),
    ],
    target: Annotated[
        str, typer.Option("--target", "-t", metavar="COLUMN", help="The class column.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "--output", "-o", metavar="DIR", help="The store, a directory to be made."
        ),
    ],
    memory: Annotated[
        str, typer.Option(metavar="SIZE", help="About how much memory it may take.")
    ] = "2GB",
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Columns to leave out, e.g. identifiers. Repeatable."),
    ] = None,
    discrete: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B", help="Number columns that are categories; they are read as text."
        ),
    ] = None,
    missing: Annotated[
        Missing, typer.Option(help="A missing value is a value of its own, ignored, or an error.")
    ] = Missing.category,
    discretizer: Annotated[
        Discretizer, typer.Option(help="What cuts quantities into intervals.")
    ] = Discretizer.mdlp,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a store that is there.")
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Threads; -1 is all cores. Same answer.")
    ] = -1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    missing_marker: MissingMarker = None,
    no_header: NoHeader = False,
) -> None:
    """Code FILES into a store that `deacs select` reads with little memory."""
    from deacs.distributed import encode_files
    from deacs.distributed.disk.memory import size_in_words

    bar = share_progress("looking at the files", quiet=quiet)
    with said_in_options(), collected_notes() as notes, bar as progress:
        store = encode_files(
            files,
            target,
            out,
            memory=memory,
            exclude=listed(exclude),
            nominal=listed(discrete),
            delimiter=delimiter,
            encoding=encoding,
            missing_markers=None if missing_marker is None else listed(missing_marker),
            header=not no_header,
            discretizer=discretizer.value,
            missing=missing.value,
            overwrite=overwrite,
            n_jobs=jobs,
            progress=progress,
        )
    console = terminal()
    shape = f"{store.n_rows:,} rows, {store.n_features:,} features, {store.n_classes:,} classes"
    free = size_in_words(shutil.disk_usage(out).free)
    console.print(
        f"Wrote {out}: {shape}, {size_in_words(store.nbytes)} of codes ({free} left on the disk)",
        soft_wrap=True,
    )
    show_notes(notes, console)
    console.print(f"Next: deacs select {out} -k 10", soft_wrap=True)


def open_store(place: Path, target: str | None, **not_for_stores: object) -> "CodedStore":
    """Open a store for `deacs select`; what was settled when it was made cannot be given again."""
    from deacs.distributed import CodedStore

    for option, value in not_for_stores.items():
        if value:
            raise InputError(
                f"--{option.replace('_', '-')} applies to files, not to the coded store {place}; "
                "leave it out (deacs encode has options of its own)"
            )
    store = CodedStore.open(place)
    if target is not None and store.target is not None and target != store.target:
        raise InputError(
            f"--target is {target!r}, but {place} was made for {store.target!r}; leave it out, or "
            "encode the files for another target"
        )
    return store


encode.__doc__ = f"{encode.__doc__}\n{EXAMPLES}"
