"""Adapter for DuckDB: embedded and columnar; it reads Parquet, CSV, Iceberg and Delta files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from deacs.distributed.sql.addresses import READERS, reader_of
from deacs.distributed.sql.database import Bound, Database, SourceColumn
from deacs.distributed.sql.expressions import Expression, column, name, value
from deacs.exceptions import DatabaseError, InputError

__all__ = ["DuckDB", "adapter"]

KINDS = {
    "BOOLEAN": "boolean",
    **dict.fromkeys(
        ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"),
        "integer",
    ),
    **dict.fromkeys(("UBIGINT", "HUGEINT", "UHUGEINT"), "wide integer"),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), "float"),
    **dict.fromkeys(("VARCHAR", "UUID", "NULL"), "text"),
    **dict.fromkeys(
        (
            "DATE",
            "TIME",
            "TIMESTAMP",
            "TIMESTAMP_S",
            "TIMESTAMP_MS",
            "TIMESTAMP_NS",
            "TIMESTAMP WITH TIME ZONE",
            "INTERVAL",
        ),
        "moment",
    ),
    "ENUM": "enum",
}
"""The name of a DuckDB type, without parentheses -> the kind of a column."""


MOST_INTERRUPTS = 100
"""How many interrupts during a clean-up are survived."""


class DuckDB(Database):
    """A DuckDB connection; even one opened read-only may create temporary tables."""

    dialect = "duckdb"
    errors = (duckdb.Error,)

    def columns(self, table: Expression) -> list[SourceColumn]:
        """Return the columns of a table."""
        names, types = self.query(exp.Describe(this=exp.select("*").from_(table.copy())))[:2]
        found = []
        for each, kind in zip(names.tolist(), types.tolist(), strict=True):
            is_nested = kind.endswith("]")  # a list type
            word = kind if is_nested else kind.split("(")[0].strip('"')
            found.append(SourceColumn(each, KINDS.get(word, "other"), kind))
        return found

    def begin(self) -> bool:
        """Begin a transaction, unless the user is within one.

        Every transaction of DuckDB sees the state in which it began.
        """
        if self._transaction() == self._transaction():
            return False
        with self._errors_translated():
            self.connection.begin()
        return True

    def _transaction(self) -> int:
        """Return the number of the transaction; outside of one, every statement has another number.

        There is no other sign in DuckDB, and beginning a transaction within another aborts that.
        """
        [number] = self.query(exp.select(exp.Anonymous(this="txid_current")))
        return int(number[0])

    def end(self, keep: bool = True) -> None:
        """End the transaction."""
        if keep:
            with self._errors_translated():
                self.connection.commit()
        else:
            self._clean_up(self._roll_back)

    def _roll_back(self) -> None:
        with suppress(duckdb.TransactionException):  # Ctrl-C may come when it has ended
            self.connection.rollback()

    def drop(self, table: str) -> None:
        """Remove a temporary table, if it exists."""
        self._clean_up(partial(super().drop, table))

    def _clean_up(self, work: Callable[[], object]) -> None:
        """Clean up, even if an interrupt that was meant for a query hits the clean-up instead."""
        for left in range(MOST_INTERRUPTS, -1, -1):
            try:
                with self._errors_translated():
                    work()
                return
            except DatabaseError as error:
                if left == 0 or not isinstance(error.__cause__, duckdb.InterruptException):
                    raise

    def of_file(self, path: Path) -> exp.Table:
        """Return files as a table, with the reader for their suffix."""
        reader = reader_of(path)
        if reader is None:
            raise InputError(
                f"a path must end in {', '.join(READERS)}, so that it is known how to read it, got "
                f"{path}; for other files make a view, such as CREATE VIEW visits AS FROM "
                "delta_scan('visits')"
            )
        read = exp.Anonymous(this=reader, expressions=[value(str(path))])
        return exp.Table(this=read)

    def sees_one_state(self, table: exp.Table) -> bool:
        """Return whether a table cannot change: files may, and a view may read files."""
        if isinstance(table.this, exp.Anonymous):
            return False
        views = exp.select("view_name").from_(exp.Table(this=exp.Anonymous(this="duckdb_views")))
        [found] = self.query(views.where(column("view_name").eq(value(table.name))))
        return len(found) == 0

    def takes_temporary_tables(self) -> bool:
        """Return True: temporary tables are not stored in the database."""
        return True

    def put(self, table: str, values: NDArray[Any], outcomes: NDArray[np.int32]) -> None:
        """Send values and the number of each; DuckDB reads the arrays directly."""
        arrays = f"{table}_sent"
        with self._errors_translated():
            self.connection.register(arrays, {"v": values, "c": outcomes})
            try:
                self.create(table, exp.select("*").from_(exp.table_(name(arrays))))
            except BaseException:
                # In a transaction that an interrupt aborted this fails; its end removes the arrays.
                with suppress(duckdb.Error):
                    self.connection.unregister(arrays)
                raise
            self.connection.unregister(arrays)

    def _fetch(self, statement: Bound) -> list[NDArray[Any]]:
        with _interruptible():
            found = self._run(statement).fetchnumpy()
        return [_plain(values) for values in found.values()]

    def _execute(self, statement: Bound) -> None:
        with _interruptible():
            self._run(statement)

    def _run(self, statement: Bound) -> Any:
        text, values = statement
        return self.connection.execute(text, {f"p{k}": value for k, value in enumerate(values, 1)})


@contextmanager
def _interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt for Ctrl-C, for which DuckDB raises RuntimeError."""
    try:
        yield
    except RuntimeError as error:
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from error


def _plain(values: Any) -> NDArray[Any]:
    if not isinstance(values, np.ma.MaskedArray):
        return np.asarray(values)
    if values.dtype.kind == "f":
        return np.asarray(values.filled(np.nan))
    plain = values.data.astype(object)
    plain[np.ma.getmaskarray(values)] = None
    return np.asarray(plain)


adapter = DuckDB
