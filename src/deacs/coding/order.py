r"""The order of values as normal scores of their ranks, in 16-bit integers.

With :math:`r` the mean rank of a value among the :math:`n` rows where its column is present, from 1
to :math:`n`, its normal score is

.. math:: z = \Phi^{-1}\left(\frac{r - 1/2}{n}\right),

stored as :math:`4096\,z` rounded to the nearest integer. Equal values have equal scores; a missing
value has the score 0, the middle; so has every row of a constant column. A row of weight :math:`w`
counts as :math:`w` equal rows. B. L. van der Waerden, "Order tests for the two-sample problem and
their power", Indagationes Mathematicae 14 (1952), 453-458.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deacs._kernels.threads import map_blocks
from deacs.coding.cuts import SortedColumns, sort_columns
from deacs.tables import Column, Weights

if TYPE_CHECKING:
    from deacs.coding.data import CodedData, FeatureCoding

__all__ = [
    "SCORE_SCALE",
    "OrderView",
    "codes_ascend",
    "normal_scores",
    "order_of_coded",
    "order_view",
    "sorted_scores",
]

SCORE_SCALE = 1 << 12
"""A score of 1.0 as an integer. The most extreme score of 2**31 rows, 6.2, is far below 2**15."""

NS_SCORE = 5.0
"""Approximate cost of scoring per row, for dividing work among threads."""

Scores = NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class OrderView:
    """Normal scores of the columns that have an order.

    Columns of numbers and booleans have one, whether their codes stand for values or for
    intervals; so have categories of two values. Other categories have none.

    Attributes
    ----------
    scores : ndarray of int16 of shape (n_ordered, n_rows)
        The scores times 4096, one column after another, read-only.
    features : ndarray of int64 of shape (n_ordered,)
        The indices of the features, ascending.
    """

    scores: Scores
    features: NDArray[np.int64]

    def __post_init__(self) -> None:
        self.scores.setflags(write=False)
        self.features.setflags(write=False)


def normal_scores(values: NDArray[Any], weights: NDArray[np.int64] | None = None) -> Scores:
    """Return the normal score of each value in fixed point.

    Parameters
    ----------
    values : ndarray of numbers of shape (n_rows,)
        A column; NaN is missing.
    weights : ndarray of int of shape (n_rows,), optional
        The count of each row.

    Returns
    -------
    ndarray of int16 of shape (n_rows,)
        The scores times 4096, which depend only on the ranks.

    Examples
    --------
    >>> import numpy as np
    >>> normal_scores(np.array([10.0, 30.0, 20.0, np.nan])).tolist()
    [-3963, 3963, 0, 0]
    """
    values = np.asarray(values)
    has_nan = values.dtype.kind == "f" and np.isnan(values).any()
    missing = np.isnan(values) if has_nan else None
    counts = None if weights is None else Weights(weights, 1.0)
    column = sort_columns([Column("", "float", values, missing)], counts)
    return np.asarray(sorted_scores(column, counts)[0])


def order_view(data: CodedData) -> OrderView:
    """Return the order view of coded data, derived from its codes if `encode` kept none.

    Order within the intervals of a cut column is then lost.
    """
    return data.order_of_codes if data.order is None else data.order


def order_of_coded(
    data: CodedData, known: Mapping[int, Scores | None] | None = None, n_jobs: int | None = None
) -> OrderView:
    """Return the order view derived from a table's codes, where scores are not known already.

    In `known`, None marks a column without an order.
    """
    known = known or {}
    features = [
        j
        for j, feature in enumerate(data.features)
        if (codes_ascend(feature) if j not in known else known[j] is not None)
    ]
    scores = np.zeros((len(features), data.n_rows), dtype=np.int16)
    weights = None if data.weights is None else Weights(data.weights, 1.0)

    def work(part: slice) -> None:
        for k in range(part.start, part.stop):
            feature, own = data.features[features[k]], known.get(features[k])
            if own is not None:
                scores[k] = own
            else:
                _score_codes(data.column(features[k]), feature, weights, scores[k])

    map_blocks(work, len(features), n_jobs, NS_SCORE * data.n_rows)
    return OrderView(scores, np.array(features, dtype=np.int64))


def codes_ascend(feature: FeatureCoding) -> bool:
    """Whether codes have an order: those of intervals, of numbers and of any two values."""
    n_present = feature.n_values - int(feature.has_missing)
    is_number = feature.kind == "continuous" or np.asarray(feature.values).dtype.kind in "biuf"
    return is_number or n_present == 2


def _score_codes(
    codes: NDArray[np.unsignedinteger[Any]],
    feature: FeatureCoding,
    weights: Weights | None,
    scores: Scores,
) -> None:
    """OUT scores, looked up by code without sorting; not every value need occur."""
    repeats = None if weights is None else weights.counts
    counts = np.bincount(codes, repeats, minlength=feature.n_values).astype(np.int64)
    if feature.has_missing:
        counts[-1] = 0
    if not counts.any():  # all values are missing
        return
    by_code = _quantised(2 * np.cumsum(counts) - counts, 2 * int(counts.sum()))
    if feature.has_missing:
        by_code[-1] = 0
    by_code.take(codes, out=scores)


def sorted_scores(columns: SortedColumns, weights: Weights | None) -> Scores:
    """Return the scores of sorted columns, (n_columns, n_rows)."""
    rows, ranks, n_present = columns.order
    scores = np.zeros(rows.shape, dtype=np.int16)
    if columns.is_whole:
        _score_sorted(rows, ranks, weights, scores)
    else:
        for k, n in enumerate(n_present.tolist()):
            one = slice(k, k + 1)
            _score_sorted(rows[one, :n], ranks[one, :n], weights, scores[one])
    return scores


def _score_sorted(
    rows: NDArray[np.int32], ranks: NDArray[np.int32], weights: Weights | None, scores: Scores
) -> None:
    """OUT scores of the same number of rows in each column, by ascending rank, (k, n)."""
    if rows.size == 0:
        return
    n = rows.shape[1]
    is_first = np.ones(rows.shape, dtype=np.bool_)
    np.greater(ranks[:, 1:], ranks[:, :-1], out=is_first[:, 1:])
    begins = np.flatnonzero(is_first)
    ends, column = np.append(begins[1:], rows.size), begins // n
    if weights is None:
        by_value = _table(n)[begins + ends - 2 * n * column]
    else:
        counts = weights.counts[rows]
        tied, total = np.add.reduceat(counts.ravel(), begins), int(counts[0].sum())
        by_value = _quantised(2 * (np.cumsum(tied) - total * column) - tied, 2 * total)
    # In one dimension: with two, NumPy takes twice as long.
    places = rows + np.arange(len(rows))[:, np.newaxis] * scores.shape[1]
    scores.reshape(-1)[places.reshape(-1)] = by_value.repeat(ends - begins)


@lru_cache(maxsize=8)
def _table(n: int) -> Scores:
    """Return the scores of all mean ranks r of n rows; that of r is at index 2 r - 1."""
    return _quantised(np.arange(2 * n), 2 * n)


def _quantised(numerators: NDArray[np.int64], denominator: int) -> Scores:
    """Return the normal quantiles at numerators / denominator in fixed point.

    Both tails are computed alike, so reversing a column only changes the signs of its scores.
    """
    from scipy.special import ndtri  # loaded only if needed

    nearer = np.minimum(numerators, denominator - numerators)
    # A numerator of 0 belongs to no row.
    size = np.rint(-SCORE_SCALE * ndtri(np.maximum(nearer, 1) / denominator))
    signed = np.where(2 * numerators > denominator, size, -size)
    scores: Scores = signed.astype(np.int16)
    return scores
