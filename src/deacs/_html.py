"""A small HTML table for results in notebooks, available to every package."""

from collections.abc import Iterable, Mapping
from html import escape
from itertools import islice, zip_longest
from typing import Any

__all__ = ["MOST_ROWS", "html_table"]

MOST_ROWS = 12
"""The most rows that a notebook shows; a last line counts the others."""

LONGEST = 60
"""The most characters of a cell."""

CELL = "text-align:left;padding:0.15em 0.8em 0.15em 0;overflow-wrap:anywhere"


def html_table(caption: str, columns: Mapping[str, Iterable[Any]], n_rows: int) -> str:
    """Return the first 12 of `n_rows` rows as a compact HTML table; everything in it is escaped.

    Numbers are rounded to four digits, texts cut at 60 characters.

    Examples
    --------
    >>> print(html_table("one", {"feature": ["<b>"], "score": [1.23456]}, 1))
    <table><caption ...>one</caption><thead>...<td ...>&lt;b&gt;</td><td ...>1.235</td>...
    """
    head = "".join(f'<th scope="col" style="{CELL}">{_text(name)}</th>' for name in columns)
    shown = [list(islice(values, MOST_ROWS)) for values in columns.values()]
    body = "".join(
        "<tr>" + "".join(f'<td style="{CELL}">{_text(value)}</td>' for value in row) + "</tr>"
        for row in zip_longest(*shown, fillvalue="")
    )
    if n_rows > MOST_ROWS:
        more = f"and {n_rows - MOST_ROWS:,} more"
        body += f'<tr><td colspan="{len(columns)}" style="{CELL}">{more}</td></tr>'
    return (
        f'<table><caption style="text-align:left">{_text(caption, 300)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _text(value: Any, longest: int = LONGEST) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    if len(text) > longest:
        text = f"{text[: longest - 1]}…"
    return escape(text)
