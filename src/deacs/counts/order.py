r"""The order view: partial correlations of ranks with labels, given all of S, in bits.

Counts see any dependence but run out of rows as S grows; ranks see only order but do not.
With :math:`z` the normal score of a column's rank (`deacs.coding.OrderView`), :math:`y_i` the
indicator of class i, and all selected columns projected out of both, the score of a column is

.. math:: -\frac{1}{2} \log_2(1 - \bar r^2) \cdot \frac{\|y_i^\perp\|^2}{\|y_i\|^2}, \qquad
          \bar r^2 = 1 - (1 - r^2) \frac{n - 1 - s}{n - 1 - s - q} \ge 0,

:math:`r` being the partial correlation, s the dimension of S, q = 1. A category counts as the block
of its q + 1 indicators, with the squared multiple correlation for :math:`r^2`.

A number as target has an order of its own, of which an indicator [y <= q_j] keeps a part: with
:math:`z_y` the normal score of y and :math:`\kappa_j` the squared correlation of the indicator
with it, the indicator counts as :math:`z_y` plus noise. S and a column explain of it
:math:`\kappa_j` times what they explain of :math:`z_y`.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import order as kernels
from deacs._kernels.threads import map_blocks
from deacs.coding import CodedData, normal_scores, order_view

__all__ = [
    "MAX_LEVELS",
    "Coordinates",
    "InnerProducts",
    "NumberProducts",
    "OrderConditioning",
    "ProductsInMemory",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NOTHING_LEFT = 1e-9
"""A direction with less than this share left is in the span of S."""

LEAST = 2.0**-64
"""A share below this is zero."""

MAX_LEVELS = 64
"""Categories with more values are not scored: so many indicators would fit noise."""

NS_PRODUCT = 0.2
"""Approximate cost of one product, for dividing work among threads."""


class OrderConditioning:
    """Columns and labels with the selected columns projected out; features are only added to S.

    Parameters
    ----------
    data : CodedData or InnerProducts
        The table, with its order view or with codes from which one can be made; or its inner
        products, if the rows are elsewhere.
    n_jobs : int or None
        Threads; the answer does not depend on it.

    Notes
    -----
    A step costs one pass over two-byte columns: their products with the newest column, sums of
    integers. Everything else follows from an incremental Cholesky factor, |S| numbers a column.
    Coordinates are the ordered columns first, then the indicators of each category.
    """

    def __init__(self, data: CodedData | InnerProducts, n_jobs: int | None = None) -> None:
        products = ProductsInMemory(data, n_jobs) if isinstance(data, CodedData) else data
        self._products = products
        self._ordered, _, self._starts, self._place, self._block = products.coordinates
        self._total, self.n_rows, self.n_values = products.total, products.n_rows, products.n_values
        self._sums = products.sums
        self._counts = self._sums.copy()
        self._counts[: len(self._ordered)] = 0.0
        self._norms = products.squares - self._sums**2 / self._total
        self._initial = self._norms.copy()
        label_counts = products.label_counts
        self._entropies = _binary_entropy(label_counts / self._total)
        of_labels = label_counts * (1.0 - label_counts / self._total)
        self._shares: Floats | None = None
        numbers = products.numbers
        if numbers is not None:
            mean = numbers.total / self._total
            of_target = numbers.square - self._total * mean**2
            correlated = (numbers.of_outputs - mean * label_counts) ** 2
            self._shares = correlated / np.maximum(of_labels * of_target, 1e-300)
            self._cross = (numbers.of_coordinates - self._sums * mean)[:, np.newaxis]
            self._left = np.array([of_target])
        else:
            shares = label_counts / self._total
            self._cross = products.with_outputs() - self._sums[:, np.newaxis] * shares
            self._left = of_labels
        self._cross = np.ascontiguousarray(self._cross)
        self._whole = np.maximum(self._left, 1e-300)
        self._factor = np.zeros((len(self._sums), 8))
        self._of_labels = np.zeros((len(self._left), 8))  # labels along the factor's directions
        self._dimension = 0
        self._turn: Floats | None = None  # a rotation of the factor that is still to be done
        self._added: list[int] = []

    def scores(self, features: Integers) -> Floats:
        """Return the scores of features in bits, shape (n, n_labels); 0 without an order."""
        explained, ranks = self._explained(features)
        return self._bits(explained, ranks[:, np.newaxis])

    def _explained(self, features: Integers) -> tuple[Floats, Floats]:
        """Return squared lengths of the labels' projections on columns, and the columns' ranks."""
        explained = np.zeros((len(features), len(self._left)))
        ranks = np.zeros(len(features))
        place, block = self._place[features], self._block[features]
        ordered = np.flatnonzero((place >= 0) & (block < 0))
        at = place[ordered]
        varies = self._norms[at] > NOTHING_LEFT * self._initial[at]
        ordered, at = ordered[varies], at[varies]
        explained[ordered] = self._cross[at] ** 2 / self._norms[at, np.newaxis]
        ranks[ordered] = 1.0
        blocks = np.flatnonzero(block >= 0)
        if len(blocks):
            explained[blocks], ranks[blocks] = self._of_blocks(block[blocks])
        return explained, ranks

    def by_chance(self, features: Integers, x: float) -> Floats:
        """Return scores that columns without information pass with probability exp(-x) at most.

        Shape (n, n_labels); see `TwoViewCriterion.beyond_chance`.
        """
        free = max(self.n_rows - 1.0 - self._dimension, 1.0)
        ranks = np.where(self._block[features] >= 0, self.n_values[features] - 1.0, 1.0)
        most = (2.0 * np.sqrt(ranks * x) + 2.0 * x) / (2.0 * np.log(2.0) * free)
        shares = 1.0 if self._shares is None else self._shares
        return np.asarray(most[:, np.newaxis] * (shares * (self._left / self._whole)))

    def partial_shares(self, features: Integers, together: Floats) -> tuple[Floats, Floats, float]:
        """Return which shares of columns and target explain each other, S projected out.

        With classes or labels, all of them together explain a share of an ordered column; a number
        as target is itself explained by a column. `together` holds the rows that have two outputs,
        (n_outputs, n_outputs). Also return degrees of freedom, 0 for columns that are not compared,
        and those of all.
        """
        free = self.n_rows - 1.0 - self._dimension
        if self._shares is not None:
            explained, ranks = self._explained(features)
            return explained[:, 0] / max(float(self._left[0]), 1e-300), ranks, free
        at = self._place[features]
        varies = (at >= 0) & (self._block[features] < 0)
        varies &= self._norms[at] > NOTHING_LEFT * self._initial[at]
        of_labels, counts = self._of_labels[:, : self._dimension], np.diag(together)
        gram = together - np.outer(counts, counts) / self._total - of_labels @ of_labels.T
        lengths, directions = np.linalg.eigh(gram)
        kept = lengths > NOTHING_LEFT * self._total
        along = self._cross[at] @ directions[:, kept] / np.sqrt(lengths[kept])
        shares = (along**2).sum(axis=1) / np.where(varies, self._norms[at], np.inf)
        return shares, np.where(varies, float(kept.sum()), 0.0), free

    def add(self, feature: int) -> None:
        """Project one more feature out of all columns and labels."""
        self._added.append(feature)
        place = int(self._place[feature])
        if place < 0:
            return
        n_levels = 1 if self._block[feature] < 0 else int(self.n_values[feature])
        for level in range(n_levels):
            self._project(place + level, feature, level)

    def _project(self, pivot: int, feature: int, level: int) -> None:
        if self._norms[pivot] <= NOTHING_LEFT * self._initial[pivot]:
            return
        self._settle()
        products = self._products.with_feature(feature, level)
        products -= self._sums * (self._sums[pivot] / self._total)
        if self._dimension == self._factor.shape[1]:
            self._factor = np.hstack((self._factor, np.zeros_like(self._factor)))
            self._of_labels = np.hstack((self._of_labels, np.zeros_like(self._of_labels)))
        length = np.sqrt(self._norms[pivot])
        shift = self._cross[pivot] / length
        # With the rows of a Cholesky factor so far, <a, s> less what earlier directions explain.
        entry = products
        for t in range(self._dimension):
            entry -= self._factor[:, t] * self._factor[pivot, t]
        entry /= length
        self._factor[:, self._dimension] = entry
        self._norms -= entry * entry
        self._cross -= entry[:, np.newaxis] * shift
        self._left = np.maximum(self._left - shift**2, 0.0)
        self._of_labels[:, self._dimension] = shift
        self._dimension += 1

    def without(self, feature: int) -> OrderConditioning:
        """Return a copy with one feature removed from S; this object is unchanged.

        It takes no pass over the rows: the factor holds the projection of every column and label
        onto the span of S. Its part orthogonal to the remaining features is added back.
        """
        self._settle()
        rest = [other for other in self._added if other != feature]
        kept, freed = self._split_span(rest)
        factor, of_labels = (part[:, : self._dimension] for part in (self._factor, self._of_labels))
        columns, labels = factor @ freed, of_labels @ freed
        other = copy(self)
        other._added = rest
        other._dimension = kept.shape[1]
        other._turn = kept  # scores of ordered columns do not need the factor
        other._norms = self._norms + (columns**2).sum(axis=1)
        other._cross = self._cross + columns @ labels.T
        other._left = self._left + (labels**2).sum(axis=1)
        return other

    def _settle(self) -> None:
        """Rotate the factor to the remaining directions of S, if that is still to be done."""
        turn, self._turn = self._turn, None
        if turn is not None:
            self._factor, self._of_labels = (
                _along(part, turn) for part in (self._factor, self._of_labels)
            )

    def _split_span(self, features: list[int]) -> tuple[Floats, Floats]:
        """Return orthonormal bases, as columns, of the span of some features of S and of the rest.

        Both are in coordinates of the span of S. As in `_project`, a column of which next to
        nothing is left adds no direction.
        """
        basis = np.zeros((self._dimension, 0))
        for feature in features:
            place, n_levels = int(self._place[feature]), 1
            if self._block[feature] >= 0:
                n_levels = int(self.n_values[feature])
            for coordinate in range(place, place + n_levels) if place >= 0 else ():
                direction = self._factor[coordinate, : self._dimension].copy()
                for _ in range(2):  # twice, to remove rounding errors
                    direction -= basis @ (basis.T @ direction)
                left = float(direction @ direction)
                if left > NOTHING_LEFT * self._initial[coordinate]:
                    basis = np.column_stack((basis, direction / np.sqrt(left)))
        everything = np.linalg.qr(basis, mode="complete")[0]
        return basis, everything[:, basis.shape[1] :]

    def _of_blocks(self, blocks: Integers) -> tuple[Floats, Floats]:
        """Return the squared lengths of the labels' projections onto categories, and ranks."""
        self._settle()
        bounds = np.column_stack((self._starts[blocks], self._starts[blocks + 1]))
        widest, n_labels = int(np.diff(bounds).max()), len(self._left)
        shares, ranks = np.zeros((len(blocks), n_labels)), np.ones(len(blocks))
        work = np.zeros((widest, widest + n_labels + 1))
        kernels.block_shares(
            bounds,
            self._counts,
            self._total,
            self._factor,
            self._dimension,
            self._cross,
            NOTHING_LEFT,
            work,
            shares,
            ranks,
        )
        return shares, ranks

    def _bits(self, explained: Floats, ranks: Floats) -> Floats:
        """Return scores from squared lengths of projections, adjusted for degrees of freedom."""
        free = self.n_rows - 1.0 - self._dimension
        open_labels = self._left > NOTHING_LEFT * self._whole
        if free <= 1.0 or not open_labels.any():
            return np.zeros((len(explained), len(self._entropies)))
        share = explained / np.where(open_labels, self._left, 1.0)
        spare = free - ranks
        unexplained = (1.0 - share) * (free / np.maximum(spare, 1.0))
        usable = open_labels & (spare >= 1.0) & (ranks > 0)
        unexplained = np.clip(np.where(usable, unexplained, 1.0), LEAST, 1.0)
        left = self._left / self._whole
        if self._shares is not None:
            left_of_target, left = left, 1.0 - self._shares * (1.0 - left)
            unexplained = 1.0 - self._shares * left_of_target / left * (1.0 - unexplained)
            unexplained = np.clip(unexplained, LEAST, 1.0)
        # A column that explains a label fully scores the entropy of the label.
        bits = -0.5 * np.log2(unexplained)
        return np.asarray(np.minimum(bits, self._entropies) * left + 0.0)


def _along(part: Floats, directions: Floats) -> Floats:
    """Return rows in the coordinates of directions, with room for more of them."""
    n_before, n_after = directions.shape
    turned = np.zeros((len(part), max(8, n_after)))
    turned[:, :n_after] = part[:, :n_before] @ directions
    return turned


def _binary_entropy(p: Floats) -> Floats:
    """Return H([C = c_i]) in bits from shares of rows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = -p * np.log2(p) - (1.0 - p) * np.log2(1.0 - p)
    return np.nan_to_num(terms)


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
        # Rows that were taken out of others lie in another order.
        self._scores = np.ascontiguousarray(view.scores)
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
        data = self._data
        if data.numbers is None:
            return None
        # Ranks of distinct values, since floats do not represent all integers.
        ranks = np.unique(data.numbers, return_inverse=True)[1]
        scores = normal_scores(ranks, data.weights)
        counted = scores if data.weights is None else scores * data.weights
        outputs = (data.about.rows_of(i, data.labels) for i in range(data.n_outputs))
        return NumberProducts(
            self._products(counted),
            int(counted.sum(dtype=np.int64)),
            float(np.multiply(counted, scores, dtype=np.int64).sum()),
            np.array([float(counted[rows].sum(dtype=np.int64)) for rows in outputs]),
        )

    def with_feature(self, feature: int, level: int) -> Floats:
        """Return the products with an ordered feature, or with one indicator of a category."""
        data = self._data
        if self.coordinates.block[feature] < 0:
            column = self._scores[self.coordinates.place[feature]]
        else:
            column = (data.column(feature) == level).astype(np.int16)
        return self._products(column if data.weights is None else column * data.weights)

    def _products(self, column: NDArray[Any]) -> Floats:
        """Return the product of every coordinate with a column of integers."""
        _, categories, starts, _, _ = self.coordinates
        products = np.zeros(int(starts[-1]), dtype=np.int64)

        def work(part: slice) -> None:
            kernels.inner_products(self._scores[part], column, products[part])

        map_blocks(work, len(self._scores), self._n_jobs, NS_PRODUCT * len(column))
        for feature, begin, end in zip(categories, starts[:-1], starts[1:], strict=True):
            kernels.code_sums(self._data.column(int(feature)), column, products[begin:end])
        return products.astype(np.float64)
