"""What `deacs select` leaves in files: the selected columns, and the page."""

import io
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from deacs import CodedData

__all__ = ["SEPARATORS", "write_report", "written"]

SEPARATORS = {".csv": ",", ".tsv": "\t", ".parquet": ""}
"""What --output may end in, and what stands between its columns."""


def write_report(
    fitted: Any,
    data: "CodedData",
    settings: dict[str, Any],
    notes: list[str],
    report: Path,
    title: str,
) -> None:
    """Write the page of DEA-CS, or of another selector; the command line is how to repeat it."""
    from deacs.report import summarize, summarize_path, write_page
    from deacs.selection import Path as Selection

    how: dict[str, Any] = {"notes": notes, "snippet": shlex.join(["deacs", *sys.argv[1:]])}
    if isinstance(fitted, Selection):
        page = summarize_path(fitted, data, settings, **how)
    else:
        page = summarize(fitted, data, **how)
    write_page(page, report, title=title)


def written(table: "pl.DataFrame", output: Path) -> bytes:
    """Return the table as its suffix says."""
    if output.suffix != ".parquet":
        return table.write_csv(separator=SEPARATORS[output.suffix]).encode()
    file = io.BytesIO()
    table.write_parquet(file)
    return file.getvalue()
