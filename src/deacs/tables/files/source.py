"""Open, decompress and decode a file in one bounded pass, with clear errors.

A file is read in pieces, and reading stops at a piece that cannot be text: neither an archive that
unpacks without end nor an image with a wrong suffix fills the memory.
"""

import bz2
import codecs
import glob
import gzip
import lzma
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any

from deacs.exceptions import InputError, Note, Parameter

__all__ = ["MARKS", "Source", "with_newlines"]

PIECE = 1 << 20
MAX_UNPACKED = 1 << 30
"""The most bytes of an archive or a stream; the size of a plain file is known beforehand."""

MAX_DENSE_BYTES = 1 << 32
"""The size of the dense table that a sparse file may become."""
COLUMN_BYTES = 1 << 12
"""Bytes of a column besides its values, which matter if there are a million columns."""

PACKED: dict[bytes, Any] = {
    rb"\x1f\x8b": gzip.open,
    rb"BZh[1-9]1AY&SY": bz2.open,
    rb"\xfd7zXZ\x00": lzma.open,
}
"""Patterns of the first bytes of archives, and the functions that open them."""
FOREIGN = {
    rb"PAR1": Note("it is a Parquet file; say ", Parameter("format", "parquet")),
    rb"PK\x03\x04": "it is a zip archive or a spreadsheet; save it as CSV or Parquet",
    rb"\xd0\xcf\x11\xe0": "it is an old spreadsheet; save it as CSV or Parquet",
    rb"\(\xb5/\xfd": "it is a zstd archive; unpack it, or pack it with gzip",
    rb"ARROW1": "it is an Arrow or Feather file; save it as Parquet",
    rb"%PDF-": "it is a PDF document; save the table as CSV",
    rb'\s*(\[\s*)?\{\s*"': "it is JSON; save it as CSV or Parquet",
    rb"\s*(?i:<!doctype|<html|<\?xml)": "it is a web page or XML; save the table as CSV",
}
"""Patterns of the first bytes of other formats, and advice."""
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True, slots=True)
class Source:
    """A file to be read as `kind` (the format's name in messages)."""

    path: Path
    kind: str

    def __str__(self) -> str:
        return str(self.path)

    def error(self, reason: str, line: int | None = None) -> InputError:
        """Return an InputError that names the file, and the line if given."""
        where = "" if line is None else f"line {line}: "
        return InputError(f"{self} cannot be read as {self.kind}: {where}", reason)

    def refuse_unreadable(self) -> None:
        """Raise an error unless the file exists and is not empty."""
        path = self.path
        with self.reading():
            if path.is_dir():
                raise InputError(f"{self} is a folder; name a file in it")
            if not path.exists():
                raise InputError(f"{self} does not exist{self._neighbours()}")
            if path.is_file() and path.stat().st_size == 0:
                raise self._empty()

    def _neighbours(self) -> str:
        folder = self.path.parent if self.path.parent.is_dir() else Path()
        like = f"*{glob.escape(self.path.suffix) or '.csv'}*"
        near = sorted(other.name for other in folder.glob(like))[:5]
        return f"; there are {', '.join(near)}" if near else ""

    def _empty(self) -> InputError:
        return InputError(f"{self} is empty; a header line and data are needed")

    def refuse_too_dense(self, n_rows: int, n_columns: int) -> None:
        """Raise an error for a sparse file whose dense table would not fit in memory."""
        needed = n_columns * (n_rows * 8 + COLUMN_BYTES)
        if needed > MAX_DENSE_BYTES:
            raise self.error(
                f"as a dense table, its {n_rows:,} rows and {n_columns:,} columns take {needed:,} "
                f"bytes, and the limit is {MAX_DENSE_BYTES:,}; fit a sparse matrix of SciPy "
                "instead, or write fewer columns"
            )

    def first_bytes(self, n: int) -> bytes:
        """Return the first bytes; none for a stream, which can be read only once."""
        if not self.path.is_file():
            return b""
        with self.reading(), self.path.open("rb") as raw, _unpacked(raw) as file:
            return file.read(n)

    def read_text(self, encoding: str | None = None) -> bytes:
        """Read a text file of any encoding, as UTF-8 with newlines as line ends.

        Without `encoding`, the file is UTF-8 unless it has another byte order mark.
        """
        pieces = self._pieces()
        first = next(pieces)
        name = encoding or next((e for mark, e in MARKS.items() if first.startswith(mark)), "utf-8")
        name = codecs.lookup(name).name
        is_utf8 = name in ("utf-8", "utf-8-sig", "ascii")
        decoder = codecs.getincrementaldecoder(name)("strict")
        texts: list[bytes] = []
        try:
            for piece in chain([first], pieces, [b""]):
                if not name.startswith(("utf-16", "utf-32")):
                    self._refuse_zeros(piece)
                decoded = decoder.decode(piece, final=not piece)
                texts.append(piece if is_utf8 else decoded.encode())
        except UnicodeDecodeError as error:
            before = error.object[: error.start]
            line = 1 + sum(text.count(b"\n") for text in [*texts, before])
            raise self._undecodable(error, line, name, encoding) from None
        except UnicodeError as error:  # a missing byte order mark, or half a surrogate pair
            raise self.error(f"it is not {name}: {error}") from None
        return with_newlines(b"".join(texts))

    def _pieces(self) -> Iterator[bytes]:
        """Yield the decompressed contents in pieces; archives and streams are bounded."""
        total = 0
        with self.reading(), self.path.open("rb") as raw, _unpacked(raw) as file:
            is_bounded = file is raw and self.path.is_file()
            while piece := file.read(PIECE):
                if total == 0:
                    self._refuse_foreign(piece)
                total += len(piece)
                if total > MAX_UNPACKED and not is_bounded:
                    raise self.error(
                        f"it unpacks to more than {MAX_UNPACKED:,} bytes; unpack it to a file, or "
                        "save it as Parquet"
                    )
                yield piece
        if total == 0:
            raise self._empty()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turn errors of the operating system into InputErrors that name the file."""
        try:
            yield
        except PermissionError:
            raise InputError(f"{self} may not be read: permission denied") from None
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise self.error(f"{error}") from error

    def _refuse_foreign(self, piece: bytes) -> None:
        for magic, reason in FOREIGN.items():
            if re.match(magic, piece):
                raise self.error(reason)

    def _refuse_zeros(self, piece: bytes) -> None:
        if b"\x00" in piece:
            raise self.error(
                Note(
                    "it holds zero bytes, so it is not text; if it is UTF-16 without a byte order "
                    "mark, pass ",
                    Parameter("encoding", "utf-16-le"),
                    " or ",
                    Parameter("encoding", "utf-16-be"),
                )
            )

    def _undecodable(
        self, error: UnicodeDecodeError, line: int, name: str, encoding: str | None
    ) -> InputError:
        column = error.start - error.object.rfind(b"\n", 0, error.start)
        shown = error.object[error.start : error.start + 1].hex()
        what = f"byte {column} (0x{shown}) is not {name}: "
        if encoding is not None:
            how = Parameter("encoding", encoding)
            return self.error(Note(what, how, " is not how it was written"), line)
        how = Parameter("encoding", "cp1252")
        western = " if it comes from a Western Windows program"
        return self.error(Note(what, "pass ", how, western), line)


def _unpacked(raw: Any) -> IO[bytes]:
    """Open an archive, recognised by its first bytes rather than its suffix."""
    head = raw.peek(10)
    for magic, opener in PACKED.items():
        if re.match(magic, head):
            unpacked: IO[bytes] = opener(raw, "rb")
            return unpacked
    return raw  # type: ignore[no-any-return]


def with_newlines(text: bytes) -> bytes:
    """Drop a byte order mark, and convert all line ends to newlines."""
    text = text.removeprefix(codecs.BOM_UTF8)
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text
