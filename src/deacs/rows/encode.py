"""`encode`: code any table for any number of fits, in memory, on disk or where it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from deacs._extras import import_needing_extras
from deacs.coding import CodedTable
from deacs.coding import encode as encode_in_memory
from deacs.exceptions import InputError, Parameter
from deacs.tables.names import unknown_name

if TYPE_CHECKING:
    from deacs.rows.bringing import Progress, Source

__all__ = ["MOST_BYTES", "encode", "is_elsewhere"]

MOST_BYTES = 2 << 30
"""Codes of a lazy frame come here up to this size; of a larger one, counts are made there."""


OF_READING = ("delimiter", "encoding", "header", "missing_markers", "nominal", "strip")
"""Parameters of `deacs.read_table`."""


def is_elsewhere(X: Any) -> bool:
    """Whether X is a lazy frame, or a list of lazy frames."""
    frames = X if isinstance(X, list | tuple) and X else [X]
    return all(_is_lazy(frame) for frame in frames)


def _is_lazy(frame: Any) -> bool:
    if nw.dependencies.is_narwhals_lazyframe(frame):
        return True
    if isinstance(frame, np.ndarray | str | int | float | list | tuple | dict):
        return False
    return isinstance(nw.from_native(frame, pass_through=True), nw.LazyFrame)


def encode(
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    exclude: Sequence[str] = (),
    out: str | Path | None = None,
    stay: bool = False,
    most_bytes: int | str = MOST_BYTES,
    memory: int | str = "2GB",
    progress: Progress | None = None,
    **how: Any,
) -> CodedTable:
    """Code a table once, for any number of fits.

    Parameters
    ----------
    X : table, lazy frame, path, or list of lazy frames or paths
        A table in memory, as `deacs.coding.encode` takes it; or whatever narwhals calls a lazy
        frame: a polars LazyFrame, a DuckDB relation, an Ibis table, a Spark or Dask DataFrame;
        or files of any size: Parquet is read by the column, CSV and TSV are first written to
        Parquet, in batches, and other formats are read whole. An address such as
        `s3://bucket/part-1.parquet` is read as polars reads it. The rows of several frames or
        files are one table.
    y : array-like, str or list of str
        The classes of a table in memory. Of a frame or file, the column that holds them, or the
        columns that hold labels; of files also `"last"` or a position.
    sample_weight : array-like or str, optional
        The weights of rows; of a frame or file, the column that holds them.
    exclude : sequence of str, default=()
        Columns of a frame or file that are no features.
    out : str or Path, optional
        A folder to be made for the codes, which are then mapped from there. No file may lie in it.
    stay : bool, default=False
        Whether a lazy frame is coded and counted where it is, and only counts come here.
    most_bytes : int or str, default=2 GB
        A lazy frame of more values than this stays where it is, unless `out` is given.
    memory : int or str, default="2GB"
        About how much memory to use, if codes come here. One column must fit: 96 bytes a row, and
        twice its size as read.
    progress : callable, optional
        Called with the name of the current stage and the fraction of it that is done.
    **how
        Parameters of `deacs.coding.encode`: `discrete_features`, `discretizer`, `missing`,
        `target`, `order`, `recodable`, `n_jobs`; for files also those of `deacs.read_table`:
        `delimiter`, `encoding`, `header`, `missing_markers`, `nominal`, `strip`.

    Returns
    -------
    CodedData, or RowsThere if the rows stay where they are

    Examples
    --------
    >>> import polars as pl
    >>> from deacs import encode
    >>> X = pl.DataFrame({"colour": ["red", "blue", None, "red"], "size": [1, 3, 3, 2]})
    >>> encode(X, y=["a", "b", "b", "a"])
    <CodedData: 4 rows, 2 features, 2 classes>
    >>> visits = pl.LazyFrame({"size": [1, 3, 3, 2], "seen": ["a", "b", "b", "a"]})
    >>> encode(visits, "seen"), encode(visits, "seen", stay=True)
    (<CodedData: 4 rows, 1 features, 2 classes>, <RowsThere: 4 rows, 1 features, 2 classes>)
    """
    paths = _paths(X)
    if not (paths or is_elsewhere(X)) or not _names_columns(y, paths):
        data = encode_in_memory(X, y, sample_weight=sample_weight, **_with_order(how, out))
        if out is None:
            return data
        from deacs.coding.on_disk import write_codes

        return write_codes(data, out, str(getattr(y, "name", None) or ""))
    import_needing_extras("polars", "encode of files and lazy frames")
    from deacs.coding.on_disk import refuse_taken
    from deacs.rows.bringing import bring, read_size
    from deacs.rows.files import refuse_inputs_within
    from deacs.rows.frames import opened, source_of

    if stay and (out is not None or paths):
        other = Parameter("out") if out is not None else "files; pass a scan of them"
        raise InputError(Parameter("stay", True), " does not go with ", other)
    if out is not None:
        refuse_inputs_within(Path(out), paths)
        refuse_taken(Path(out))
    n_rows = None
    if paths:
        sources, y, how = _files(paths, y, exclude, how)
    else:
        frames = opened(X)
        sources = [source_of(frame, k) for k, frame in enumerate(frames)]
        if out is None:
            n_rows = sum(int(frame.select(nw.len()).collect().item()) for frame in frames)
    targets = [y] if isinstance(y, str) else list(y)
    names = _features(sources, targets, sample_weight, exclude)
    if n_rows == 0:
        raise InputError("X must have at least one row, got none")
    if stay or (n_rows or 0) * len(names) > read_size(most_bytes, "most_bytes"):
        from deacs.rows.there import encode_there

        return encode_there(frames, y, names, sample_weight, how)
    return bring(
        sources,
        y,
        how,
        names=names,
        sample_weight=sample_weight,
        out=None if out is None else Path(out),
        memory=memory,
        n_rows=n_rows,
        progress=progress,
    )


def _paths(X: Any) -> list[str | Path]:
    """Return the files that X names, if it does."""
    paths = list(X) if isinstance(X, list | tuple) else [X]
    return paths if all(isinstance(path, str | Path) for path in paths) else []


def _names_columns(y: Any, paths: Sequence[str | Path]) -> bool:
    if isinstance(y, list | tuple):
        return len(y) > 0 and all(isinstance(name, str) for name in y)
    return isinstance(y, str) or bool(paths)


def _with_order(how: dict[str, Any], out: Any) -> dict[str, Any]:
    return how if out is None else {**how, "order": True}


def _files(
    paths: Sequence[str | Path], y: Any, exclude: Sequence[str], how: dict[str, Any]
) -> tuple[list[Source], Any, dict[str, Any]]:
    """Open files; return the name of the target, and the parameters that are not about reading."""
    from deacs.rows.files import open_file
    from deacs.tables.files import read_options
    from deacs.tables.files.formats import if_data, target_column

    reading: Any = {name: how[name] for name in OF_READING if name in how}
    options = read_options(target=y, exclude=exclude, **reading)
    sources = [open_file(path, options) for path in paths]
    if not isinstance(y, list | tuple):
        columns = [name for name in sources[0].columns if name not in options.exclude]
        y = target_column(y, columns, if_data(columns) if options.header is None else "")
    return sources, y, {name: value for name, value in how.items() if name not in reading}


def _features(
    sources: Sequence[Source],
    targets: Sequence[str],
    sample_weight: str | None,
    exclude: Sequence[str],
) -> list[str]:
    """Return the names of the features, after checking that all sources have the same columns."""
    first = sources[0]
    for other in sources[1:]:
        for one, lacking in ((first, other), (other, first)):
            missing = sorted(set(one.columns) - set(lacking.columns) - set(exclude))
            if missing:
                raise InputError(
                    f"all parts must have the same columns, but {lacking.name} has no column "
                    f"{missing[0]!r}, which {one.name} has; leave it out with ",
                    Parameter("exclude"),
                    ", or add it",
                    columns=missing,
                )
    given = dict.fromkeys(exclude, "exclude") | dict.fromkeys(targets, "y")
    given |= {} if sample_weight is None else {sample_weight: "sample_weight"}
    for name, parameter in given.items():
        if name not in first.columns:
            near = unknown_name(name, first.columns)
            raise InputError(Parameter(parameter), f" names {name!r}, {near}")
    found = [name for name in first.columns if name not in given]
    if not found:
        raise InputError(f"{first.name} must have at least one column besides the target, got none")
    return found
