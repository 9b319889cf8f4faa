"""CSV, TSV and similar files, with a header line and one row per line; read by polars as text.

Each column is then read as numbers, truth values or dates if all of its values have one reading.
If polars cannot read a file, the csv module, which is slower and stricter, finds the bad line.

A delimiter must split the header into two or more fields, and every line into as many. If several
do, the one with the most fields wins; a space only if nothing else splits the header. If none does,
the one that fits most lines wins, and the error names the other lines.

Headers of Orange give types and roles in two more lines, or before each name (`mS#name`,
`cD#iris`): Orange Visual Programming, "Loading your data" (Orange 3 documentation).
"""

import csv
import io
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import polars as pl

from deacs.exceptions import InputError, Note, Parameter
from deacs.tables.files.formats import Options, if_data, refuse_unknown
from deacs.tables.files.source import Source
from deacs.tables.names import frames_to_user, listed, refuse_repeated

if TYPE_CHECKING:
    from _csv import Reader

__all__ = [
    "DELIMITERS",
    "MISSING_MARKERS",
    "aligned",
    "as_numbers",
    "column_names",
    "date_readings",
    "is_quoted",
    "nulls",
    "read",
    "read_columns_of_text",
    "records",
    "refuse_malformed",
    "resolve_delimiter",
    "sharpened",
    "sniff_delimiter",
    "tell_of_dates",
]

# If one of them is a category after all, little is lost: missing is a value of its own.
MISSING_MARKERS = ("", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None")
FIRST_ROWS = 1 << 8
IF_A_TITLE = "; if line 1 is a title, remove the lines above the column names"
INTEGER = r"^\s*[+-]?\d+\s*$"
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
    refuse_unknown(options, names, advice)
    frame = _parse(source, text, delimiter, names, options)
    if frame.height == 0:
        raise InputError(f"{source} has a header but no rows")
    if orange is not None:
        warnings.warn(orange.note, stacklevel=frames_to_user())
    return read_columns_of_text(frame.drop(options.exclude), delimiter, options)


def read_columns_of_text(frame: pl.DataFrame, delimiter: str, options: Options) -> pl.DataFrame:
    """Find the types of columns of text."""
    if options.strip:
        frame = frame.with_columns(pl.all().str.strip_chars().replace(nulls(options)))
    as_text = set(options.nominal)
    texts = [column for column in frame if column.name not in as_text]
    columns = [sharpened(column, decimal_comma=delimiter == ";") for column in texts]
    frame = frame.with_columns(columns)
    if not options.strip:
        _warn_of_spaces(frame)
    tell_of_dates(columns)
    return frame


def aligned(text: bytes, delimiter: str) -> bytes:
    """Replace the spaces that align columns by single spaces."""
    if delimiter != " " or b'"' in text:
        return text
    return re.sub(rb"(?m)^ +| +$", b"", re.sub(rb" {2,}", b" ", text))


def column_names(
    source: Source, text: bytes, delimiter: str, options: Options
) -> tuple[list[str], str]:
    """Return the column names, and advice in case they are data."""
    try:
        first: list[str] = next(records(text, delimiter), [])
    except csv.Error as error:
        raise source.error(f"{error}", 1) from None
    if not first:
        raise InputError(f"{source} begins with an empty line; a header line is needed")
    if text[:4] == b"sep=" and len(text.partition(b"\n")[0]) <= 5:
        raise source.error("sep= is an instruction to Excel, not a header; remove this line", 1)
    if options.header is False:
        return [f"c{k}" for k in range(1, len(first) + 1)], ""
    if find_header(text, delimiter) is not None:
        raise source.error(
            "its header is Orange's; read it with read_table, or write one line of names", 1
        )
    advice = if_data(first)
    if options.strip:
        first = [name.strip() for name in first]
    refuse_repeated(first, str(source), advice or "; rename them")
    return first, advice


def is_quoted(text: bytes, delimiter: str) -> bool:
    """Whether a field begins with a quote; else quotes are part of the text, such as inches."""
    if b'"' not in text:  # much faster to find out
        return False
    return text.startswith(b'"') or any(
        before + b'"' in text for before in (b"\n", delimiter.encode())
    )


def _parse(
    source: Source, text: bytes, delimiter: str, names: list[str], options: Options
) -> pl.DataFrame:
    """Parse text as columns of these names, whatever polars makes of the header."""
    quotes = is_quoted(text, delimiter)
    # Without a final newline polars ignores a delimiter at the end.
    whole = text if text.endswith(b"\n") else text + b"\n"
    if options.header is False:
        whole = f"{delimiter.join(names)}\n".encode() + whole
    try:
        frame = pl.read_csv(
            whole,
            separator=delimiter,
            quote_char='"' if quotes else None,
            null_values=list(nulls(options)),
            infer_schema=False,
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        refuse_malformed(source, records(text, delimiter), len(names))
        _refuse_stray_quotes(source, text, delimiter)
        raise source.error(str(error).strip().partition("\n")[0]) from error
    # polars fills short lines with nulls, and accepts some malformed quotes.
    if quotes or (frame.height > 0 and frame[:, -1].null_count() > 0):
        refuse_malformed(source, records(text, delimiter), len(names))
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    frame.columns = names
    return frame


def nulls(options: Options) -> dict[str, None]:
    """Return the markers of missing values."""
    markers = options.missing_markers
    return dict.fromkeys(MISSING_MARKERS if markers is None else ("", *markers))


def refuse_malformed(source: Source, reader: Any, n_fields: int) -> None:
    """Raise an error for the first record with another number of fields or a malformed quote."""
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


def tell_of_dates(columns: Sequence[pl.Series]) -> None:
    """Warn about columns that were read as dates, and about dates that have several readings."""
    dated = [column.name for column in columns if column.dtype.is_temporal()]
    if dated:
        warnings.warn(
            Note(
                f"{listed(dated)}: read as dates, which count as numbers (seconds since 1970)",
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
    """Convert text to numbers, truth values or dates, if all values have one reading together."""
    if column.null_count() == len(column):
        return column
    numbers = as_numbers(column)
    if numbers is not None:
        return numbers
    stripped = column.str.strip_chars()
    if decimal_comma and _has_decimal_commas(column):
        stripped = stripped.str.replace(",", ".", literal=True)
    if stripped.str.contains("^(?i:true|false)$").all():
        return stripped.str.to_lowercase() == "true"
    numbers = as_numbers(stripped)
    if numbers is not None:
        return numbers
    dates = date_readings(stripped)
    return dates[0] if len(dates) == 1 else column


def as_numbers(text: pl.Series) -> pl.Series | None:
    """Return text as integers or floats; None if a value is neither.

    Integers that do not all fit in 64 bits are identifiers and stay text, as floats would merge
    them.
    """
    first = text.head(FIRST_ROWS)  # where most columns of words say so
    for dtype in (pl.Int64, pl.Float64):
        numbers = _cast(text, dtype) if _cast(first, dtype) is not None else None
        if numbers is not None:
            return numbers
        if first.str.contains(INTEGER).all() and text.str.contains(INTEGER).all():
            return None
    return None


def _cast(text: pl.Series, dtype: type[pl.DataType]) -> pl.Series | None:
    numbers = text.cast(dtype, strict=False)
    return numbers if numbers.null_count() == text.null_count() else None


def _has_decimal_commas(column: pl.Series) -> bool:
    """Whether all are numbers, and a comma such as that of `0,125` or `1,5` cannot be thousands.

    Each column speaks for itself, as files larger than memory are read by the column.
    """
    is_number = column.str.contains(DECIMAL_COMMA).all()
    return is_number and not column.str.contains(MAYBE_THOUSANDS).all()


DELIMITERS = (",", "\t", ";", "|", " ")
NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
SAMPLE_BYTES = 1 << 18
SAMPLE_RECORDS = 100


def resolve_delimiter(delimiter: str) -> str:
    """Return the delimiter given by the caller as one character."""
    character = NAMED.get(delimiter.lower(), delimiter)
    if len(character) != 1 or character in '"\n\r' or not character.isascii():
        raise InputError(
            Parameter("delimiter"),
            " must be one ASCII character other than a quote or a line end, or 'tab', got "
            f"{delimiter!r}; leave it out to detect it",
        )
    return character


def sniff_delimiter(text: bytes) -> str:
    """Find the delimiter of a table from its first hundred lines."""
    sample = text[:SAMPLE_BYTES]
    # The last line of a sample may be incomplete.
    whole = sample[: sample.rfind(b"\n") + 1] if len(text) > SAMPLE_BYTES else sample
    lines = (whole or sample).decode("utf-8", errors="replace")
    return max(DELIMITERS, key=lambda delimiter: _fitness(lines, delimiter))


def records(text: bytes, delimiter: str) -> "Reader":
    """Read records with the csv module, which raises an error for malformed quotes."""
    file = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
    return csv.reader(file, delimiter=delimiter, strict=True, skipinitialspace=delimiter == " ")


def _fitness(lines: str, delimiter: str) -> tuple[bool, bool, float, int]:
    """Rank a delimiter: it splits the header, is visible, fits many lines, makes many fields."""
    reader = records(lines.encode(), delimiter)
    lengths = []
    try:
        for fields in reader:
            if fields:
                lengths.append(len(fields))
            if len(lengths) > SAMPLE_RECORDS:
                break
    except csv.Error:
        pass  # the reader reports malformed quotes
    if not lengths or lengths[0] < 2:
        return False, False, 0.0, 0
    share = sum(n == lengths[0] for n in lengths) / len(lengths)
    return True, delimiter != " ", share, lengths[0]


NOMINAL = {"d", "discrete", "categorical", "s", "string", "text"}
TYPES = {"", "c", "continuous", "numeric", "n", "t", "time", *NOMINAL}
ROLES = {"class": "c", "meta": "m", "ignore": "i", "weight": "w"}
VALUES = re.compile(r"\S+( \S+)+")
ATTRIBUTE = re.compile(r"\w+=.*")
PREFIXED = re.compile(r"([CDNST]?[cimw]|[cimw]?[CDNST])#(.+)", re.DOTALL)


@dataclass(frozen=True)
class OrangeHeader:
    """What a header of Orange declares.

    Attributes
    ----------
    text : bytes
        The file with a plain header; its lines have the numbers of before.
    nominal : tuple of str
        The columns that are discrete or text.
    note : Note
        The class columns, and those that Orange does not learn from.
    """

    text: bytes
    nominal: tuple[str, ...]
    note: Note


def find_header(text: bytes, delimiter: str) -> OrangeHeader | None:
    """Return what a header of Orange declares, or None if the file has a plain one."""
    reader = records(text, delimiter)
    try:
        rows = list(islice(reader, 1))
        if rows and (one := _prefixed(rows[0])):
            names, types, roles = one
        else:
            rows += islice(reader, 2)
            if len(rows) < 3 or not _declares(*rows):
                return None
            names, types, roles = rows
    except csv.Error:
        return None
    header = io.StringIO()
    csv.writer(header, delimiter=delimiter, lineterminator="\n").writerow(names)
    n_lines = reader.line_num
    rest = text.split(b"\n", n_lines)[n_lines:]
    # Empty lines, which are skipped, keep the numbers of the others in errors.
    plain = header.getvalue().encode() + b"\n" * (n_lines - 1) + b"".join(rest)
    short = [{ROLES.get(word, word) for word in role.split()} for role in roles]
    classes = [name for name, role in zip(names, short, strict=True) if "c" in role]
    apart = [name for name, role in zip(names, short, strict=True) if role & {"m", "i", "w"}]
    parts: list[str | Parameter] = [f"the header is Orange's; class: {listed(classes) or 'none'}"]
    if apart:
        parts += [f"; {listed(apart)}: not a feature, so leave out with "]
        parts += [Parameter("exclude", apart)]
    return OrangeHeader(
        plain,
        tuple(n for n, t in zip(names, types, strict=True) if t in NOMINAL or VALUES.fullmatch(t)),
        Note(*parts, kind="orange"),
    )


def _prefixed(fields: list[str]) -> tuple[list[str], list[str], list[str]] | None:
    """Return names, types and roles of a header with prefixes.

    Some prefix must name a role, or every column must have one: `C#minor` may be a name.
    """
    found = [PREFIXED.fullmatch(field) for field in fields]
    flags = ["" if match is None else match[1] for match in found]
    if not (all(flags) or any(re.search("[cimw]", flag) for flag in flags)):
        return None
    names = [field if m is None else m[2] for field, m in zip(fields, found, strict=True)]
    types = ["".join(filter(str.isupper, flag)).lower() for flag in flags]
    return names, types, ["".join(filter(str.islower, flag)) for flag in flags]


def _declares(names: list[str], types: list[str], roles: list[str]) -> bool:
    """Whether the second and third line are types and roles, as no line of data would be."""
    words = {word for role in roles for word in role.split() if not ATTRIBUTE.fullmatch(word)}
    return (
        len(names) == len(types) == len(roles)
        and any(types)
        and all(type in TYPES or VALUES.fullmatch(type) for type in types)
        and any(type in TYPES - {""} for type in types)
        and words <= {*ROLES, *ROLES.values()}
        and (not words or bool(words & {*ROLES}))
    )


FORM = re.compile(
    r"(?:\d{4}(?P<iso>[-/.])\d\d?(?P=iso)\d\d?"
    r"|\d\d?(?P<mark>[-/.])\d\d?(?P=mark)(?P<year>\d{4}|\d\d)"
    r"|\d\d?(?P<gap>[- ])[A-Za-z]{3,9}(?P=gap)\d{4}"
    r"|[A-Za-z]{3,9} \d\d?(?P<comma>,?) \d{4})"
    r"(?P<time>(?P<before>[T ])\d\d?:\d\d(?P<seconds>:\d\d(?:\.\d+)?)?(?P<half>\s?[AaPp][Mm])?"
    r"(?P<zone>\s?(?:Z|[+-]\d\d:?\d\d))?)?"
)

YEARS = (1000, 9999)
"""Years of four digits."""
YEARS_IN_TWO_DIGITS = (1969, 2038)
"""Years of two digits that are of one century to most programs; 45 may be 1945 or 2045."""


def date_readings(column: pl.Series) -> list[pl.Series]:
    """Return a text column as dates or times, once for each way to read all of its values.

    The first value tells the form. `2007-11-25`, `25 Nov 2007` and `Nov 25, 2007` have one reading;
    `11/10/2007` has two unless some number in the column is above 12, and `11-10-07` may begin with
    the year as well.

    Examples
    --------
    >>> [dates] = date_readings(pl.Series(["11/11/07", None, "25/11/07"]))
    >>> dates.to_list()
    [datetime.date(2007, 11, 11), None, datetime.date(2007, 11, 25)]
    >>> len(date_readings(pl.Series(["11/10/07", "9/10/07"])))
    2
    """
    first = column.drop_nulls().head(1).to_list()
    form = FORM.fullmatch(first[0]) if first else None
    if form is None:
        return []
    years = YEARS if form["year"] is None or len(form["year"]) == 4 else YEARS_IN_TWO_DIGITS
    found: list[pl.Series] = []
    for format in _formats(form):
        dates = _parsed(column, format, years, has_time=form["time"] is not None)
        if dates is not None and not any(dates.equals(other) for other in found):
            found.append(dates)
    return found


def _formats(form: re.Match[str]) -> list[str]:
    """Return the formats in which a value may be written."""
    if mark := form["iso"]:
        dates = [f"%Y{mark}%m{mark}%d"]
    elif mark := form["mark"]:
        year = "%Y" if len(form["year"]) == 4 else "%y"
        dates = [f"%d{mark}%m{mark}{year}", f"%m{mark}%d{mark}{year}"]
        if year == "%y" and mark == "-":
            dates.append("%y-%m-%d")
    elif gap := form["gap"]:
        dates = [f"%d{gap}%B{gap}%Y"]
    else:
        dates = [f"%B %d{form['comma']} %Y"]
    if form["time"] is None:
        return dates
    time = "%H:%M" if form["half"] is None else "%I:%M"
    time += "" if form["seconds"] is None else ":%S%.f"
    time += "" if form["half"] is None else form["half"][:-2] + "%p"
    time += "" if form["zone"] is None else " " * form["zone"].startswith(" ") + "%z"
    return [date + form["before"] + time for date in dates]


def _parsed(
    column: pl.Series, format: str, years: tuple[int, int], *, has_time: bool
) -> pl.Series | None:
    """Return all values read in a format, or None if one of them does not have it."""
    if format.endswith("%z"):
        column = column.str.replace("Z$", "+0000")
    unit = pl.Datetime("us") if has_time else pl.Date()
    dates = column.str.strptime(unit, format, strict=False)
    if dates.null_count() > column.null_count():
        return None
    return dates if dates.dt.year().is_between(*years).all() else None
