"""Files whose columns can be read separately: Parquet directly, text after splitting.

A text file is split into batches of rows, each a Parquet file of text in the work folder. Types
are inferred when a whole column is read, by the rules of `read_table`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from deacs.distributed.files.pieces import Piece, pieces
from deacs.exceptions import InputError
from deacs.tables.files import FORMATS, delimited, resolve_format
from deacs.tables.files import parquet as parquet_files
from deacs.tables.files.delimited import records, resolve_delimiter, sniff_delimiter
from deacs.tables.files.options import Options, refuse_unknown
from deacs.tables.files.source import Source
from deacs.tables.names import refuse_repeated

__all__ = ["Columns", "TableFile", "open_file"]

TEXT_EXPANDS = 12
"""About how many bytes of memory a byte of text takes while a batch is read."""
LEAST_PIECE = 1 << 12
SAMPLE_ROWS = 1000
"""How many rows of a Parquet file are read to estimate the sizes of its columns."""


@dataclass(frozen=True)
class Columns:
    """The columns of one file."""

    name: str
    """The name of the file in messages."""
    n_rows: int
    sizes: dict[str, int]
    """About how many bytes each column takes in memory, before its type is known."""
    read: Callable[[Sequence[str]], list[pl.Series]]
    """Reads columns, given their names, typed as by `read_table`."""


class TableFile(Protocol):
    """A file whose columns are known."""

    name: str
    """The name of the file in messages."""
    names: list[str]
    """Its columns, except those that are excluded."""
    advice: str
    """What to do if the names were not meant to be names."""

    def columns(self, work: Path, memory: int, tell: Callable[[float], None]) -> Columns:
        """Make the columns readable, with a work folder and memory for a batch of rows."""
        ...


def open_file(path: Path, options: Options, name: str) -> TableFile:
    """Read the names of a file's columns; `name` is that of the file in messages."""
    kind = resolve_format(path, None, name)
    if kind not in ("csv", "tsv", "parquet"):
        raise InputError(
            f"{name} is {FORMATS[kind].title}, but files larger than memory must be CSV, TSV or "
            "Parquet; convert it, or use deacs.encode on the result of read_table"
        )
    source = Source(path, FORMATS[kind].title, name)
    if kind == "parquet":
        return ParquetFile(source, options)
    return TextFile(source, replace(options, delimiter="tab") if kind == "tsv" else options)


class TextFile:
    """CSV, TSV and other delimited text."""

    def __init__(self, source: Source, options: Options) -> None:
        self.name = str(source)
        self._source, self._options = source, options
        head = next(pieces(source, options.encoding, 1 << 18))
        said = options.delimiter
        self._delimiter = sniff_delimiter(head) if said is None else resolve_delimiter(said)
        head = delimited.aligned(head, self._delimiter)
        names, self.advice = delimited.column_names(source, head, self._delimiter, options)
        self._all = [name.strip() for name in names] if options.strip else names
        refuse_repeated(self._all, self.name)
        refuse_unknown(options, self._all, self.advice)
        self.names = [name for name in self._all if name not in set(options.exclude)]
        self._header, self._n_header_lines = self._header_of(head)

    def _header_of(self, head: bytes) -> tuple[bytes, int]:
        """Return the header to put before every piece, and how many lines of the file it takes."""
        if self._options.header is False:
            return f"{self._delimiter.join(self._all)}\n".encode(), 0
        reader = records(head, self._delimiter)
        next(reader)
        lines = head.split(b"\n", reader.line_num)[: reader.line_num]
        return b"\n".join(lines) + b"\n", reader.line_num

    def columns(self, work: Path, memory: int, tell: Callable[[float], None]) -> Columns:
        """Split the file into batches."""
        work.mkdir()
        size = max(memory // TEXT_EXPANDS, LEAST_PIECE)
        batches, sizes = [], np.zeros(len(self.names) + 1, dtype=np.int64)
        n_lines = n_bytes = 0
        total = self._source.path.stat().st_size
        for number, text in enumerate(pieces(self._source, self._options.encoding, size)):
            batch = work / f"batch-{number:06}.parquet"
            sizes += self._split(text, n_lines, batch)
            batches.append(batch)
            n_lines, n_bytes = n_lines + text.count(b"\n"), n_bytes + len(text)
            tell(min(n_bytes / total, 1.0))

        def read(names: Sequence[str]) -> list[pl.Series]:
            wanted = list(names)
            # Without glob: the name of a folder may contain brackets.
            frames = (pl.read_parquet(batch, columns=wanted, glob=False) for batch in batches)
            frame = pl.concat(frames)
            return [self._typed(frame[name]) for name in names]

        of_column = dict(zip(self.names, sizes[1:].tolist(), strict=True))
        return Columns(self.name, int(sizes[0]), of_column, read)

    def _split(self, text: bytes, lines_before: int, batch: Path) -> NDArray[np.int64]:
        """Write the fields of a piece as text; return its height and the sizes of its columns."""
        frame = self._parsed(text, lines_before)
        frame.write_parquet(batch, compression="lz4", statistics=False)
        sizes = [frame.height, *(column.estimated_size() for column in frame)]
        return np.array(sizes, dtype=np.int64)

    def _parsed(self, text: bytes, lines_before: int) -> pl.DataFrame:
        is_first = lines_before == 0 and self._n_header_lines > 0
        whole = delimited.aligned(text, self._delimiter)
        text = whole if is_first else self._header + whole
        piece = Piece(self._source.path, self._source.kind, self.name, text)
        if piece.text == self._header or self._is_blank(whole):
            return pl.DataFrame(schema=dict.fromkeys(self.names, pl.String))
        options = replace(
            self._options, nominal=tuple(self._all), delimiter=self._delimiter, header=None
        )
        try:
            return delimited.read(piece, options)
        except InputError as error:
            if is_first:
                raise
            line = lines_before - self._n_header_lines + 1
            where = f" (lines counted from line {line} on)"
            raise InputError(*error.parts, where, columns=error.columns) from None

    def _is_blank(self, text: bytes) -> bool:
        """Return whether all values are missing, as readers skip such rows."""
        markers = self._options.missing_markers
        blank = {"", *(delimited.MISSING_MARKERS if markers is None else markers)}
        fields = {field.encode() for field in blank}

        def is_blank(records: bytes) -> bool:
            delimiter = self._delimiter.encode()
            return set(records.replace(b"\n", delimiter).split(delimiter)) <= fields

        return is_blank(text.partition(b"\n")[0]) and is_blank(text)

    def _typed(self, column: pl.Series) -> pl.Series:
        if column.name in self._options.nominal:
            return column
        return delimited.sharpened(column, decimal_comma=self._delimiter == ";")


class ParquetFile:
    """Parquet, which stores columns separately and with types."""

    advice = ""

    def __init__(self, source: Source, options: Options) -> None:
        self.name = str(source)
        self._source, self._options = source, options
        parquet_files.refuse_incomplete(source)
        with parquet_files.said_of_file(source):
            schema = pl.scan_parquet(source.path, glob=False, hive_partitioning=False)
            self._all = schema.collect_schema().names()
        refuse_unknown(options, self._all)
        is_index = parquet_files.INDEX_OF_PANDAS
        unwanted = set(options.exclude)
        self.names = [n for n in self._all if n not in unwanted and not n.startswith(is_index)]

    def columns(self, work: Path, memory: int, tell: Callable[[float], None]) -> Columns:
        """Estimate sizes from some rows; there is nothing to split."""
        with parquet_files.said_of_file(self._source):
            scan = pl.scan_parquet(self._source.path, glob=False, hive_partitioning=False)
            n_rows = int(scan.select(pl.len()).collect().item())
            sample = scan.select(self.names).head(SAMPLE_ROWS).collect()
        if n_rows == 0:
            raise InputError(f"{self.name} has columns but no rows; leave the file out")
        sizes = {c.name: int(c.estimated_size()) * n_rows // sample.height for c in sample}
        return Columns(self.name, n_rows, sizes, self._read)

    def _read(self, names: Sequence[str]) -> list[pl.Series]:
        wanted = set(names)
        unwanted = tuple(name for name in self._all if name not in wanted)
        nominal = tuple(name for name in self._options.nominal if name in wanted)
        frame = parquet_files.read(self._source, Options(unwanted, nominal))
        return [frame[name] for name in names]
