"""Files of any size as sources: Parquet by the column, CSV and TSV as text, others whole."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from deacs.exceptions import InputError, Parameter
from deacs.rows.bringing import Source
from deacs.tables.files import FORMATS, delimited, parquet, resolve_format
from deacs.tables.files import source as files
from deacs.tables.files.addresses import is_url, said_of_address, scan_address, scan_text
from deacs.tables.files.formats import Options, refuse_unknown
from deacs.tables.names import refuse_repeated

__all__ = ["open_file", "refuse_inputs_within"]

HEAD = 1 << 18
"""How many bytes of a text tell its delimiter and its names."""


def open_file(path: str | Path, options: Options) -> Source:
    """Return a file, or an address as polars reads it, as a source."""
    if is_url(str(path)):
        scan, names, delimiter = scan_address(str(path), options)
        if delimiter is not None:
            return _of_text(str(path), scan, names, delimiter, options)
        return Source(str(path), names, lambda: scan)
    place = Path(path)
    found = place.stat() if place.exists() else None
    stamp = f"{place.resolve()} {found and (found.st_size, found.st_mtime_ns)} {options}"
    kind = resolve_format(place, None)
    plain = place.suffix.lower() in (".csv", ".tsv", ".tab", ".txt")
    is_utf8 = (options.encoding or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8", "ascii")
    if kind in ("csv", "tsv") and plain and is_utf8:
        text = _text(place, options, "\t" if kind == "tsv" else options.delimiter, stamp)
        if text is not None:
            return text
    title = FORMATS[kind].title
    if kind == "parquet":
        frame, as_text = parquet.scan(files.Source(place, title), options)
        frame = frame.with_columns(pl.col(as_text).cast(pl.String))
    else:
        frame = FORMATS[kind].read(files.Source(place, title), options).lazy()
    if frame.select(pl.len()).collect().item() == 0:
        raise InputError(f"{place} has columns but no rows")
    return Source(str(place), frame.collect_schema().names(), lambda: frame, stamp=stamp)


def _text(place: Path, options: Options, given: str | None, stamp: str) -> Source | None:
    """Return delimited text that polars can read in batches; None if it cannot."""
    file = files.Source(place, "CSV")
    head = file.first_bytes(HEAD)
    if any(head.startswith(mark) for mark in files.MARKS if not head.startswith(b"\xef\xbb\xbf")):
        return None
    head = files.with_newlines(head)
    delimiter = delimited.sniff_delimiter(head) if given is None else given
    delimiter = delimited.resolve_delimiter(delimiter)
    if delimiter == " ":
        return None
    names, advice = delimited.column_names(file, head, delimiter, options)
    if options.strip:
        names = [name.strip() for name in names]
        refuse_repeated(names, str(place))
    refuse_unknown(options, names, advice)
    scan = scan_text(place, names, delimiter, delimited.is_quoted(head, delimiter), options)
    return _of_text(place, scan, names, delimiter, options, stamp)


def _of_text(
    place: Path | str,
    scan: pl.LazyFrame,
    names: Sequence[str],
    delimiter: str,
    options: Options,
    stamp: str = "",
) -> Source:
    """Return text that is written to Parquet first; a column finds its type as a whole."""

    def spill(path: Path) -> None:
        try:
            scan.sink_parquet(path, compression="lz4", statistics=False)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            if "os error 28" in str(error):
                raise
            if isinstance(place, Path):
                _refuse_malformed(place, delimiter, len(names))
                said = str(error).strip().partition("\n")[0]
                raise files.Source(place, "CSV").error(said) from error
            with said_of_address(place):
                raise
        last = pl.scan_parquet(path, glob=False).select(pl.col(names[-1]))
        n_rows, n_missing = last.select(pl.len(), pl.all().null_count()).collect().row(0)
        if n_rows == 0:
            raise InputError(f"{place} has a header but no rows")
        if n_missing and isinstance(place, Path):  # polars fills short lines with nulls
            _refuse_malformed(place, delimiter, len(names))

    def typed(column: pl.Series) -> pl.Series:
        return delimited.read_columns_of_text(column.to_frame(), delimiter, options).to_series()

    return Source(str(place), names, lambda: scan, spill, typed, stamp)


def _refuse_malformed(place: Path, delimiter: str, n_fields: int) -> None:
    """Raise an error for the first line with another number of fields or a malformed quote."""
    with place.open("rb") as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        lines = csv.reader(text, delimiter=delimiter, strict=True)
        delimited.refuse_malformed(files.Source(place, "CSV"), lines, n_fields)


def refuse_inputs_within(out: Path, paths: Sequence[str | Path]) -> None:
    """Raise InputError if a file is the output, lies in it or would hold it, links resolved."""
    place = Path(os.path.realpath(out))
    for path in paths:
        file = Path(os.path.realpath(str(path).removeprefix("file://")))
        if file == place or place in file.parents or file in place.parents:
            raise InputError(
                Parameter("out"),
                f" must be a folder apart from the files, but {path} and {out} lie one in the "
                "other; name another",
            )
