"""`encode`: code any table for any number of fits, in memory, on disk or where it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from deacs._extras import import_needing_extras
from deacs.coding import CodedData, CodedTable
from deacs.coding import encode as encode_in_memory
from deacs.exceptions import InputError, Parameter
from deacs.tables import TargetOption
from deacs.tables.names import unknown_name

if TYPE_CHECKING:
    from deacs.rows.bringing import Progress

__all__ = ["MOST_BYTES", "encode", "encode_files", "is_elsewhere"]

MOST_BYTES = 2 << 30
"""Codes of a lazy frame come here up to this size; of a larger one, counts are made there."""


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
    X : table, or lazy frame, or list of lazy frames
        A table in memory, as `deacs.coding.encode` takes it; or whatever narwhals calls a lazy
        frame: a polars LazyFrame, a DuckDB relation, an Ibis table, a Spark or Dask DataFrame.
        The rows of several frames are one table.
    y : array-like, str or list of str
        The classes of a table in memory. Of a lazy frame, the column that holds them, or the
        columns that hold labels.
    sample_weight : array-like or str, optional
        The weights of rows; of a lazy frame, the column that holds them.
    exclude : sequence of str, default=()
        Columns of a lazy frame that are no features.
    out : str or Path, optional
        A folder to be made for the codes, which are then mapped from there.
    stay : bool, default=False
        Whether a lazy frame is coded and counted where it is, and only counts come here.
    most_bytes : int or str, default=2 GB
        A lazy frame of more values than this stays where it is, unless `out` is given.
    memory : int or str, default="2GB"
        About how much memory to use, if codes come here.
    progress : callable, optional
        Called with the name of the current stage and the fraction of it that is done.
    **how
        Parameters of `deacs.coding.encode`: `discrete_features`, `discretizer`, `missing`,
        `target`, `order`, `recodable`, `n_jobs`.

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
    if not (is_elsewhere(X) and _names_columns(y)):
        data = encode_in_memory(X, y, sample_weight=sample_weight, **_with_order(how, out))
        if out is None:
            return data
        from deacs.coding.on_disk import write_codes

        return write_codes(data, out, str(getattr(y, "name", None) or ""))
    from deacs.rows.bringing import bring, read_size
    from deacs.rows.frames import columns_of, opened, source_of

    frames = opened(X)
    targets = [y] if isinstance(y, str) else list(y)
    names = columns_of(frames, [*targets, *exclude], sample_weight)
    n_rows = sum(int(frame.select(nw.len()).collect().item()) for frame in frames)
    if n_rows == 0:
        raise InputError("X must have at least one row, got none")
    if stay or (out is None and n_rows * len(names) > read_size(most_bytes, "most_bytes")):
        if out is not None:
            raise InputError(
                Parameter("stay", True), " leaves no codes to write to ", Parameter("out")
            )
        from deacs.rows.there import encode_there

        return encode_there(frames, y, names, sample_weight, how)
    return bring(
        [source_of(frame, k) for k, frame in enumerate(frames)],
        y,
        how,
        names=names,
        sample_weight=sample_weight,
        out=None if out is None else Path(out),
        memory=memory,
        n_rows=n_rows if out is None else None,
        progress=progress,
    )


def _names_columns(y: Any) -> bool:
    return isinstance(y, str) or (
        isinstance(y, list | tuple) and len(y) > 0 and all(isinstance(name, str) for name in y)
    )


def _with_order(how: dict[str, Any], out: Any) -> dict[str, Any]:
    return how if out is None else {**how, "order": True}


def encode_files(
    paths: str | Path | Sequence[str | Path],
    target: str | int,
    out: str | Path,
    *,
    memory: int | str = "2GB",
    exclude: Sequence[str] = (),
    nominal: Sequence[str] = (),
    sample_weight: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing_markers: Sequence[str] | None = None,
    header: bool = True,
    strip: bool = False,
    target_kind: TargetOption = "auto",
    progress: Progress | None = None,
    **how: Any,
) -> CodedData:
    """Code files of any size into a folder of codes.

    Parameters
    ----------
    paths : path or list of paths
        Files with the same columns, or addresses as polars reads them, such as
        `s3://bucket/part-1.parquet`. Parquet is read by the column; CSV and TSV are first written
        to Parquet, in batches; other formats are read whole.
    target : str or int
        The class column, as in `deacs.read_table`.
    out : str or Path
        The folder to be made. None of the files may lie in it.
    memory : int or str, default="2GB"
        About how much memory to use. One column must fit: 96 bytes a row, and twice its size as
        read.
    exclude, nominal, delimiter, encoding, missing_markers, header, strip
        As in `deacs.read_table`.
    target_kind : {"auto", "classes", "numbers"}, default="auto"
        The kind of target, as `target` of `deacs.encode`.
    sample_weight, progress, **how
        As in `deacs.encode`; a discretizer only by name.

    Returns
    -------
    CodedData
        Mapped from `out`; equal to `deacs.encode` of the same rows in memory.
    """
    import_needing_extras("polars", "encode_files")
    from deacs.rows.bringing import bring
    from deacs.rows.files import features_of_all, open_file, refuse_inputs_within
    from deacs.tables.files import read_options
    from deacs.tables.files.formats import target_column

    given = [paths] if isinstance(paths, str | Path) else list(paths)
    if not given:
        raise InputError(Parameter("paths"), " must name at least one file, got none")
    refuse_inputs_within(Path(out), given)
    options = read_options(
        target=target,
        exclude=exclude,
        nominal=nominal,
        delimiter=delimiter,
        encoding=encoding,
        missing_markers=missing_markers,
        header=header,
        strip=strip,
    )
    from deacs.coding.on_disk import refuse_taken

    refuse_taken(Path(out))
    files = [open_file(path, options) for path in given]
    name = target_column(target, files[0][1], files[0][2])
    unwanted = [name] if sample_weight is None else [name, sample_weight]
    features = features_of_all(files, unwanted)
    if sample_weight is not None and sample_weight not in files[0][1]:
        near = unknown_name(sample_weight, files[0][1])
        raise InputError(Parameter("sample_weight"), f" names {sample_weight!r}, {near}")
    sources = [source for source, _, _ in files]
    return bring(
        sources,
        name,
        {**how, "target": target_kind},
        names=features,
        sample_weight=sample_weight,
        out=Path(out),
        memory=memory,
        progress=progress,
    )
