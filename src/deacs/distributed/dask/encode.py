"""Code Dask collections and Parquet files as a table on workers.

Columns are shuffled once: a worker gets some columns of all rows, and `deacs.encode` codes them
there, so kinds, categories and cut points are by construction those of a single machine. The client
sees how columns were coded, never their rows. While it codes, a worker must hold the columns of its
block as they were read, and the class column.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask.distributed import Client, Future

from deacs.coding import CodedData, FeatureCoding, encode
from deacs.coding.notes import column_notes, warn_of
from deacs.coding.recoding import Recoder
from deacs.distributed.cluster.parts import CodedPart
from deacs.distributed.cluster.protocol import THREADS, resilient
from deacs.distributed.cluster.source import even_slices
from deacs.distributed.dask.cluster import DaskCluster
from deacs.distributed.dask.table import DaskTable, RowFacts
from deacs.distributed.options import discrete_among
from deacs.exceptions import InputError
from deacs.information.bias import counts_per_row
from deacs.storage import Remote, place_of
from deacs.tables.names import unknown_name

__all__ = ["encode_collection", "is_collection"]


def is_collection(X: Any) -> bool:
    """Return whether X is a Dask frame or array, or one or more paths of Parquet files."""
    if isinstance(X, (str, Path, dd.DataFrame, da.Array)):
        return True
    is_list = isinstance(X, (list, tuple)) and len(X) > 0
    return is_list and all(isinstance(path, (str, Path)) for path in X)


def encode_collection(
    cluster: DaskCluster, X: Any, y: Any, n_parts: int | None = None, **how: Any
) -> DaskTable:
    """Code a table that is not in memory, in `n_parts` blocks of columns.

    The parameters are those of `DaskEngine.encode`. Files may be a local folder, any URL that
    fsspec opens, or a list of either.
    """
    if not isinstance(X, (dd.DataFrame, da.Array)):
        X = _read(X)
    X, y = _parted(X, y)
    names = [str(name) for name in X.columns] if isinstance(X, dd.DataFrame) else _numbers(X)
    how = {name: value for name, value in how.items() if name != "n_jobs"}
    slices = even_slices(len(names), n_parts or cluster.n_workers())
    given = how.pop("discrete_features", "auto")
    marks = [discrete_among(given, names, columns) for columns in slices]
    sample_weight = how.pop("sample_weight", None)
    facts = isinstance(X, dd.DataFrame), how.get("missing") == "ignore"

    def ask() -> tuple[list[Future], list[Future], list[Any]]:
        labels = _column(cluster, "classes", y)
        weights = _column(cluster, "weights", sample_weight)
        blocks, recoders, codings = [], [], []
        for place, (columns, discrete) in enumerate(zip(slices, marks, strict=True)):
            frames = _frames(cluster.client, X, columns)
            given = frames, labels, weights, discrete, how
            coded = cluster.submit("encode-columns", _encoded, *given, home=place)
            blocks.append(cluster.submit("coded-columns", CodedPart.of, coded, home=place))
            recoders.append(cluster.submit("recoders", _recoder, coded, home=place))
            codings.append(cluster.submit("codings", _coding, coded, *facts, home=place))
        return blocks, recoders, cluster.gather(codings)

    # y and sample_weight from the client's memory may be lost with a worker; `ask` resends them.
    blocks, recoders, found = resilient(lambda: None, ask)
    features = tuple(feature for some, _ in found for feature in some)
    notes = column_notes(names, features, found[0][1].n_rows)
    warn_of(notes)
    made = DaskTable(
        cluster.client,
        blocks,
        np.array([columns.start for columns in slices]),
        features,
        tuple(names),
        found[0][1],
        recoders if how.get("recodable") else None,
    )
    made.notes = notes
    return made


def _read(X: Any) -> dd.DataFrame:
    """Open Parquet files, whose rows the workers will read."""
    places = [place_of(path) for path in (X if isinstance(X, (list, tuple)) else [X])]
    names = [str(place) for place in places]
    try:
        return dd.read_parquet(names if len(names) > 1 else names[0])
    except Exception as error:
        remote = [place for place in places if isinstance(place, Remote)]
        if not remote:
            raise
        absent = (place for place in remote if not (place.is_file() or place.names()))
        with next(absent, remote[0]).asked("read"):
            raise error.__cause__ or error from None  # Dask wraps the driver's error


def _numbers(X: da.Array) -> list[str]:
    if X.ndim != 2:
        raise InputError(f"X must have two dimensions (rows and columns), got {X.ndim}; reshape it")
    return [f"x{j}" for j in range(X.shape[1])]


def _parted(X: Any, y: Any) -> tuple[Any, Any]:
    """Separate the class column from the table if y is its name."""
    if not isinstance(y, str):
        if y is None:
            raise InputError("y must name the class column, or hold the classes, got None")
        return X, y
    if not isinstance(X, dd.DataFrame):
        raise InputError(f"y must hold the classes where X is an array, got the name {y!r}")
    if y not in X.columns:
        raise InputError(f"y names {y!r}, {unknown_name(y, [str(c) for c in X.columns])}")
    return X.drop(columns=[y]), X[y]


def _column(cluster: DaskCluster, name: str, values: Any) -> Any:
    """Return a column as one array on the workers."""
    if values is None:
        return None
    if hasattr(values, "to_delayed"):
        pieces = cluster.client.compute(np.ravel(values.to_delayed()).tolist())
        return cluster.submit(name, _joined, pieces)
    return cluster.broadcast(np.asarray(values))


def _frames(client: Client, X: Any, columns: slice) -> list[Future]:
    """Begin to read some columns; of Parquet files, no others are read."""
    if isinstance(X, dd.DataFrame):
        some = X[list(X.columns[columns])]
        return list(client.compute(some.to_delayed()))
    some = X[:, columns].rechunk({1: -1})
    return list(client.compute(np.ravel(some.to_delayed()).tolist()))


# Tasks that run on workers.


def _joined(pieces: Sequence[Any]) -> Any:
    """Concatenate rows of arrays or frames."""
    if isinstance(pieces[0], np.ndarray):
        return np.concatenate(pieces)
    import pandas as pd

    return pd.concat(pieces, ignore_index=True)


def _encoded(
    frames: Sequence[Any], y: Any, weights: Any, discrete: Any, how: dict[str, Any]
) -> CodedData:
    return encode(
        _joined(frames),
        y,
        discrete_features=discrete,
        sample_weight=weights,
        n_jobs=THREADS.get(),
        **how,
    )


def _recoder(coded: CodedData) -> Recoder | None:
    return coded.recoder


def _coding(
    coded: CodedData, is_named: bool, ignores_missing: bool
) -> tuple[tuple[FeatureCoding, ...], RowFacts]:
    """Return how a block was coded, and what is known of its rows."""
    return coded.features, RowFacts(
        classes=coded.classes,
        about=coded.about,
        n_rows=coded.n_rows,
        total=coded.n_rows if coded.weights is None else int(coded.weights.sum()),
        weight_scale=coded.weight_scale,
        per_row=None if coded.weights_are_counts else counts_per_row(coded.weights),
        is_weighted=coded.is_weighted,
        is_named=is_named,
        ignores_missing=ignores_missing,
    )
