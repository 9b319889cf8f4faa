"""The data of an ARFF file: dense rows `1, red, ?` or sparse ones `{0 1, 3 red}`.

Both yield the text of each column, null for `?` (or KEEL's `<null>`). Types are decided later, one
column at a time.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import polars as pl
from numpy.typing import NDArray

from deacs.exceptions import InputError
from deacs.tables.files.arff_header import (
    SPACE,
    SPACES,
    VALUE,
    Attribute,
    is_blank,
    tokens,
    unquote,
)
from deacs.tables.files.source import Source

__all__ = ["Words", "read_rows"]

BLOCK = 1 << 14
"""The number of rows held as Python strings at a time."""
MISSING = frozenset(("?", "<null>"))
"""A missing value, in ARFF and in KEEL."""
WITH_CARE = re.compile(r"[\x00-\x20{}%'\"]")
OPENED = re.compile(f"{SPACE}*{{{SPACE}*")
CLOSED = re.compile(f"}}{SPACE}*(?:%|$)")
WEIGHT = re.compile(f"}}{SPACE}*,?{SPACE}*{{")
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
    rows = ((number, line) for number, line in lines if not is_blank(line))
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
        place = np.zeros(n_rows, dtype=np.int64)
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
    if WEIGHT.match(line, end):
        raise source.error("weights of rows are not read; remove them", number)
    if not CLOSED.match(line, end):
        raise source.error(
            "a sparse row must look like {index value, index value}; quotes and braces must close",
            number,
        )
