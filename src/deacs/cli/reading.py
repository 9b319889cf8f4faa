"""Options shared by several commands: input files, output and parallelism."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from deacs.cli.choices import MARK, choice
from deacs.cli.completion import complete_column, complete_columns
from deacs.cli.lists import listed

__all__ = [
    "QUOTED",
    "Address",
    "ClassColumn",
    "Discrete",
    "DropUnlabelled",
    "Exclude",
    "FileOptions",
    "Json",
    "Processes",
    "Quiet",
    "TableFile",
    "TableFileOrDatabase",
    "TextOptions",
    "Threads",
]

PANEL = "Reading the file"
QUOTED = """a name with a comma needs quotes: '"A,B"'"""


def _or_stream(file: Path) -> Path:
    """Read `-` as the standard input, as other commands do."""
    return Path("/dev/stdin") if str(file) == "-" else file


SCHEME = set("abcdefghijklmnopqrstuvwxyz0123456789+.-")
"""The characters before the colon of an address."""


class Address(type(Path())):  # type: ignore[misc]
    """A path or an address; `text` keeps the double slashes that a path would merge."""

    text = ""

    def __new__(cls, text: str) -> "Address":
        """Keep what was typed."""
        found: Address = super().__new__(cls, text)
        found.text = text
        return found

    def with_segments(self, *segments: str) -> Path:
        """Return a plain path, without `text`."""
        return Path(*segments)

    def __str__(self) -> str:
        # A drive of Windows is named by one letter.
        scheme, colon, _ = self.text.partition(":")
        is_address = colon and len(scheme) > 1 and set(scheme) <= SCHEME
        return self.text if is_address else str(super().__str__())


A_TABLE = (
    "A table, also compressed (.gz, .bz2, .xz), or its address, such as s3://bucket/key.csv; - is "
    "the standard input. Formats: "
)
TableFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help=f"{A_TABLE}{MARK}format",
        callback=_or_stream,
        parser=Address,
    ),
]

TableFileOrDatabase = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help=f"{A_TABLE}{MARK}format. Or codes of deacs encode; or a database that Ibis opens, "
        "such as duckdb:shop.db or postgresql://host/shop, with --table.",
        callback=_or_stream,
        parser=Address,
    ),
]
ClassColumn = Annotated[
    str,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="The class column ('label' in libsvm files); 'last', or its position, from 0.",
        autocompletion=complete_column,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B",
        help=f"Columns to exclude, e.g. identifiers. Repeatable; {QUOTED}.",
        autocompletion=complete_columns,
    ),
]
Discrete = Annotated[
    list[str] | None,
    typer.Option(
        "--discrete",
        metavar="A,B",
        help="Columns of numbers that are categories, not quantities.",
        autocompletion=complete_columns,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of the table.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Threads = Annotated[
    int, typer.Option("--jobs", "-j", help="Threads; -1 is all cores. Same result.")
]
Processes = Annotated[
    int, typer.Option("--jobs", "-j", help="Processes; -1 is all cores. Same result.")
]

DropUnlabelled = Annotated[
    bool,
    typer.Option(
        "--drop-unlabelled", help="Leave out rows without a class.", rich_help_panel=PANEL
    ),
]


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """Options of commands that read text files."""

    delimiter: Annotated[
        str | None,
        typer.Option(help="One character, or 'tab'. Default: detected.", rich_help_panel=PANEL),
    ] = None
    encoding: Annotated[
        str | None, typer.Option(help="E.g. cp1252. Default: UTF-8.", rich_help_panel=PANEL)
    ] = None
    missing_markers: Annotated[
        list[str] | None,
        typer.Option(
            "--missing-marker",
            metavar="A,B",
            help="Markers of missing values. They replace the default: ?, NA, NaN, null and the "
            "like.",
            rich_help_panel=PANEL,
        ),
    ] = None
    header: Annotated[
        bool,
        typer.Option(
            " /--no-header",
            help="The first line is data; the columns are called c1, c2, ...",
            rich_help_panel=PANEL,
            show_default=False,
        ),
    ] = True
    strip: Annotated[
        bool,
        typer.Option(
            "--strip", help="Strip the spaces around names and text.", rich_help_panel=PANEL
        ),
    ] = False

    @property
    def how_to_read(self) -> dict[str, Any]:
        """The options as arguments of `read_table`."""
        markers = self.missing_markers
        return {
            "delimiter": self.delimiter,
            "encoding": self.encoding,
            "missing_markers": None if markers is None else listed(markers),
            "header": self.header,
            "strip": self.strip,
        }


@dataclass(frozen=True, kw_only=True)
class FileOptions(TextOptions):
    """Options of commands that read a file of any format."""

    format: Annotated[
        str | None, choice("format", help="The format, if the suffix does not tell:", panel=PANEL)
    ] = None

    @property
    def how_to_read(self) -> dict[str, Any]:
        """The options as arguments of `read_table`."""
        return {**super().how_to_read, "format": self.format}
