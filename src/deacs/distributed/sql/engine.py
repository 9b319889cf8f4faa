"""`SQLEngine`: counting inside the table's database, with identical results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

try:
    import sqlglot  # noqa: F401
except ImportError as error:
    raise ImportError(
        "SQLEngine needs SQLGlot, which is not installed; pip install 'deacs[sql]'"
    ) from error

from deacs.distributed.options import refuse_fewer
from deacs.distributed.sql.counts import SQLCounts
from deacs.distributed.sql.database import Database, database_of
from deacs.distributed.sql.encode import encode_table
from deacs.distributed.sql.expressions import table_named
from deacs.distributed.sql.table import SQLTable
from deacs.exceptions import InputError, Parameter
from deacs.greedy.engine import Capabilities
from deacs.information import Estimator, ScoreKind
from deacs.information.bias import check_corrected

__all__ = ["SQLEngine"]

FEWEST_QUANTILES = 100


class SQLEngine:
    """Count in a database, by `GROUP BY`.

    Parameters
    ----------
    connection : connection
        An open one to DuckDB (`duckdb.connect`) or PostgreSQL (`psycopg.connect`), or a
        SparkSession.
    temporary : bool or None, default=None
        Whether to keep codes and groups in temporary tables of the connection. False, for
        connections that may only read: subqueries compute them in every query, which is slower.
        None: whatever the connection allows.
    quantiles : int or None, default=None
        An approximation: columns with more distinct numbers than this are cut at some of this
        many quantiles. None: cut points are exact, and every distinct value is transferred once,
        with its counts.
    exclude : sequence of str, default=()
        Columns that are neither features nor the class.

    Examples
    --------
    >>> import duckdb
    >>> from deacs import JMI
    >>> from deacs.distributed import SQLEngine
    >>> connection = duckdb.connect()
    >>> _ = connection.execute(
    ...     "CREATE TABLE visits AS SELECT i % 3 AS pages, i % 2 AS basket, "
    ...     "i % 2 = 1 AND i % 3 > 0 AS bought FROM range(60) AS r(i)"
    ... )
    >>> JMI(2, engine=SQLEngine(connection)).fit("visits", "bought").selected_names_
    ['basket', 'pages']
    """

    capabilities = Capabilities(estimators=True, order=True)

    def __init__(
        self,
        connection: Any,
        temporary: bool | None = None,
        quantiles: int | None = None,
        exclude: Sequence[str] = (),
    ) -> None:
        refuse_fewer("quantiles", quantiles, FEWEST_QUANTILES, "None for exact cuts")
        if isinstance(exclude, str):
            raise InputError(
                Parameter("exclude"),
                f" must be a list of names, got {exclude!r}; pass [{exclude!r}]",
            )
        self.connection = connection
        self.temporary = temporary
        self.quantiles = quantiles
        self.exclude = exclude

    def __deepcopy__(self, memo: dict[int, Any]) -> SQLEngine:
        # scikit-learn clones parameters by deep copies, and a connection cannot be copied.
        return SQLEngine(self.connection, self.temporary, self.quantiles, self.exclude)

    def __reduce__(self) -> tuple[Any, ...]:
        # Nor can it be pickled: whoever loads a selector has their own connection, or needs none.
        return SQLEngine, (None, self.temporary, self.quantiles, self.exclude)

    def __repr__(self) -> str:
        # Without the connection, whose repr may hold a password.
        return f"SQLEngine(temporary={self.temporary!r}, quantiles={self.quantiles!r})"

    def encode(self, X: Any, y: Any, **how: Any) -> SQLTable:
        """Code a table; the parameters are those of `deacs.encode`.

        Parameters
        ----------
        X : str, tuple of str or pathlib.Path
            The name of a table or view, such as `"visits"` or `"shop.visits"`, or its parts. With
            DuckDB also files, `Path("visits/*.parquet")`: Parquet, CSV or JSON.
        y : str
            The class column.
        **how
            The other parameters of `deacs.encode`; `sample_weight` names a column.
        """
        if not isinstance(X, str | tuple | Path):
            raise InputError(
                f"SQLEngine selects from a table of its database, got {type(X).__name__}; pass "
                "the name of the table and that of the class column, or leave ",
                Parameter("engine"),
                " out",
                parameter="engine",
            )
        how.pop("n_jobs", None)
        database = database_of(self.connection)
        dialect = database.dialect
        table = database.of_file(X) if isinstance(X, Path) else table_named(X, dialect)
        return encode_table(self, database, table, y, **how)

    def open(
        self,
        data: Any,
        label_score: ScoreKind = "one-vs-rest",
        n_jobs: int | None = None,
        estimator: Estimator = "plug-in",
    ) -> SQLCounts:
        """Begin a selection."""
        if not isinstance(data, SQLTable):
            raise InputError(
                "SQLEngine counts a table of its database, got "
                f"{type(data).__name__}; pass the name of the table and that of the class column"
            )
        if not data.is_open:
            raise InputError(
                f"{data} was closed, which removed its codes; call SQLEngine.encode again"
            )
        check_corrected(label_score, estimator)
        return SQLCounts(data, label_score, estimator)

    def uses_temporary_tables(self, database: Database) -> bool:
        """Return whether to keep codes and groups in temporary tables."""
        if self.temporary is None:
            return database.takes_temporary_tables()
        if not self.temporary and not database.has_transactions:
            raise InputError(
                Parameter("temporary", False),
                f" needs transactions, which {type(database).__name__} lacks: the table might "
                "change between two queries; leave it out",
            )
        return self.temporary
