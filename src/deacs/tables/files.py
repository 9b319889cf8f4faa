"""Files to frames. CSV for now, read by polars."""

import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from deacs.exceptions import InputError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_csv"]

UNREADABLE = (UnicodeDecodeError, csv.Error, OSError, EOFError, zlib.error)

# Harmless where they are a category (missing is a value of its own), right where they are not.
MISSING_MARKERS = ["", "?", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"]


def read_csv(path: str | Path) -> "pl.DataFrame":
    """Read a CSV file with a header line, plain or gzipped; every field has a type of its own.

    Raises
    ------
    InputError
        If there is no such file, it is empty, not text, or its lines have unequal lengths; the
        message names the file, and the line where it can.
    """
    import polars as pl

    path = Path(path)
    _refuse_unreadable(path)
    try:
        header = _header(path)
        # Unpacked here: a truncated archive is then an error, and not a shorter table.
        source = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path
        frame = pl.read_csv(source, infer_schema_length=None, null_values=MISSING_MARKERS)
    except pl.exceptions.NoDataError:
        raise InputError(f"{path} is empty; a header line and data are needed") from None
    except pl.exceptions.PolarsError as error:
        with suppress(*UNREADABLE):  # then polars' own words must do
            _refuse_ragged(path, len(header))
        reason = str(error).strip().splitlines()[0]
        raise InputError(f"{path} cannot be read as CSV: {reason}") from error
    except UNREADABLE as error:
        raise InputError(f"{path} cannot be read as CSV text in UTF-8: {error}") from error
    if frame.height == 0:
        raise InputError(f"{path} has a header but no rows")
    # polars fills short lines with nulls; only then can a line be short.
    if frame[:, -1].null_count() > 0:
        _refuse_ragged(path, len(header))
    return frame


def _refuse_unreadable(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a CSV file")
    if not path.exists():
        parent = path.parent if path.parent.is_dir() else Path()
        near = sorted(other.name for other in parent.glob("*.csv*"))[:5]
        hint = f"; there are {', '.join(near)}" if near else ""
        raise InputError(f"{path} does not exist{hint}")
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty; a header line and data are needed")


def _header(path: Path) -> list[str]:
    with _open(path) as file:
        names = next(csv.reader(file), [])
    if not names:
        raise InputError(f"{path} begins with an empty line; a header line is needed")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        shown = ", ".join(repr(name) for name in repeated)
        raise InputError(f"{path} must have unique column names, got {shown} more than once")
    return names


def _refuse_ragged(path: Path, n_fields: int) -> None:
    with _open(path) as file:
        reader = csv.reader(file)
        for fields in reader:
            if len(fields) != n_fields and fields:
                raise InputError(
                    f"{path}, line {reader.line_num}: {len(fields)} fields, but the header has "
                    f"{n_fields}"
                )


@contextmanager
def _open(path: Path) -> Iterator[TextIO]:
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        yield file
