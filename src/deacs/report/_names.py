"""Names as text that can be shown: any string may be a column or a class."""

import unicodedata
from typing import Any

__all__ = ["LONGEST", "isolated", "plain", "short", "unformatted"]

LONGEST = 40
"""Characters of a name that a chart or a sentence shows."""

_TURNS_TEXT = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}


def plain(name: Any) -> str:
    """Replace what is no character to be seen: controls, halves of pairs, turns of direction."""
    text = str(name)
    if text.isascii() and text.isprintable():
        return text
    return "".join("\ufffd" if _is_hidden(character) else character for character in text)


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs") or ord(character) in _TURNS_TEXT


def short(name: Any, longest: int = LONGEST) -> str:
    """Shorten a name in the middle, where names differ least."""
    text = plain(name)
    if len(text) <= longest:
        return text
    head = (longest - 1) * 2 // 3
    return f"{text[:head]}…{text[-(longest - 1 - head) :]}"


def isolated(name: Any) -> str:
    """Keep the direction of a name from turning the sentence around it."""
    return f"\u2068{short(name)}\u2069"


def unformatted(name: Any, longest: int = LONGEST) -> str:
    """Return a short name that matplotlib neither reads as a formula nor hides from a legend."""
    text = short(name, longest).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
