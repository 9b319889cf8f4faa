"""Inner products from codes alone, with columns read a few at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, code_scores, codes_ascend
from deacs.information.inner_products import ProductsInMemory
from deacs.kernels.order import code_sums
from deacs.kernels.threads import map_blocks

__all__ = ["ProductsOfCodes", "ReadColumns"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ReadColumns = Callable[[Integers], Iterator[tuple[Integers, Sequence[NDArray[Any]]]]]
"""Yields the codes of features, some at a time, and their places among those asked for."""

NS_CODE = 1.0
"""Approximate cost of one code, for dividing work among threads."""


class ProductsOfCodes(ProductsInMemory):
    """Products of columns whose order is that of their codes, as of a table without ranks.

    A product is the sum over codes of a score times what the other column adds up to there: the
    same integers as with scores in memory.

    Parameters
    ----------
    data : CodedData
        The table; its columns are not touched.
    read : callable
        Reads columns.
    n_jobs : int or None
        Threads over the columns that are read together.
    """

    def __init__(self, data: CodedData, read: ReadColumns, n_jobs: int | None = None) -> None:
        ascending = [j for j, feature in enumerate(data.features) if codes_ascend(feature)]
        self._begin(data, np.array(ascending, dtype=np.int64), n_jobs)
        self._read = read
        self._counts = self._sums_of(self.coordinates.ordered, self._ones)
        self._by_code = [
            code_scores(counts, data.features[j].has_missing).astype(np.int64)
            for j, counts in zip(ascending, self._counts, strict=True)
        ]

    @cached_property
    def squares(self) -> Floats:
        """The squared length of each coordinate."""
        pairs = zip(self._by_code, self._counts, strict=True)
        squares = np.array([scores**2 @ counts for scores, counts in pairs], dtype=np.float64)
        return np.concatenate((squares, self.sums[len(squares) :]))

    def with_feature(self, feature: int, level: int) -> Floats:
        """Return the products with an ordered feature, or with one indicator of a category."""
        ((_, (codes,)),) = self._read(np.array([feature]))
        if self.coordinates.block[feature] < 0:
            scores = self._by_code[int(self.coordinates.place[feature])]
            column = scores.astype(np.int16).take(codes)
        else:
            column = (codes == level).astype(np.int16)
        weights = self._data.weights
        return self._products(column if weights is None else column * weights)

    def _products(self, column: NDArray[Any]) -> Floats:
        ordered, categories, starts, _, _ = self.coordinates
        sums = self._sums_of(np.concatenate((ordered, categories)), column)
        products = np.zeros(int(starts[-1]), dtype=np.int64)
        for k, (scores, by_code) in enumerate(zip(self._by_code, sums, strict=False)):
            products[k] = by_code @ scores
        for by_code, begin in zip(sums[len(ordered) :], starts[:-1], strict=True):
            products[begin : begin + len(by_code)] = by_code
        return products.astype(np.float64)

    def _sums_of(self, features: Integers, column: NDArray[Any]) -> list[Integers]:
        """Add up a column by the code of each feature, (n_values,) each."""
        sums = [np.zeros(n, dtype=np.int64) for n in self.n_values[features].tolist()]
        for places, codes in self._read(features):

            def work(
                part: slice, places: Integers = places, codes: Sequence[NDArray[Any]] = codes
            ) -> None:
                for k in range(part.start, part.stop):
                    code_sums(codes[k], column, sums[places[k]])

            map_blocks(work, len(places), self._n_jobs, NS_CODE * len(column))
        return sums
