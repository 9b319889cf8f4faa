"""Text files in pieces that end with a record, so that each can be read as a file of its own."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

from deacs.tables.files.source import MARKS, Source, with_newlines

__all__ = ["Piece", "pieces"]


@dataclass(frozen=True, slots=True)
class Piece(Source):
    """Some records of a file, which a reader takes for the whole of it."""

    text: bytes = b""

    def read_text(self, encoding: str | None = None) -> bytes:
        """Return the records, decoded already."""
        return self.text


def pieces(source: Source, encoding: str | None, size: int) -> Iterator[bytes]:
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
