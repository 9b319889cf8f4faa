"""A limit on the size of the dense table from a sparse file."""

from deacs.tables.files.source import Source

__all__ = ["refuse_too_dense"]

MAX_DENSE_BYTES = 1 << 32
COLUMN_BYTES = 1 << 12
"""Bytes of a column besides its values, which matter if there are a million columns."""


def refuse_too_dense(source: Source, n_rows: int, n_columns: int) -> None:
    """Raise an error for a sparse file whose dense table would not fit in memory."""
    needed = n_columns * (n_rows * 8 + COLUMN_BYTES)
    if needed > MAX_DENSE_BYTES:
        raise source.error(
            f"unfolded, its {n_rows:,} rows and {n_columns:,} columns take {needed:,} bytes, and "
            f"the limit is {MAX_DENSE_BYTES:,}; keep it a sparse matrix of scipy and fit that, or "
            "write fewer columns"
        )
