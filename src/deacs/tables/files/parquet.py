"""Parquet, read by polars, limited to the columns needed.

Columns that pandas wrote as categories of numbers, which its metadata records, are nominal.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import polars as pl

from deacs.exceptions import InputError, Parameter
from deacs.tables.files.formats import Options, refuse_unknown
from deacs.tables.files.source import Source

__all__ = ["read", "scan"]

MAGIC = b"PAR1"
INDEX_OF_PANDAS = "__index_level_"


def read(source: Source, options: Options) -> pl.DataFrame:
    """Read the columns of a Parquet file that are not excluded."""
    frame, nominal = scan(source, options)
    with said_of_file(source):
        table = frame.collect()
    if table.width and table.height == 0:
        raise InputError(f"{source} has columns but no rows")
    try:
        return table.with_columns(pl.col(nominal).cast(pl.String))
    except pl.exceptions.PolarsError as error:
        shown = ", ".join(f"{name!r} of type {table.schema[name]}" for name in nominal)
        reason = str(error).partition("\n")[0]
        raise InputError(
            Parameter("nominal"), f" must name columns that can be text, got {shown} ({reason})"
        ) from None


def scan(source: Source, options: Options) -> tuple[pl.LazyFrame, list[str]]:
    """Return the columns that are not excluded, and which of them are to be text."""
    refuse_incomplete(source)
    with said_of_file(source):
        frame = pl.scan_parquet(source.path, glob=False, hive_partitioning=False)
        schema = frame.collect_schema()
        notes = notes_of_pandas(pl.read_parquet_metadata(source.path))
    refuse_unknown(options, schema.names())
    unwanted = {*options.exclude, *(name for name in schema if name.startswith(INDEX_OF_PANDAS))}
    wanted = [name for name in schema if name not in unwanted]
    nominal = [
        name
        for name in wanted
        if name in options.nominal or (name in notes and schema[name].is_numeric())
    ]
    return frame.select(wanted), nominal


def refuse_incomplete(source: Source) -> None:
    """Raise an error unless the file is whole."""
    if not source.path.is_file():
        raise source.error("it is a stream, and Parquet must be a file; save it first")
    with source.reading(), source.path.open("rb") as file:
        if file.read(4) != MAGIC:
            raise source.error("it does not begin with the bytes PAR1")
        size = file.seek(0, 2)
        file.seek(max(size - 8, 0))
        length, end = int.from_bytes(file.read(4), "little"), file.read(4)
    if end != MAGIC or length > size - 12:
        raise source.error("its end is missing, so it is incomplete; copy or write it again")


@contextmanager
def said_of_file(source: Source) -> Iterator[None]:
    """Turn errors of polars into errors that name the file."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise source.error(str(error).strip().partition("\n")[0]) from error


def notes_of_pandas(metadata: dict[str, str]) -> set[str]:
    """Return the columns that the metadata of pandas records as categories."""
    try:
        columns: list[dict[str, Any]] = json.loads(metadata.get("pandas", "{}")).get("columns", [])
        return {c["field_name"] for c in columns if c.get("pandas_type") == "categorical"}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return set()  # the metadata is optional
