"""Options of the commands: how they are declared, listed in help, completed, and named in errors.

A command is a function of a dataclass of options. A field for a parameter of the library has that
parameter's name, so an error about `missing` becomes one about `--missing` without parsing its
message. Registries are loaded only when a value is given, for help and for completion, so that the
command starts at once.
"""

import csv
import io
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo, ParameterInfo

from deacs.exceptions import InputError, Parameter

__all__ = [
    "REGISTRIES",
    "ChoiceCommand",
    "ChoiceGroup",
    "ClassColumn",
    "Discrete",
    "DiscretizerName",
    "DropUnlabelled",
    "Exclude",
    "FileOptions",
    "Json",
    "MissingValues",
    "OneColumnTargetKind",
    "Processes",
    "Quiet",
    "TableFile",
    "TableFileOrDatabase",
    "TargetKind",
    "TextOptions",
    "Threads",
    "as_option",
    "choice",
    "column",
    "columns",
    "complete_column",
    "complete_columns",
    "given_of",
    "in_options",
    "listed",
    "option_table",
    "output_option",
    "verb",
    "worded_by",
    "words",
]

Options = TypeVar("Options")
Run = Callable[[Options], None]

_table: ContextVar[dict[str, str]] = ContextVar("table", default={})  # noqa: B039


# Commands and their options in errors


def verb(options: type[Options], examples: str = "") -> Callable[[Run[Options]], Any]:
    """Turn a function of an options dataclass into a command with its fields as parameters."""

    def decorate(run: Run[Options]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            with worded_by(options):
                run(options(**given))

        command.__name__, command.__module__ = run.__name__, run.__module__
        command.__doc__ = f"{run.__doc__}\n{examples}"
        command.__signature__ = signature(options)  # type: ignore[attr-defined]
        command.__annotations__ = {field.name: field.type for field in fields(options)}  # type: ignore[arg-type]
        return command

    return decorate


@contextmanager
def worded_by(options: type) -> Iterator[None]:
    """Word the library's errors with the options of a command in place of parameters."""
    token = _table.set(option_table(options))
    try:
        yield
    except InputError as error:
        raise InputError(
            error.worded(in_options),
            parameter=error.parameter,
            columns=error.columns,
            accepted=error.accepted,
        ) from error
    finally:
        _table.reset(token)


def in_options(parameter: Parameter) -> str:
    """Return the option of the running command that sets a parameter, if there is one."""
    # In Python `target` is the kind of y, here the column; only the former has a value in messages.
    is_kind = parameter.name == "target" and parameter.has_value
    option = _table.get().get("target_kind" if is_kind else parameter.name)
    if option is None:
        return str(parameter)
    if not parameter.has_value or isinstance(parameter.value, bool):
        return option
    value = parameter.value
    names = value if isinstance(value, list | tuple) else [str(value)]
    return f"{option} {as_option(names)}"


def option_table(options: type) -> dict[str, str]:
    """Return the option of each field, and of `y`, which is the target."""
    table = {field.name: _flag(field.name, field.type) for field in fields(options)}
    return table | ({"y": table["target"]} if "target" in table else {})


def _flag(name: str, annotation: Any) -> str:
    """Return the first name of an option, or its negative form if it has no other."""
    infos = [entry for entry in get_args(annotation) if isinstance(entry, ParameterInfo)]
    if not infos or not isinstance(infos[0], OptionInfo):
        return infos[0].metavar or name if infos else name
    [info] = infos
    # Inside `Annotated` typer reads the first name as a default.
    given = [*([info.default] if isinstance(info.default, str) else []), *(info.param_decls or ())]
    return given[0].rpartition("/")[2].strip() if given else f"--{name.replace('_', '-')}"


def given_of(options: Any, **names: str) -> dict[str, Any]:
    """Return the options that were given, by the names of the library's arguments."""
    values = {argument: getattr(options, name) for argument, name in names.items()}
    return {argument: value for argument, value in values.items() if value is not None}


# Comma-separated lists

MOST_NAMED = 40
"""The most names in advice to type, which should name all columns that it is about."""


def listed(given: list[str] | None) -> list[str]:
    """Split names at commas; a name with a comma needs quotes, as in a CSV file.

    An empty argument means the column without a name.
    """
    rows = csv.reader([name or '" "' for name in given or []], skipinitialspace=True)
    return [name.strip() for row in rows for name in row if name]


def as_option(names: Sequence[str]) -> str:
    """Quote names so that `listed` gets them back from the shell unchanged."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names[:MOST_NAMED])
    return shlex.quote(line.getvalue() if any(names[:MOST_NAMED]) else "")


# Values that registries hold

REGISTRIES = {
    "conditioning": "deacs.selection.blocks:CONDITIONINGS",
    "discretizer": "deacs.coding:DISCRETIZERS",
    "estimator": "deacs.counts:ESTIMATORS",
    "format": "deacs.tables.files:FORMATS",
    "judge": "deacs.selection.judges:JUDGES",
    "label_score": "deacs.selection.criteria:LABEL_SCORES",
    "method": "deacs.selection.methods:METHODS",
    "missing": "deacs.coding:MISSING",
    "model": "deacs.dea:MODELS",
    "one_column_target": "deacs.tables:ONE_COLUMN_TARGETS",
    "orientation": "deacs.dea:ORIENTATIONS",
    "rate": "deacs.significance:LEVELS",
    "returns_to_scale": "deacs.dea:RETURNS_TO_SCALE",
    "target_kind": "deacs.tables:TARGETS",
    "tie_break": "deacs.selection.judges:TIE_BREAKS",
}
"""The module and name of the registry for each parameter."""

MARK = "one of: "
"""Marks, in a help text, the name of the registry whose values are listed."""


def words(name: str) -> list[str]:
    """Return the values that an option accepts."""
    module, _, registry = REGISTRIES[name].partition(":")
    return list(getattr(import_module(module), registry))


def choice(name: str, *flags: str, help: str, panel: str | None = None) -> Any:
    """Return an option that takes a word of a registry, which has a name in `REGISTRIES`.

    That is also the option's name, unless `flags` are given. The words follow the help text.
    """
    option = flags[0] if flags else f"--{name.replace('_', '-')}"

    def check(given: str | None) -> str | None:
        if given is not None and given not in words(name):
            raise InputError(f"{option} must be one of {', '.join(words(name))}, got {given!r}")
        return given

    def complete(incomplete: str) -> list[str]:
        return [word for word in words(name) if word.startswith(incomplete)]

    return typer.Option(
        *(flags or [option]),
        metavar="WORD",
        help=f"{help} {MARK}{name}",
        callback=check,
        autocompletion=complete,
        rich_help_panel=panel,
    )


class _Choices:
    """Lists registered values in the help of a command; flags take no value, so none is shown."""

    def get_help(self, ctx: Any) -> str:
        """Return the help text."""
        for parameter in self.get_params(ctx):  # type: ignore[attr-defined]
            before, mark, after = (getattr(parameter, "help", None) or "").partition(MARK)
            name, _, rest = after.partition(".")
            if mark and name in REGISTRIES:
                parameter.help = f"{before}{', '.join(words(name))}.{rest}"
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        return str(super().get_help(ctx))  # type: ignore[misc]


class ChoiceCommand(_Choices, TyperCommand):
    """A command whose help lists the registered values."""


class ChoiceGroup(_Choices, TyperGroup):
    """The same for a command with verbs."""


# Names of columns, completed from the file on the command line

MOST_OFFERED = 200


def complete_column(incomplete: str) -> list[str]:
    """Return the columns that start with the typed text."""
    return [name for name in _columns_on_line() if name.startswith(incomplete)][:MOST_OFFERED]


def complete_columns(incomplete: str) -> list[str]:
    """Return completions for the last column of a comma-separated list."""
    before, comma, last = incomplete.rpartition(",")
    typed = before.split(",")
    return [before + comma + name for name in complete_column(last) if name not in typed]


def _columns_on_line() -> list[str]:
    """Return the columns of the first file on the line; none if it cannot be read.

    The line is not yet parsed if it ends in an option without its value, so the words come from the
    shell's variables. Names that need quotes are left out: each shell has rules of its own.
    """
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    try:
        files = (Path(word).expanduser() for word in shlex.split(line)[1:])
        file = next(file for file in files if file.is_file())
        return [
            name
            for name in _header(file)
            if name.isprintable() and "," not in name and shlex.quote(name) == name
        ]
    except Exception:  # Completion must never raise; the command itself will report the error.
        return []


def _header(file: Path) -> list[str]:
    from deacs.tables.files import read_table, resolve_format
    from deacs.tables.files.delimited import records, sniff_delimiter
    from deacs.tables.files.source import Source

    kind = resolve_format(file, None)
    if kind not in ("csv", "tsv"):
        return read_table(file).columns
    head = Source(file, kind).first_bytes(1 << 16).removeprefix(b"\xef\xbb\xbf")
    return next(records(head, "\t" if kind == "tsv" else sniff_delimiter(head)), [])


def column(*flags: str, help: str) -> Any:
    """Return an option that names a column."""
    return typer.Option(*flags, metavar="COLUMN", help=help, autocompletion=complete_column)


def columns(*flags: str, help: str) -> Any:
    """Return an option that lists columns; it may be given several times."""
    return typer.Option(*flags, metavar="A,B", help=help, autocompletion=complete_columns)


# Options of several commands


def output_option(help: str, what: str = "FILE") -> Any:
    """Return the option for what a command writes."""
    return typer.Option("--output", "--out", "-o", metavar=what, help=help)


def _reading(*flags: str, help: str, **options: Any) -> Any:
    return typer.Option(*flags, help=help, rich_help_panel="Reading the file", **options)


def _table_argument(more: str = "") -> Any:
    return typer.Argument(
        metavar="FILE",
        help="A table, also compressed (.gz, .bz2, .xz), or its address, such as "
        f"s3://bucket/key.csv; - is the standard input. Formats: {MARK}format{more}",
        callback=lambda file: "/dev/stdin" if file == "-" else file,
    )


TableFile = Annotated[str, _table_argument()]
TableFileOrDatabase = Annotated[
    str,
    _table_argument(
        ". Or codes of deacs encode; or a database that Ibis opens, such as duckdb:shop.db or "
        "postgresql://host/shop, with --table."
    ),
]
ClassColumn = Annotated[
    str,
    column(
        *("--target", "-t"),
        help="The class column ('label' in libsvm files); 'last', or its position, from 0.",
    ),
]
Exclude = Annotated[
    list[str] | None,
    columns(
        help="Columns to exclude, e.g. identifiers. Repeatable; a name with a comma needs quotes: "
        """'"A,B"'."""
    ),
]
Discrete = Annotated[
    list[str] | None,
    columns("--discrete", help="Columns of numbers that are categories, not quantities."),
]
MissingValues = Annotated[str | None, choice("missing", help="How to treat missing values:")]
DiscretizerName = Annotated[
    str | None, choice("discretizer", help="How to cut quantities into intervals:")
]
TargetKind = Annotated[str | None, choice("target_kind", help="The kind of target:")]
OneColumnTargetKind = Annotated[
    str | None, choice("one_column_target", "--target-kind", help="The kind of target:")
]
"""For commands that do not take several labels per row."""
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of the table.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Threads = Annotated[
    int, typer.Option("--jobs", "-j", help="Threads; -1 is all cores. Same result.")
]
Processes = Annotated[
    int, typer.Option("--jobs", "-j", help="Processes; -1 is all cores. Same result.")
]
DropUnlabelled = Annotated[
    bool, _reading("--drop-unlabelled", help="Leave out rows without a class.")
]


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """Options of commands that read text files."""

    delimiter: Annotated[
        str | None, _reading(help="One character, or 'tab'. Default: detected.")
    ] = None
    encoding: Annotated[str | None, _reading(help="E.g. cp1252. Default: UTF-8.")] = None
    missing_markers: Annotated[
        list[str] | None,
        _reading(
            "--missing-marker",
            metavar="A,B",
            help="Markers of missing values. They replace the default: ?, NA, NaN, null and the "
            "like.",
        ),
    ] = None
    header: Annotated[
        bool,
        _reading(
            " /--no-header",
            help="The first line is data; the columns are called c1, c2, ...",
            show_default=False,
        ),
    ] = True
    strip: Annotated[bool, _reading("--strip", help="Strip the spaces around names and text.")] = (
        False
    )

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
        str | None,
        choice("format", help="The format, if the suffix does not tell:", panel="Reading the file"),
    ] = None

    @property
    def how_to_read(self) -> dict[str, Any]:
        """The options as arguments of `read_table`."""
        return {**super().how_to_read, "format": self.format}
