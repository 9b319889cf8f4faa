"""Safe display of column and class names, which may be any strings."""

import unicodedata
from collections.abc import Sequence
from typing import Any

__all__ = [
    "LONGEST",
    "NO_NAME",
    "apart",
    "is_hidden",
    "isolated",
    "plain",
    "short",
    "unformatted",
    "unformatted_apart",
    "visible",
]

LONGEST = 40
"""The longest name in a chart or a sentence, in characters."""

NO_NAME = "(no name)"

HIDDEN = "\ufffd"
"""Replaces a character that cannot be shown."""

_TURNS_TEXT = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}


def plain(name: Any) -> str:
    """Return a name as one line of visible characters."""
    text = str(name)
    return visible(text).replace("\n", HIDDEN) if text.strip() else NO_NAME


def visible(text: str) -> str:
    """Replace invisible characters: controls, lone surrogates and changes of text direction.

    Line breaks are kept.
    """
    if text.isprintable():
        return text
    return "".join(HIDDEN if is_hidden(character) else character for character in text)


def is_hidden(character: str) -> bool:
    """Whether a character is invisible; line breaks do not count."""
    if character == "\n":
        return False
    return unicodedata.category(character) in ("Cc", "Cs") or ord(character) in _TURNS_TEXT


def short(name: Any, longest: int = LONGEST) -> str:
    """Shorten a name in the middle, where names differ least."""
    text = plain(name)
    if len(text) <= longest:
        return text
    head = (longest - 1) * 2 // 3
    return f"{text[:head]}…{text[-(longest - 1 - head) :]}"


def apart(names: Sequence[Any], longest: int = LONGEST) -> list[str]:
    """Shorten names as `short` does, but keep different names different.

    Names that become equal lose most of the prefix they share; if still equal, they are numbered.
    """
    shown = [short(name, longest) for name in names]
    for alike in _alike(names, shown):
        whole = [plain(names[i]) for i in alike]
        # The common prefix of the first and last in sorted order is common to all.
        pairs = zip(min(whole), max(whole), strict=False)
        shared = next((k for k, (a, b) in enumerate(pairs) if a != b), len(min(whole)))
        for i, text in zip(alike, whole, strict=True):
            shown[i] = short(f"{text[: longest // 3]}…{text[shared:]}", longest)
            if shared + longest // 2 < len(text):
                differing = text[shared : shared + longest - longest // 3 - 2]
                shown[i] = f"{text[: longest // 3]}…{differing}…"
    for alike in _alike(names, shown):
        for number, i in enumerate(alike, start=1):
            mark = f" ({number})"
            shown[i] = short(shown[i], longest - len(mark)) + mark
    return shown


def _alike(names: Sequence[Any], shown: Sequence[str]) -> list[list[int]]:
    """Return groups of indices whose names differ but look the same."""
    places: dict[str, list[int]] = {}
    for i, text in enumerate(shown):
        places.setdefault(text, []).append(i)
    return [alike for alike in places.values() if len({str(names[i]) for i in alike}) > 1]


def isolated(name: Any) -> str:
    """Isolate the text direction of a name from the sentence around it."""
    return f"\u2068{short(name)}\u2069"


def unformatted(name: Any, longest: int = LONGEST) -> str:
    """Return a short name that matplotlib neither reads as a formula nor hides from a legend."""
    text = short(name, longest).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def unformatted_apart(names: Sequence[Any], longest: int = LONGEST) -> list[str]:
    """Return what `apart` shows, unformatted."""
    return [unformatted(text, longest) for text in apart(names, longest)]
