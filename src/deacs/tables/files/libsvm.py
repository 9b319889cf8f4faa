"""libsvm (svmlight): `label index:value ... # comment`, read by scikit-learn.

The classes become the column `label`; other columns are named by their index in the file: `f1`, ...
"""

import io
import re

import numpy as np
import polars as pl
from numpy.typing import NDArray

from deacs.exceptions import InputError
from deacs.tables.files.options import Options, refuse_unknown
from deacs.tables.files.source import Source, with_newlines

__all__ = ["LABEL", "read"]

LABEL = "label"
LARGEST_INDEX = 2**31 - 2
NUMBER = re.compile(
    rb"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|nan|inf(?:inity)?)", re.IGNORECASE
)


def read(source: Source, options: Options) -> pl.DataFrame:
    """Read a sparse file into dense columns; absent entries are zero."""
    from sklearn.datasets import load_svmlight_file

    text = with_newlines(source.read_bytes())
    try:
        # zero_based keeps the indices of the file, by which columns are named.
        matrix, labels, queries = load_svmlight_file(
            io.BytesIO(text), zero_based=True, query_id=True
        )
    except (ValueError, OverflowError) as error:
        _refuse_malformed(source, text)
        raise source.error(f"{error}") from None
    if len(queries):
        _refuse_malformed(source, text)
    if matrix.shape[0] == 0 or matrix.nnz == 0:
        raise InputError(f"{source} has no entries index:value, so no columns")
    first = 0 if matrix.indices.min() == 0 else 1
    source.refuse_too_dense(matrix.shape[0], matrix.shape[1] - first)
    names = [f"f{index}" for index in range(first, matrix.shape[1])]
    refuse_unknown(options, [LABEL, *names])
    columns = matrix.tocsc()
    unwanted, nominal = set(options.exclude), set(options.nominal)
    table = pl.DataFrame(
        [
            _column(name, columns[:, [index]].toarray().ravel())
            for index, name in enumerate(names, start=first)
            if name not in unwanted
        ]
        + [_column(LABEL, labels)]
    )
    return table.with_columns(pl.col(name).cast(pl.String) for name in nominal - unwanted).drop(
        LABEL if LABEL in unwanted else []
    )


def _column(name: str, values: NDArray[np.float64]) -> pl.Series:
    """Return a column as integers if all values are whole, as in a CSV file."""
    column = pl.Series(name, values, nan_to_null=True)
    is_whole = np.isfinite(values) & (np.floor(values) == values) & (np.abs(values) < 2**53)
    return column.cast(pl.Int64) if (is_whole | np.isnan(values)).all() else column


def _refuse_malformed(source: Source, text: bytes) -> None:
    """Raise an error for the first malformed line."""
    for number, line in enumerate(io.BytesIO(text), start=1):
        fields = line.partition(b"#")[0].split()
        if not fields:
            continue
        if not NUMBER.fullmatch(fields[0]):
            reason = "several labels" if b"," in fields[0] else "the label is not a number"
            raise source.error(f"{reason}: {_shown(fields[0])}; one number is needed", number)
        last = -1
        for field in fields[1:]:
            index, colon, value = field.partition(b":")
            if index == b"qid":
                raise source.error("qid: is for ranking; remove it to select for classes", number)
            if not (colon and index.isdigit() and NUMBER.fullmatch(value)):
                raise source.error(f"{_shown(field)} is not index:value", number)
            if len(index) > 10 or int(index) > LARGEST_INDEX:
                raise source.error(f"the index {_shown(index)} is above {LARGEST_INDEX:,}", number)
            if int(index) <= last:
                raise source.error(
                    f"the index {int(index)} follows {last}; indices must increase", number
                )
            last = int(index)


def _shown(field: bytes) -> str:
    text = field[:40].decode("ascii", errors="backslashreplace")
    return repr(text) + ("..." if len(field) > 40 else "")
