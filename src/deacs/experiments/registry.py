"""The registry of data sets: the source and shape of each, before it is read.

The first ten are those of the DEA-CS paper's Table 1, under its numbers, all from the UCI
repository (https://archive.ics.uci.edu) and on OpenML (https://www.openml.org).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deacs.exceptions import InputError, Parameter
from deacs.experiments.makers import Maker, filled, made_up, sample_of

__all__ = ["PAPER_SETS", "REGISTRY", "DatasetInfo", "dataset_info"]

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


def dataset_info(name: str) -> DatasetInfo:
    """Look up a data set by name."""
    if name not in REGISTRY:
        raise InputError(
            Parameter("sets"),
            f" must name data sets of the registry, got {name!r}; known names are "
            f"{', '.join(REGISTRY)}",
        )
    return REGISTRY[name]
