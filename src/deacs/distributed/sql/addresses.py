"""Databases by address on the command line: `duckdb:FILE`, `postgresql:WHERE`.

`duckdb:visits.parquet` and the like name files that DuckDB reads without a database.

An address must not hold a password, which a report or a list of processes would show. Passwords
come from the environment (`PGPASSWORD`) or from the driver's files (`~/.pgpass`, a service file).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from deacs.exceptions import DatabaseError, InputError

__all__ = ["READERS", "connect", "file_of", "is_address", "reader_of"]

READERS = {
    ".parquet": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".json": "read_json",
    ".ndjson": "read_json",
}
"""The suffix of files (before .gz if compressed) -> the DuckDB function that reads them."""

NOT_FOUND = "{what} needs {package}, which is not installed; pip install 'deacs[{extra}]'"


def is_address(text: str) -> bool:
    """Return whether text is the address of a database rather than a file."""
    return text.partition(":")[0] in SCHEMES and ":" in text


def connect(address: str) -> Any:
    """Open a database for reading; the caller must close it."""
    scheme, _, where = address.partition(":")
    if re.search(r"passw(or)?d\s*=", where, re.IGNORECASE) or re.search(r"//[^/@]*:[^/@]*@", where):
        raise InputError(
            f"the address of the database must not hold a password, since it would be shown; leave "
            f"it out, and set PGPASSWORD or write it to ~/.pgpass (scheme {scheme})"
        )
    return SCHEMES[scheme](where)


def file_of(address: str) -> Path | None:
    """Return the path of the files if an address names some: `duckdb:visits.parquet`."""
    scheme, _, where = address.partition(":")
    return Path(where) if scheme == "duckdb" and reader_of(Path(where)) is not None else None


def reader_of(path: Path) -> str | None:
    """Return the DuckDB function that reads files with this suffix."""
    plain = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return READERS.get(plain.suffix.lower())


def _duckdb(where: str) -> Any:
    duckdb = _driver("duckdb", "duckdb", "sql")
    if reader_of(Path(where)) is not None:
        connection = duckdb.connect()
        connection.execute("SET enable_progress_bar = false")
        return connection
    if not Path(where).exists():
        raise InputError(
            f"there is no DuckDB database {where!r}; name an existing one: duckdb:FILE"
        )
    try:
        connection = duckdb.connect(where, read_only=True)
        connection.execute("SET enable_progress_bar = false")  # it would be mixed with the output
        return connection
    except duckdb.Error as error:
        raise DatabaseError(f"DuckDB cannot open {where!r}: {str(error).splitlines()[0]}") from None


def _postgresql(where: str) -> Any:
    psycopg = _driver("psycopg", "psycopg", "postgres")
    words = f"postgresql:{where}" if where.startswith("//") else where
    try:
        return psycopg.connect(words, autocommit=True)
    except psycopg.Error as error:
        # The last line: libpq tries several addresses, and reports each.
        lines = str(error).strip().splitlines() or [""]
        raise DatabaseError(f"PostgreSQL cannot be reached: {lines[-1]}") from None


def _driver(module: str, package: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        words = NOT_FOUND.format(what=f"an address {module}:", package=package, extra=extra)
        raise InputError(words) from None


SCHEMES: dict[str, Callable[[str], Any]] = {
    "duckdb": _duckdb,
    "postgresql": _postgresql,
    "postgres": _postgresql,
}
"""The scheme before the colon -> the function that opens the database."""
