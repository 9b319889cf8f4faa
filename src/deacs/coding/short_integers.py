"""Fast coding, in one pass, of integer matrices whose columns all have a short range.

What `encode` does column by column, for all columns at once: a table of codes, counts or flags with
thousands of columns takes about as long as to read it.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import cuts
from deacs.coding.blocks import frozen
from deacs.coding.data import CodedData, FeatureCoding, default_names
from deacs.coding.kinds import MAX_DISCRETE_INTEGERS
from deacs.coding.notes import column_notes, warn_of
from deacs.exceptions import Note
from deacs.tables import Labels
from deacs.tables.gate import is_sparse

__all__ = ["Codes", "coded_matrix", "short_integers"]

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]
Codes = tuple[Bytes, Integers, list[FeatureCoding]]
Numbered = tuple[Bytes, Integers, Integers, NDArray[np.bool_], Integers]


def short_integers(X: Any, discrete_features: Any) -> Codes | None:
    """Code a matrix of integers with short ranges, or say that it is not one.

    Returns
    -------
    codes : ndarray of uint8 of shape (n_features, n_rows)
        The values that occur in each column, numbered.
    n_values : ndarray of int of shape (n_features,)
        How many there are.
    features : list of FeatureCoding
        What they stand for; columns with the same values share one.
    """
    if isinstance(X, np.memmap):
        X = np.asarray(X)
    # Other subclasses, masked arrays first of all, have meanings of their own.
    if type(X) is not np.ndarray and not is_sparse(X):
        return None
    if len(X.shape) != 2 or X.dtype.kind not in "iub" or 0 in X.shape:
        return None
    if discrete_features is True:
        longest = 256
    elif isinstance(discrete_features, str) and discrete_features == "auto":
        longest = MAX_DISCRETE_INTEGERS
    else:
        return None
    coded = _coded_entries(X, longest) if is_sparse(X) else _coded(X, longest)
    if coded is None:
        return None
    codes, lowest, spans, occurs, n_values = coded
    features = list(map(_of_span, lowest.tolist(), (spans - 1).tolist()))
    for j in np.flatnonzero(n_values < spans).tolist():
        features[j] = _with_gaps(int(lowest[j]), occurs[j].tobytes())
    return codes, n_values, features


@lru_cache(maxsize=4096)
def _of_span(lowest: int, further: int) -> FeatureCoding:
    """Return the coding of a column that has the lowest value and each of so many further ones."""
    values = np.arange(lowest, lowest + further + 1)
    return FeatureCoding("discrete", frozen(values), len(values))


@lru_cache(maxsize=4096)
def _with_gaps(lowest: int, occurs: bytes) -> FeatureCoding:
    """Return the coding of a column from its lowest value and which of those from there it has."""
    values = np.flatnonzero(np.frombuffer(occurs, dtype=np.bool_)) + lowest
    return FeatureCoding("discrete", frozen(values), len(values))


def coded_matrix(
    codes: Bytes,
    n_values: Integers,
    features: list[FeatureCoding],
    labels: Labels,
) -> CodedData:
    """Return the table of codes that were made just now, and so are in range."""
    names = default_names(len(codes))
    notes: tuple[Note, ...] = ()
    # A byte holds 256 values, so that longer tables have no column with one for each row.
    if codes.shape[1] <= 256 and n_values.max() == codes.shape[1]:
        notes = column_notes(names, features, codes.shape[1])
        warn_of(notes)
    return CodedData.from_columns(
        codes, features, labels, names, is_named=False, notes=notes, check_codes=False
    )


def _coded_entries(X: Any, longest: int) -> Numbered | None:
    """Do what `_coded` does from the entries that a sparse matrix stores."""
    matrix = X.tocsc()
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # X may be the caller's own, and a matrix is summed in place
        matrix.sum_duplicates()
    n_rows, n_features = matrix.shape
    columns = np.repeat(np.arange(n_features), np.diff(matrix.indptr))
    lowest, highest = np.zeros((2, n_features), dtype=np.int64)
    entries = matrix.data.astype(np.int64)
    if len(entries) and not (-longest < entries.min() and entries.max() < longest):
        return None
    np.minimum.at(lowest, columns, entries)
    np.maximum.at(highest, columns, entries)
    spans = highest - lowest + 1
    if spans.max() > longest:
        return None
    occurs = np.zeros((n_features, int(spans.max())), dtype=np.bool_)
    is_full = np.diff(matrix.indptr) == n_rows
    occurs[np.flatnonzero(~is_full), -lowest[~is_full]] = True
    occurs[columns, entries - lowest[columns]] = True
    code_of = (occurs.cumsum(axis=1) - 1).astype(np.uint8)
    codes = np.empty((n_features, n_rows), dtype=np.uint8)
    codes[:] = code_of[np.arange(n_features), -lowest][:, np.newaxis]
    codes.reshape(-1)[columns * n_rows + matrix.indices] = code_of[
        columns, entries - lowest[columns]
    ]
    return codes, lowest, spans, occurs, occurs.sum(axis=1)


def _coded(matrix: NDArray[Any], longest: int) -> Numbered | None:
    """Return codes, the least value and the span of each column, which of a span occur, how many.

    Bytes hold values modulo 256, which tells offsets below 256 apart before the least is known.
    """
    if not matrix.dtype.isnative:
        matrix = matrix.astype(matrix.dtype.newbyteorder("="))
    if matrix.dtype == np.uint64:
        if matrix.max() >= 1 << 31:
            return None
        matrix = matrix.view(np.int64)
    n_rows, n_features = matrix.shape
    codes = np.empty((n_features, n_rows), dtype=np.uint8)
    least, n_values = np.empty((2, n_features), dtype=np.int64)
    occurs = np.zeros((n_features, longest), dtype=np.bool_)
    matrix = np.ascontiguousarray(matrix)
    if not cuts.short_codes(matrix, longest, least, codes, occurs, n_values):
        return None
    spans = longest - occurs[:, ::-1].argmax(axis=1)
    fits = (least > -(1 << 31)) & (least <= (1 << 31) - spans)
    if matrix.dtype.itemsize == 8 and not fits.all():
        return None
    return codes, least, spans, occurs, n_values
