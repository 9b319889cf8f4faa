"""CSV, TSV and similar files, with a header line and one row per line; read by polars.

If polars cannot read a file, the csv module, which is slower and stricter, finds the bad line.
"""

import csv
import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from deacs.exceptions import InputError, InPython, Note, Parameter
from deacs.tables.callers import frames_to_user
from deacs.tables.files.dates import date_readings
from deacs.tables.files.delimiter import records, resolve_delimiter, sniff_delimiter
from deacs.tables.files.names import if_data, refuse_unknown
from deacs.tables.files.options import Options
from deacs.tables.files.orange import find_header
from deacs.tables.files.source import Source
from deacs.tables.names import listed, refuse_repeated

__all__ = ["MISSING_MARKERS", "aligned", "column_names", "read", "refuse_malformed", "sharpened"]

# If one of them is a category after all, little is lost: missing is a value of its own.
MISSING_MARKERS = ("", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None")
FIRST_ROWS = 1 << 8
IF_A_TITLE = "; if line 1 is a title, remove the lines above the column names"
DECIMAL_COMMA = r"^\s*[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?\s*$"
# `1,511` may be thousands, as nothing shows that it is not.
MAYBE_THOUSANDS = r"^([^,]*|\s*[+-]?[1-9]\d{0,2},\d{3}\s*)$"


def read(source: Source, options: Options) -> pl.DataFrame:
    """Read a table with a header line, and infer the type of each column."""
    text = source.read_text(options.encoding)
    said = options.delimiter
    delimiter = sniff_delimiter(text) if said is None else resolve_delimiter(said)
    text = aligned(text, delimiter)
    orange = None if options.header is False else find_header(text, delimiter)
    if orange is not None:
        text = orange.text
        options = replace(options, nominal=(*options.nominal, *orange.nominal))
    names, advice = column_names(source, text, delimiter, options)
    if options.strip:
        names = [name.strip() for name in names]
        refuse_repeated(names, str(source))
    refuse_unknown(options, names, advice)
    frame = _parse(source, text, delimiter, names, options)
    if frame.height == 0:
        raise InputError(f"{source} has a header but no rows")
    frame = frame.drop(options.exclude)
    if orange is not None:
        orange.tell()
    if options.strip:
        frame = frame.with_columns(pl.col(pl.String).str.strip_chars().replace(_nulls(options)))
    else:
        _warn_of_spaces(frame)
    as_text = set(options.nominal)
    texts = [c for c in frame.select(pl.col(pl.String)) if c.name not in as_text]
    columns = [sharpened(column, decimal_comma=delimiter == ";") for column in texts]
    _tell_of_dates(columns)
    return frame.with_columns(columns)


def aligned(text: bytes, delimiter: str) -> bytes:
    """Replace the spaces that align columns by single spaces."""
    if delimiter != " " or b'"' in text:
        return text
    return re.sub(rb"(?m)^ +| +$", b"", re.sub(rb" {2,}", b" ", text))


def column_names(
    source: Source, text: bytes, delimiter: str, options: Options
) -> tuple[list[str], str]:
    """Return the column names, and advice in case they are data."""
    first = _first_line(source, text, delimiter)
    if options.header is False:
        return [f"c{k}" for k in range(1, len(first) + 1)], ""
    if find_header(text, delimiter) is not None:
        raise source.error(
            "its header is Orange's; read it with read_table, or write one line of names", 1
        )
    advice = if_data(first)
    refuse_repeated(first, str(source), advice or "; rename them")
    return first, advice


def _first_line(source: Source, text: bytes, delimiter: str) -> list[str]:
    reader = records(text, delimiter)
    try:
        names: list[str] = next(reader, [])
    except csv.Error as error:
        raise source.error(f"{error}", 1) from None
    if not names:
        raise InputError(f"{source} begins with an empty line; a header line is needed")
    if text[:4] == b"sep=" and len(text.partition(b"\n")[0]) <= 5:
        raise source.error("sep= is an instruction to Excel, not a header; remove this line", 1)
    return names


def _parse(
    source: Source, text: bytes, delimiter: str, names: list[str], options: Options
) -> pl.DataFrame:
    """Parse text as columns of these names, whatever polars makes of the header."""
    # If no field begins with a quote, quotes are part of the text, such as inches.
    is_quoted = text.startswith(b'"') or any(
        before + b'"' in text for before in (b"\n", delimiter.encode())
    )
    parsing: dict[str, Any] = {
        "separator": delimiter,
        "quote_char": '"' if is_quoted else None,
        "null_values": list(_nulls(options)),
    }
    # Without a final newline polars ignores a delimiter at the end.
    whole = text if text.endswith(b"\n") else text + b"\n"
    if options.header is False:
        whole = f"{delimiter.join(names)}\n".encode() + whole
    try:
        if options.nominal:  # polars keeps quotes in names doubled, so it is asked for its names
            written = pl.read_csv(whole, **parsing, n_rows=0, infer_schema=False).columns
            as_text = set(options.nominal)
            parsing["schema_overrides"] = {
                theirs: pl.String
                for theirs, name in zip(written, names, strict=False)
                if name in as_text
            }
        frame = _inferred(whole, parsing)
    except pl.exceptions.NoDataError:
        raise InputError(f"{source} is empty; a header line and data are needed") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        if is_quoted or "field" in str(error):
            refuse_malformed(source, text, delimiter, len(names))
            _refuse_stray_quotes(source, text, delimiter)
        raise source.error(str(error).strip().partition("\n")[0]) from error
    # polars fills short lines with nulls, and accepts some malformed quotes.
    if is_quoted or (frame.height > 0 and frame[:, -1].null_count() > 0):
        refuse_malformed(source, text, delimiter, len(names))
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    frame.columns = names
    return frame


def _nulls(options: Options) -> dict[str, None]:
    """Return the markers of missing values."""
    markers = options.missing_markers
    return dict.fromkeys(MISSING_MARKERS if markers is None else ("", *markers))


def _inferred(text: bytes, parsing: dict[str, Any]) -> pl.DataFrame:
    """Infer types from the first rows, which is much faster, or from all rows if that fails.

    Columns that polars infers as integers but cannot parse, such as digits of other scripts, are
    read as text and typed by `sharpened`.
    """
    for length in (FIRST_ROWS, None):
        try:
            return pl.read_csv(text, **parsing, infer_schema_length=length)
        except pl.exceptions.ComputeError:
            continue
    return pl.read_csv(text, **parsing, infer_schema=False)


def refuse_malformed(source: Source, text: bytes, delimiter: str, n_fields: int) -> None:
    """Raise an error for the first line with another number of fields or a malformed quote."""
    reader = records(text, delimiter)
    begins, n_good = 1, 0
    try:
        for fields in reader:
            if len(fields) != n_fields and fields:
                noun = "field" if len(fields) == 1 else "fields"
                raise InputError(
                    f"{source}, line {begins}: {len(fields)} {noun}, but the header has "
                    f"{n_fields}{IF_A_TITLE if n_good == 1 else ''}"
                )
            begins, n_good = reader.line_num + 1, n_good + bool(fields)
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            raise source.error("a quote opens here and never closes", begins) from None
        if "expected after" in str(error):
            raise source.error(
                "text follows a closing quote; double the quotes inside a quoted field",
                reader.line_num,
            ) from None
        raise source.error(f"{error}", reader.line_num) from None


def _refuse_stray_quotes(source: Source, text: bytes, delimiter: str) -> None:
    """Raise an error for the first line in which a quote inside quotes is not doubled."""
    lines = text.split(b"\n")
    reader = records(text, delimiter)
    begins = 0
    for fields in reader:
        needed = sum(2 + 2 * field.count('"') for field in fields if '"' in field)
        if sum(line.count(b'"') for line in lines[begins : reader.line_num]) < needed:
            raise source.error(
                "a quote inside a field without quotes; quote the field and double the quote",
                begins + 1,
            )
        begins = reader.line_num


def _warn_of_spaces(frame: pl.DataFrame) -> None:
    """Warn about values that differ only in spaces, such as `yes` and ` yes`."""
    columns = []
    for column in frame.select(pl.col(pl.String)):
        if column.str.contains(r"^\s|\s$").any():
            values = column.drop_nulls().unique()
            if values.str.strip_chars().n_unique() < len(values):
                columns.append(column.name)
    if columns:
        warnings.warn(
            Note(
                f"{listed(columns)}: some values differ only by the spaces around them, and count "
                "as different; pass ",
                Parameter("strip", True),
                " to take spaces off",
            ),
            stacklevel=frames_to_user(),
        )


def _tell_of_dates(columns: Sequence[pl.Series]) -> None:
    """Warn about columns that were read as dates, and about dates that have several readings."""
    dated = [column.name for column in columns if column.dtype.is_temporal()]
    if dated:
        warnings.warn(
            Note(
                f"{listed(dated)}: read as dates, which count as numbers (seconds since 1970)",
                InPython(f"; pass nominal={dated[:1]} to keep text"),
                kind="dates",
                columns=dated,
            ),
            stacklevel=frames_to_user(),
        )
    texts = [column for column in columns if column.dtype == pl.String]
    unclear = [column for column in texts if len(date_readings(column.str.strip_chars())) > 1]
    if unclear:
        example = unclear[0].drop_nulls()[0]
        warnings.warn(
            Note(
                f"{listed([column.name for column in unclear])}: dates such as {example!r}, in "
                "which day, month and year cannot be told apart, read as text, every day a "
                "category; write them as year-month-day, such as 2007-11-25",
                kind="read as text",
                columns=[column.name for column in unclear],
            ),
            stacklevel=frames_to_user(),
        )


def sharpened(column: pl.Series, *, decimal_comma: bool) -> pl.Series:
    """Convert text to numbers that polars does not recognise (` 1`, `.5`, `inf`, `1,5`), or dates.

    Dates need one form, and one reading of all values together.
    """
    if column.null_count() == len(column):
        return column
    stripped = column.str.strip_chars()
    if decimal_comma and _has_decimal_commas(column):
        stripped = stripped.str.replace(",", ".", literal=True)
    if stripped.str.contains("^(?i:true|false)$").all():
        return stripped.str.to_lowercase() == "true"
    for dtype in (pl.Int64, pl.Int128, pl.Float64):
        numbers = stripped.cast(dtype, strict=False)
        if numbers.null_count() == column.null_count():
            return numbers
    dates = date_readings(stripped)
    return dates[0] if len(dates) == 1 else column


def _has_decimal_commas(column: pl.Series) -> bool:
    """Whether all are numbers, and a comma such as that of `0,125` or `1,5` cannot be thousands.

    Each column speaks for itself, as files larger than memory are read by the column.
    """
    is_number = column.str.contains(DECIMAL_COMMA).all()
    return is_number and not column.str.contains(MAYBE_THOUSANDS).all()
