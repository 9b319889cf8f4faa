"""`read_table`: read a file as a polars frame, with the column types that it declares.

| format | suffix | declares which columns are nominal |
|---|---|---|
| CSV, TSV | `.csv`, `.tsv`, `.tab`, anything unknown | no |
| Parquet | `.parquet`, `.pq` | text, categories, enumerations, booleans |
| ARFF | `.arff` | `{a, b, c}` |
| libsvm | `.libsvm`, `.svm`, `.svmlight` | no |

Text formats may be compressed (`.gz`, `.bz2`, `.xz`). See `docs/files.md` for details. Other
formats can be added with `register_format`.
"""

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from deacs.exceptions import InputError, Parameter
from deacs.tables.files.formats import (
    FORMATS,
    FileFormat,
    Options,
    ReadOptions,
    if_data,
    register_format,
    resolve_format,
    target_column,
)
from deacs.tables.files.source import Source

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "FORMATS",
    "FileFormat",
    "Options",
    "Source",
    "read_options",
    "read_table",
    "register_format",
    "resolve_format",
]


@overload
def read_table(
    path: str | Path,
    *,
    target: None = None,
    **options: Unpack[ReadOptions],
) -> "pl.DataFrame": ...


@overload
def read_table(
    path: str | Path,
    *,
    target: str | int,
    **options: Unpack[ReadOptions],
) -> "tuple[pl.DataFrame, pl.Series]": ...


def read_table(
    path: str | Path,
    *,
    target: str | int | None = None,
    exclude: Iterable[str] = (),
    nominal: Iterable[str] = (),
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing_markers: Iterable[str] | None = None,
    header: bool = True,
    strip: bool = False,
    drop_unlabelled: bool = False,
) -> "pl.DataFrame | tuple[pl.DataFrame, pl.Series]":
    """Read a table from a file: CSV, TSV, Parquet, ARFF or libsvm.

    Parameters
    ----------
    path : str or Path
        The file, or the address of CSV, TSV or Parquet as polars reads it, such as
        `s3://bucket/key.csv`. Text formats may be compressed with gzip, bzip2 or xz.
    target : str, int or None, default=None
        The class column: its name, `"last"`, or its position among the columns that are not
        excluded (0 is the first, -1 the last). If given, the features and the classes are
        returned separately, ready for `fit`.
    exclude : names, default=()
        Columns to exclude, such as identifiers.
    nominal : names, default=()
        Columns of numbers or dates that are categories; they are read as text.
    format : {"csv", "tsv", "parquet", "arff", "libsvm"} or None, default=None
        Or a format added by `register_format`. None: detected from the suffix, or else from the
        first bytes.
    delimiter : str or None, default=None
        CSV only: one character, or `"tab"`. None: detected from the first lines, among comma, tab,
        semicolon, bar and space.
    encoding : str or None, default=None
        CSV, TSV and ARFF: an encoding that Python knows. None: UTF-8, or the encoding of the byte
        order mark.
    missing_markers : strings or None, default=None
        CSV and TSV: markers of missing values besides the empty string. None: `?`, `NA`, `N/A`,
        `NaN`, `nan`, `NULL`, `null`, `None`.
    header : bool, default=True
        CSV and TSV: whether the first line holds the column names. If not, columns are named
        `c1`, `c2`, ...
    strip : bool, default=False
        CSV and TSV: strip spaces around names and text, which some programs write after commas.
    drop_unlabelled : bool, default=False
        Drop rows with a missing class; otherwise they raise an error.

    Returns
    -------
    polars.DataFrame, or (polars.DataFrame, polars.Series) with `target`
        Columns that the file declares nominal are String, Categorical, Enum or Boolean, so that
        every selector treats them as nominal.

    Warns
    -----
    UserWarning
        If columns of CSV or TSV were read as dates, are dates of several possible readings, or
        have values that differ only in the spaces around them.

    Raises
    ------
    InputError
        If the file cannot be read; the message names the file, and the line if it is known.
    StorageError
        If the storage behind an address fails.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from deacs import read_table
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "weather.csv"
    ...     _ = path.write_text("day;wind;play\\n1;calm;yes\\n2;?;no\\n")
    ...     X, y = read_table(path, target="play", exclude=["day"])
    >>> X["wind"].to_list(), y.to_list()
    (['calm', None], ['yes', 'no'])
    """
    options = read_options(
        target=target,
        exclude=exclude,
        nominal=nominal,
        delimiter=delimiter,
        encoding=encoding,
        missing_markers=missing_markers,
        header=header,
        strip=strip,
    )
    if "://" in str(path):
        from deacs.tables.files.addresses import read_address

        frame, may_be_data = read_address(str(path), options), False
    else:
        found = FORMATS[resolve_format(Path(path), format)]
        _refuse_idle(found, options)
        frame = found.read(Source(Path(path), found.title), options)
        may_be_data = "header" in found.options and header
    if target is None:
        return frame
    advice = if_data(frame.columns) if may_be_data else ""
    target = target_column(target, frame.columns, advice)
    if drop_unlabelled:
        frame = frame.filter(frame[target].is_not_null())
    return _split(frame, target)


def read_options(*, target: str | int | None = None, **given: Unpack[ReadOptions]) -> Options:
    """Validate the options of `read_table` for all formats."""
    options = Options(
        exclude=tuple(name for name in _names(given, "exclude") or () if name != target),
        nominal=_names(given, "nominal") or (),
        delimiter=given.get("delimiter"),
        encoding=given.get("encoding"),
        missing_markers=_names(given, "missing_markers"),
        header=None if given.get("header", True) else False,
        strip=given.get("strip") or None,
    )
    try:
        "".encode(options.encoding or "utf-8")
    except (LookupError, ValueError, TypeError):
        raise InputError(
            Parameter("encoding"),
            " must be a name that Python knows, such as 'utf-8', 'cp1252' or 'utf-16', got "
            f"{options.encoding!r}",
        ) from None
    return options


def _names(options: ReadOptions, parameter: str) -> tuple[str, ...] | None:
    given: Any = options.get(parameter)
    if given is None:
        return None
    if isinstance(given, str):
        raise InputError(
            Parameter(parameter), f" must be a list of names, got {given!r}; pass [{given!r}]"
        )
    names = tuple(given)
    for name in names:
        if not isinstance(name, str):
            raise InputError(Parameter(parameter), f" must hold names of columns, got {name!r}")
    return tuple(dict.fromkeys(names))


def _refuse_idle(format: FileFormat, options: Options) -> None:
    for field in fields(options):
        said = getattr(options, field.name)
        takes = [known for known in FORMATS.values() if field.name in known.options]
        if said is not None and takes and format not in takes:
            shown = " and ".join(known.title for known in takes)
            raise InputError(
                Parameter(field.name),
                f" applies to {shown} only, and this is {format.title}; leave it out, or say which "
                "format the file has with ",
                Parameter("format"),
            )


def _split(frame: "pl.DataFrame", target: str) -> "tuple[pl.DataFrame, pl.Series]":
    y = frame[target]
    if y.null_count() > 0:
        first = int(y.is_null().arg_max() or 0)
        raise InputError(
            Parameter("target"),
            f" {target!r} must not have missing values, got {y.null_count()} (the first in data "
            f"row {first + 1}); name their class, or pass ",
            Parameter("drop_unlabelled", True),
            " to leave these rows out",
        )
    return frame.drop(target), y
