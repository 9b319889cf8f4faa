"""Text files in pieces of whole records, so that each can be read like a file."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

from deacs.tables.files.source import Source

__all__ = ["Piece", "pieces"]

LONGEST_RECORD = 1 << 26
"""Bytes; a longer record is taken for one with a quote that does not close."""


@dataclass(frozen=True, slots=True)
class Piece(Source):
    """Some records of a file, for readers of a whole file."""

    text: bytes = b""

    def read_text(self, encoding: str | None = None) -> bytes:
        """Return the records, which are decoded already."""
        return self.text


def pieces(source: Source, encoding: str | None, size: int) -> Iterator[bytes]:
    """Yield a text as UTF-8 with newlines, in pieces of about `size` bytes and whole records.

    A newline after an odd number of quotes is inside a quoted field.
    """
    waiting: list[bytes] = []
    n_bytes, wanted, line = 0, size, 1
    for piece in source.text_pieces(encoding):
        waiting.append(piece if waiting else piece.removeprefix(codecs.BOM_UTF8))
        n_bytes += len(piece)
        if n_bytes < wanted:
            continue
        text = b"".join(waiting)
        # The second byte of a two-byte line end may be in the next piece.
        held = b"\r" if text.endswith(b"\r") else b""
        text = _with_newlines(text.removesuffix(held))
        while len(text) >= size and (end := _last_record(text[:size]) or _last_record(text)):
            yield text[:end]
            line += text.count(b"\n", 0, end)
            text = text[end:]
        if len(text) > max(size, LONGEST_RECORD):
            raise source.error("a quote opens here or below and does not close", line)
        waiting, n_bytes = [text, held], len(text)
        wanted = max(size, 2 * n_bytes)  # if a record is longer than a piece
    if text := _with_newlines(b"".join(waiting)):
        yield text if text.endswith(b"\n") else text + b"\n"


def _with_newlines(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def _last_record(text: bytes) -> int:
    """Return where the last whole record ends."""
    end = text.rfind(b"\n") + 1
    n_quotes = text.count(b'"', 0, end)
    while end > 0 and n_quotes % 2:
        # All newlines after the last quote are inside the field that it opens.
        before = text.rfind(b"\n", 0, text.rfind(b'"', 0, end)) + 1
        n_quotes -= text.count(b'"', before, end)
        end = before
    return end
