"""Inner products from codes alone, by sums over the rows of each code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import order as kernels
from deacs._kernels.threads import map_blocks
from deacs.coding import CodedData, CodedTable, code_scores, codes_ascend
from deacs.information.order import Coordinates, NumberProducts, products_of_numbers

__all__ = ["LABELS", "ProductsOfCodes", "ReadColumns", "SumsByCode", "add_by_code"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LABELS = -1
"""The column of labels, among features."""

Columns = Iterator[tuple[Integers, Sequence[NDArray[Any]]]]
"""Codes of some features at a time, and their positions among the requested features."""

ReadColumns = Callable[[Integers], Columns]
"""Reads the columns of features."""

NS_CODE = 1.0
"""Approximate cost of one code, for dividing work among threads."""

SumsByCode = Callable[[Any, NDArray[np.int16], Integers], Integers]
"""Sums over the rows with each code of some features, of numbers for the codes of another column.

Called with that column (a feature, `LABELS`, or codes of all rows), the numbers for its codes,
(n_runs, n_codes), and the features; returns weighted sums, (n_runs, sum of their numbers of
values). The integers add over parts of the rows.
"""


class ProductsOfCodes:
    """Products of columns in the order of their codes, for tables without ranks.

    A product is the sum over codes of a score times the sum of the other column over the rows with
    that code: the same integers as with scores in memory. The columns of `table` are not read;
    `sums_by_code` is called once at the beginning, and once for each feature that joins S. `total`
    is the total count of all rows, `n_rows` their number.
    """

    def __init__(
        self, table: CodedTable, sums_by_code: SumsByCode, total: int, n_rows: float
    ) -> None:
        self._table, self._sums_by_code = table, sums_by_code
        self.n_values, self.total, self.n_rows = table.n_values, float(total), float(n_rows)
        ascending = [j for j, feature in enumerate(table.features) if codes_ascend(feature)]
        self.coordinates = Coordinates.of(table.n_values, np.array(ascending, dtype=np.int64))
        features = np.concatenate((self.coordinates.ordered, self.coordinates.categories))
        # At least one feature, from whose sums the labels are counted.
        self._features = features if len(features) else np.zeros(1, dtype=np.int64)
        self._starts = np.concatenate(([0], np.cumsum(self.n_values[self._features])))
        self._by_label = self._sums(LABELS, np.eye(table.n_classes, dtype=np.int16))
        by_run = self._of(self._by_label, 0).sum(axis=1)
        self.label_counts = np.asarray(table.about.counts_of(by_run), dtype=np.float64)
        counts = self._by_label.sum(axis=0)
        self._scores = [
            code_scores(self._of(counts, k), table.features[j].has_missing).astype(np.int64)
            for k, j in enumerate(ascending)
        ]
        self._latest: tuple[int, Integers] = -1, self._by_label

    def _sums(self, column: Any, stand_for: NDArray[np.int16]) -> Integers:
        return self._sums_by_code(column, stand_for, self._features)

    def _of(self, sums: Integers, k: int) -> Integers:
        """The sums by code of one feature."""
        return np.asarray(sums[..., self._starts[k] : self._starts[k + 1]])

    @property
    def numbers(self) -> NumberProducts | None:
        """The products with a numeric target; None for other targets."""

        def by_rank(ranks: Integers, scores: NDArray[np.int16], _: NDArray[Any]) -> Floats:
            of_ranks = scores[np.unique(ranks, return_index=True)[1]]
            return np.asarray(self._products(self._sums(ranks, of_ranks[np.newaxis]))[0])

        data = self._table
        return products_of_numbers(data, by_rank) if isinstance(data, CodedData) else None

    @property
    def sums(self) -> Floats:
        """The sum of each coordinate."""
        return np.asarray(self._products(self._by_label.sum(axis=0, keepdims=True))[0])

    @property
    def squares(self) -> Floats:
        """The squared length of each coordinate; an indicator is its own square."""
        counts = self._by_label.sum(axis=0)
        squares = [scores**2 @ self._of(counts, k) for k, scores in enumerate(self._scores)]
        return np.concatenate((np.array(squares, dtype=np.float64), self.sums[len(squares) :]))

    def with_outputs(self) -> Floats:
        """Return the products with the indicators of outputs, (n_coordinates, n_outputs)."""
        products = self._products(self._by_label).T
        return np.ascontiguousarray(self._table.about.counts_of(products), dtype=np.float64)

    def with_feature(self, feature: int, level: int) -> Floats:
        """Return the products with an ordered feature, or with one indicator of a category."""
        if self._latest[0] != feature:
            if self.coordinates.block[feature] < 0:
                scores = self._scores[int(self.coordinates.place[feature])]
                stand_for = scores.astype(np.int16)[np.newaxis]
            else:
                stand_for = np.eye(int(self.n_values[feature]), dtype=np.int16)
            self._latest = feature, self._sums(feature, stand_for)
        return np.asarray(self._products(self._latest[1][level : level + 1])[0])

    def _products(self, sums: Integers) -> Floats:
        """Return the products of every coordinate, from sums by code of each run."""
        n_ordered = len(self._scores)
        products = np.zeros((len(sums), int(self.coordinates.starts[-1])), dtype=np.int64)
        for k, scores in enumerate(self._scores):
            products[:, k] = self._of(sums, k) @ scores
        first, n_levels = self._starts[n_ordered], products.shape[1] - n_ordered
        products[:, n_ordered:] = sums[:, first : first + n_levels]
        return products.astype(np.float64)


def add_by_code(
    data: CodedData,
    read: Columns,
    features: Integers,
    codes: NDArray[Any],
    stand_for: NDArray[np.int16],
    n_jobs: int | None = None,
) -> Integers:
    """Return the sums of `SumsByCode`, from columns that are read some at a time, each once."""
    ends = np.cumsum(data.n_values[features])
    sums = np.zeros((len(stand_for), int(ends[-1])), dtype=np.int64)
    parts = [np.split(run, ends[:-1]) for run in sums]
    for places, columns in read:
        for by_feature, stands in zip(parts, stand_for, strict=True):
            column = stands.take(codes)
            if data.weights is not None:
                column = column * data.weights

            def work(
                some: slice,
                places: Integers = places,
                columns: Sequence[NDArray[Any]] = columns,
                column: NDArray[Any] = column,
                by_feature: list[Integers] = by_feature,
            ) -> None:
                for k in range(some.start, some.stop):
                    kernels.code_sums(columns[k], column, by_feature[places[k]])

            map_blocks(work, len(places), n_jobs, NS_CODE * len(column))
    return sums
