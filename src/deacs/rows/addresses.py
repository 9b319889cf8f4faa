"""Databases by address, as Ibis opens them: `postgresql://host/shop`, `duckdb:shop.db`.

Credentials may be part of an address, or come from the environment; they are never shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from deacs._extras import import_needing_extras
from deacs.exceptions import DatabaseError, InputError
from deacs.rows.frames import reading

__all__ = ["connect", "is_database", "shown_address"]

OF_FILES = (
    "s3",
    "gs",
    "gcs",
    "az",
    "abfs",
    "abfss",
    "adl",
    "hf",
    "http",
    "https",
    "file",
    "memory",
)
"""Schemes of addresses of files."""


def is_database(text: str) -> bool:
    """Whether this is the address of a database, not of a file; Windows' drives have one letter."""
    found = re.match(r"([a-z][a-z0-9+.-]+):", text)
    return found is not None and found[1] not in OF_FILES


def shown_address(address: str) -> str:
    """Return an address without credentials and parameters, which may hold some.

    Examples
    --------
    >>> shown_address("postgresql://me:secret@host/shop?sslpassword=secret")
    'postgresql://host/shop'
    """
    scheme, _, where = address.partition("://")
    if not where:
        return address.partition("?")[0]
    return f"{scheme}://{where.partition('?')[0].rpartition('@')[2]}"


@contextmanager
def connect(address: str, table: str, opened: ExitStack) -> Iterator[Any]:
    """Yield a table of a database as a lazy frame; its errors show no credentials.

    The end of `opened` closes the connection.
    """
    ibis = import_needing_extras("ibis", "a database")
    scheme, _, where = address.partition(":")
    if scheme == "duckdb" and not Path(where.removeprefix("//")).is_file():
        raise InputError(
            f"there is no DuckDB database {where!r}; name an existing one: duckdb:FILE"
        )
    try:
        with reading():
            if scheme == "duckdb":
                connection = ibis.duckdb.connect(where.removeprefix("//"), read_only=True)
            else:
                connection = ibis.connect(address)
            opened.callback(connection.disconnect)
            found = connection.table(table)
        yield found
    except DatabaseError as error:
        said = _without_secrets(str(error), address)
        raise DatabaseError(f"{shown_address(address)}, table {table!r}: {said}") from None


def _without_secrets(text: str, address: str) -> str:
    """Return a message without what may be credentials."""
    parts = urlsplit(address)
    secrets = [value for _, value in parse_qsl(parts.query)]
    secrets += [each for each in (parts.username, parts.password) if each]
    for secret in {*secrets, *map(unquote, secrets)}:
        if len(secret) > 2:
            text = text.replace(secret, "...")
    return text.replace(address, shown_address(address))
