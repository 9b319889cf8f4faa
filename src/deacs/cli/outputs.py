"""Output files: checks before the work begins, and tables as bytes."""

import io
import os
import stat
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from deacs.exceptions import InputError
from deacs.report.files import regular_file

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PAGES", "SEPARATORS", "check_folder", "check_outputs", "check_suffix", "written"]

SEPARATORS = {".csv": ",", ".tsv": "\t", ".parquet": ""}
"""Suffixes that tables may have, and the separator of each."""

PAGES = (".html", ".htm")
"""Suffixes that --report may have."""

STREAMS = {1: "the standard output", 2: "the error stream"}


def check_outputs(outputs: Mapping[str, Path | None], inputs: Iterable[Path | None] = ()) -> None:
    """Raise InputError if a file to write, by option, cannot be written or would destroy another.

    `inputs` are the files and coded stores that the command reads.
    """
    places = {
        option: regular_file(path, option) for option, path in outputs.items() if path is not None
    }
    sources = [source for source in inputs if source is not None]
    for option, place in places.items():
        for source in sources:
            if _is_same(place, source) or _is_within(place, source):
                raise InputError(f"{option} must not be the input file {source}; name another file")
        for number, stream in STREAMS.items():
            if _is_stream(place, number):
                raise InputError(f"{option}: {stream} goes to {place} already; name another file")
    for (one, first), (other, second) in combinations(places.items(), 2):
        if _is_same(first, second):
            raise InputError(f"{one} and {other} are the same file, {first}; name two")


def check_suffix(option: str, path: Path | None, suffixes: Iterable[str]) -> None:
    """Raise InputError if a file's name does not end in one of the suffixes."""
    if path is not None and path.suffix not in suffixes:
        raise InputError(f"{option} must end in {' or '.join(suffixes)}, got {path.name!r}")


def check_folder(option: str, path: Path | None) -> None:
    """Raise InputError if the folder cannot be created because a file is in its place."""
    if path is not None and (path.exists() or path.is_symlink()) and not path.is_dir():
        raise InputError(f"{option}: {path} exists and is not a folder; name another")


def written(table: "pl.DataFrame", output: Path) -> bytes:
    """Return a table as bytes in the format of the suffix."""
    if output.suffix != ".parquet":
        return table.write_csv(separator=SEPARATORS[output.suffix]).encode()
    file = io.BytesIO()
    table.write_parquet(file)
    return file.getvalue()


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them does not exist yet
        return os.path.realpath(one) == os.path.realpath(other)


def _is_within(place: Path, folder: Path) -> bool:
    return folder.is_dir() and place.is_relative_to(os.path.realpath(folder))


def _is_stream(place: Path, number: int) -> bool:
    try:
        stream = os.fstat(number)
        return stat.S_ISREG(stream.st_mode) and os.path.samestat(stream, place.stat())
    except OSError:  # the file does not exist yet, or the stream is closed
        return False
