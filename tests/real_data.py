"""The paper's data sets, read from the folder that DEACS_DATA names; they are not ours to ship."""

import json
import os
from pathlib import Path

import pytest

from deacs.tables.files import read_csv


def read_set(name):
    """X (a polars frame) and y; skips, loudly, where the folder is absent."""
    folder = _folder()
    table = read_csv(folder / f"{name}.csv.gz")
    return table.drop("class"), table["class"]


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
