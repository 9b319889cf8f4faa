"""Files of any size as sources: Parquet by the column, CSV and TSV as text, others whole."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from deacs.exceptions import InputError, Parameter
from deacs.rows.bringing import Source
from deacs.tables.files import delimited, parquet, read_table, resolve_format
from deacs.tables.files import source as files
from deacs.tables.files.addresses import is_url, said_of_address, scan_address, scan_text
from deacs.tables.files.delimited import resolve_delimiter, sniff_delimiter
from deacs.tables.files.formats import Options, refuse_unknown
from deacs.tables.names import refuse_repeated

__all__ = ["features_of_all", "open_file", "refuse_inputs_within"]

HEAD = 1 << 18


def open_file(path: str | Path, options: Options) -> tuple[Source, list[str], Any]:
    """Return a file as a source, its columns, and advice if they do not look like names."""
    if is_url(str(path)):
        return _at_an_address(str(path), options)
    place = Path(path)
    kind = resolve_format(place, None)
    if kind == "parquet":
        return _parquet(place, options)
    plain = place.suffix.lower() in (".csv", ".tsv", ".tab", ".txt")
    is_utf8 = (options.encoding or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8", "ascii")
    if kind in ("csv", "tsv") and plain and is_utf8:
        found = _text(place, options, "\t" if kind == "tsv" else None)
        if found is not None:
            return found
    return _whole(place, options)


def _stamp(place: Path) -> str:
    found = place.stat()
    return f"{place.resolve()} {found.st_size} {found.st_mtime_ns}"


def _parquet(place: Path, options: Options) -> tuple[Source, list[str], Any]:
    file = files.Source(place, "Parquet")
    parquet.refuse_incomplete(file)
    with parquet.said_of_file(file):
        scan = pl.scan_parquet(place, glob=False, hive_partitioning=False)
        schema = scan.collect_schema()
        noted = parquet.notes_of_pandas(pl.read_parquet_metadata(place))
        n_rows = scan.select(pl.len()).collect().item()
    refuse_unknown(options, schema.names())
    if n_rows == 0:
        raise InputError(f"{place} has columns but no rows")
    nominal = [
        name
        for name, dtype in schema.items()
        if name in options.nominal or (name in noted and dtype.is_numeric())
    ]
    names = [n for n in schema.names() if not n.startswith(parquet.INDEX_OF_PANDAS)]
    scan = scan.select(names).with_columns(pl.col(nominal).cast(pl.String))
    return Source(str(place), lambda: scan, stamp=_stamp(place)), _kept(names, options), ""


def _text(
    place: Path, options: Options, delimiter: str | None
) -> tuple[Source, list[str], Any] | None:
    """Return delimited text that polars can read in batches; None if it cannot."""
    file = files.Source(place, "CSV")
    head = file.first_bytes(HEAD)
    if any(head.startswith(mark) for mark in files.MARKS if not head.startswith(b"\xef\xbb\xbf")):
        return None
    head = files.with_newlines(head)
    given = options.delimiter if delimiter is None else delimiter
    delimiter = sniff_delimiter(head) if given is None else resolve_delimiter(given)
    if delimiter == " ":
        return None
    names, advice = delimited.column_names(file, head, delimiter, options)
    if options.strip:
        names = [name.strip() for name in names]
        refuse_repeated(names, str(place))
    refuse_unknown(options, names, advice)
    scan = scan_text(place, names, delimiter, delimited.is_quoted(head, delimiter), options)
    return _of_text(place, scan, names, delimiter, options), _kept(names, options), advice


def _of_text(
    place: Path | str, scan: pl.LazyFrame, names: list[str], delimiter: str, options: Options
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
        written = pl.scan_parquet(path, glob=False)
        if written.select(pl.len()).collect().item() == 0:
            raise InputError(f"{place} has a header but no rows")
        lacks = written.select(pl.col(names[-1]).null_count()).collect().item()
        if lacks and isinstance(place, Path):  # polars fills short lines with nulls
            _refuse_malformed(place, delimiter, len(names))

    def typed(column: pl.Series) -> pl.Series:
        return delimited.read_columns_of_text(column.to_frame(), delimiter, options).to_series()

    stamp = f"{_stamp(place)} {options}" if isinstance(place, Path) else ""
    return Source(str(place), lambda: scan, spill, typed, stamp)


def _refuse_malformed(place: Path, delimiter: str, n_fields: int) -> None:
    """Raise an error for the first line with another number of fields or a malformed quote."""
    with place.open("rb") as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        delimited.refuse_malformed(
            files.Source(place, "CSV"),
            csv.reader(text, delimiter=delimiter, strict=True),
            n_fields,
        )


def _whole(place: Path, options: Options) -> tuple[Source, list[str], Any]:
    """Read a file of another format whole; it must fit in memory."""
    given = {name: getattr(options, name) for name in ("nominal", "encoding", "delimiter")}
    given |= {"missing_markers": options.missing_markers}
    how = {name: value for name, value in given.items() if value}
    if options.header is False:
        how["header"] = False
    if options.strip:
        how["strip"] = True
    frame = read_table(place, **how)

    def spill(path: Path) -> None:
        frame.write_parquet(path)

    refuse_unknown(options, frame.columns)
    source = Source(str(place), frame.lazy, spill, stamp=f"{_stamp(place)} {options}")
    return source, _kept(frame.columns, options), ""


def _at_an_address(url: str, options: Options) -> tuple[Source, list[str], Any]:
    """Return an address as a source."""
    scan, names, delimiter = scan_address(url, options)
    if delimiter is not None:
        return _of_text(url, scan, names, delimiter, options), _kept(names, options), ""
    return Source(url, lambda: scan), _kept(names, options), ""


def _kept(names: Sequence[str], options: Options) -> list[str]:
    unwanted = set(options.exclude)
    return [name for name in names if name not in unwanted]


def features_of_all(
    opened: Sequence[tuple[Source, list[str], Any]], targets: Sequence[str]
) -> list[str]:
    """Return the names of the features, after checking that all parts have them."""
    source, names, _ = opened[0]
    for other, theirs, _ in opened[1:]:
        for one, has, lacks, lacking in (
            (source, names, theirs, other),
            (other, theirs, names, source),
        ):
            missing = [name for name in has if name not in set(lacks)]
            if missing:
                raise InputError(
                    f"all files must have the same columns, but {lacking.name} has no column "
                    f"{missing[0]!r}, which {one.name} has; leave it out with ",
                    Parameter("exclude"),
                    ", or add it",
                    columns=missing,
                )
    found = [name for name in names if name not in set(targets)]
    if not found:
        raise InputError(
            f"{source.name} must have at least one column besides the target, got none"
        )
    return found


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
