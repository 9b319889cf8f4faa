"""Files behind an address such as `s3://bucket/key.parquet`, as polars reads them.

Parquet, and CSV or TSV in UTF-8. Credentials come from the environment: an address that holds some
is refused, since it would be shown.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

import polars as pl

from deacs.exceptions import InputError, StorageError
from deacs.tables.files.delimited import nulls, read_columns_of_text, resolve_delimiter
from deacs.tables.files.formats import Options, refuse_unknown

__all__ = ["is_url", "read_address", "said_of_address", "scan_address", "scan_text"]

OF_POLARS = "credentials come from the environment"


def is_url(text: Any) -> bool:
    """Whether this is an address rather than a path; a drive of Windows has one letter."""
    return isinstance(text, str) and re.match(r"[a-z][a-z0-9+.-]+://", text) is not None


def scan_address(url: str, options: Options) -> tuple[pl.LazyFrame, list[str], str | None]:
    """Return a lazy frame of an address, its columns, and the delimiter if all of them are text."""
    scheme, where = url.split("://", 1)
    user, at, _ = where.partition("/")[0].rpartition("@")
    if (at and (":" in user or scheme.startswith("http"))) or "?" in where:
        raise InputError(
            f"an address {scheme}:// must not hold a password or a query, since it would be shown; "
            f"leave it out: {OF_POLARS}"
        )
    suffix = PurePosixPath(where).suffix.lower()
    with said_of_address(url):
        if suffix in (".parquet", ".pq"):
            scan, delimiter = pl.scan_parquet(url, hive_partitioning=False), None
            names = scan.collect_schema().names()
            scan = scan.with_columns(pl.col(list(options.nominal)).cast(pl.String))
        else:
            usual = "tab" if suffix in (".tsv", ".tab") else ","
            delimiter = resolve_delimiter(options.delimiter or usual)
            head = pl.scan_csv(url, separator=delimiter, infer_schema=False)
            names = head.collect_schema().names()
            if options.header is False:
                names = [f"c{k}" for k in range(1, len(names) + 1)]
            scan = scan_text(url, names, delimiter, True, options)
    refuse_unknown(options, names)
    return scan, names, delimiter


def scan_text(
    place: Any, names: list[str], delimiter: str, quotes: bool, options: Options
) -> pl.LazyFrame:
    """Return a lazy frame of delimited text in UTF-8, every column as text."""
    frame = pl.scan_csv(
        place,
        separator=delimiter,
        quote_char='"' if quotes else None,
        null_values=list(nulls(options)),
        infer_schema=False,
        has_header=options.header is not False,
        new_columns=names,
        glob=False,
    )
    frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    if options.strip:
        frame = frame.with_columns(pl.col(pl.String).str.strip_chars().replace(nulls(options)))
    return frame


def read_address(url: str, options: Options) -> pl.DataFrame:
    """Read a table behind an address."""
    scan, names, delimiter = scan_address(url, options)
    wanted = [name for name in names if name not in set(options.exclude)]
    with said_of_address(url):
        frame = scan.select(wanted).collect()
    if frame.height == 0:
        raise InputError(f"{url} has columns but no rows")
    return frame if delimiter is None else read_columns_of_text(frame, delimiter, options)


@contextmanager
def said_of_address(url: str) -> Iterator[None]:
    """Turn the errors of polars into one that names the address."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{url} does not exist") from error
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        said = re.sub(r"\?\S+", "?...", str(error).strip().splitlines()[0])
        raise StorageError(f"{url} could not be read: {said}; {OF_POLARS}") from error
