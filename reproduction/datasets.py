"""The data sets: where each comes from, its shape, and how it is read.

The first ten are those of the DEA-CS paper's Table 1, under its numbers, all from the UCI
repository (https://archive.ics.uci.edu) and on OpenML (https://www.openml.org). A set is read from
the folder that the environment variable DEACS_DATA names, if its file is there (`name.csv.gz` or
`name.csv`, with the class in the column `class`); otherwise it comes from scikit-learn if it ships
the set, or is generated, or is fetched from OpenML by `sklearn.datasets.fetch_openml`, which
verifies OpenML's checksum. Every random table has a seed.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from deacs.coding.kinds import discrete_mask
from deacs.exceptions import InputError
from deacs.tables import read_columns, read_labels
from deacs.tables.files import read_table

__all__ = ["PAPER_SETS", "REGISTRY", "Dataset", "DatasetInfo", "dataset_from_table", "load_dataset"]

TARGET = "class"


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table for the experiment.

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
    """

    name: str
    X: pl.DataFrame
    labels: NDArray[np.int32]
    classes: NDArray[Any]
    discrete: NDArray[np.bool_]
    source: str
    checksum: str


def dataset_from_table(
    name: str, X: pl.DataFrame, y: Any, discrete_features: Any = "auto", source: str = "user"
) -> Dataset:
    """Make a data set from a table and the class of each row."""
    table = read_columns(X)
    labels = read_labels(y, table.n_rows, "classes")
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
    digest = checksum.hexdigest()
    return Dataset(name, X, labels.codes, labels.classes, discrete, source, digest)


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
    >>> wine = load_dataset("wine")
    >>> wine.X.shape, wine.source
    ((178, 13), 'scikit-learn')
    """
    if name not in REGISTRY:
        known = ", ".join(REGISTRY)
        raise InputError(f"sets must name data sets, got {name!r}; known names are {known}")
    info = REGISTRY[name]
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
    came = (*dataset.X.shape, len(dataset.classes))
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


Maker = Callable[[], "tuple[pl.DataFrame, NDArray[Any]]"]
"""Returns features and classes."""


def sample_of(name: str, n_per_class: int, seed: int) -> Maker:
    """Return a maker that draws rows of each class from a set of the registry."""

    def draw() -> tuple[pl.DataFrame, NDArray[Any]]:
        whole, rng = load_dataset(name), np.random.default_rng(seed)
        rows = np.concatenate([
            np.sort(rng.permutation(np.flatnonzero(whole.labels == label))[:n_per_class])
            for label in range(len(whole.classes))
        ])  # fmt: skip
        return whole.X[rows], whole.classes[whole.labels[rows]]

    return draw


def made_up(n_per_class: int, n_columns: int, n_per_signal: int, shift: float, seed: int) -> Maker:
    """Return a maker of three classes, separated by a few columns among much noise.

    All `n_columns` columns are normal with variance 1. `n_per_signal` columns are informative about
    each class: `shift` is added to them in its rows. They come first: `a0`, `a1`, ..., `b0`, ...,
    `c0`, ..., then `noise0`, ...
    """

    def make() -> tuple[pl.DataFrame, NDArray[Any]]:
        classes = np.repeat(np.array(["a", "b", "c"]), n_per_class)
        values = np.random.default_rng(seed).standard_normal((len(classes), n_columns))
        names = [f"{label}{i}" for label in "abc" for i in range(n_per_signal)]
        for j, name in enumerate(names):
            values[classes == name[0], j] += shift
        names += [f"noise{i}" for i in range(n_columns - len(names))]
        return pl.DataFrame(values, schema=names), classes

    return make


def filled(name: str) -> Maker:
    """Return a maker that fills the missing values of a set, as Weka's ReplaceMissingValues does.

    Numbers get the mean of their column, categories the most frequent one.
    """

    def fill() -> tuple[pl.DataFrame, NDArray[Any]]:
        whole = load_dataset(name)
        columns = [
            column.fill_null(column.drop_nulls().mode().sort()[0])
            if is_discrete
            else column.cast(pl.Float64).fill_null(strategy="mean")
            for column, is_discrete in zip(whole.X, whole.discrete, strict=True)
        ]
        return pl.DataFrame(columns), whole.classes[whole.labels]

    return fill


FLAG_COUNTS = (
    "bars", "stripes", "colours", "circles", "crosses", "saltires", "quarters", "sunstars",
)  # fmt: skip
FLAG_QUANTITIES = ("area", "population")


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """One entry of the registry.

    Attributes
    ----------
    name : str
        Its name in commands and results.
    n_rows, n_features, n_classes : int
        Its shape, without dropped columns; a table of another shape is refused.
    is_nominal : callable
        From the name of a column to whether it holds categories, even if they look like numbers.
    openml_id : int or None
        Its id on OpenML.
    file : str
        The stem of its file in the folder of DEACS_DATA; default: its name.
    dropped : tuple of str
        Identifiers, which are left out if present.
    rows : pair of int or None
        Where it begins and ends in OpenML's table.
    bundled : str or None
        The loader of `sklearn.datasets` that has it.
    maker : callable or None
        The function that makes it, if it is derived from another set or generated.
    sha256 : str or None
        `Dataset.checksum` of the file that the published numbers were made from.
    note : str
        What a user of the set should know.
    """

    name: str
    n_rows: int
    n_features: int
    n_classes: int
    is_nominal: Callable[[str], bool]
    openml_id: int | None = None
    file: str = ""
    dropped: tuple[str, ...] = ()
    rows: tuple[int | None, int | None] = (None, None)
    bundled: str | None = None
    maker: Maker | None = None
    sha256: str | None = None
    note: str = ""


def _all(column: str) -> bool:
    return True


def _none(column: str) -> bool:
    return False


def _flag_category(column: str) -> bool:
    return column not in FLAG_COUNTS + FLAG_QUANTITIES


def _flag_value(column: str) -> bool:
    return column not in FLAG_QUANTITIES


def _wave_or_sex(column: str) -> bool:
    return column == "sex" or column.endswith("Exists")


_FLAGS_NOTE = "The country's name, an identifier, is left out. "

_ENTRIES = (
    DatasetInfo(
        "flags", 194, 28, 8, _flag_category, 285, dropped=("name",),
        sha256="f3b421bd16774bff65b35cfb9aa4f18a264db13d1fccc80021369b23bdbce703",
        note=_FLAGS_NOTE + "Counts of stripes, stars and the like are numbers here.",
    ),
    DatasetInfo(
        "kr-vs-kp", 3196, 36, 2, _all, 3,
        sha256="883fd08293c89fab33aa9db07917f1cb0dc42e196845ede2f21fe737f69af7b9",
    ),
    DatasetInfo(
        "mfeat-zernike", 2000, 47, 10, _none, 22,
        sha256="3d145b3548bec504890dac47dc07c6cf16458449c91a1bab78c96810f919b0ec",
        note="47 features; the paper's 48 counts the class.",
    ),
    DatasetInfo(
        "synthetic-control", 600, 60, 6, _none, 377, dropped=("index",),
        sha256="cc6574d18e4f6de31d252b82dd307174a15d329aee744c82a55809bb02178725",
    ),
    DatasetInfo(
        "splice", 3190, 60, 3, _all, 46, dropped=("Instance_name",),
        sha256="482188da67cb2e383d2ee19d37909738c63ec9000fd10c6a5d3c6d44e12ba032",
        note="Ambiguous letters (D, N, S, R) are values of their own.",
    ),
    DatasetInfo(
        "musk2", 6598, 166, 2, _none, 1116,
        dropped=("ID", "molecule_name", "conformation_name"),
        sha256="0b3c3369e1c533a8a3e232e1dd7ba3ba833aff129f92878d86c5896885d68d2e",
        note="Shapes of one molecule are separate rows and fall on both sides of a random split, "
        "so every accuracy here is optimistic for a new molecule.",
    ),
    DatasetInfo(
        "dna", 3186, 180, 3, _all, 40670,
        sha256="7fe0183d5ec222259cf8446e90e7c373e6628de54989f4cbd76bfb55fc7dd891",
        note="splice, less 4 rows, each base as three 0/1 columns.",
    ),
    DatasetInfo(
        "arrhythmia", 452, 279, 13, _wave_or_sex, 5,
        sha256="9d2c682e884a6e679a0cda9ed0bc29f80c1ce1541cd3ddb140487ecd408b13bf",
        note="408 missing values; three classes have fewer than 5 rows.",
    ),
    DatasetInfo(
        "isolet5", 1559, 617, 26, _none, 300, rows=(-1559, None),
        sha256="43514e3899ae0d8224b8625f9005bca604e10281ccbe07fe127e31f7981d079c",
        note="The fifth part of ISOLET: the last 1559 rows of OpenML's table.",
    ),
    DatasetInfo(
        "gisette", 6000, 5000, 2, _none, 41026, rows=(None, 6000),
        note="The training part: the first 6000 rows of OpenML's table.",
    ),
    DatasetInfo(
        "flags-nominal", 194, 28, 8, _flag_value, 285, file="flags", dropped=("name",),
        sha256="f3b421bd16774bff65b35cfb9aa4f18a264db13d1fccc80021369b23bdbce703",
        note=_FLAGS_NOTE + "Counts are categories, as Weka's file declares them; only area and "
        "population are numbers.",
    ),
    DatasetInfo(
        "arrhythmia-numeric", 452, 279, 13, _none, 5, file="arrhythmia",
        note="All columns are numbers, and cut.",
    ),
    DatasetInfo(
        "arrhythmia-filled", 452, 279, 13, _wave_or_sex, maker=filled("arrhythmia"),
        note="Missing values are replaced by the mean, or by the most frequent category.",
    ),
    DatasetInfo(
        "dna-numeric", 3186, 180, 3, _none, 40670, file="dna",
        note="All columns are numbers, and cut: some into one interval.",
    ),
    DatasetInfo(
        "gisette-standin-mnist4v9", 6000, 784, 2, _none,
        sha256="8521aebd0b4e7efceb1b9d2007834dca9758982f4735c67a24bb4f8c156e8651",
        note="Not gisette: the digits it was made from, 784 pixels. Only from DEACS_DATA.",
    ),
    DatasetInfo(
        "gisette-standin-basehock", 1993, 4862, 2, _none,
        sha256="589de93aa174633bd87f1db02945b87da00285f816d408c3b118c0f8946bd9c9",
        note="Not gisette: word counts of two newsgroups. Only from DEACS_DATA.",
    ),
    DatasetInfo(
        "few-rows-isolet5", 130, 617, 26, _none, maker=sample_of("isolet5", 5, seed=0),
        note="5 rows of each class of isolet5.",
    ),
    DatasetInfo(
        "few-rows-mnist4v9", 60, 784, 2, _none,
        maker=sample_of("gisette-standin-mnist4v9", 30, seed=0),
        note="30 rows of each class of gisette-standin-mnist4v9.",
    ),
    DatasetInfo(
        "few-rows-basehock", 60, 4862, 2, _none,
        maker=sample_of("gisette-standin-basehock", 30, seed=0),
        note="30 rows of each class of gisette-standin-basehock.",
    ),
    DatasetInfo(
        "few-rows-made", 60, 2000, 3, _none,
        maker=made_up(20, 2000, n_per_signal=5, shift=2.0, seed=0),
        note="Generated: 5 columns are informative about each of three classes, 1985 are noise.",
    ),
    DatasetInfo("iris", 150, 4, 3, _none, bundled="load_iris", note="Ships with scikit-learn."),
    DatasetInfo("wine", 178, 13, 3, _none, bundled="load_wine", note="Ships with scikit-learn."),
    DatasetInfo(
        "breast-cancer", 569, 30, 2, _none, bundled="load_breast_cancer",
        note="Ships with scikit-learn.",
    ),
    DatasetInfo(
        "digits", 1797, 64, 10, _none, bundled="load_digits", note="Ships with scikit-learn."
    ),
)  # fmt: skip

REGISTRY: dict[str, DatasetInfo] = {entry.name: entry for entry in _ENTRIES}
"""Every data set by name."""

PAPER_SETS: tuple[str, ...] = tuple(REGISTRY)[:10]
"""The names of the paper's data sets, in the order of its Table 1."""
