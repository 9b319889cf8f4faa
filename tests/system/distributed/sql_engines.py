"""Databases by name: from coded data to an engine, and the same table coded again in a database."""

import atexit
from functools import cache

import numpy as np
import polars as pl
import pytest

from tests.system.distributed.postgres_server import server

pytest.importorskip("sqlglot")

import duckdb

from deacs.distributed import SQLEngine

__all__ = ["ENGINES", "frame_of"]


def frame_of(data):
    """Return the table that coded data stands for: whole numbers, some of them missing."""
    columns = {}
    for j, feature in enumerate(data.features):
        codes = pl.Series(data.column(j).astype(np.int64))
        if feature.has_missing:
            codes = codes.set(codes == feature.n_values - 1, None)
        columns[f"x{j}"] = codes
    columns["class"] = pl.Series(data.labels.astype(np.int64))
    if data.weights is not None:
        columns["weight"] = pl.Series(data.weights)
    return pl.DataFrame(columns)


def how_of(data):
    """Return how the frame is coded so that it has the values of the data."""
    return {
        "discrete_features": True,
        "missing": "ignore" if data.ignores_missing else "category",
        "sample_weight": None if data.weights is None else "weight",
    }


@cache
def _duckdb():
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    atexit.register(connection.close)
    return connection


def _in_duckdb(data, tmp_path, **how):
    connection = _duckdb().cursor()
    connection.register("frame", frame_of(data))
    table = f"coded_in_{tmp_path.name}"
    connection.execute(f'CREATE OR REPLACE TABLE "{table}" AS FROM frame')
    engine = SQLEngine(connection, **how)
    return engine, engine.encode((table,), "class", **how_of(data))


def _in_postgres(data, tmp_path, **how):
    # A connection for each table: read only, one keeps its transaction as long as the table.
    connection, frame = server().connect(autocommit=True), frame_of(data)
    atexit.register(connection.close)
    table = f"coded_in_{tmp_path.name}"
    columns = ", ".join(f'"{name}" bigint' for name in frame.columns)
    connection.execute(f'DROP TABLE IF EXISTS "{table}"; CREATE TABLE "{table}" ({columns})')
    with connection.cursor() as cursor, cursor.copy(f'COPY "{table}" FROM STDIN') as copy:
        for row in frame.iter_rows():
            copy.write_row(row)
    engine = SQLEngine(connection, **how)
    return engine, engine.encode((table,), "class", **how_of(data))


ENGINES = {
    "DuckDB": _in_duckdb,
    "DuckDB, read only": lambda data, tmp_path: _in_duckdb(data, tmp_path, temporary=False),
    "PostgreSQL": _in_postgres,
    "PostgreSQL, read only": lambda data, tmp_path: _in_postgres(data, tmp_path, temporary=False),
}
