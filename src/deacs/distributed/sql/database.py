"""Protocol of databases, and the choice of an adapter for a connection."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp, parse_one

from deacs.distributed.sql.expressions import Expression, name, value_of
from deacs.exceptions import DatabaseError, InputError, Parameter

__all__ = [
    "ADAPTERS",
    "Bound",
    "Database",
    "SourceColumn",
    "changed",
    "database_of",
    "object_columns",
]

ADAPTERS = {
    "duckdb": "deacs.distributed.sql.of_duckdb",
    "psycopg": "deacs.distributed.sql.of_postgres",
    "pyspark": "deacs.distributed.sql.of_spark",
}
"""The package of a connection's class -> the module whose `adapter` wraps it."""


Bound = tuple[str, list[Any]]
"""A statement, and the values of its parameters."""


class SourceColumn(NamedTuple):
    """A column of the user's table: its name, its kind, and its type in the database.

    Kinds are "boolean", "integer", "wide integer" (beyond 64 bits), "float", "text", "enum",
    "moment" and "other", which cannot be used.
    """

    name: str
    kind: str
    type: str


class Database(ABC):
    """A user's connection, which is left open, and how its database differs from others."""

    dialect: str
    """The name of its dialect in SQLGlot."""
    one_scan = False
    """Whether to count all features in one scan by `GROUPING SETS`, rather than by a
    `UNION ALL` of scans: a database that stores rows reads whole rows in each scan."""
    has_transactions = True
    """Whether `begin` ensures that all queries see one state; otherwise tables are copied."""
    errors: tuple[type[BaseException], ...] = ()
    """Exceptions that its driver raises."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def query(self, expression: Expression) -> list[NDArray[Any]]:
        """Return the columns of a result; text as Python strings, missing values as None or NaN.

        The expression, which may be long, is not copied, and cannot be used again.
        """
        with self._errors_translated():
            return self._fetch(self.bound(expression, copy=False))

    def run(self, expression: Expression) -> None:
        """Run a statement without a result."""
        with self._errors_translated():
            self._execute(self.bound(expression))

    def bound(self, expression: Expression, copy: bool = True) -> Bound:
        """Return a statement with parameters instead of values, and the values.

        A value that occurs more than once is one parameter. Without `copy` the expression cannot
        be used again.
        """
        numbers: dict[tuple[type, str], int] = {}
        values: list[Any] = []
        for node in expression.walk():
            found = value_of(node)
            if found is not None and numbers.setdefault(_key(found), len(values) + 1) > len(values):
                values.append(found)
        if not values:
            return self.text(expression, copy=copy), []
        places, sent = self.placed(values)

        def placed(node: Expression) -> Expression:
            found = value_of(node)
            return node if found is None else places[numbers[_key(found)] - 1].copy()

        return self.text(expression.transform(placed, copy=copy), copy=False), sent

    def placed(self, values: list[Any]) -> tuple[list[Expression], list[Any]]:
        """Return the expression for each value, and the parameters to send."""
        return [exp.Placeholder(this=f"p{k}") for k in range(1, len(values) + 1)], values

    def text(self, expression: Expression, pretty: bool = False, copy: bool = True) -> str:
        """Return a statement in the database's dialect; values that are not bound are literals.

        SQLGlot changes what it renders: without `copy`, the expression itself.
        """
        return expression.sql(dialect=self.dialect, pretty=pretty, copy=copy)

    @abstractmethod
    def columns(self, table: Expression) -> list[SourceColumn]:
        """Return the columns of a table; DatabaseError if there is no such table."""

    @abstractmethod
    def begin(self) -> bool:
        """Ensure that queries see one state from now on; return whether `end` must be called."""

    @abstractmethod
    def end(self, keep: bool = True) -> None:
        """End what `begin` began; without `keep`, discard temporary tables made since then."""

    def of_file(self, path: Path) -> exp.Table:
        """Return files as a table; only DuckDB can read files."""
        raise InputError(
            f"{type(self).__name__} selects from a table of its database, got the path {path}; "
            "pass the name of a table"
        )

    def sees_one_state(self, table: exp.Table) -> bool:
        """Return whether a table cannot appear to change between `begin` and `end`."""
        return True

    def copied(self, table: exp.Table) -> exp.Table:
        """Return a table that does not change: the same one, if there are transactions."""
        return table

    @abstractmethod
    def takes_temporary_tables(self) -> bool:
        """Return whether the connection may create temporary tables."""

    def create(self, table: str, query: Expression) -> None:
        """Store the result of a query as a temporary table of the connection."""
        temporary = exp.Properties(expressions=[exp.TemporaryProperty()])
        where = exp.table_(name(table))
        self.run(exp.Create(this=where, kind="TABLE", expression=query, properties=temporary))

    @abstractmethod
    def put(self, table: str, values: NDArray[Any], outcomes: NDArray[np.int32]) -> None:
        """Send values v (numbers or text) and the number c of each as a temporary table."""

    def drop(self, table: str) -> None:
        """Remove a temporary table, if it exists."""
        # Versions of SQLGlot differ in the syntax tree of this statement.
        statement = parse_one("DROP TABLE IF EXISTS x")
        for placeholder in statement.find_all(exp.Identifier):
            placeholder.replace(name(table))
        self.run(statement)

    @abstractmethod
    def _fetch(self, statement: Bound) -> list[NDArray[Any]]:
        """Return the columns of a result."""

    @abstractmethod
    def _execute(self, statement: Bound) -> None:
        """Run a statement."""

    @contextmanager
    def _errors_translated(self) -> Iterator[None]:
        try:
            yield
        except self.errors as error:
            first = str(error).strip().splitlines()[0] if str(error).strip() else ""
            raise DatabaseError(
                f"the database reported an error ({type(error).__name__}: {first}); nothing was "
                "selected, and no temporary table is left. Fix the cause, then fit again"
            ) from error


def _key(found: Any) -> tuple[type, str]:
    """Return a key that separates 1 from 1.0 and True, and 0.0 from -0.0."""
    return type(found), repr(found)


def database_of(connection: Any) -> Database:
    """Return a connection wrapped in its adapter."""
    for kind in type(connection).__mro__:
        module = kind.__module__.lstrip("_").split(".")[0]
        if module in ADAPTERS:
            found: Database = import_module(ADAPTERS[module]).adapter(connection)
            return found
    raise InputError(
        Parameter("connection"),
        " must be a connection of DuckDB (duckdb.connect), of PostgreSQL (psycopg.connect) or a "
        f"SparkSession, got {type(connection).__name__}",
        parameter="connection",
    )


def changed() -> DatabaseError:
    """Return the error for counts that do not add up."""
    return DatabaseError(
        "the table changed while features were selected from it, so counts do not add up; fit "
        "again, on a copy or a snapshot of the table"
    )


def object_columns(rows: Sequence[tuple[Any, ...]], n_columns: int) -> list[NDArray[Any]]:
    """Return the columns of rows of Python objects; integers as int64 if none is missing."""
    found = []
    for k in range(n_columns):
        values = [row[k] for row in rows]
        if values and all(type(value) is int for value in values):
            found.append(np.array(values, dtype=np.int64))
        else:
            objects = np.empty(len(values), dtype=object)
            objects[:] = values
            found.append(objects)
    return found
