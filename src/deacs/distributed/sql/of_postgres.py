"""Adapter for PostgreSQL, by psycopg; it stores whole rows, so one scan counts all features."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row
from sqlglot import exp

from deacs.distributed.sql.database import Bound, Database, SourceColumn, object_columns
from deacs.distributed.sql.expressions import Expression, literal, name
from deacs.exceptions import InputError

__all__ = ["PostgreSQL", "adapter"]

KINDS = {
    "bool": "boolean",
    **dict.fromkeys(("int2", "int4", "int8"), "integer"),
    **dict.fromkeys(("float4", "float8", "numeric"), "float"),
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "uuid", "char"), "text"),
    **dict.fromkeys(("date", "time", "timestamp", "timestamptz", "interval"), "moment"),
}
"""The name of a PostgreSQL type -> the kind of a column."""


MOST_PARAMETERS = 65_535
"""The most parameters of a statement."""

ARRAY = 128
"""Values in each array, if there are more than `MOST_PARAMETERS`."""

TYPES = {"f": ("double", "float8"), "i": ("bigint", "int8"), "O": ("text", "text")}
"""The kind of a NumPy array -> the type of its values in SQL, and in the protocol."""


class PostgreSQL(Database):
    """A psycopg connection."""

    dialect = "postgres"
    one_scan = True
    errors = (psycopg.Error,)

    def columns(self, table: Expression) -> list[SourceColumn]:
        """Return the columns of a table."""
        with self._errors_translated(), self._within():
            found = self._run(self.bound(exp.select("*").from_(table).limit(0))).description or []
            numbers = [each.type_code for each in found]
            types = self.connection.execute(
                "SELECT oid::int8, typname::text, typtype::text FROM pg_type WHERE oid = ANY(%s)",
                [numbers],
            ).fetchall()
        named = {number: (word, sort) for number, word, sort in types}
        columns = []
        for each in found:
            word, sort = named.get(each.type_code, ("unknown", "b"))
            kind = "enum" if sort == "e" else KINDS.get(word, "other")
            columns.append(SourceColumn(each.name, kind, word))
        return columns

    def begin(self) -> bool:
        """Begin a transaction that sees one state, or check that the user's own does."""
        with self._errors_translated():
            if self.connection.info.transaction_status == TransactionStatus.IDLE:
                isolated = "ISOLATION LEVEL REPEATABLE READ"
                begin = f"{'BEGIN' if self.connection.autocommit else 'SET'} TRANSACTION {isolated}"
                try:
                    with self._broken_off():
                        self.connection.execute(begin)
                except BaseException:  # an interrupt may come after it has begun
                    self.connection.rollback()
                    raise
                return True
            [level] = self.connection.execute("SHOW transaction_isolation").fetchone()
        if level not in ("repeatable read", "serializable"):
            raise InputError(
                f"the connection is within a transaction at isolation level {level}, in which the "
                "table may change between two queries; commit it first, or begin it with "
                "ISOLATION LEVEL REPEATABLE READ",
                parameter="connection",
            )
        return False

    def end(self, keep: bool = True) -> None:
        """End the transaction."""
        with self._errors_translated(), self._broken_off():
            if keep:
                self.connection.commit()
            else:
                self.connection.rollback()

    def takes_temporary_tables(self) -> bool:
        """Return whether the connection may create temporary tables: not if it may only read."""
        with self._errors_translated(), self._within():
            [allowed] = self.connection.execute(
                "SELECT current_setting('transaction_read_only') = 'off' AND "
                "has_database_privilege(current_database(), 'TEMPORARY')"
            ).fetchone()
        return bool(allowed)

    def put(self, table: str, values: NDArray[Any], outcomes: NDArray[np.int32]) -> None:
        """Send values and the number of each, by COPY."""
        kind, sent = TYPES[values.dtype.kind]
        typed = [exp.cast(exp.null(), kind).as_("v"), exp.cast(exp.null(), "int").as_("c")]
        self.create(table, exp.select(*typed).limit(0))
        into = self.text(exp.table_(name(table)))
        with self._errors_translated(), self._within(), self.connection.cursor() as cursor:
            with cursor.copy(f"COPY {into} FROM STDIN (FORMAT BINARY)") as copy:
                copy.set_types([sent, "int4"])
                for row in zip(values.tolist(), outcomes.tolist(), strict=True):
                    copy.write_row(row)
            cursor.execute(f"ANALYZE {into}")

    def placed(self, values: list[Any]) -> tuple[list[Expression], list[Any]]:
        """Return the expression for each value ($1, $2, ...), and the parameters to send.

        More values than a statement may have parameters are all sent in arrays; short ones, since
        the server copies an array for each use of one of its values.
        """
        if len(values) <= MOST_PARAMETERS:
            return [_parameter(k) for k in range(1, len(values) + 1)], values
        by_type: dict[type, list[int]] = {}
        for k, each in enumerate(values):
            by_type.setdefault(type(each), []).append(k)
        places: list[Expression] = [exp.null()] * len(values)
        sent: list[Any] = []
        for kind, of_type in by_type.items():
            for begin in range(0, len(of_type), ARRAY):
                some = of_type[begin : begin + ARRAY]
                sent.append([values[k] for k in some])
                array: Expression = _parameter(len(sent))
                if kind is str:  # text is sent without a type
                    array = exp.cast(array, exp.DataType.build("text[]", dialect=self.dialect))
                array = exp.paren(array)
                for at, k in enumerate(some):
                    places[k] = exp.Bracket(this=array, expressions=[literal(at)])
        return places, sent

    def _fetch(self, statement: Bound) -> list[NDArray[Any]]:
        with self._within(), self._run(statement) as cursor:
            return object_columns(cursor.fetchall(), len(cursor.description or []))

    def _execute(self, statement: Bound) -> None:
        with self._within():
            self._run(statement).close()

    def _run(self, statement: Bound) -> psycopg.RawCursor[tuple[Any, ...]]:
        """Run a statement by a raw cursor, to which % is not a placeholder."""
        text, values = statement
        cursor = psycopg.RawCursor(self.connection, row_factory=tuple_row)
        return cursor.execute(text, values, prepare=False, binary=True)

    @contextmanager
    def _within(self) -> Iterator[None]:
        """Run queries in a transaction or a savepoint, which is rolled back after an error."""
        with self._broken_off(), self.connection.transaction(), self._broken_off():
            yield

    @contextmanager
    def _broken_off(self) -> Iterator[None]:
        """Cancel the running query after an error; psycopg does not if Ctrl-C comes too early."""
        try:
            yield
        except BaseException:
            if self.connection.info.transaction_status == TransactionStatus.ACTIVE:
                self.connection.cancel()
                while self.connection.pgconn.get_result() is not None:
                    pass
            raise


def _parameter(number: int) -> Expression:
    return exp.Parameter(this=exp.Literal.number(number))


adapter = PostgreSQL
