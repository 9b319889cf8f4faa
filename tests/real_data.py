"""The paper's data sets, read from the folder that DEACS_DATA names; they are not ours to ship."""

import json
import os
from pathlib import Path

import pytest

from deacs.tables.files import read_table

MADELON = [
    {f"x{number}" for number in numbers.split()}
    for numbers in ("29 319 452", "49 379", "154 282 434", "242 476", "456")
] + [
    {f"x{number}" for number in numbers.split()}
    for numbers in ("65 337", "106 129", "339", "443 473", "454 494")
]
"""The twenty useful columns of madelon (published with the set, counted from 1), near copies
together: five sources, then five linear combinations of them."""


def read_set(name):
    """X (a polars frame) and y; skips, loudly, where the folder is absent."""
    folder = _folder()
    table = read_table(folder / f"{name}.csv.gz")
    return table.drop("class"), table["class"]


def read_labelled_set(name):
    """X (a polars frame) and its labels (a frame of 0 and 1) of a set with several labels a row."""
    folder = _folder() / "multilabel"
    labels = json.loads((folder / "schema.json").read_text())[name]["labels"]
    table = read_table(folder / f"{name}.csv.gz")
    return table.drop(labels), table.select(labels)


def read_labelled_codes(name):
    """Codes, labels and what another program selects: tests/golden/multilabel.json."""
    golden = json.loads((Path(__file__).parent / "golden" / "multilabel.json").read_text())
    codes = read_table(Path(__file__).parent / "golden" / f"multilabel-{name}-codes.csv.gz")
    _, Y = read_labelled_set(name)
    return codes.to_numpy(), Y.to_numpy(), golden["selections"][name]


def nominal_columns(name, X):
    """The columns that the set's documentation calls nominal."""
    nominal = json.loads((_folder() / "schema.json").read_text())[name]["nominal"]
    return X.columns if nominal == "all" else [c for c in nominal if c in X.columns]


def _folder():
    folder = os.environ.get("DEACS_DATA")
    if not folder:
        pytest.skip("DEACS_DATA does not name a folder with the paper's data sets")
    if not (Path(folder) / "schema.json").is_file():
        pytest.fail(f"DEACS_DATA={folder} has no schema.json")
    return Path(folder)


def suite_table(name):
    """X and y of a table of the wider suite, in the folder `suite` beside the paper's sets."""
    path = _folder() / "suite" / f"{name}.parquet"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    table = read_table(path)
    return table.drop("class"), table["class"].to_numpy()
