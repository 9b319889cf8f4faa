"""Options that say how a file is read, and how the answer comes: the same in every verb."""

from pathlib import Path
from typing import Annotated, Any

import typer

from deacs.cli.choices import Format
from deacs.cli.wording import listed

__all__ = [
    "Delimiter",
    "DropUnlabelled",
    "Encoding",
    "FileFormat",
    "Json",
    "MissingMarker",
    "NoHeader",
    "TableFile",
    "how_to_read",
]

PANEL = "Reading the file"


def _or_stream(file: Path) -> Path:
    """Take `-` for the standard input, as other commands do."""
    return Path("/dev/stdin") if str(file) == "-" else file


TableFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, ARFF, libsvm (each also packed: .gz, .bz2, .xz) or Parquet; - is the "
        "standard input.",
        callback=_or_stream,
    ),
]
FileFormat = Annotated[
    Format | None,
    typer.Option("--format", help="Default: as the suffix says.", rich_help_panel=PANEL),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        help="One character, or 'tab'. Default: as the file shows.",
        rich_help_panel=PANEL,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", help="E.g. cp1252. Default: UTF-8.", rich_help_panel=PANEL),
]
MissingMarker = Annotated[
    list[str] | None,
    typer.Option(
        "--missing-marker",
        metavar="A,B",
        help="What stands for a missing value. Default: ?, NA, NaN, null and the like.",
        rich_help_panel=PANEL,
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first line is data; the columns are called c1, c2, ...",
        rich_help_panel=PANEL,
    ),
]
DropUnlabelled = Annotated[
    bool,
    typer.Option(
        "--drop-unlabelled", help="Leave out rows without a class.", rich_help_panel=PANEL
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of the table.")]


def how_to_read(
    format: Format | None,
    delimiter: str | None,
    encoding: str | None,
    missing_marker: list[str] | None,
    no_header: bool = False,
) -> dict[str, Any]:
    """Return the options as `read_table` takes them."""
    return {
        "format": None if format is None else format.value,
        "delimiter": delimiter,
        "encoding": encoding,
        "missing_markers": None if missing_marker is None else listed(missing_marker),
        "header": not no_header,
    }
