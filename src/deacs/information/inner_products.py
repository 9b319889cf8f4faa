"""Inner products for the order view: the only integer sums over rows that it needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, normal_scores, order_view
from deacs.kernels.order import code_sums, inner_products
from deacs.kernels.threads import map_blocks

__all__ = [
    "MAX_LEVELS",
    "Coordinates",
    "InnerProducts",
    "NumberProducts",
    "ProductsInMemory",
    "products_of_numbers",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MAX_LEVELS = 64
"""Categories with more values are not scored: so many indicators would fit noise."""

SMALL = 2_000_000
"""The most values that NumPy multiplies while the kernel, six times as fast, is not compiled."""

NS_PRODUCT = 0.2
"""Approximate cost of one product, for dividing work among threads."""


class Coordinates(NamedTuple):
    """The coordinates of the order view: ordered columns, then the indicators of each category."""

    ordered: Integers
    """The features that have an order, ascending."""
    categories: Integers
    """The features that count as blocks of indicators, ascending."""
    starts: Integers
    """The first indicator of each category, and the number of coordinates."""
    place: Integers
    """The (first) coordinate of each feature, or -1, (n_features,)."""
    block: Integers
    """The number of each feature among the categories, or -1, (n_features,)."""

    @classmethod
    def of(cls, n_values: Integers, ordered: Integers) -> Self:
        """Assign coordinates to features, given their numbers of values and which are ordered."""
        small = np.flatnonzero((n_values > 2) & (n_values <= MAX_LEVELS))
        categories = np.setdiff1d(small, ordered)
        starts = len(ordered) + np.concatenate(([0], np.cumsum(n_values[categories])))
        place, block = np.full((2, len(n_values)), -1)
        place[ordered] = np.arange(len(ordered))
        place[categories] = starts[:-1]
        block[categories] = np.arange(len(categories))
        return cls(ordered, categories, starts, place, block)


class NumberProducts(NamedTuple):
    """Products with the normal scores of a target that is a number."""

    of_coordinates: Floats
    total: float
    square: float
    of_outputs: Floats
    """The sum over the rows of each output."""


def products_of_numbers(
    data: CodedData, of_coordinates: Callable[[Integers, NDArray[np.int16], NDArray[Any]], Floats]
) -> NumberProducts | None:
    """Return the products with a numeric target; None for other targets.

    `of_coordinates` returns those of the coordinates, from the rank of each row's target, its
    normal score, and that times the weight of the row.
    """
    if data.numbers is None:
        return None
    # Ranks of distinct values, since floats do not represent all integers.
    ranks = np.unique(data.numbers, return_inverse=True)[1]
    scores = normal_scores(ranks, data.weights)
    counted = scores if data.weights is None else scores * data.weights
    outputs = (data.about.rows_of(i, data.labels) for i in range(data.n_outputs))
    return NumberProducts(
        of_coordinates(ranks, scores, counted),
        int(counted.sum(dtype=np.int64)),
        float(np.multiply(counted, scores, dtype=np.int64).sum()),
        np.array([float(counted[rows].sum(dtype=np.int64)) for rows in outputs]),
    )


class InnerProducts(Protocol):
    """Protocol of the inner products of an order view: integers, as floats."""

    n_values: Integers
    """The number of values of each feature."""
    coordinates: Coordinates
    total: float
    """The total count of all rows."""
    n_rows: float
    """The number of rows."""
    label_counts: Floats
    """The count of each output."""

    @property
    def numbers(self) -> NumberProducts | None:
        """The products with a numeric target; None for other targets."""

    @property
    def sums(self) -> Floats:
        """The sum of each coordinate."""

    @property
    def squares(self) -> Floats:
        """The squared length of each coordinate."""

    def with_outputs(self) -> Floats:
        """Return the products with the indicators of outputs, (n_coordinates, n_outputs)."""

    def with_feature(self, feature: int, level: int) -> Floats:
        """Return the products with an ordered feature, or with one indicator of a category."""


class ProductsInMemory:
    """Products of `CodedData`, with its order view or with codes from which one can be made."""

    def __init__(self, data: CodedData, n_jobs: int | None = None) -> None:
        view = order_view(data)
        self._data, self._n_jobs = data, n_jobs
        self._scores = view.scores
        self.n_values = data.n_values
        self.coordinates = Coordinates.of(data.n_values, view.features)
        weights = data.weights
        self._ones = np.ones(data.n_rows, dtype=np.int16) if weights is None else weights
        self.total = float(self._ones.sum(dtype=np.int64))
        self.n_rows = float(self.total if data.weights_are_counts else data.n_rows)
        by_run = np.bincount(data.labels, self._ones, data.n_classes)
        self.label_counts = np.asarray(data.about.counts_of(by_run))

    @cached_property
    def sums(self) -> Floats:
        """The sum of each coordinate."""
        return self._products(self._ones)

    @cached_property
    def squares(self) -> Floats:
        """The squared length of each coordinate."""
        scores, weights = self._scores, self._data.weights
        if weights is None:
            squares = np.einsum("ij,ij->i", scores, scores, dtype=np.int64)
        else:
            squares = np.einsum("ij,ij,j->i", scores, scores, weights, dtype=np.int64)
        # An indicator is its own square.
        return np.concatenate((squares.astype(np.float64), self.sums[len(squares) :]))

    def with_outputs(self) -> Floats:
        """Return the products with the indicators of outputs, (n_coordinates, n_outputs)."""
        products = np.empty((int(self.coordinates.starts[-1]), self._data.n_outputs))
        for i in range(self._data.n_outputs):
            rows = self._data.about.rows_of(i, self._data.labels)
            products[:, i] = self._products(np.where(rows, self._ones, self._ones.dtype.type(0)))
        return products

    @cached_property
    def numbers(self) -> NumberProducts | None:
        """The products with a numeric target; None for other targets."""
        return products_of_numbers(self._data, lambda _, __, counted: self._products(counted))

    def with_feature(self, feature: int, level: int) -> Floats:
        """Return the products with an ordered feature, or with one indicator of a category."""
        data = self._data
        if self.coordinates.block[feature] < 0:
            # A copy: for read-only arrays, another type, kernels would be compiled again.
            column = self._scores[self.coordinates.place[feature]].copy()
        else:
            column = (data.column(feature) == level).astype(np.int16)
        return self._products(column if data.weights is None else column * data.weights)

    def _products(self, column: NDArray[Any]) -> Floats:
        """Return the product of every coordinate with a column of integers."""
        _, categories, starts, _, _ = self.coordinates
        products = np.zeros(int(starts[-1]), dtype=np.int64)
        ordered = np.arange(len(self._scores))

        def work(part: slice) -> None:
            inner_products(self._scores, ordered[part], column, products[part])

        if self._scores.size <= SMALL and not inner_products.is_ready:
            np.einsum("ij,j->i", self._scores, column, dtype=np.int64, out=products[: len(ordered)])
        else:
            map_blocks(work, len(ordered), self._n_jobs, NS_PRODUCT * len(column))
        for feature, begin, end in zip(categories, starts[:-1], starts[1:], strict=True):
            code_sums(self._data.column(int(feature)), column, products[begin:end])
        return products.astype(np.float64)
