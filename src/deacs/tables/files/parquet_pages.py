"""Check the footer and page headers of a Parquet file before decoding it.

Given a corrupt number of values or bytes, polars may allocate more memory than there is, which ends
the process; this check raises an error instead. It decodes no page: headers are a few dozen bytes,
and reading one takes about 20 microseconds. Footer and headers are Thrift structures in the compact
protocol. Reference: the Apache Parquet format, parquet.thrift.
"""

import mmap
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NamedTuple

__all__ = ["DamagedParquet", "check_pages"]

Fields = dict[int, Any]

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
DATA_PAGE, INDEX_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 = range(4)
HEADER_OF = {DATA_PAGE: 5, DICTIONARY_PAGE: 7, DATA_PAGE_V2: 8}
"""The field of a page header that is specific to each type of page."""
REPEATED = 2
DEEPEST = 64


class DamagedParquet(ValueError):
    """An invalid footer or page header."""


class _Chunk(NamedTuple):
    """The location of one column chunk: the pages of a column in a row group."""

    name: str
    begin: int
    end: int
    n_values: int
    n_bytes: int


def check_pages(data: mmap.mmap | bytes) -> None:
    """Raise DamagedParquet if the sizes and counts of a whole file are inconsistent."""
    length = int.from_bytes(data[-8:-4], "little")
    begin, end = len(data) - 8 - length, len(data) - 8
    try:
        footer, _ = _struct(data[begin:end], 0)
        for chunk in _chunks(footer):
            if not 4 <= chunk.begin <= chunk.end <= begin:
                raise DamagedParquet(f"column {chunk.name!r} does not lie inside the file")
            _check_chunk(data, chunk)
    except (AttributeError, IndexError, KeyError, TypeError):
        raise DamagedParquet("a field is missing, or of a type that it cannot have") from None


def _chunks(footer: Fields) -> Iterator[_Chunk]:
    """Yield the column chunks of all row groups."""
    flat = _flat_columns(footer)
    groups = footer[4]
    if sum(_count(group, 3, "rows") for group in groups) != footer[3]:
        raise DamagedParquet("the rows of its groups do not add up")
    for group in groups:
        for column in group.get(1, ()):
            about = column[3]
            name = ".".join(_text(part) for part in about.get(3, ()))
            n_values = _count(about, 5, "values")
            if name in flat and n_values != group[3]:
                raise DamagedParquet(
                    f"column {name!r} has {n_values} values in a group of {group[3]} rows"
                )
            # Some writers record an absent dictionary with the offset 0.
            begin = min(_count(about, 9, "bytes"), about.get(11) or 1 << 62)
            size, n_bytes = _count(about, 7, "bytes"), _count(about, 6, "bytes")
            yield _Chunk(name, begin, begin + size, n_values, n_bytes)


def _flat_columns(footer: Fields) -> set[str]:
    """Return the columns with one value per row: children of the root that are not repeated."""
    elements = footer[2]
    # A subtree ends after its declared number of nodes.
    children = [element.get(5) or 0 for element in elements]
    if min(children, default=0) < 0 or sum(children) != len(elements) - 1:
        raise DamagedParquet("the footer's schema does not have as many columns as it announces")
    pending = list(accumulate(children, lambda open_, n: open_ - 1 + n))
    if any(n <= 0 for n in pending[:-1]):
        raise DamagedParquet("the footer's schema ends early")
    flat, at = set(), 1
    while at < len(elements):
        if children[at] == 0 and elements[at].get(3) != REPEATED:
            flat.add(_text(elements[at].get(4)))
        left = 1
        while left > 0:
            left += children[at] - 1
            at += 1
    return flat


def _check_chunk(data: mmap.mmap | bytes, chunk: _Chunk) -> None:
    """Check that each page lies inside its chunk and holds no more values than it."""
    at = chunk.begin
    while at < chunk.end:
        header, n_read = _page_header(data, at, chunk.end)
        kind = header.get(1)
        packed, unpacked = _count(header, 3, "bytes"), _count(header, 2, "bytes")
        at += n_read + packed
        if at > chunk.end or unpacked > chunk.n_bytes:
            raise DamagedParquet(f"a page of column {chunk.name!r} is larger than the column")
        if kind in HEADER_OF:
            about = header[HEADER_OF[kind]]
            most = unpacked if kind == DICTIONARY_PAGE else chunk.n_values
            n_values = _count(about, 1, "values")
            if n_values > most:
                raise DamagedParquet(
                    f"a page of column {chunk.name!r} announces {n_values} values, and it may have "
                    f"{most} at most"
                )
            if kind == DATA_PAGE_V2:
                _check_levels(about, n_values, unpacked, chunk.name)


def _check_levels(about: Fields, n_values: int, unpacked: int, name: str) -> None:
    """Check that the sections of a version 2 page fit in it."""
    levels = _count(about, 5, "bytes") + _count(about, 6, "bytes")
    if max(_count(about, 2, "values"), _count(about, 3, "rows")) > n_values or levels > unpacked:
        raise DamagedParquet(f"the parts of a page of column {name!r} are larger than the page")


def _page_header(data: mmap.mmap | bytes, at: int, end: int) -> tuple[Fields, int]:
    """Return a page header and its length in bytes; statistics can make it long."""
    for size in (1 << 8, 1 << 12, end - at):
        try:
            return _struct(data[at : min(at + size, end)], 0)
        except DamagedParquet:
            if at + size >= end:
                raise
    raise DamagedParquet("a page header does not end")


def _count(fields: Fields, field: int, of: str) -> int:
    """Return a number that must be present and not negative."""
    found: int = fields[field]
    if found < 0:
        raise DamagedParquet(f"a number of {of} is {found}")
    return found


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


# Thrift's compact protocol.


def _struct(data: bytes, at: int, depth: int = 0) -> tuple[Fields, int]:
    """Read a structure at `at`; return its fields by number, and its end."""
    fields: Fields = {}
    number = 0
    if depth > DEEPEST:
        raise DamagedParquet("structures are nested too deeply")
    try:
        while head := data[at]:
            at += 1
            kind, delta = head & 15, head >> 4
            if delta:
                number += delta
            else:
                number, at = _integer(data, at)
            if kind <= FALSE:
                fields[number] = kind == TRUE
            elif kind in (I32, I64, I16) and data[at] < 128:
                fields[number], at = (data[at] >> 1) ^ -(data[at] & 1), at + 1
            else:
                fields[number], at = _value(data, at, kind, depth)
    except IndexError:
        raise DamagedParquet("a structure does not end") from None
    return fields, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (I16, I32, I64):
        return _integer(data, at)
    if kind == BINARY:
        length, at = _varint(data, at)
        return data[at : at + length], _inside(data, at + length)
    if kind == STRUCT:
        return _struct(data, at, depth + 1)
    if kind in (LIST, SET):
        return _list(data, at, depth)
    if kind == DOUBLE:
        return None, _inside(data, at + 8)
    if kind in (BYTE, TRUE, FALSE):
        return data[at], at + 1
    raise DamagedParquet(f"a structure has a field of the unknown type {kind}")


def _list(data: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    n, kind = data[at] >> 4, data[at] & 15
    at += 1
    if n == 15:
        n, at = _varint(data, at)
    if n > len(data) - at:  # an element takes at least one byte
        raise DamagedParquet(f"a list announces {n} elements, more than there are bytes")
    elements = []
    for _ in range(n):
        element, at = _value(data, at, kind, depth + 1)
        elements.append(element)
    return elements, at


def _integer(data: bytes, at: int) -> tuple[int, int]:
    zigzag, at = _varint(data, at)
    return (zigzag >> 1) ^ -(zigzag & 1), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise DamagedParquet("a number has too many bytes")


def _inside(data: bytes, at: int) -> int:
    if at > len(data):
        raise DamagedParquet("a value does not end")
    return at
