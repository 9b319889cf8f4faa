"""`SQLTable`: a coded table in a database."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from deacs.coding import CodedData, CodedTable, FeatureCoding
from deacs.coding.merging import Merger
from deacs.distributed.sql.database import Database
from deacs.distributed.sql.expressions import Expression, column, name
from deacs.exceptions import DatabaseError

if TYPE_CHECKING:
    from deacs.distributed.sql.engine import SQLEngine

__all__ = ["Cells", "OrderedFeature", "SQLTable", "code_name", "rank_name", "score_name"]

Integers = NDArray[np.int64]
Cells = tuple[Integers, Integers]
"""The cells of a feature: ascending keys run * n_values + value, and their weights."""


def code_name(feature: int) -> str:
    """Return the name of a feature's codes in SQL."""
    return f"f{feature}"


def score_name(feature: int) -> str:
    """Return the name of the normal scores of a feature's ranks in SQL."""
    return f"z{feature}"


def rank_name(feature: int) -> str:
    """Return the name of the ranks of a feature's values in SQL."""
    return f"r{feature}"


class OrderedFeature(NamedTuple):
    """Normal scores of a feature that has an order (`deacs.coding.OrderView`)."""

    score: Expression
    """A row's score: a column, or an expression of its code."""
    by_class: Integers
    """The sum of scores in each class, (n_classes,)."""
    square: int
    """The sum of the squared scores."""


class SQLTable(CodedTable):
    """A coded table in a database. Every selector's `fit` takes it; made by `SQLEngine.encode`.

    The client has only the attributes of `CodedTable` and counts of values by class. `close`
    removes its temporary tables, as does the end of a `with` block; `fit` closes a table that it
    coded itself.
    """

    def __init__(
        self,
        database: Database,
        engine: SQLEngine,
        codes: exp.Select,
        *,
        classes: NDArray[Any],
        features: tuple[FeatureCoding, ...],
        feature_names: tuple[str, ...],
        class_rows: Integers,
        first_cells: list[Cells],
        label_counts: Integers,
        ignored: Integers,
        order: dict[int, OrderedFeature],
        is_weighted: bool,
        is_temporary: bool,
        discretizer: str | None = None,
        parent: SQLTable | None = None,
    ) -> None:
        self.classes = classes
        self.features = features
        self.feature_names = feature_names
        self.is_named = True
        self.engine = engine
        self.database = database
        self.first_cells = first_cells
        """The cells of each feature with S empty."""
        self.label_counts = label_counts
        self.total = int(label_counts.sum())
        self.ignored = ignored
        self.order = order
        self.weight = column("w") if is_weighted else None
        self.is_temporary = is_temporary
        self.discretizer = discretizer
        names = set(codes.named_selects)
        self.ranked = [j for j in range(len(features)) if rank_name(j) in names]
        """The features whose ranks are kept, so that they can be cut again."""
        self.holds_snapshot = False
        """Whether a transaction stays open until this is closed."""
        self._class_rows = class_rows
        self._tables: list[str] = []
        self._abandoned: list[str] = []
        self._queries: dict[str, Expression] = {} if parent is None else {**parent._queries}
        self._codes = codes
        """The query of codes f0, f1, ..., the label y, the weight w if any, scores and ranks."""
        self.relation = self.keep(codes)
        """The name of the table (or subquery) of codes."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self._class_rows.sum())

    @property
    def class_rows(self) -> Integers:
        """The number of rows of each class."""
        return self._class_rows

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self.weight is not None

    @property
    def ignores_missing(self) -> bool:
        """Whether missing values are ignored; otherwise they are a value."""
        return bool((self.ignored >= 0).any())

    @property
    def columns(self) -> list[str]:
        """The names of the columns of codes, the label, the weight if any, scores and ranks."""
        return list(self._codes.named_selects)

    @cached_property
    def rows_here(self) -> CodedData:
        """A copy of the codes in temporary files; rows are sorted by class, codes and ranks."""
        from deacs.distributed.sql.copying import copy_of

        return copy_of(self)

    @property
    def merger(self) -> Merger:
        """The merger of columns in the database."""
        from deacs.distributed.sql.merging import SQLMerger

        return SQLMerger(self)

    def explain(self) -> str:
        """Return the SQL that codes the table, and that of a step: counts given one feature.

        If the table keeps the order of values, also that of the products with one feature.
        """
        from deacs.distributed.sql.counting import statement_of
        from deacs.distributed.sql.order import statement_of_products
        from deacs.distributed.sql.rows import run_of_pair

        features = range(1, min(self.n_features, 4)) if self.n_features > 1 else range(1)
        run = run_of_pair(self, 0, by_class=True)
        step = statement_of(self.database, self.relation, run, features, self.weight)
        names = ", ".join(self.feature_names[j] for j in features)
        kept = [j for j in self.order if score_name(j) in self.columns][:4]
        products = ""
        if kept:
            sums = self.database.text(statement_of_products(self, kept[0], kept), pretty=True)
            products = f"\n\n-- Its order: products with {self.feature_names[kept[0]]}.\n{sums};"
        return (
            f"-- Codes, and the label y.\n{self.database.text(self._codes, pretty=True)};\n\n"
            f"-- A step: counts n of {names}, ... (j) by value v and run r, given "
            f"{self.feature_names[0]}.\n{self.database.text(step, pretty=True)};"
            f"{products}"
        )

    def ask(self, statement: exp.Query) -> list[NDArray[Any]]:
        """Return the columns of a result."""
        self.sweep()
        return self.database.query(self.complete(statement))

    def complete(self, statement: exp.Query) -> exp.Query:
        """Return a statement with the queries that replace temporary tables."""
        for table, query in self._queries.items():
            statement = statement.with_(name(table), as_=query.copy(), copy=False)
        return statement

    def keep(self, query: exp.Select) -> str:
        """Store the result of a query as another temporary table; return its name.

        Without temporary tables, every later statement computes the result again.
        """
        self.sweep()
        table = f"deacs_{uuid4().hex[:12]}"
        if self.is_temporary:
            self._tables.append(table)
            self.database.create(table, query)
        else:
            self._queries[table] = query
        return table

    def abandon(self, table: str) -> None:
        """Mark a temporary table as unused; the next statement removes it.

        Not at once: garbage collection calls this, perhaps in the middle of another statement.
        """
        self._abandoned.append(table)

    def sweep(self) -> None:
        """Remove the temporary tables that are marked as unused."""
        while self._abandoned:
            table = self._abandoned.pop()
            if table in self._tables:
                self._tables.remove(table)
                self.database.drop(table)

    def close(self) -> None:
        """Remove the temporary tables and release the snapshot, unless the connection is lost."""
        self.is_open = False
        try:
            while self._tables:
                self.database.drop(self._tables.pop())
            if self.holds_snapshot:
                self.holds_snapshot = False
                self.database.end()
        except DatabaseError:
            self._tables.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
