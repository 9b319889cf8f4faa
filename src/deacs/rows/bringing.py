"""Bring a table here, larger than memory if need be, and code it as `deacs.encode` does.

Values cross once. A table that fits in memory is collected; of a larger one, Parquet is read one
block of columns at a time, and anything else is first written to Parquet in a temporary folder,
which is the snapshot. A column is coded as a whole, so that its codes are those of memory.
"""

from __future__ import annotations

import json
import re
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl

from deacs.coding import DISCRETIZERS, CodedData, encode
from deacs.coding.encode import encode_columns, read_target
from deacs.coding.kinds import discrete_mask
from deacs.coding.on_disk import CodesWriter, open_codes, saying_full
from deacs.exceptions import InputError, Note, Parameter
from deacs.tables import Column, Table, read_columns, read_weights
from deacs.tables.columns import drop_mask

__all__ = [
    "Progress",
    "Source",
    "bring",
    "discrete_among",
    "read_size",
    "size_in_words",
    "typed_column",
]

Progress = Callable[[str, float], None]
"""Called with the name of the current stage and the fraction of it that is done."""

SMALL = 1 << 28
"""A table of at most this many bytes, 8 for each value, is collected and coded in memory."""
BYTES_A_ROW = 48
"""Memory for the labels and the work space of one column."""
BYTES_A_FIELD = 48
"""Memory for a number as read and as cut, and for its code."""
TEXT_COPIES = 2
SAMPLE_ROWS = 1000
"""How many rows are read to estimate the sizes of columns."""
TEXT = (pl.String, pl.Categorical, pl.Enum, pl.Null)
UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
UNITS |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}


@dataclass(frozen=True)
class Source:
    """A table that can be read by the column: a file, or a frame of any library."""

    name: str
    """Its name in messages."""
    columns: Sequence[str]
    scan: Callable[[], pl.LazyFrame]
    """Returns the table."""
    spill: Callable[[Path], None] | None = None
    """Writes it to a Parquet file; None: it is one already."""
    typed: Callable[[pl.Series], pl.Series] | None = None
    """Finds the type of a column that is read as text; None: it has its type."""
    stamp: str = ""
    """Changes with its contents; "": unknown."""


def bring(
    sources: Sequence[Source],
    target: str | Sequence[str],
    how: Mapping[str, Any],
    *,
    names: Sequence[str],
    sample_weight: str | None = None,
    out: Path | None = None,
    memory: int | str = "2GB",
    n_rows: int | None = None,
    progress: Progress | None = None,
) -> CodedData:
    """Return the coded table of sources whose rows follow one another.

    `how`, `out`, `memory` and `progress` are as in `deacs.rows.encode.encode`; `names` are the
    features, in their order. Without `out`, codes are in memory, or in a temporary folder.
    """
    tell = progress or (lambda what, share: None)
    n_bytes = read_size(memory)
    if out is None and n_rows is not None and 8 * n_rows * len(names) <= min(SMALL, n_bytes):
        by_row = [*([target] if isinstance(target, str) else target), sample_weight]
        wanted = [*names, *(name for name in by_row if name is not None)]
        read = [source.scan().select(wanted).collect().lazy() for source in sources]
        y, weights = _by_row(sources, read, target, sample_weight)
        X = pl.DataFrame(list(_columns(sources, read, names).values()))
        return encode(X, y, sample_weight=weights, **how)
    given = how.get("discretizer", "mdlp")
    if given is not None and not (isinstance(given, str) and given in DISCRETIZERS):
        raise InputError(
            Parameter("discretizer"),
            f" must be one of {', '.join(DISCRETIZERS)} or None for a table that is read by the "
            f"column, got {given!r}",
        )
    folder = TemporaryDirectory(prefix="deacs-") if out is None else None
    place = Path(folder.name) / "codes" if folder is not None else Path(out or "")
    stamps = [source.stamp for source in sources]
    settings = [stamps, names, target, sample_weight, how]
    key = json.dumps(settings, default=repr) if all(stamps) else ""
    with saying_full(place.parent), CodesWriter(place, key) as writer:
        parts = _at_hand(sources, writer, tell)
        of_rows = _by_row(sources, parts, target, sample_weight)
        notes = _write(writer, sources, parts, names, of_rows, how, n_bytes, tell)
        writer.finish(target if isinstance(target, str) else ",".join(target), is_named=True)
    data = open_codes(place)
    object.__setattr__(data, "notes", notes)
    if folder is not None:
        weakref.finalize(data, folder.cleanup)
    return data


def _by_row(
    sources: Sequence[Source],
    parts: Sequence[pl.LazyFrame],
    target: str | Sequence[str],
    sample_weight: str | None,
) -> tuple[Any, Any]:
    """Return the target and the weights."""
    targets = [target] if isinstance(target, str) else list(target)
    weights = [] if sample_weight is None else [sample_weight]
    columns = _columns(sources, parts, [*targets, *weights])
    y = [columns[name] for name in targets]
    of_weights = None if sample_weight is None else columns[sample_weight]
    return y[0] if isinstance(target, str) else pl.DataFrame(y), of_weights


def _write(
    writer: CodesWriter,
    sources: Sequence[Source],
    parts: Sequence[pl.LazyFrame],
    names: Sequence[str],
    of_rows: tuple[Any, Any],
    how: Mapping[str, Any],
    memory: int,
    tell: Progress,
) -> tuple[Note, ...]:
    """Write the codes of the features, a block at a time, behind those that are done."""
    y, weights = of_rows
    counts = read_weights(weights, len(y))
    labels = read_target(y, len(y), how.get("target", "auto"), counts)
    others = {name: value for name, value in how.items() if name not in ("target", "recodable")}
    notes, begin = list[Note](), writer.n_done
    for end in _ends_of_blocks(parts, names, len(y), memory):
        if end <= begin:
            continue
        tell(f"coding {names[begin]}", begin / len(names))
        columns = tuple(map(typed_column, _columns(sources, parts, names[begin:end]).values()))
        discrete = discrete_among(how.get("discrete_features", "auto"), names, slice(begin, end))
        data = encode_columns(
            Table(columns, len(y)),
            labels,
            counts,
            **{**others, "discrete_features": discrete, "order": True},
        )
        del columns
        if begin == 0:
            writer.begin(data.targets, data.weights, data.weight_scale)
        notes += data.notes
        writer.append((data, j) for j in range(data.n_features))
        begin = end
    return tuple(notes)


def _at_hand(sources: Sequence[Source], writer: CodesWriter, tell: Progress) -> list[pl.LazyFrame]:
    """Return the sources as Parquet, which can be read by the column."""

    def write(begin: str) -> None:
        for k, source in enumerate(sources):
            tell(f"reading {source.name}", k / len(sources))
            if source.spill is not None:
                source.spill(Path(f"{begin}{k:06}"))

    begin = "" if all(source.spill is None for source in sources) else writer.spill(write)
    return [
        source.scan() if source.spill is None else pl.scan_parquet(f"{begin}{k:06}", glob=False)
        for k, source in enumerate(sources)
    ]


def _columns(
    sources: Sequence[Source], parts: Sequence[pl.LazyFrame], names: Sequence[str]
) -> dict[str, pl.Series]:
    """Read columns of all parts, one after another; text finds its type as a whole."""
    frames = [part.select(list(names)).collect() for part in parts]
    finders = [source.typed for source in sources if source.typed is not None]
    joined = {}
    for name in names:
        columns = [frame[name] for frame in frames]
        if len(finders) == len(sources):
            joined[name] = finders[0](pl.concat(columns))
        else:
            pairs = zip(sources, columns, strict=True)
            joined[name] = _joined([c if s.typed is None else s.typed(c) for s, c in pairs])
    return joined


def _joined(columns: list[pl.Series]) -> pl.Series:
    """Return the parts of a column as one, of a type that holds them all."""
    known = [column for column in columns if column.null_count() < len(column)] or columns[:1]
    types = list(dict.fromkeys(column.dtype for column in known))
    n_texts = sum(dtype in TEXT for dtype in types)
    try:
        if 0 < n_texts < len(types):
            raise pl.exceptions.SchemaError("text and numbers")
        empty = [pl.DataFrame(schema={"": pl.String() if n_texts else of}) for of in types]
        dtype = pl.concat(empty, how="vertical_relaxed").dtypes[0] if len(types) > 1 else types[0]
    except pl.exceptions.PolarsError as error:
        raise InputError(
            f"the parts of column {columns[0].name!r} must have one type, got "
            f"{' and '.join(map(str, types))}; make it text everywhere with ",
            Parameter("nominal"),
            ", or leave it out with ",
            Parameter("exclude"),
            columns=[columns[0].name],
        ) from error
    return pl.concat([column.cast(dtype) for column in columns])


def typed_column(column: pl.Series) -> Column:
    """Return a typed column; text by its distinct values, as Python's strings take much memory."""
    if column.dtype not in TEXT or column.null_count() == len(column):
        return read_columns(column.to_frame()).columns[0]
    [known] = read_columns(column.drop_nulls().unique().to_frame()).columns
    categories = pl.Enum([str(value) for value in known.categories])  # type: ignore[union-attr]
    codes = column.cast(pl.String).cast(categories).to_physical()
    return replace(
        known,
        values=codes.fill_null(0).cast(pl.Int64).to_numpy(),
        missing=drop_mask(column.is_null().to_numpy()),
    )


def discrete_among(given: Any, names: Sequence[str], here: slice) -> Any:
    """Return `discrete_features` for some of the columns."""
    if isinstance(given, str | bool | np.bool_):
        return given
    everything = tuple(Column(name, "float", np.empty(0)) for name in names)
    mask = discrete_mask(Table(everything, 0), given)[here]
    # A mask decides on text, too; in a list, text need not be named.
    return mask if np.asarray(given).dtype == bool else np.flatnonzero(mask).tolist()


def _ends_of_blocks(
    parts: Sequence[pl.LazyFrame], names: Sequence[str], n_rows: int, memory: int
) -> list[int]:
    """Return where each block of columns ends; each fits in memory."""
    sample = parts[0].select(list(names)).head(SAMPLE_ROWS).collect()
    sizes = [column.estimated_size() * n_rows // max(sample.height, 1) for column in sample]
    free, taken, ends = memory - BYTES_A_ROW * n_rows, 0.0, list[int]()
    for j, size in enumerate(sizes):
        needed = BYTES_A_FIELD * n_rows + TEXT_COPIES * size
        if needed > free:
            raise InputError(
                Parameter("memory"),
                f" must be at least {size_in_words(memory + needed - free)} for {n_rows:,} rows of "
                f"column {names[j]!r}, which is coded as a whole, got {size_in_words(memory)}",
                columns=[names[j]],
            )
        if taken + needed > free:
            ends.append(j)
            taken = 0.0
        taken += needed
    return [*ends, len(names)]


def read_size(size: Any, parameter: str = "memory") -> int:
    """Return a size in bytes.

    Examples
    --------
    >>> read_size("2GB"), read_size("1.5 MiB"), read_size(4096)
    (2000000000, 1572864, 4096)
    """
    if isinstance(size, (int, np.integer)) and not isinstance(size, bool) and size > 0:
        return int(size)
    if isinstance(size, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", size.lower())
        if found and found[2] in UNITS and float(found[1]) > 0:
            return max(int(float(found[1]) * UNITS[found[2]]), 1)
    raise InputError(
        Parameter(parameter),
        " must be a positive number of bytes or a size such as '2GB', '500MB' or '1.5GiB', "
        f"got {size!r}",
    )


def size_in_words(n_bytes: float) -> str:
    """Return a size for people to read, e.g. `'1.2 GB'`."""
    for unit in ("B", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"
