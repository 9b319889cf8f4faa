"""Adapter for Spark SQL, by a pyspark session; rows and counting are spread over a cluster.

Spark has no transactions, so a table is first copied (`localCheckpoint`). Later queries read this
copy, or fail if an executor died with it, but never see another state.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from deacs.distributed.sql.database import Bound, Database, SourceColumn, object_columns
from deacs.distributed.sql.expressions import Expression, name

__all__ = ["Spark", "adapter"]

KINDS = {
    "boolean": "boolean",
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "integer"),
    **dict.fromkeys(("float", "double", "decimal"), "float"),
    **dict.fromkeys(("string", "varchar", "char", "void"), "text"),
    **dict.fromkeys(("date", "timestamp", "timestamp_ntz"), "moment"),
}
"""The name of a Spark type, without parentheses -> the kind of a column."""


class Spark(Database):
    """A SparkSession."""

    dialect = "spark"
    has_transactions = False

    def __init__(self, connection: Any) -> None:
        from pyspark.errors import PySparkException  # installed, since the user has a session

        super().__init__(connection)
        self.errors = (PySparkException,)

    def columns(self, table: Expression) -> list[SourceColumn]:
        """Return the columns of a table."""
        with self._errors_translated():
            types = self._run(self.bound(exp.select("*").from_(table))).dtypes
        return [
            SourceColumn(each, KINDS.get(kind.split("(")[0], "other"), kind) for each, kind in types
        ]

    def text(self, expression: Expression, pretty: bool = False, copy: bool = True) -> str:
        """Return a statement in Spark's SQL, where a cast to double gives seconds since 1970."""
        return super().text(expression.transform(_seconds, copy=copy), pretty, copy=False)

    def begin(self) -> bool:
        """Begin nothing."""
        return False

    def end(self, keep: bool = True) -> None:
        """End nothing."""

    def takes_temporary_tables(self) -> bool:
        """Return True: Spark keeps results on its executors."""
        return True

    def copied(self, table: exp.Table) -> exp.Table:
        """Return a copy of a table, which does not change."""
        copy = f"deacs_{uuid4().hex[:12]}"
        self.create(copy, exp.select("*").from_(table))
        return exp.Table(this=name(copy))

    def create(self, table: str, query: Expression) -> None:
        """Store the result of a query on the executors, as a temporary view."""
        with self._errors_translated():
            frame = self._run(self.bound(query))
            frame.localCheckpoint(eager=True).createOrReplaceTempView(table)

    def put(self, table: str, values: NDArray[Any], outcomes: NDArray[np.int32]) -> None:
        """Send values and the number of each."""
        kind = {"f": "double", "i": "bigint", "O": "string"}[values.dtype.kind]
        rows = list(zip(values.tolist(), outcomes.tolist(), strict=True))
        with self._errors_translated():
            sent = self.connection.createDataFrame(rows, f"v {kind}, c int")
            sent.createOrReplaceTempView(table)

    def drop(self, table: str) -> None:
        """Drop the view of a copy; Spark frees copies without a name."""
        with self._errors_translated():
            self.connection.catalog.dropTempView(table)

    def _fetch(self, statement: Bound) -> list[NDArray[Any]]:
        frame = self._run(statement)
        return object_columns([tuple(row) for row in frame.collect()], len(frame.columns))

    def _execute(self, statement: Bound) -> None:
        self._run(statement)

    def _run(self, statement: Bound) -> Any:
        text, values = statement
        named = {f"p{k}": value for k, value in enumerate(values, 1)}
        return self.connection.sql(text, args=named or None)


def _seconds(node: Expression) -> Expression:
    if isinstance(node, exp.Extract):
        return exp.cast(exp.cast(node.expression, "timestamp"), "double")
    return node


adapter = Spark
