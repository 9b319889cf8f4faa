"""JSON output with a versioned schema.

`docs/cli.md` describes the documents key by key, and a test compares the output with it. The
version grows when a key is removed or changes its meaning; new keys may be added at any time.
"""

import json
import math
from typing import Any

import typer

from deacs import __version__
from deacs.cli.console import stream_named
from deacs.report.names import is_hidden

__all__ = ["document", "json_number", "json_text", "print_json"]


def document(name: str, version: int, content: dict[str, Any]) -> dict[str, Any]:
    """Return the content with a header: the schema, its version and that of deacs."""
    head = {"schema": {"name": f"deacs.{name}", "version": version}, "deacs_version": __version__}
    return head | content


def json_number(value: float) -> float | str | None:
    """Return infinity, which JSON lacks, as a string that number parsers accept; NaN is null."""
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return float(value)


def json_text(made: dict[str, Any]) -> bytes:
    """Return a document as UTF-8, whatever the terminal's encoding.

    Lone surrogates and control characters are escaped, which does not change the JSON value.
    """
    text = json.dumps(made, indent=2, ensure_ascii=False, allow_nan=False)
    if not text.replace("\n", "").isprintable():
        text = "".join(f"\\u{ord(c):04x}" if is_hidden(c) else c for c in text)
    return text.encode() + b"\n"


def print_json(made: dict[str, Any]) -> None:
    """Print a document on the standard output."""
    with stream_named():
        typer.echo(json_text(made), nl=False)
