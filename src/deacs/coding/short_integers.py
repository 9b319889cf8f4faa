"""Matrices of integers whose columns all have a short range: coded whole, in one pass.

What `encode` does column by column, for all columns at once: a table of codes, counts or flags with
thousands of columns takes as long as two copies of it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding.blocks import CodeBlock, frozen
from deacs.coding.data import CodedData
from deacs.coding.features import FeatureCoding, default_names
from deacs.coding.identifiers import warn_of_identifiers
from deacs.coding.kinds import MAX_DISCRETE_INTEGERS
from deacs.coding.order import OrderView
from deacs.kernels.spans import close_gaps
from deacs.tables import Labels

__all__ = ["Codes", "coded_matrix", "short_integers"]

Codes = tuple[NDArray[np.uint8], list[FeatureCoding]]
ROWS_AT_ONCE = 64


def short_integers(X: Any, discrete_features: Any) -> Codes | None:
    """Code a matrix of integers with short ranges, or say that it is not one.

    Returns
    -------
    codes : ndarray of uint8 of shape (n_features, n_rows)
        The values that occur in each column, numbered.
    features : list of FeatureCoding
        What they stand for; columns with the same values share one.
    """
    if isinstance(X, np.memmap):
        X = np.asarray(X)
    # Other subclasses, masked arrays first of all, have meanings of their own.
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype.kind not in "iub" or X.size == 0:
        return None
    if discrete_features is True:
        longest = 256
    elif isinstance(discrete_features, str) and discrete_features == "auto":
        longest = MAX_DISCRETE_INTEGERS
    else:
        return None
    found = _offsets(X.view(np.uint8) if X.dtype == bool else X, longest)
    if found is None:
        return None
    codes, lowest, spans = found
    occurs = np.zeros((len(spans), int(spans.max())), dtype=np.bool_)
    close_gaps(codes, spans, occurs)
    n_values = occurs.sum(axis=1)
    lows: list[Any] = lowest.tolist()
    keys: list[Any] = list(zip(lows, spans.tolist(), strict=True))
    for j in np.flatnonzero(n_values < spans).tolist():
        keys[j] = lows[j], occurs[j].tobytes()
    made = {
        key: FeatureCoding("discrete", np.flatnonzero(occurs[j]) + lows[j], int(n_values[j]))
        for key, j in dict(zip(keys, range(len(keys)), strict=True)).items()
    }
    return codes, [made[key] for key in keys]


def coded_matrix(
    codes: NDArray[np.uint8],
    features: list[FeatureCoding],
    labels: Labels,
    order: OrderView | None,
) -> CodedData:
    """Return the table of codes that were made just now, and so are in range."""
    names = default_names(len(codes))
    warn_of_identifiers(names, features, codes.shape[1])
    n_values = np.array([feature.n_values for feature in features])
    return CodedData(
        blocks=(CodeBlock.frozen(np.arange(len(codes)), codes, n_values),),
        labels=frozen(labels.codes),
        classes=labels.classes,
        about=labels.target,
        numbers=labels.numbers,
        features=tuple(features),
        feature_names=names,
        is_named=False,
        order=order,
        check_codes=False,
    )


def _offsets(
    matrix: NDArray[Any], longest: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]] | None:
    """Return each value's offset from the least of its column, transposed, the least and the spans.

    A few rows at a time, so that their extremes and their transpose come from the cache. Bytes hold
    values modulo 256, which tells offsets below 256 apart before the least value is known.
    """
    n_rows, n_features = matrix.shape
    codes = np.empty((n_features, n_rows), dtype=np.uint8)
    lowest, highest = matrix[0].copy(), matrix[0].copy()
    for begin in range(0, n_rows, ROWS_AT_ONCE):
        rows = matrix[begin : begin + ROWS_AT_ONCE]
        np.minimum(lowest, rows.min(axis=0), out=lowest)
        np.maximum(highest, rows.max(axis=0), out=highest)
        if not (highest.astype(np.float64) - lowest.astype(np.float64) < longest).all():
            return None
        codes[:, begin : begin + ROWS_AT_ONCE] = rows.astype(np.uint8).T
    if matrix.dtype == np.uint64 and highest.max() >= 1 << 63:
        return None
    if lowest.any():
        codes -= lowest.astype(np.uint8)[:, np.newaxis]
    return codes, lowest.astype(np.int64), (highest - lowest).astype(np.int64) + 1
