"""Read a table of any kind as typed columns."""

from typing import Any

from deacs.tables.arrays import from_array
from deacs.tables.columns import Table
from deacs.tables.frames import from_frame, in_memory, is_frame
from deacs.tables.sparse import from_sparse, is_sparse

__all__ = ["is_frame", "read_columns"]


def read_columns(X: Any) -> Table:
    """Read a table as typed columns.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_rows, n_columns)
        NumPy arrays (masked entries are missing) or nested lists; SciPy sparse matrices; frames
        of pandas, polars, pyarrow or any other library that narwhals supports. Lazy frames are
        collected.

    Returns
    -------
    Table
        Numeric columns share memory with X if possible.

    Raises
    ------
    InputError
        If there are no rows or no columns, names repeat, or a column's type cannot be used.
    TypeError
        If a column mixes types; the message names the first value that does not fit.
    """
    if is_sparse(X):
        return from_sparse(X)
    X = in_memory(X)
    return from_frame(X) if is_frame(X) else from_array(X)
