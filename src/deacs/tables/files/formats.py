"""The registry of file formats, and the options of reading: whether what they name is in a file.

Readers are imported when they are first called.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from deacs._extras import import_needing_extras
from deacs.exceptions import InputError, Note, Parameter
from deacs.tables.files.source import Source
from deacs.tables.names import unknown_name

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "FORMATS",
    "FileFormat",
    "Options",
    "ReadOptions",
    "if_data",
    "refuse_unknown",
    "register_format",
    "resolve_format",
    "target_column",
]


class ReadOptions(TypedDict, total=False):
    """The keywords of `read_table` besides `target`, for type checkers."""

    exclude: Iterable[str]
    nominal: Iterable[str]
    format: str | None
    delimiter: str | None
    encoding: str | None
    missing_markers: Iterable[str] | None
    header: bool
    strip: bool
    drop_unlabelled: bool


@dataclass(frozen=True, slots=True)
class Options:
    """The parameters of `read_table` that a reader needs; None: detected."""

    exclude: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    missing_markers: tuple[str, ...] | None = None
    header: bool | None = None
    strip: bool | None = None


def refuse_unknown(options: Options, names: Sequence[str], advice: str = "") -> None:
    """Raise an error if `exclude` or `nominal` names a column that is not in the file."""
    known = set(names)
    for parameter in ("exclude", "nominal"):
        for name in getattr(options, parameter):
            if name not in known:
                raise _unknown(parameter, name, names, advice)


def _unknown(parameter: str, name: str, names: Sequence[str], advice: str) -> InputError:
    return InputError(
        Parameter(parameter),
        f" names {name!r}, {unknown_name(name, names)}",
        advice,
        accepted=tuple(names),
    )


def target_column(target: str | int, names: Sequence[str], advice: str = "") -> str:
    """Return the target column, given by its name, `"last"` or a Python index.

    Text is a name if a column has it, else an index.
    """
    if target in names:
        return str(target)
    if target == "last":
        return names[-1]
    try:
        position = operator.index(target) if not isinstance(target, str) else int(target, 10)
    except (TypeError, ValueError):
        raise _unknown("target", str(target), names, advice) from None
    if isinstance(target, bool) or not -len(names) <= position < len(names):
        raise InputError(
            Parameter("target"),
            f" must be the name of a column, 'last', or a position from {-len(names)} to "
            f"{len(names) - 1} (0 is the first, -1 the last), got {target!r}",
            advice,
        )
    return names[position]


def if_data(names: Sequence[str]) -> Note:
    """Return advice in case the names are data, or text with spaces."""
    if any(name != name.strip() for name in names):
        return Note(
            "; some names have spaces around them: pass ",
            Parameter("strip", True),
            " to take spaces off",
        )
    if not any(re.fullmatch(r"\s*[+-]?\d[\d.,]*([eE][+-]?\d+)?\s*", name) for name in names):
        return Note()
    return Note(
        "; if the first line is data, not names, put a line of names above it, or pass ",
        Parameter("header", False),
        f" and call the columns c1 to c{len(names)}",
    )


Reader = Callable[[Source, Options], "pl.DataFrame"]

PACKED_SUFFIXES = (".gz", ".bz2", ".xz")
FIRST_BYTES = 1 << 16


@dataclass(frozen=True)
class FileFormat:
    """A format of tables in files.

    Attributes
    ----------
    name : str
        Its name for `format=` and `--format`.
    title : str
        Its name in messages and documentation.
    read : callable
        `read(source, options)` returns a polars frame without the columns `options.exclude`, and
        with `options.nominal` as text. `source.read_text()` returns the decompressed text,
        `source.error(...)` an InputError that names the file.
    suffixes : tuple of str
        File suffixes, with the dot.
    options : frozenset of str
        Those of `delimiter`, `missing_markers`, `encoding`, `header` and `strip` that it supports.
    begins : callable
        Whether a file without a known suffix has this format, given its first bytes.
    """

    name: str
    title: str
    read: Reader
    suffixes: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    begins: Callable[[bytes], bool] = lambda head: False


FORMATS: dict[str, FileFormat] = {}
"""All formats, by name."""


def register_format(format: FileFormat) -> FileFormat:
    """Register a format for `read_table` and the command line.

    Parameters
    ----------
    format : FileFormat
        Its name and its suffixes must be new.

    Examples
    --------
    >>> import polars as pl
    >>> from deacs.tables.files import FORMATS, FileFormat, register_format
    >>> def read(source, options):
    ...     rows = [line.split() for line in source.read_text().decode().splitlines()]
    ...     return pl.DataFrame(rows, schema=["word", "kind"], orient="row")
    >>> _ = register_format(FileFormat("words", "a list of words", read, suffixes=(".words",)))
    >>> _ = FORMATS.pop("words")
    """
    taken = {suffix: known.name for known in FORMATS.values() for suffix in known.suffixes}
    for suffix in format.suffixes:
        if suffix in taken or not suffix.startswith("."):
            raise InputError(
                f"suffixes must begin with a dot and be new, got {suffix!r}"
                + (f", which is {taken[suffix]!r}" if suffix in taken else "")
            )
    if format.name in FORMATS:
        raise InputError(f"formats must have different names, got {format.name!r} again")
    FORMATS[format.name] = format
    return format


def resolve_format(path: Path, format: str | None) -> str:
    """Return the given format, or detect it from the file's suffix or first bytes."""
    if format is not None and format not in FORMATS:
        raise InputError(
            Parameter("format"),
            f" must be one of {', '.join(map(repr, FORMATS))}, got {format!r}",
            accepted=tuple(FORMATS),
        )
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in PACKED_SUFFIXES:
        suffixes.pop()
    by_suffix = (known for known in FORMATS.values() if {*suffixes[-1:]} & {*known.suffixes})
    found = next(by_suffix, None) if format is None else FORMATS[format]
    source = Source(path, "a table" if found is None else found.title)
    source.refuse_unreadable()
    if found is None:
        head = source.first_bytes(FIRST_BYTES)
        found = next((known for known in FORMATS.values() if known.begins(head)), FORMATS["csv"])
    return found.name


def _reader(module: str, **said: Any) -> Reader:
    """Return a reader that is imported when it is called, with fixed options of the format."""

    def read(source: Source, options: Options) -> pl.DataFrame:
        reader = import_needing_extras(f"deacs.tables.files.{module}", "read_table")
        frame: pl.DataFrame = reader.read(source, replace(options, **said))
        return frame

    return read


def _begins_as_arff(head: bytes) -> bool:
    lines = (line.strip().lower() for line in head.splitlines())
    first = next((line for line in lines if line and not line.startswith(b"%")), b"")
    return first.startswith((b"@relation", b"@attribute"))


OF_TEXT = frozenset(("missing_markers", "encoding", "header", "strip"))

for _known in (
    FileFormat("csv", "CSV", _reader("delimited"), (".csv",), OF_TEXT | {"delimiter"}),
    FileFormat("tsv", "TSV", _reader("delimited", delimiter="tab"), (".tsv", ".tab"), OF_TEXT),
    FileFormat(
        "parquet",
        "Parquet",
        _reader("parquet"),
        (".parquet", ".pq"),
        begins=lambda head: head.startswith(b"PAR1"),
    ),
    FileFormat(
        "arff", "ARFF", _reader("arff"), (".arff",), frozenset(("encoding",)), _begins_as_arff
    ),
    FileFormat("libsvm", "libsvm", _reader("libsvm"), (".libsvm", ".svm", ".svmlight")),
):
    register_format(_known)
