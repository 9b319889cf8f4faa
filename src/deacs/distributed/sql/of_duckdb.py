"""Adapter for DuckDB: embedded and columnar; it reads Parquet, CSV, Iceberg and Delta files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
"""DuckDB's word for a type, without what stands in brackets -> the kind of a column."""


MOST_INTERRUPTS = 100
"""Interrupts that may come while something is cleaned up."""


class DuckDB(Database):
    """A DuckDB connection; one that was opened read-only takes temporary tables all the same."""

    dialect = "duckdb"
    errors = (duckdb.Error,)

    def columns(self, table: Expression) -> list[SourceColumn]:
        """Return the columns of a table."""
        names, types = self.query(exp.Describe(this=exp.select("*").from_(table.copy())))[:2]
        found = []
        for each, kind in zip(names.tolist(), types.tolist(), strict=True):
            is_nested = kind.endswith("]")  # a list of something
            word = kind if is_nested else kind.split("(")[0].strip('"')
            found.append(SourceColumn(each, KINDS.get(word, "other"), kind))
        return found

    def begin(self) -> bool:
        """Begin a transaction, which sees one state; within one of the user's there is nothing to.

        Every transaction of DuckDB sees the state in which it began.
        """
        if self._transaction() == self._transaction():
            return False
        with self._worded():
            self.connection.begin()
        return True

    def _transaction(self) -> int:
        """Return the number of the transaction: another one in every statement outside of any.

        DuckDB has no other sign, and to begin one within another breaks off the first.
        """
        [number] = self.query(exp.select(exp.Anonymous(this="txid_current")))
        return int(number[0])

    def end(self, keep: bool = True) -> None:
        """End the transaction."""
        if keep:
            with self._worded():
                self.connection.commit()
        else:
            self._insist(self.connection.rollback)

    def drop(self, table: str) -> None:
        """Remove a temporary table, if it is there."""
        self._insist(partial(super().drop, table))

    def _insist(self, work: Callable[[], object]) -> None:
        """Clean up, though an interrupt that was meant for a question may hit this instead."""
        for left in range(MOST_INTERRUPTS, -1, -1):
            try:
                with self._worded():
                    work()
                return
            except DatabaseError as error:
                if left == 0 or not isinstance(error.__cause__, duckdb.InterruptException):
                    raise

    def of_file(self, path: Path) -> exp.Table:
        """Return files as a table, by the reader that their ending tells."""
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
        """Whether nobody can change a table: not if it is files, as a view may be, too."""
        if isinstance(table.this, exp.Anonymous):
            return False
        views = exp.select("view_name").from_(exp.Table(this=exp.Anonymous(this="duckdb_views")))
        [found] = self.query(views.where(column("view_name").eq(value(table.name))))
        return len(found) == 0

    def takes_temporary_tables(self) -> bool:
        """Whether the connection may make temporary tables: always, for they are its own."""
        return True

    def put(self, table: str, values: NDArray[Any], outcomes: NDArray[np.int32]) -> None:
        """Send numbers and what stands for each: DuckDB reads the arrays."""
        arrays = f"{table}_sent"
        with self._worded():
            self.connection.register(arrays, {"v": values, "c": outcomes})
            try:
                self.create(table, exp.select("*").from_(exp.table_(name(arrays))))
            finally:
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
    """Let Ctrl-C be what it is: DuckDB makes an error of its own of it."""
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
