"""The registry of file formats: name, title, suffixes and options of each.

Readers are imported when they are first called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deacs._extras import import_needing_extras
from deacs.exceptions import InputError, Parameter
from deacs.tables.files.options import Options
from deacs.tables.files.source import Source

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FORMATS", "FileFormat", "register_format", "resolve_format"]

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


def resolve_format(path: Path, format: str | None, name: str = "") -> str:
    """Return the given format, or detect it from the file's suffix or first bytes.

    Messages refer to the file by `name`, if given.
    """
    if format is not None:
        if format not in FORMATS:
            accepted = ", ".join(repr(name) for name in FORMATS)
            raise InputError(
                Parameter("format"),
                f" must be one of {accepted}, got {format!r}",
                accepted=tuple(FORMATS),
            )
        Source(path, FORMATS[format].title, name).refuse_unreadable()
        return format
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in PACKED_SUFFIXES:
        suffixes.pop()
    last = suffixes[-1] if suffixes else ""
    found = next((known for known in FORMATS.values() if last in known.suffixes), None)
    source = Source(path, "a table" if found is None else found.title, name)
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
