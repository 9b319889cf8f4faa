"""Tables in files, a batch of rows at a time: CSV, TSV and Parquet.

A batch is found first and read only if it is needed, so a run that goes on after it was killed
passes over what is done. Text is cut between records; each piece is parsed as text, and its types
are decided by `text_types`.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from deacs.exceptions import InputError
from deacs.tables.files import NAMES, resolve_format
from deacs.tables.files import parquet as parquet_files
from deacs.tables.files.delimited import MISSING_MARKERS, column_names, refuse_malformed
from deacs.tables.files.delimiter import records, resolve_delimiter, sniff_delimiter
from deacs.tables.files.options import Options
from deacs.tables.files.source import MARKS, Source, with_newlines

__all__ = ["Batch", "TableFile", "open_table"]

LEAST_ROWS = 64
"""Of a batch of Parquet, however many columns there are."""
BYTES_A_FIELD = 24
"""About what a field takes while a batch of Parquet is read and sorted."""
TEXT_EXPANDS = 12
"""About how many bytes a byte of text takes while a batch is read and sorted."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of a file; `read` gives them, as text where the file is text."""

    end: int
    """How much of the file is behind this batch: bytes of text, rows of Parquet."""
    read: Callable[[], pl.DataFrame]


@dataclass(frozen=True)
class TableFile:
    """A file that is read in batches.

    Attributes
    ----------
    path : Path
        Where it is.
    names : list of str
        Its columns, those left out not among them.
    is_text : bool
        Whether columns come as text and their types are to be found.
    decimal_comma : bool
        Whether numbers may have a decimal comma.
    size : int
        What `Batch.end` goes up to, where that is known.
    batches : callable
        Gives the batches from the beginning.
    nominal : frozenset of str
        Columns that are categories whatever they look like.
    advice : str
        What to do if the names were not meant to be names.
    """

    path: Path
    names: list[str]
    is_text: bool
    decimal_comma: bool
    size: int
    batches: Callable[[], Iterator[Batch]]
    nominal: frozenset[str] = frozenset()
    advice: str = ""


def open_table(path: Path, options: Options, memory: int) -> TableFile:
    """Look at the beginning of a file; `memory` is what a batch may take."""
    kind = resolve_format(path, None)
    if kind not in ("csv", "tsv", "parquet"):
        raise InputError(
            f"{path} is {NAMES[kind]}, and files larger than memory are read from CSV, TSV and "
            "Parquet; convert it, or use deacs.encode on what read_table gives"
        )
    source = Source(path, NAMES[kind])
    if kind == "parquet":
        return _parquet(source, options, memory)
    return _text(source, options, "tab" if kind == "tsv" else options.delimiter, memory)


def _text(source: Source, options: Options, said: str | None, memory: int) -> TableFile:
    size = max(memory // TEXT_EXPANDS, 1 << 12)
    head = next(_pieces(source, options.encoding, 1 << 18))
    delimiter = sniff_delimiter(head) if said is None else resolve_delimiter(said)
    names, advice = column_names(source, _aligned(head, delimiter), delimiter, options)
    _refuse_unknown(source, options, names)
    markers = options.missing_markers
    null_values = list(MISSING_MARKERS if markers is None else {*markers, ""})

    def parsed(text: bytes, lines_before: int, has_header: bool) -> pl.DataFrame:
        text = _aligned(text, delimiter)
        if has_header:
            reader = records(text, delimiter)
            next(reader)
            text = _after_lines(text, reader.line_num)
            lines_before += reader.line_num
        frame = _parse(source, text, delimiter, names, null_values, lines_before)
        return frame.drop(options.exclude)

    def batches() -> Iterator[Batch]:
        end = lines = 0
        for text in _pieces(source, options.encoding, size):
            has_header, end = end == 0 and options.header is not False, end + len(text)
            before, lines = lines, lines + text.count(b"\n")
            yield Batch(end, lambda a=text, b=before, c=has_header: parsed(a, b, c))  # type: ignore[misc]

    kept = [name for name in names if name not in options.exclude]
    n_bytes = source.path.stat().st_size
    nominal = frozenset(options.nominal)
    return TableFile(source.path, kept, True, delimiter == ";", n_bytes, batches, nominal, advice)


def _pieces(source: Source, encoding: str | None, size: int) -> Iterator[bytes]:
    """Yield a text as UTF-8 with newlines, in pieces of about `size` bytes that end with a record.

    Where fields are quoted, a newline after an odd number of quotes lies inside one.
    """
    raw = source.pieces()
    first = next(raw, b"")
    name = encoding or next((e for mark, e in MARKS.items() if first.startswith(mark)), "utf-8")
    decoder = codecs.getincrementaldecoder(name)("strict")
    text, undecoded, n_bytes, wanted = b"", [first], len(first), size
    is_last = False
    while not is_last:
        while n_bytes < wanted and (piece := next(raw, None)) is not None:
            undecoded.append(piece)
            n_bytes += len(piece)
        is_last = n_bytes < wanted
        try:
            text += decoder.decode(b"".join(undecoded), final=is_last).encode()
        except UnicodeError as error:
            raise source.error(f"it is not {name}: {error}; pass encoding=") from None
        # A line end of two bytes may have its second in the next piece.
        held = b"\r" if text.endswith(b"\r") and not is_last else b""
        text = with_newlines(text.removesuffix(held))
        while len(text) >= size and (end := _last_record(text[:size]) or _last_record(text)):
            yield text[:end]
            text = text[end:]
        text += held
        undecoded, n_bytes, wanted = [], len(text), max(size, len(text) + 1)
    if text:
        yield text if text.endswith(b"\n") else text + b"\n"


def _last_record(text: bytes) -> int:
    """Return where the last whole record ends."""
    end = text.rfind(b"\n") + 1
    while end > 0 and text.count(b'"', 0, end) % 2:
        end = text.rfind(b"\n", 0, end - 1) + 1
    return end


def _aligned(text: bytes, delimiter: str) -> bytes:
    """Columns aligned by spaces, with one space between them."""
    if delimiter != " " or b'"' in text:
        return text
    return re.sub(rb"(?m)^ +| +$", b"", re.sub(rb" {2,}", b" ", text))


def _after_lines(text: bytes, n_lines: int) -> bytes:
    end = 0
    for _ in range(n_lines):
        end = text.find(b"\n", end) + 1
    return text[end:]


def _parse(
    source: Source,
    text: bytes,
    delimiter: str,
    names: Sequence[str],
    null_values: list[str],
    lines_before: int,
) -> pl.DataFrame:
    is_quoted = text.startswith(b'"') or any(
        before + b'"' in text for before in (b"\n", delimiter.encode())
    )
    schema = dict.fromkeys(names, pl.String)
    if not text:
        return pl.DataFrame(schema=schema)
    try:
        frame = pl.read_csv(
            text,
            has_header=False,
            schema=schema,
            separator=delimiter,
            quote_char='"' if is_quoted else None,
            null_values=null_values,
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        _refuse_malformed_piece(source, text, delimiter, len(names), lines_before)
        raise source.error(str(error).strip().partition("\n")[0]) from error
    # polars fills short lines with nulls, and forgives some quotes that it should not.
    if is_quoted or (frame.height > 0 and frame[:, -1].null_count() > 0):
        _refuse_malformed_piece(source, text, delimiter, len(names), lines_before)
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    return frame


def _refuse_malformed_piece(
    source: Source, text: bytes, delimiter: str, n_fields: int, lines_before: int
) -> None:
    try:
        refuse_malformed(source, text, delimiter, n_fields)
    except InputError as error:
        if lines_before == 0:
            raise
        raise InputError(f"{error} (lines counted from line {lines_before + 1} on)") from None


def _parquet(source: Source, options: Options, memory: int) -> TableFile:
    parquet_files.refuse_damaged(source)
    with parquet_files.said_of_file(source):
        scan = pl.scan_parquet(source.path, glob=False, hive_partitioning=False)
        schema = scan.collect_schema()
        notes = parquet_files.notes_of_pandas(pl.read_parquet_metadata(source.path))
        n_rows = int(scan.select(pl.len()).collect().item())
    _refuse_unknown(source, options, schema.names())
    is_index = parquet_files.INDEX_OF_PANDAS
    kept = [n for n in schema.names() if n not in options.exclude and not n.startswith(is_index)]
    if n_rows == 0:
        raise InputError(f"{source.path} has columns but no rows")
    as_text = [
        name
        for name in kept
        if name in options.nominal or (name in notes and schema[name].is_numeric())
    ]
    at_once = max(memory // (BYTES_A_FIELD * max(len(kept), 1)), LEAST_ROWS)

    def rows(begin: int) -> pl.DataFrame:
        with parquet_files.said_of_file(source):
            frame = scan.select(kept).slice(begin, at_once).collect()
        return frame.with_columns(pl.col(as_text).cast(pl.String))

    def batches() -> Iterator[Batch]:
        for begin in range(0, n_rows, at_once):
            yield Batch(min(begin + at_once, n_rows), lambda b=begin: rows(b))  # type: ignore[misc]

    return TableFile(source.path, kept, False, False, n_rows, batches)


def _refuse_unknown(source: Source, options: Options, names: Sequence[str]) -> None:
    for parameter in ("exclude", "nominal"):
        for name in getattr(options, parameter):
            if name not in names:
                raise InputError(f"{parameter} names {name!r}, which is not in {source.path}")
