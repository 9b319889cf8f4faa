"""libsvm (svmlight): `label index:value ... # comment`, read by scikit-learn.

The classes become the column `label`; other columns are named by their index in the file: `f1`, ...
"""

import io
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from deacs.exceptions import InputError
from deacs.tables.files.formats import Options, refuse_unknown
from deacs.tables.files.source import Source

__all__ = ["LABEL", "read"]

LABEL = "label"
FORM = "a line must look like 'label index:value index:value', with rising indices"


def read(source: Source, options: Options) -> pl.DataFrame:
    """Read a sparse file into dense columns; absent entries are zero."""
    text = source.read_text()
    try:
        matrix, labels, queries = _loaded(text)
    except (ValueError, OverflowError) as error:
        raise source.error(f"{error}; {FORM}", _first_bad_line(text)) from None
    if len(queries):
        raise source.error("qid: is for ranking; remove it to select for classes")
    if matrix.shape[0] == 0 or matrix.nnz == 0:
        raise InputError(f"{source} has no entries index:value, so no columns")
    first = 0 if matrix.indices.min() == 0 else 1
    source.refuse_too_dense(matrix.shape[0], matrix.shape[1] - first)
    names = [f"f{index}" for index in range(first, matrix.shape[1])]
    refuse_unknown(options, [*names, LABEL])
    columns = matrix.tocsc()
    table = pl.DataFrame(
        [
            _column(name, columns[:, [index]].toarray().ravel())
            for index, name in enumerate(names, start=first)
            if name not in options.exclude
        ]
        + [_column(LABEL, labels)] * (LABEL not in options.exclude)
    )
    return table.with_columns(
        pl.col(name).cast(pl.String) for name in options.nominal if name in table.columns
    )


def _column(name: str, values: NDArray[np.float64]) -> pl.Series:
    """Return a column as integers if all values are whole, as in a CSV file."""
    column = pl.Series(name, values, nan_to_null=True)
    is_whole = np.isfinite(values) & (np.floor(values) == values) & (np.abs(values) < 2**53)
    return column.cast(pl.Int64) if (is_whole | np.isnan(values)).all() else column


def _loaded(text: bytes) -> Any:
    from sklearn.datasets import load_svmlight_file

    # zero_based keeps the indices of the file, by which columns are named.
    return load_svmlight_file(io.BytesIO(text), zero_based=True, query_id=True)


def _first_bad_line(text: bytes) -> int:
    """Return the number of the first line that cannot be read, by halving."""
    lines = text.split(b"\n")
    good, bad = 0, len(lines)
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            _loaded(b"\n".join(lines[good:middle]))
            good = middle
        except (ValueError, OverflowError):
            bad = middle
    return good + 1
