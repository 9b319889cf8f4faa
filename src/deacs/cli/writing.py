"""Write the selected columns as a file."""

import io
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["SEPARATORS", "written"]

SEPARATORS = {".csv": ",", ".tsv": "\t", ".parquet": ""}
"""Suffixes that --output may have, and the separator of each."""


def written(table: "pl.DataFrame", output: Path) -> bytes:
    """Return the table as bytes in the format of the suffix."""
    if output.suffix != ".parquet":
        return table.write_csv(separator=SEPARATORS[output.suffix]).encode()
    file = io.BytesIO()
    table.write_parquet(file)
    return file.getvalue()
