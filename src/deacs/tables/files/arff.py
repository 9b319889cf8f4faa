"""ARFF, the format of Weka: declared attributes, dense or sparse rows, `?` for missing values.

Reference: I. H. Witten, E. Frank, M. A. Hall, C. J. Pal, Data Mining, 4th edition (2017), section
2.4. Where that is silent, files are read as Weka 3.9 reads them.
"""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from deacs.exceptions import InputError, Note, Parameter
from deacs.tables.files.delimited import as_numbers
from deacs.tables.files.formats import Options, refuse_unknown
from deacs.tables.files.source import Source
from deacs.tables.names import refuse_repeated

__all__ = ["read"]


def read(source: Source, options: Options) -> pl.DataFrame:
    """Read an ARFF file; nominal attributes are Enum in the declared order.

    Notes
    -----
    The time is linear in the length of the file (for sparse rows, of the table). A `numeric` or
    `integer` attribute is Int64 if all its values are written as integers, as in a CSV file, else
    Float64; a `real` attribute is always Float64.
    """
    text = io.TextIOWrapper(io.BytesIO(source.read_text(options.encoding)), encoding="utf-8")
    lines = enumerate(text, start=1)
    attributes = read_header(source, lines)
    refuse_unknown(options, [attribute.name for attribute in attributes])
    columns = {}
    for attribute, words in zip(attributes, read_rows(source, lines, attributes), strict=True):
        if attribute.name in options.exclude:
            continue
        as_text = attribute.name in options.nominal and attribute.kind != "nominal"
        values = words.text if as_text else _typed(source, attribute, words)
        columns[attribute.name] = values if words.places is None else values.gather(words.places)
    return pl.DataFrame(columns)


def _typed(source: Source, attribute: Attribute, words: Words) -> pl.Series:
    text = words.text
    if attribute.kind == "date":
        raise source.error(
            Note(
                f"attribute {attribute.name!r} is a date; derive numbers from it (year, "
                "weekday, seconds since a day), or leave it out with ",
                Parameter("exclude", [attribute.name]),
            ),
            attribute.line,
        )
    if attribute.kind == "string":
        return text
    if attribute.kind in ("numeric", "integer") and (numbers := as_numbers(text)) is not None:
        return numbers.fill_nan(None) if numbers.dtype == pl.Float64 else numbers
    dtype = pl.Enum(attribute.values) if attribute.kind == "nominal" else pl.Float64()
    values = text.cast(dtype, strict=False)
    bad = values.is_null() & text.is_not_null()
    if bad.any():
        first = int(bad.arg_max() or 0)
        expected = "a number" if attribute.kind != "nominal" else _listed(attribute.values)
        raise source.error(
            f"attribute {attribute.name!r} takes {expected}, got {_short(text[first])}",
            words.lines[first],
        )
    if attribute.kind == "real":
        return values.fill_nan(None)
    return values if attribute.kind == "nominal" else text  # integers beyond 64 bits


def _listed(values: Sequence[str]) -> str:
    shown = ", ".join(_short(value) for value in values[:8])
    return f"{shown} and {len(values) - 8} more" if len(values) > 8 else shown or "no values"


def _short(value: str) -> str:
    return repr(value[:40]) + ("..." if len(value) > 40 else "")


SPACE = r"[\x00-\x20]"
SPACES = "".join(map(chr, range(33)))
QUOTES = ("'", '"')
QUOTED = r"'(?:[^'\\]++|\\.)*+'|\"(?:[^\"\\]++|\\.)*+\""
WORD = r"[^\x00-\x20,{}%'\"]++"
VALUE = f"{QUOTED}|{WORD}"
TOKEN = re.compile(
    rf"{SPACE}*+(?:(?P<quoted>{QUOTED})(?=[\x00-\x20,{{}}%]|$)|(?P<word>{WORD})(?!['\"])"
    r"|(?P<mark>[,{}])|(?P<end>%|$))"
)
CLOSED = re.compile(QUOTED)
BLANK = re.compile(f"{SPACE}*+(?:%|$)")
KEYWORD = re.compile(f"{SPACE}*+(@[A-Za-z]+)(?={SPACE}|$)")
ESCAPE = re.compile(r"\\([0-3][0-7]{0,2}|[4-7][0-7]?|.)")
CONTROL = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}

# KEEL writes ranges: real [4.3, 7.9].
TYPE = re.compile(r"(numeric|real|integer|string)(?:\[.*\])?|date.*")


class Token(NamedTuple):
    """A value, or one of `,{}`."""

    text: str
    is_mark: bool = False
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Attribute:
    """A declared column."""

    name: str
    kind: str
    values: tuple[str, ...]
    line: int


def read_header(source: Source, lines: Iterable[tuple[int, str]]) -> list[Attribute]:
    """Read from `lines` up to and including the line `@data`."""
    attributes: list[Attribute] = []
    for number, line in lines:
        if BLANK.match(line):
            continue
        keyword = KEYWORD.match(line)
        match keyword[1].lower() if keyword else "":
            case "@relation" | "@input" | "@inputs" | "@output" | "@outputs":
                continue  # the last four are from KEEL; the caller names the target
            case "@attribute":
                attributes.append(_attribute(source, number, line))
            case "@data":
                if not attributes:
                    raise source.error("@data comes before any @attribute", number)
                refuse_repeated([a.name for a in attributes], str(source))
                return attributes
            case _:
                raise source.error(
                    f"{_short(line.strip())} is none of @relation, @attribute and @data", number
                )
    raise source.error("there is no line @data, so it is no ARFF file or was cut off")


def tokens(source: Source, number: int, line: str) -> Iterator[Token]:
    """Split a line into tokens."""
    end = 0
    while found := TOKEN.match(line, end):
        if found.lastgroup == "end":
            return
        if found.lastgroup == "quoted":
            yield Token(unquote(found[1]), is_quoted=True)
        else:
            yield Token(found[found.lastindex or 0], is_mark=found.lastgroup == "mark")
        end = found.end()
    part = line[end:].lstrip(SPACES)
    if part[0] in QUOTES and CLOSED.match(part) is None:
        raise source.error("a quote opens here and never closes", number)
    raise source.error(
        f"a quote inside {_short(part.strip())}; quote the whole value, and put a backslash before "
        "quotes in it",
        number,
    )


def unquote(quoted: str) -> str:
    """Remove the quotes and escapes of a value."""
    inner = quoted[1:-1]
    return ESCAPE.sub(_unescaped, inner) if "\\" in inner else inner


def _unescaped(escape: re.Match[str]) -> str:
    text = escape[1]
    return chr(int(text, 8)) if text[0] in "01234567" else CONTROL.get(text, text)


def _attribute(source: Source, number: int, line: str) -> Attribute:
    _, *parts = tokens(source, number, line)
    if not parts or parts[0].is_mark:
        raise source.error("@attribute needs a name and a type", number)
    name, declared = parts[0].text, parts[1:]
    if declared and declared[0] == Token("{", is_mark=True):
        marks = "".join(token.text for token in declared if token.is_mark)
        if declared[-1] != Token("}", is_mark=True) or marks[1:-1].strip(","):
            raise source.error(
                f"the values of attribute {name!r} must stand in one pair of braces, with nothing "
                "after it; a value with a brace needs quotes",
                number,
            )
        values = tuple(token.text for token in declared if not token.is_mark)
        if len(set(values)) < len(values):
            twice = next(value for value in values if values.count(value) > 1)
            raise source.error(f"attribute {name!r} declares {twice!r} twice", number)
        return Attribute(name, "nominal", values, number)
    said = "".join(token.text for token in declared).lower()
    kind = TYPE.fullmatch(said)
    if kind is None:
        raise source.error(
            f"attribute {name!r} must have a type, numeric, real, integer, string, date or "
            f"{{values}}, got {_short(said) if said else 'nothing'}; a name with a space needs "
            "quotes, and weights and tables within the table are not read",
            number,
        )
    return Attribute(name, kind[1] or "date", (), number)


BLOCK = 1 << 14
"""The number of rows held as Python strings at a time."""
MISSING = frozenset(("?", "<null>"))
"""A missing value, in ARFF and in KEEL."""
WITH_CARE = re.compile(r"[\x00-\x20{}%'\"]")
OPENED = re.compile(f"{SPACE}*{{{SPACE}*")
ROW_END = re.compile(f"}}{SPACE}*(?:%|$)")
PAIR = re.compile(f"(\\d{{1,9}}){SPACE}+({VALUE}){SPACE}*(?:,{SPACE}*(?=\\d)|(?=}}))")

Row = list[str | None]


@dataclass(frozen=True, slots=True)
class Words:
    """The entries of one column as text.

    Attributes
    ----------
    text : polars.Series of String
        The entries; null is missing.
    lines : sequence of int
        The line of each entry in the file.
    places : ndarray of shape (n_rows,) or None
        The index of each row's entry; None if there is one entry per row, in order.
    """

    text: pl.Series
    lines: Sequence[int]
    places: NDArray[np.int64] | None = None


def read_rows(
    source: Source, lines: Iterable[tuple[int, str]], attributes: Sequence[Attribute]
) -> Iterator[Words]:
    """Read all rows, then yield the columns one by one."""
    rows = ((number, line) for number, line in lines if not BLANK.match(line))
    first = next(rows, None)
    if first is None:
        raise InputError(f"{source} declares attributes but has no rows")
    read = _sparse if OPENED.match(first[1]) else _dense
    return read(source, chain([first], rows), attributes)


def _dense(
    source: Source, rows: Iterable[tuple[int, str]], attributes: Sequence[Attribute]
) -> Iterator[Words]:
    n = len(attributes)
    numbers = array("q")
    blocks: list[list[pl.Series]] = []
    block: list[Row] = []
    for number, line in rows:
        row = _plain_row(line) or _quoted_row(source, number, line)
        if len(row) != n:
            raise source.error(f"{len(row)} values, but {n} attributes are declared", number)
        block.append(row)
        numbers.append(number)
        if len(block) == BLOCK:
            blocks.append(_transposed(block))
            block = []
    if block:
        blocks.append(_transposed(block))
    for parts in zip(*blocks, strict=True):
        yield Words(pl.concat(parts), numbers)


def _transposed(rows: list[Row]) -> list[pl.Series]:
    return [pl.Series(column, dtype=pl.String) for column in zip(*rows, strict=True)]


def _plain_row(line: str) -> Row | None:
    """Split a row without quotes or comments; None for any other row."""
    line = line.strip(SPACES).replace(", ", ",")
    if WITH_CARE.search(line):
        return None
    values: Row = [*line.split(",")]
    if "" in values:
        return None
    if MISSING.isdisjoint(values):
        return values
    return [None if value in MISSING else value for value in values]


def _quoted_row(source: Source, number: int, line: str) -> Row:
    row: Row = []
    after_comma = True
    for token in tokens(source, number, line):
        if token.is_mark and token.text != ",":
            raise source.error(
                "a brace in a row; weights of rows are not read, so remove them, and a value with "
                "a brace needs quotes (sparse and dense rows cannot be mixed)",
                number,
            )
        if token.is_mark:
            if after_comma:
                raise source.error("a value is empty; write ? for a missing one", number)
            after_comma = True
        else:
            missing = token.text in MISSING and not token.is_quoted
            row.append(None if missing else token.text)
            after_comma = False
    return row


def _sparse(
    source: Source, rows: Iterable[tuple[int, str]], attributes: Sequence[Attribute]
) -> Iterator[Words]:
    n = len(attributes)
    places: list[array[int]] = [array("q") for _ in range(n)]
    lines: list[array[int]] = [array("q") for _ in range(n)]
    words: list[Row] = [[_omitted(attribute)] for attribute in attributes]
    n_rows = 0
    for number, line in rows:
        for index, word in _entries(source, number, line, n):
            words[index].append(word)
            lines[index].append(number)
            places[index].append(n_rows)
        n_rows += 1
    source.refuse_too_dense(n_rows, n)
    for attribute, column, numbers, filled in zip(attributes, words, lines, places, strict=True):
        place = np.zeros(n_rows, dtype=np.int64)  # of what is omitted
        place[np.frombuffer(filled, dtype=np.int64)] = np.arange(1, len(column))
        numbers.insert(0, attribute.line)
        yield Words(pl.Series(column, dtype=pl.String), numbers, place)


def _omitted(attribute: Attribute) -> str | None:
    """Return the value of entries that sparse rows omit: zero, or the first declared value."""
    if attribute.kind == "nominal":
        return attribute.values[0] if attribute.values else None
    return None if attribute.kind in ("string", "date") else "0"


def _entries(source: Source, number: int, line: str, n: int) -> Iterator[tuple[int, str | None]]:
    opened = OPENED.match(line)
    if opened is None:
        raise source.error("a dense row among sparse ones, which begin with a brace", number)
    end, last = opened.end(), -1
    while pair := PAIR.match(line, end):
        index, word = int(pair[1]), pair[2]
        if not last < index < n:
            reason = f"the index {index} " + (
                f"follows {last}; indices must increase"
                if index <= last
                else f"is not below {n}, the number of attributes; the first has index 0"
            )
            raise source.error(reason, number)
        yield index, None if word in MISSING else unquote(word) if word[0] in "'\"" else word
        end, last = pair.end(), index
    if not ROW_END.match(line, end):
        raise source.error(
            "a sparse row must look like {index value, index value}; quotes and braces must close, "
            "and weights of rows are not read",
            number,
        )
