"""Data sets of the registry, and users' own tables, as the bench needs them.

A set is read from the folder named by the environment variable DEACS_DATA if its file is there
(`name.csv.gz` or `name.csv`, with the class in the column `class`). Otherwise it comes from
scikit-learn if it ships the set, or is generated (`makers`), or is fetched from OpenML by
`sklearn.datasets.fetch_openml`, which caches it and verifies OpenML's checksum.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from deacs.coding.kinds import discrete_mask
from deacs.exceptions import InputError, Parameter
from deacs.experiments.registry import DatasetInfo, dataset_info
from deacs.tables import TargetOption, read_columns, read_labels
from deacs.tables.files import read_table

__all__ = ["Dataset", "dataset_from_table", "load_dataset"]

TARGET = "class"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table for experiments.

    Attributes
    ----------
    name : str
        Its name in results.
    X : polars.DataFrame
        The features.
    labels : ndarray of int of shape (n_rows,)
        The class of each row, an index into `classes`.
    classes : ndarray
        The classes, sorted.
    discrete : ndarray of bool of shape (n_features,)
        Which columns hold categories; decided once, for all splits.
    source : str
        Where it came from: "folder", "scikit-learn", "made", "openml" or "user".
    checksum : str
        SHA-256 of names, kinds, values and classes; independent of the file format.
    numbers : ndarray of shape (n_rows,), or None
        The target itself if it is numeric; classes are then intervals, by which rows are split.
    """

    name: str
    X: pl.DataFrame
    labels: NDArray[np.int32]
    classes: NDArray[Any]
    discrete: NDArray[np.bool_]
    source: str
    checksum: str
    numbers: NDArray[Any] | None = None

    @property
    def target(self) -> NDArray[Any]:
        """The target of each row: the index of its class, or its number."""
        return self.labels if self.numbers is None else self.numbers

    @property
    def kind(self) -> Literal["classes", "numbers"]:
        """The kind of target."""
        return "classes" if self.numbers is None else "numbers"

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.X.height

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.X.width


def dataset_from_table(
    name: str,
    X: pl.DataFrame,
    y: Any,
    discrete_features: Any = "auto",
    source: str = "user",
    target: TargetOption = "auto",
) -> Dataset:
    """Make a data set from a table.

    Parameters
    ----------
    name : str
        Its name in results.
    X : polars.DataFrame
        The features.
    y : array-like of shape (n_rows,)
        The classes, or numbers.
    discrete_features : default="auto"
        Which columns hold categories, as in `deacs.encode`.
    source : str, default="user"
        Where it came from.
    target : {"auto", "classes", "numbers"}, default="auto"
        The kind of target; see `deacs.encode`.

    Examples
    --------
    >>> import polars as pl
    >>> from deacs.experiments import dataset_from_table
    >>> X = pl.DataFrame({"size": [1.0, 2.5, 3.0], "colour": ["red", "blue", "red"]})
    >>> dataset_from_table("toys", X, ["a", "b", "a"]).discrete.tolist()
    [False, True]
    """
    table = read_columns(X)
    labels = read_labels(y, table.n_rows, target)
    if labels.target.kind == "labels":
        raise InputError(
            Parameter("y"),
            " must hold classes or numbers, got several labels per row; run an experiment for "
            "each label",
        )
    discrete = discrete_mask(table, discrete_features)
    checksum = hashlib.sha256()
    for column in table.columns:
        values = column.values
        if column.missing is not None:
            values = np.where(column.missing, np.zeros(1, values.dtype), values)
            checksum.update(column.missing.tobytes())
        if column.categories is not None:
            checksum.update("\0".join(map(str, column.categories)).encode())
        checksum.update(f"{column.name}\0{column.kind}\0".encode())
        checksum.update(np.ascontiguousarray(values.astype(np.float64)).tobytes())
    checksum.update("\0".join(map(str, labels.classes)).encode())
    checksum.update(labels.codes.astype(np.int64).tobytes())
    if labels.numbers is not None:
        checksum.update(labels.numbers.astype(np.float64).tobytes())
    digest = checksum.hexdigest()
    return Dataset(name, X, labels.codes, labels.classes, discrete, source, digest, labels.numbers)


def load_dataset(name: str, data_home: str | None = None) -> Dataset:
    """Load a data set of the registry.

    Parameters
    ----------
    name : str
        A name in `REGISTRY`.
    data_home : str, optional
        Where fetched files are kept; default: scikit-learn's folder.

    Raises
    ------
    InputError
        If the name is unknown, the shape differs from the registry's, or no source has the set.

    Warns
    -----
    UserWarning
        If a file in the folder of DEACS_DATA has the right shape but other contents.

    Examples
    --------
    >>> from deacs.experiments import load_dataset
    >>> wine = load_dataset("wine")
    >>> wine.n_rows, wine.n_features, wine.source
    (178, 13, 'scikit-learn')
    """
    info = dataset_info(name)
    file = _file(info)
    y: Any
    if file is not None:
        X, y = read_table(file, target=TARGET)
        source = "folder"
    elif info.bundled is not None:
        X, y = _bundled(info.bundled)
        source = "scikit-learn"
    elif info.maker is not None:
        X, y = info.maker()
        source = "made"
    elif info.openml_id is not None:
        X, y = _from_openml(info, data_home)
        source = "openml"
    else:
        raise InputError(
            f"{name} is read only from a folder; put {info.file or name}.csv.gz into one, and set "
            "DEACS_DATA to its path"
        )
    X = X.drop(column for column in info.dropped if column in X.columns)
    nominal = [column for column in X.columns if info.is_nominal(column)]
    dataset = dataset_from_table(name, X, y, nominal, source)
    _check(info, dataset)
    return dataset


def _file(info: DatasetInfo) -> Path | None:
    folder = os.environ.get("DEACS_DATA")
    if not folder:
        return None
    stem = Path(folder) / (info.file or info.name)
    files = (stem.with_name(stem.name + suffix) for suffix in (".csv.gz", ".csv"))
    return next((file for file in files if file.is_file()), None)


def _bundled(loader: str) -> tuple[pl.DataFrame, NDArray[Any]]:
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, loader)()
    names = [str(name) for name in bunch.feature_names]
    return pl.DataFrame(bunch.data, schema=names), bunch.target_names[bunch.target]


def _from_openml(info: DatasetInfo, data_home: str | None) -> tuple[pl.DataFrame, NDArray[Any]]:
    """Fetch a set; categories are fetched as indices and converted to names."""
    from sklearn.datasets import fetch_openml

    try:
        # This parser does not need pandas.
        bunch = fetch_openml(
            data_id=info.openml_id, as_frame=False, parser="liac-arff", data_home=data_home
        )
    except OSError as error:
        raise InputError(
            f"{info.name} could not be fetched from OpenML (data set {info.openml_id}): {error}; "
            f"put {info.file or info.name}.csv.gz into a folder, and set DEACS_DATA to its path"
        ) from error
    rows = slice(*info.rows)
    matrix = bunch.data[rows]
    matrix = matrix.toarray() if hasattr(matrix, "toarray") else matrix
    columns = {}
    for name, values in zip(bunch.feature_names, matrix.T, strict=True):
        if name in info.dropped:
            continue
        categories = (bunch.categories or {}).get(name)
        columns[name] = _named(values, categories, keep_numbers=not info.is_nominal(name))
    return pl.DataFrame(columns), np.asarray(bunch.target[rows]).astype(str)


def _named(values: NDArray[Any], categories: Any, *, keep_numbers: bool) -> pl.Series:
    """Return categories by name; with `keep_numbers` as numbers, if all names are numbers."""
    if categories is None:
        return pl.Series(values.astype(np.float64), nan_to_null=True)
    texts = [None if np.isnan(code) else str(categories[int(code)]) for code in values.tolist()]
    named = pl.Series(texts, dtype=pl.String)
    numbers = named.cast(pl.Float64, strict=False)
    return numbers if keep_numbers and numbers.null_count() == named.null_count() else named


def _check(info: DatasetInfo, dataset: Dataset) -> None:
    """Raise an error for a table of another shape; warn if a file's contents differ."""
    came = (dataset.n_rows, dataset.n_features, len(dataset.classes))
    wanted = (info.n_rows, info.n_features, info.n_classes)
    if came != wanted:
        raise InputError(
            f"{info.name} from {dataset.source} must have {wanted[0]} rows, {wanted[1]} features "
            f"and {wanted[2]} classes, got {came[0]}, {came[1]} and {came[2]}: this is another "
            "table; remove it from DEACS_DATA or from scikit-learn's data_home"
        )
    if dataset.source == "folder" and info.sha256 not in (None, dataset.checksum):
        warnings.warn(
            f"{info.name} in DEACS_DATA is not the table that published numbers were made from: "
            f"its checksum is {dataset.checksum[:12]}, not {str(info.sha256)[:12]}",
            stacklevel=3,
        )
