"""The order view of a table in a database: sums of products of normal scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from deacs.coding import FeatureCoding, code_scores, codes_ascend
from deacs.distributed.sql.codes import score_of
from deacs.distributed.sql.counting import count_by_run, portions, sorted_cells
from deacs.distributed.sql.database import changed
from deacs.distributed.sql.expressions import Expression, cast, column, literal, name, total
from deacs.distributed.sql.table import Cells, OrderedFeature, SQLTable, code_name, score_name
from deacs.information.order import Coordinates, NumberProducts

__all__ = [
    "SQLProducts",
    "check_counts",
    "count_again",
    "order_of_codes",
    "statement_of_products",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_SUMS = 500
"""The most sums in one statement."""


class SQLProducts:
    """Inner products of a table in a database (`deacs.information.order`).

    Products with classes were counted when the table was coded; those with a feature take one
    statement for up to 500 ordered columns, and a `GROUP BY` for each category.
    """

    numbers: NumberProducts | None = None

    def __init__(self, table: SQLTable) -> None:
        self._table = table
        self.n_values = table.n_values
        self.coordinates = Coordinates.of(table.n_values, np.array(sorted(table.order), dtype=int))
        self.total = self.n_rows = float(table.total)
        self.label_counts = table.label_counts.astype(np.float64)
        self._latest: tuple[int, Integers] = -1, np.empty((0, 0), dtype=np.int64)

    @cached_property
    def _by_class(self) -> Integers:
        """The sum of each coordinate in each class."""
        table = self._table
        parts = [table.order[j].by_class[np.newaxis] for j in self.coordinates.ordered.tolist()]
        for j in self.coordinates.categories.tolist():
            keys, counts = table.first_cells[j]
            cells = np.zeros(table.n_classes * int(self.n_values[j]), dtype=np.int64)
            cells[keys] = counts
            parts.append(cells.reshape(table.n_classes, -1).T)
        return np.concatenate(parts or [np.zeros((0, table.n_classes), dtype=np.int64)])

    @property
    def sums(self) -> Floats:
        """The sum of each coordinate."""
        return np.asarray(self._by_class.sum(axis=1), dtype=np.float64)

    @property
    def squares(self) -> Floats:
        """The squared length of each coordinate; an indicator is its own square."""
        ordered = self.coordinates.ordered
        squares = [float(self._table.order[j].square) for j in ordered.tolist()]
        return np.concatenate((squares, self.sums[len(ordered) :]))

    def with_outputs(self) -> Floats:
        """Return the products with the indicators of classes, (n_coordinates, n_classes)."""
        return self._by_class.astype(np.float64)

    def with_feature(self, feature: int, level: int) -> Floats:
        """Return the products with an ordered feature, or with one indicator of a category."""
        if self._latest[0] != feature:
            self._latest = feature, self._of_levels(feature)
        return np.array(self._latest[1][level], dtype=np.float64)

    def _of_levels(self, feature: int) -> Integers:
        """Return the products with an ordered feature, or with all indicators of a category."""
        table, (ordered, categories, starts, _, block) = self._table, self.coordinates
        weight: Expression | None = table.weight
        run, n_runs = literal(0), 1
        if block[feature] >= 0:
            run, n_runs = column(code_name(feature)), int(self.n_values[feature])
        else:
            weight = _weighted(table.order[feature].score, table)
        products = np.zeros((n_runs, int(starts[-1])), dtype=np.int64)
        products[:, : len(ordered)] = _sums_of(table, ordered, run, n_runs, weight)
        first = dict(zip(categories.tolist(), starts.tolist(), strict=False))
        for portion in portions(categories, n_runs * self.n_values[categories]):
            found = count_by_run(table, table.relation, run, portion, weight)
            for j, (runs, values, sums) in found.items():
                products[runs, first[j] + values] = sums
        return products


def _sums_of(
    table: SQLTable, features: Integers, run: Expression, n_runs: int, weight: Expression | None
) -> Integers:
    """Return the sums of weighted scores of ordered features by run, (n_runs, n_features)."""
    found = np.zeros((n_runs, len(features)), dtype=np.int64)
    for begin in range(0, len(features), MOST_SUMS):
        some = features[begin : begin + MOST_SUMS].tolist()
        answer = table.ask(_statement_of_sums(table, some, run, weight))
        runs, *sums = (values.astype(np.int64) for values in answer)
        found[runs, begin : begin + len(some)] = np.column_stack(sums)
    return found


def statement_of_products(table: SQLTable, feature: int, features: Sequence[int]) -> exp.Query:
    """Return the statement that multiplies ordered features by one of them."""
    weight = _weighted(table.order[feature].score, table)
    return _statement_of_sums(table, features, literal(0), weight)


def _statement_of_sums(
    table: SQLTable, features: Sequence[int], run: Expression, weight: Expression | None
) -> exp.Query:
    columns = [run.copy().as_("r")]
    if weight is not None:
        columns.append(weight.copy().as_("x"))
    columns += [cast(table.order[j].score.copy(), "int").as_(score_name(j)) for j in features]
    inner = exp.select(*columns).from_(exp.table_(name(table.relation))).subquery("q")
    scores = [column(score_name(j)) for j in features]
    terms = [score if weight is None else score * column("x") for score in scores]
    sums = [total(term).as_(f"s{k}") for k, term in enumerate(terms)]
    return exp.select("r", *sums).from_(inner).group_by("r")


def count_again(table: SQLTable, features: Integers) -> None:
    """Recount, by their codes and with S empty, features that were cut at quantiles."""
    for j, cells in _recounted(table, features):
        table.first_cells[j] = cells
    for j, by_class in _sums_by_class(table, features):
        score = table.order[j].score
        square = _sums_of(table, np.array([j]), literal(0), 1, _weighted(score, table))
        table.order[j] = OrderedFeature(score, by_class, int(square[0, 0]))


def check_counts(table: SQLTable, features: Integers) -> None:
    """Raise an error unless the codes are of the rows that were counted before."""
    for j, cells in _recounted(table, features):
        if not all(map(np.array_equal, cells, table.first_cells[j])):
            raise changed()
    for j, by_class in _sums_by_class(table, features):
        if not np.array_equal(by_class, table.order[j].by_class):
            raise changed()


def order_of_codes(
    feature: FeatureCoding, j: int, cells: Cells, n_classes: int
) -> OrderedFeature | None:
    """Return the normal scores of a feature's codes; None if codes have no order."""
    if not codes_ascend(feature):
        return None
    labels, codes = np.divmod(cells[0], feature.n_values)
    counts = np.bincount(codes, cells[1], feature.n_values).astype(np.int64)
    scores = code_scores(counts, feature.has_missing).astype(np.int64)
    by_class = np.zeros(n_classes, dtype=np.int64)
    np.add.at(by_class, labels, scores[codes] * cells[1])
    places = np.arange(feature.n_values)
    score, _ = score_of(column(code_name(j)), "code", places, scores, None)
    return OrderedFeature(score, by_class, int((scores * scores * counts).sum()))


def _recounted(table: SQLTable, features: Integers) -> Iterator[tuple[int, Cells]]:
    """Count features in the table of codes, with S empty."""
    for portion in portions(features, table.n_classes * table.n_values[features]):
        found = count_by_run(table, table.relation, column("y"), portion, table.weight)
        for j, (labels, values, counts) in found.items():
            yield j, sorted_cells(labels * table.n_values[j] + values, counts)


def _sums_by_class(table: SQLTable, features: Integers) -> Iterator[tuple[int, Integers]]:
    """Sum the scores of those features that have an order, by class."""
    ordered = [j for j in features.tolist() if j in table.order]
    numbers = np.array(ordered, dtype=np.int64)
    sums = _sums_of(table, numbers, column("y"), table.n_classes, table.weight)
    yield from zip(ordered, sums.T, strict=True)


def _weighted(score: Expression, table: SQLTable) -> Expression:
    score = cast(score.copy(), "int")
    return score if table.weight is None else score * table.weight.copy()
